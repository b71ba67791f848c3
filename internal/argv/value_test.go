package argv

import (
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// jsonOf reads a value.
func jsonOf(t *testing.T, text string) *strictjson.Value {
	t.Helper()
	value, err := strictjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("value %s: %v", text, err)
	}
	return value
}

func TestExpectedInWords(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                  "string",
		`{"type":"string","minLength":3}`:                    "string",
		`{"type":"integer"}`:                                 "integer",
		`{"type":"number"}`:                                  "number",
		`{"type":"boolean"}`:                                 "true or false",
		`{"type":"null"}`:                                    "null",
		`{"type":"integer","minimum":1,"maximum":16}`:        "integer from 1 to 16",
		`{"type":"integer","minimum":1}`:                     "integer of at least 1",
		`{"type":"number","maximum":0.5}`:                    "number of at most 0.5",
		`{"type":"number","exclusiveMinimum":0}`:             "number above 0",
		`{"type":"number","minimum":0,"exclusiveMaximum":1}`: "number of at least 0 and below 1",
		`{"type":["integer","null"]}`:                        "integer or null",
		`{"type":["integer","boolean"]}`:                     "integer or boolean",
		`{"enum":["red","green"]}`:                           "one of red, green",
		`{"type":["integer","null"],"enum":[1,2,null]}`:      "one of 1, 2 or null",
		`{"type":"object"}`:                                  "object in JSON, e.g. '{}'",
		`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`:                  `object in JSON, e.g. '{"a":1}'`,
		`{"type":"object","required":["b"],"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`: `object in JSON, e.g. '{"b":"text"}'`,
		`{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":5}}}`:           `object in JSON, e.g. '{"n":5}'`,
		`{"type":"object","required":["n"],"properties":{"n":{"type":"number","maximum":-1}}}`:           `object in JSON, e.g. '{"n":-1}'`,
		`{"type":"object","required":["c"],"properties":{"c":{"enum":["x","y"]}}}`:                       `object in JSON, e.g. '{"c":"x"}'`,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                     "KEY=VALUE or an object in JSON",
		`{"type":"array","items":{"type":"boolean"}}`:                                                    "array in JSON, e.g. '[true]'",
		`{"properties":{"a":{}}}`: `object in JSON, e.g. '{"a":null}'`,
		`{}`:                      `a value in JSON, e.g. '"text"'`,
		`{"anyOf":[{"type":"null"},{"type":"boolean"}]}`:                                                               "true or false or null",
		`{"oneOf":[{"type":"string"},{"type":"integer"}]}`:                                                             `a value in JSON, e.g. '"text"'`,
		`{"oneOf":[{"type":"null"},{"type":"integer"},{"type":"array"}]}`:                                              `a value in JSON, e.g. '1'`,
		`{"oneOf":[{"required":["k","n"],"properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"type":"object"}]}`: `a value in JSON, e.g. '{"k":"a","n":1}'`,
		`{"anyOf":[{"type":"string","format":"date-time"},{"const":"now"}]}`:                                           "string",
		`{"oneOf":[{"const":"a"},{"const":"b"},{"enum":["c"]},{"type":"null"}]}`:                                       "one of a, b, c or null",
		`{"const":"a"}`: "one of a",
	} {
		if got := (refs{}).expected(schemaOf(t, schema)); got != want {
			t.Errorf("expected(%s): got %q, want %q", schema, got, want)
		}
	}
}

func TestEqualValues(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1e2`, `100`, true}, {`1`, `2`, false}, {`1`, `"1"`, false}, {`"a"`, `"\u0061"`, true}, {`"a"`, `"b"`, false},
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":2}`, false}, {`{"a":1}`, `{"b":1}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,1]`, false}, {`null`, `false`, false}, {`true`, `true`, true}, {`null`, `null`, true},
	} {
		if got := equal(jsonOf(t, row.a), jsonOf(t, row.b)); got != row.want {
			t.Errorf("equal(%s, %s): got %v, want %v", row.a, row.b, got, row.want)
		}
	}
}

func TestReferencesAreLocalPointers(t *testing.T) {
	root := schemaOf(t, `{"$defs": {
		"a": {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": {"type": "boolean"}},
		"l": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
		"all": {"allOf": [{"type": "null"}], "oneOf": [{"type": "array"}]},
		"~/% x": {"type": "string"}
	}}`)
	for ref, want := range map[string]string{
		"#/$defs/a":                      "object",
		"#/$defs/a/properties/x":         "integer",
		"#/$defs/a/additionalProperties": "boolean",
		"#/$defs/l/items/anyOf/1":        "number",
		"#/$defs/all/allOf/0":            "null",
		"#/$defs/all/oneOf/0":            "array",
		"#/$defs/~0~1%25%20x":            "string",
		"#/$defs/~0~1% x":                "string",
		"#/$defs/none":                   "",
		"#/$defs/a/properties/none":      "",
		"#/$defs/l/items/anyOf/2":        "",
		"#/$defs/l/items/anyOf/-1":       "",
		"#/$defs/a/title":                "",
		"#/$defs":                        "",
		"#/nothing/a/b":                  "",
		"#anchor":                        "",
		"other.json#/$defs/a":            "",
		"https://example.com/":           "",
	} {
		got := ""
		if schema := (refs{root: root}).target(&toolkit.Schema{Ref: ref}); schema != nil && len(schema.Type) == 1 {
			got = schema.Type[0]
		}
		if got != want {
			t.Errorf("%s: got the type %q, want %q", ref, got, want)
		}
	}
	if (refs{}).target(&toolkit.Schema{Ref: "#/$defs/a"}) != nil || (refs{root: root}).target(&toolkit.Schema{Ref: "#"}) != root {
		t.Error("want nothing without a root, and the root by its empty pointer")
	}
}

