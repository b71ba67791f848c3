package argv

import "testing"

// TestCase_B044_NamedReferences: what a reference names otherwise than by a pointer
// from the root is found as well, and its flags are those of an inline schema.
func TestCase_B044_NamedReferences(t *testing.T) {
	def := command(t, `"options": [
		{"name": "q", "schema": {"$ref": "#/$defs/Q"}},
		{"name": "sibling", "schema": {"$ref": "#/properties/own/properties/a"}},
		{"name": "nested", "schema": {"$ref": "#/properties/own/$defs/N"}},
		{"name": "anchored", "schema": {"$ref": "#here"}},
		{"name": "id", "schema": {"$ref": "q.json"}},
		{"name": "uri", "schema": {"$ref": "https://example.org/schemas/q.json"}},
		{"name": "within", "schema": {"$ref": "q.json#/properties/a"}},
		{"name": "rooted", "schema": {"$ref": "/other/r.json"}},
		{"name": "old", "schema": {"$ref": "#/definitions/Old~1er"}},
		{"name": "deeper", "schema": {"$ref": "#/definitions/Old~1er/properties/a"}},
		{"name": "own", "schema": {"type": "object", "properties": {"a": {"type": "integer"}},
			"$defs": {"N": {"$anchor": "here", "type": "object", "properties": {"a": {"type": "integer"}}}}}},
		{"name": "lost", "schema": {"$ref": "#nowhere"}}
	], "input": {"$id": "https://example.org/schemas/root.json", "$defs": {
		"Q": {"$id": "q.json", "type": "object", "properties": {"a": {"type": "integer"}}},
		"R": {"$id": "https://example.org/other/r.json", "type": "object", "properties": {"a": {"type": "integer"}}}
	}, "definitions": {"Old/er": {"type": "object", "properties": {"a": {"type": "integer"}}}}}`)
	for _, name := range []string{"q", "nested", "anchored", "id", "uri", "rooted", "old"} {
		checkLines(t, def, []lineCase{
			{line: "agentos-x --" + name + ".a 1", want: ` {"` + name + `":{"a":1}}`},
			{line: "agentos-x --" + name + ".a x", want: "USAGE_ERROR", says: []string{"--" + name + `.a: got "x", expected integer`}},
		})
	}
	for _, name := range []string{"sibling", "within", "deeper"} {
		checkLines(t, def, []lineCase{
			{line: "agentos-x --" + name + " 1", want: ` {"` + name + `":1}`},
			{line: "agentos-x --" + name + " x", want: "USAGE_ERROR", says: []string{"--" + name + `: got "x", expected integer`}},
		})
	}
	checkLines(t, def, []lineCase{{line: `agentos-x --lost '[1]'`, want: ` {"lost":[1]}`}})
}

func TestJoinURI(t *testing.T) {
	for _, row := range []struct{ base, ref, want string }{
		{"", "q.json", "q.json"},
		{"urn:example:root", "q.json", "q.json"},
		{"https://example.org/a/root.json", "q.json", "https://example.org/a/q.json"},
		{"https://example.org/a/root.json", "/q.json", "https://example.org/q.json"},
		{"https://example.org", "q.json", "https://example.org/q.json"},
		{"https://example.org/a/root.json", "urn:example:q", "urn:example:q"},
		{"https://example.org/a/root.json", "http://example.com/q", "http://example.com/q"},
	} {
		if got := joinURI(row.base, row.ref); got != row.want {
			t.Errorf("%s beside %s: got %s, want %s", row.ref, row.base, got, row.want)
		}
	}
}
