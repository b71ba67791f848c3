package argv

import "testing"

func TestMaps(t *testing.T) {
	def := command(t, `"options": [
		{"name": "labels", "schema": {"type": "object", "additionalProperties": {"type": "string"}}},
		{"name": "limits", "schema": {"type": "object", "additionalProperties": {"type": "integer"}}},
		{"name": "last", "schema": {"type": "object", "additionalProperties": {"type": "integer"}}, "shape": {"last_wins": true}},
		{"name": "flagged", "schema": {"type": "object", "additionalProperties": {"type": "boolean"}}},
		{"name": "deep", "schema": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
		{"name": "any", "schema": {"type": "object", "additionalProperties": true}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --labels a=1 --labels b=x=y --labels c=`, want: ` {"labels":{"a":"1","b":"x=y","c":""}}`},
		{line: `agentos-x --labels '{"a":"1"}' --labels b=2`, want: ` {"labels":{"a":"1","b":"2"}}`},
		{line: `agentos-x --labels '{}'`, want: ` {"labels":{}}`},
		{line: `agentos-x --labels.team=core --labels.app.io/name web`, want: ` {"labels":{"app.io/name":"web","team":"core"}}`},
		{line: `agentos-x --labels a=1 --labels.b 2`, want: ` {"labels":{"a":"1","b":"2"}}`},
		{line: `agentos-x --labels a=1 --labels a=1`, want: ` {"labels":{"a":"1"}}`},
		{line: `agentos-x --labels a=1 --labels a=2`, want: "USAGE_ERROR", says: []string{`--labels: given twice, as "1" and "2"`}},
		{line: `agentos-x --labels a=1 --labels.a 2`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x --last a=1 --last '{"a":2}' --last.a=3`, want: ` {"last":{"a":3}}`},
		{line: `agentos-x --limits cpu=2.0`, want: ` {"limits":{"cpu":2}}`},
		{line: `agentos-x --limits cpu=two`, want: "USAGE_ERROR", says: []string{`--limits: got "two", expected integer`}},
		{line: `agentos-x --limits.cpu two`, want: "USAGE_ERROR", says: []string{`--limits.cpu: got "two", expected integer`}},
		{line: `agentos-x --limits cpu`, want: "USAGE_ERROR", says: []string{"KEY=VALUE or an object in JSON"}},
		{line: `agentos-x --limits '{"cpu":"two"}'`, want: "VALIDATION_ERROR", says: []string{`limits.cpu: got "two", expected integer`}},
		{line: `agentos-x --limits '{"cpu":2'`, want: "USAGE_ERROR", says: []string{"the JSON ends too early"}},
		{line: `agentos-x --flagged on=TRUE --flagged off=false`, want: ` {"flagged":{"off":false,"on":true}}`},
		{line: `agentos-x --deep.k.a 1 --deep k2='{"a":2}'`, want: ` {"deep":{"k":{"a":1},"k2":{"a":2}}}`},
		{line: `agentos-x --any a=1 --any.b '"text"'`, want: ` {"any":{"a":1,"b":"text"}}`},
	})
}

func TestListsWithDelimiters(t *testing.T) {
	def := command(t, `"options": [
		{"name": "one", "schema": {"type": "array", "items": {"type": "string"}}, "shape": {"delimiter": ","}},
		{"name": "both", "schema": {"type": "array", "items": {"type": "integer"}}, "shape": {"delimiter": ":", "repeats": true}},
		{"name": "grid", "schema": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}},
		{"name": "maybe", "schema": {"type": "array", "items": {"type": ["integer", "null"]}}},
		{"name": "bools", "schema": {"type": "array", "items": {"type": "boolean"}}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --one a,b,,c`, want: ` {"one":["a","b","","c"]}`},
		{line: `agentos-x --one '["a,b"]'`, want: ` {"one":["a,b"]}`},
		{line: `agentos-x --arg:one a,b`, want: ` {"one":["a,b"]}`},
		{line: `agentos-x --one a --one b`, want: "USAGE_ERROR", says: []string{`--one: given twice, expected all elements in one, separated by ","`}},
		{line: `agentos-x --one '[]'`, want: ` {"one":[]}`},
		{line: `agentos-x --both 1:2 --both 3`, want: ` {"both":[1,2,3]}`},
		{line: `agentos-x --both 1:x`, want: "USAGE_ERROR", says: []string{`--both: got "x", expected integer`}},
		{line: `agentos-x --grid '[1,2]' --grid '[[3],[]]'`, want: ` {"grid":[[1,2],[3],[]]}`},
		{line: `agentos-x --grid 1`, want: "USAGE_ERROR", says: []string{"array in JSON"}},
		{line: `agentos-x --maybe null --maybe '[1,null]'`, want: ` {"maybe":[null,1,null]}`},
		{line: `agentos-x --bools true --bools FALSE`, want: ` {"bools":[true,false]}`},
	})
}

func TestObjectsInParts(t *testing.T) {
	def := command(t, `"options": [{"name": "o", "schema": {"type": "object", "additionalProperties": false, "properties": {
		"a": {"type": "integer"}, "fullName": {"type": "string"}, "on": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
		"in": {"type": ["object", "null"], "properties": {"b": {"type": "integer"}, "c": {"type": "string", "enum": ["Red"]}}}}}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --o.in.b 1 --o.in.c red --o.on true`, want: ` {"o":{"in":{"b":1,"c":"Red"},"on":true}}`},
		{line: `agentos-x --o.full-name A`, want: ` {"o":{"fullName":"A"}}`},
		{line: `agentos-x --o.full_name A --o.fullName A`, want: ` {"o":{"fullName":"A"}}`},
		{line: `agentos-x --o.tags x --o.tags '["y","z"]'`, want: ` {"o":{"tags":["x","y","z"]}}`},
		{line: `agentos-x --o.in '{"b":1}' --o.in.c Red`, want: ` {"o":{"in":{"b":1,"c":"Red"}}}`},
		{line: `agentos-x --o.in.c Red --o.in '{"b":1}'`, want: ` {"o":{"in":{"b":1,"c":"Red"}}}`},
		{line: `agentos-x --o.in null --o.in.b 1`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x --o.in null`, want: ` {"o":{"in":null}}`},
		{line: `agentos-x --json '{"o":{"a":1,"in":{"b":2,"c":"Red"}}}' --o.in.b 3`, want: ` {"o":{"a":1,"in":{"b":3,"c":"Red"}}}`},
		{line: `agentos-x --json '{"o":{"a":1}}' --o '{"on":true}'`, want: ` {"o":{"on":true}}`},
		{line: `agentos-x --json '{"o":{"a":1}}' --o '{"on":true}' --o.full-name x`, want: ` {"o":{"fullName":"x","on":true}}`},
		{line: `agentos-x --json '{"o":"text"}' --o.a 1`, want: ` {"o":{"a":1}}`},
		{line: `agentos-x --o.in.x 1`, want: "USAGE_ERROR", says: []string{"--o.in.x: unknown key, expected one of b, c"}},
		{line: `agentos-x --o.a.b 1`, want: "USAGE_ERROR", says: []string{"--o.a.b: unknown key"}},
		{line: `agentos-x --o. 1`, want: "USAGE_ERROR", says: []string{"--o.: unknown key"}},
	})
	diff(t, "problems of a wrong part", problemsOf(func() error {
		_, err := parseCase(t, def, lineCase{line: `agentos-x --o.in.b x`})
		return err
	}()), []string{"o.in.b: x → integer"})
}

func TestOptionReplacesTheKeyOfJSON(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --json '{"xs":["a"],"labels":{"a":"1"},"b":true}' --xs b --labels c=2 --no-b`, want: `t {"b":false,"labels":{"c":"2"},"xs":["b"]}`},
		{line: `agentos-x t --json '{"labels":{"a":"1"}}' --labels.c 2`, want: `t {"labels":{"a":"1","c":"2"}}`},
		{line: `agentos-x t --json '{"n":"wrong"}' --n 1`, want: `t {"n":1}`},
	})
}

func TestSeveralDeclaredTypes(t *testing.T) {
	def := command(t, `"options": [
		{"name": "text", "schema": {"type": ["integer", "string"]}},
		{"name": "either", "schema": {"type": ["integer", "boolean"]}},
		{"name": "any", "schema": {}},
		{"name": "nothing", "schema": {"type": "null"}},
		{"name": "level", "schema": {"enum": [1, "two", null, 3.50]}},
		{"name": "fixed", "schema": {"type": "string", "const": "v1"}},
		{"name": "one", "schema": {"allOf": [{"type": "integer"}]}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --text 5`, want: ` {"text":"5"}`},
		{line: `agentos-x --json '{"text":5}'`, want: ` {"text":5}`},
		{line: `agentos-x --either 5`, want: ` {"either":5}`},
		{line: `agentos-x --either x`, want: "USAGE_ERROR", says: []string{"integer or boolean"}},
		{line: `agentos-x --either '"x"'`, want: "VALIDATION_ERROR"},
		{line: `agentos-x --any '[1,{"a":null}]'`, want: ` {"any":[1,{"a":null}]}`},
		{line: `agentos-x --any text`, want: "USAGE_ERROR", says: []string{"a value in JSON"}},
		{line: `agentos-x --nothing null`, want: ` {"nothing":null}`},
		{line: `agentos-x --level 1.0`, want: ` {"level":1}`},
		{line: `agentos-x --level TWO`, want: ` {"level":"two"}`},
		{line: `agentos-x --level 2`, want: "USAGE_ERROR", says: []string{"one of 1, two, 3.50"}},
		{line: `agentos-x --fixed v2`, want: "VALIDATION_ERROR", says: []string{`fixed: got "v2"`}},
		{line: `agentos-x --one 5`, want: ` {"one":5}`},
	})
}

func TestBytesComeFromFiles(t *testing.T) {
	def := command(t, `"options": [{"name": "data", "schema": {"type": "string", "contentEncoding": "base64"}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --data-file f`, files: map[string]string{"f": "\x00\xff"}, want: ` {"data":"AP8="}`},
		{line: `agentos-x --data AP8=`, want: ` {"data":"AP8="}`},
	})
}

func TestInvalidTextIsLocated(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: "agentos-x t --s ab\xffc", want: "USAGE_ERROR", says: []string{"--s: invalid UTF-8 at byte 2"}},
		{line: "agentos-x t --s \uFFFD", want: "t {\"s\":\"\uFFFD\"}"},
		{line: "agentos-x t --labels a\xff=1", want: "USAGE_ERROR", says: []string{"invalid UTF-8 at byte 1"}},
		{line: "agentos-x t --labels.a\xff 1", want: "USAGE_ERROR"},
		{line: "agentos-x t --n \xff", want: "USAGE_ERROR"},
	})
}