// TestCirclesOfReferences: what refers to itself alone, beside null or not, says
// nothing of a type.
func TestCirclesOfReferences(t *testing.T) {
	root := schemaOf(t, `{"$defs": {"a": {"$ref": "#/$defs/a"}, "n": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}, "l": {"allOf": [{"$ref": "#/$defs/n"}]}}}`)
	for name := range root.Defs {
		if got := alone(root).plain(&toolkit.Schema{Ref: "#/$defs/" + name}); got != anything {
			t.Errorf("%s: got %v, want anything", name, got)
		}
	}
}

func TestLongWordsAreShortened(t *testing.T) {
	long := ""
	for len(long) < 200 {
		long += "ä"
	}
	for text, want := range map[string]string{
		"short": "short", long: long[:80] + "…", "x" + long: "x" + long[:78] + "…", "a\xffb": "a\uFFFDb", "": "",
	} {
		if got := shortened(text); got != want {
			t.Errorf("shortened(%q): got %q, want %q", text, got, want)
		}
	}
}

func TestNullForTheWholeValue(t *testing.T) {
	def := command(t, `"options": [
		{"name": "numbers", "schema": {"type": ["array", "null"], "items": {"type": "integer"}}},
		{"name": "words", "schema": {"type": ["array", "null"], "items": {"type": "string"}}},
		{"name": "labels", "schema": {"type": ["object", "null"], "additionalProperties": {"type": "string"}}},
		{"name": "o", "schema": {"type": ["object", "null"], "properties": {"a": {"type": "integer"}}}}],
		"flags": [{"name": "maybe", "nullable": true}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --numbers null --labels null --o null --maybe=null`, want: ` {"labels":null,"maybe":null,"numbers":null,"o":null}`},
		{line: `agentos-x --words null`, want: ` {"words":["null"]}`},
		{line: `agentos-x --numbers null --numbers 1`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x --numbers 1 --numbers null`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x --labels null --labels a=b`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x --labels null --labels null`, want: ` {"labels":null}`},
		{line: `agentos-x --maybe null`, want: "USAGE_ERROR"},
	})
}

// TestUntypedChoices: a choice is given as help says, be its type declared or not:
// strings as their text; where others are among them, in JSON as well.
func TestUntypedChoices(t *testing.T) {
	def := command(t, `"options": [
		{"name": "e", "schema": {"enum": ["abc", "DEF"]}},
		{"name": "c", "schema": {"const": "abc"}},
		{"name": "m", "schema": {"enum": ["abc", 1, {"a": 1}, null]}},
		{"name": "es", "schema": {"type": "array", "items": {"enum": ["abc", "a b"]}}},
		{"name": "o", "schema": {"type": "object", "properties": {"e": {"enum": ["abc", "x"]}}}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --e abc --c abc --o.e abc`, want: ` {"c":"abc","e":"abc","o":{"e":"abc"}}`},
		{line: `agentos-x --e def`, want: ` {"e":"DEF"}`},
		{line: `agentos-x --e '"abc"'`, want: "USAGE_ERROR", says: []string{"expected one of abc, DEF"}},
		{line: `agentos-x --c '"abc"'`, want: "USAGE_ERROR", says: []string{"expected one of abc"}},
		{line: `agentos-x --m abc`, want: ` {"m":"abc"}`},
		{line: `agentos-x --m '"abc"'`, want: ` {"m":"abc"}`},
		{line: `agentos-x --m 1.0`, want: ` {"m":1}`},
		{line: `agentos-x --m '{ "a": 1.0 }'`, want: ` {"m":{"a":1}}`},
		{line: `agentos-x --m null`, want: ` {"m":null}`},
		{line: `agentos-x --m ABD`, want: "USAGE_ERROR"},
		{line: `agentos-x --es abc --es 'a b'`, want: ` {"es":["abc","a b"]}`},
		{line: `agentos-x --json '{"e":"abc","c":"abc","m":1}'`, want: ` {"c":"abc","e":"abc","m":1}`},
	})
	help := Help("agentos-x", def, nil)
	for _, want := range []string{"--e <abc|DEF>\n", "--c <abc>\n", `(one of abc, 1, {"a":1}, null)`, "--es <abc|'a b'>...    (list: repeat it or give a JSON array)\n"} {
		if !strings.Contains(help, want) {
			t.Errorf("got\n%s\nwant in it %s", help, want)
		}
	}
}
