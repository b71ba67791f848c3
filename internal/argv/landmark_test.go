package argv

import (
	"strings"
	"testing"
)

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

// TestCase_B044_ReferencesInsideOfAResource: what stands inside of a schema with an $id
// refers to that schema, not to the root, by pointers, anchors and relative names.
func TestCase_B044_ReferencesInsideOfAResource(t *testing.T) {
	def := command(t, `"options": [
		{"name": "p", "schema": {"$ref": "https://e.org/addr"}},
		{"name": "plain", "schema": {"$ref": "#/$defs/C"}},
		{"name": "there", "schema": {"$ref": "https://e.org/addr#/$defs/C"}},
		{"name": "across", "schema": {"$ref": "#/$defs/Addr/properties/q"}},
		{"name": "own", "schema": {"$id": "https://e.org/own", "type": "object",
			"properties": {"q": {"$ref": "#/$defs/C"}, "self": {"$ref": "#"}}, "$defs": {"C": {"type": "string"}}}}
	], "input": {"$anchor": "C", "$defs": {"C": {"type": "integer"}, "N": {"$anchor": "name", "type": "integer"}, "Addr": {
		"$id": "https://e.org/addr", "type": "object",
		"properties": {"q": {"$ref": "#/$defs/C"}, "n": {"$ref": "#name"}, "o": {"$ref": "#/definitions/C"}, "z": {"$ref": "zip#/$defs/Z"}},
		"definitions": {"C": {"type": "string"}},
		"$defs": {"C": {"type": "string"}, "N": {"$anchor": "name", "type": "string"},
			"Zip": {"$id": "zip", "$defs": {"Z": {"type": "string"}}}}
	}}}, "result": {"$defs": {"C": {"type": "integer"}}, "properties": {"a": {
		"$id": "https://e.org/a", "properties": {"q": {"$ref": "#/$defs/C"}}, "$defs": {"C": {"type": "string"}}}}}`)
	for _, name := range []string{"p.q", "p.n", "p.o", "p.z", "own.q", "own.self.q"} {
		path := strings.Split(name, ".")
		json := `"1"`
		for i := len(path) - 1; i >= 0; i-- {
			json = `{"` + path[i] + `":` + json + `}`
		}
		checkLines(t, def, []lineCase{{line: "agentos-x --" + name + " 1", want: " " + json}, {line: "agentos-x --json '" + json + "'", want: " " + json}})
	}
	checkLines(t, def, []lineCase{
		{line: "agentos-x --there 1 --across 1", want: ` {"across":"1","there":"1"}`},
		{line: "agentos-x --plain 1", want: ` {"plain":1}`},
		{line: "agentos-x --plain a", want: "USAGE_ERROR", says: []string{"expected integer"}},
	})
	help := Help("agentos-x", def, nil)
	for _, want := range []string{"{n?: string, o?: string, q?: string, z?: string} in JSON", "Result: {a?: {q?: string}}"} {
		if !strings.Contains(help, want) {
			t.Errorf("help lacks %q:\n%s", want, help)
		}
	}
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
