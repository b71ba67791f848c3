package argv

import (
	"strings"
	"testing"
)

// threeKits are small toolkits as people write them first.
var threeKits = map[string]string{
	"math": `{"name": "math", "commands": [{"name": "add", "body": {"annotations": {"read_only": true}, "options": [
		{"name": "a", "required": true, "schema": {"type": "number"}}, {"name": "b", "required": true, "schema": {"type": "number"}}]}}]}`,
	"text": `{"name": "text", "commands": [{"name": "upper", "body": {"annotations": {"read_only": true}, "options": [
		{"name": "input", "required": true, "schema": {"type": "string"}}, {"name": "mode", "schema": {"type": "string", "enum": ["space", "newline", "none"]}}],
		"flags": [{"name": "trim"}]}}]}`,
	"weather": `{"name": "weather", "commands": [{"name": "forecast", "examples": [{"summary": "3-day forecast for Paris", "input": {"city": "Paris", "days": 3}}],
		"body": {"annotations": {"read_only": true}, "options": [{"name": "city", "required": true, "schema": {"type": "string"}},
			{"name": "days", "default": 3, "schema": {"type": "integer", "minimum": 1, "maximum": 16}}]}}]}`,
	"page": `{"name": "page", "commands": [{"name": "shot", "body": {
		"options": [{"name": "url", "required": true, "schema": {"type": "string"}}, {"name": "width", "schema": {"type": "integer"}},
			{"name": "format", "schema": {"type": "string"}}, {"name": "count", "schema": {"type": "number"}},
			{"name": "sizes", "schema": {"type": "array", "items": {"type": "number"}}}, {"name": "marks", "schema": {"type": "array", "items": {"type": "boolean"}}},
			{"name": "clip", "schema": {"type": "object", "properties": {"at": {"type": "object", "properties": {"x": {"type": "number"}}}}}},
			{"name": "headers", "schema": {"type": "object", "additionalProperties": {"type": "string"}}},
			{"name": "quality", "schema": {"type": ["number", "null"]}}],
		"flags": [{"name": "fullPage"}, {"name": "noCache"}]}},
		{"name": "now", "body": {}}]}`,
}

func TestParity(t *testing.T) {
	for _, group := range []struct {
		name, kit string
		rows      []lineCase
	}{
		{"string", "weather", []lineCase{{line: `p forecast --city Paris`, want: `forecast {"city":"Paris"}`}}},
		{"number", "math", []lineCase{{line: `p add --a 2 --b 3.5`, want: `add {"a":2,"b":3.5}`}}},
		{"boolean", "page", []lineCase{
			{line: `p shot --url u --full-page`, want: `shot {"fullPage":true,"url":"u"}`},
			{line: `p shot --url u --no-full-page`, want: `shot {"fullPage":false,"url":"u"}`},
		}},
		{"enum", "text", []lineCase{
			{line: `p upper --input x --mode newline`, want: `upper {"input":"x","mode":"newline"}`},
			{line: `p upper --input x --mode tab`, want: "USAGE_ERROR", says: []string{"--mode", `"tab"`, "space, newline, none"}},
		}},
		{"repeated_array", "page", []lineCase{{line: `p shot --url u --sizes 1 --sizes 2.5`, want: `shot {"sizes":[1,2.5],"url":"u"}`}}},
		{"camel_case_is_kebab", "page", []lineCase{{line: `p shot --url u --no-cache`, want: `shot {"noCache":true,"url":"u"}`}}},
		{"no_prefix_both_ways", "page", []lineCase{{line: `p shot --url u --no-cache=false`, want: `shot {"noCache":false,"url":"u"}`}}},
		{"omitted_is_absent", "text", []lineCase{{line: `p upper --input x`, want: `upper {"input":"x"}`}}},
		{"unknown_flag_is_named", "text", []lineCase{{line: `p upper --input x --bogus`, want: "USAGE_ERROR", says: []string{"--bogus"}}}},
		{"all_missing_are_named", "math", []lineCase{{line: `p add`, want: "VALIDATION_ERROR", says: []string{"a: required", "b: required"}}}},
		{"no_parameters", "page", []lineCase{{line: `p now`, want: `now {}`}}},
		{"number_expected", "page", []lineCase{{line: `p shot --url u --count abc`, want: "USAGE_ERROR", says: []string{"--count", "number"}}}},
		{"value_required", "weather", []lineCase{{line: `p forecast --city`, want: "USAGE_ERROR", says: []string{"--city: a value is required"}, hint: "p forecast --city Paris"}}},
		{"stray_positional", "math", []lineCase{{line: `p add --a 1 --b 2 3`, want: "USAGE_ERROR", says: []string{`unexpected argument "3"`}}}},
		{"mixed_types", "page", []lineCase{{line: `p shot --url https://example.com/ --full-page --width 1920 --format png`,
			want: `shot {"format":"png","fullPage":true,"url":"https://example.com/","width":1920}`}}},
		{"json", "math", []lineCase{
			{line: `p add --json '{"a":2,"b":3}'`, want: `add {"a":2,"b":3}`},
			{line: `p add --json-file /tmp/in.json`, files: map[string]string{"/tmp/in.json": `{"a":2,"b":3}`}, want: `add {"a":2,"b":3}`},
			{line: `p add --json-file in.json`, files: map[string]string{"in.json": `{"a":2,"b":3}`}, want: `add {"a":2,"b":3}`},
		}},
		{"piped", "weather", []lineCase{{line: `p forecast`, stdin: `{"city":"Paris"}` + "\n", want: `forecast {"city":"Paris"}`}}},
		{"tool_not_found", "text", []lineCase{{line: `p lower`, want: "TOOL_NOT_FOUND", says: []string{`"lower"`, "Available: upper"}}}},
		{"validation_says_what_and_where", "weather", []lineCase{
			{line: `p forecast --city Paris --days 17`, want: "VALIDATION_ERROR", says: []string{"days: got 17, expected integer from 1 to 16"}, hint: "p forecast --city Paris --days 3"},
			{line: `p forecast`, want: "VALIDATION_ERROR", says: []string{"city: required"}, hint: "p forecast --city Paris"},
			{line: `p forecast Paris`, want: "USAGE_ERROR", hint: "p forecast --city Paris"},
		}},
		{"empty_string_is_kept", "text", []lineCase{{line: `p upper --input '' `, want: `upper {"input":""}`}}},
		{"help_in_any_position", "text", []lineCase{
			{line: `p --help`, want: "HELP "}, {line: `p upper --help`, want: "HELP upper"}, {line: `p upper --input x --help --trim`, want: "HELP upper"},
			{line: `p --help upper`, want: "HELP upper"}, {line: `p upper --help --json`, want: "HELPJSON upper"},
		}},
		{"nested_objects", "page", []lineCase{
			{line: `p shot --url u --clip.at.x 1.5`, want: `shot {"clip":{"at":{"x":1.5}},"url":"u"}`},
			{line: `p shot --url u --clip '{"at":{"x":1.5}}'`, want: `shot {"clip":{"at":{"x":1.5}},"url":"u"}`},
		}},
		{"arrays_of_numbers_and_booleans", "page", []lineCase{
			{line: `p shot --url u --sizes '[1,2]' --marks true --marks false`, want: `shot {"marks":[true,false],"sizes":[1,2],"url":"u"}`},
		}},
		{"maps", "page", []lineCase{{line: `p shot --url u --headers Accept=text/html --headers 'X-A=b c'`, want: `shot {"headers":{"Accept":"text/html","X-A":"b c"},"url":"u"}`}}},
		{"nullable", "page", []lineCase{{line: `p shot --url u --quality null`, want: `shot {"quality":null,"url":"u"}`}}},
		{"default_makes_optional", "weather", []lineCase{{line: `p forecast --city x`, want: `forecast {"city":"x"}`}}},
		{"odd_names_crash_nothing", "page", []lineCase{
			{line: `p constructor`, want: "TOOL_NOT_FOUND"}, {line: `p __proto__`, want: "TOOL_NOT_FOUND"}, {line: `p %`, want: "TOOL_NOT_FOUND"},
			{line: `p shot --url u --toString`, want: "USAGE_ERROR", says: []string{"--toString"}},
			{line: `p shot --url u --json '{"constructor":1}'`, want: "VALIDATION_ERROR", says: []string{"constructor: unknown key"}},
		}},
	} {
		t.Run(group.name, func(t *testing.T) { checkLines(t, definition(t, threeKits[group.kit]), group.rows) })
	}
}

func TestParityDefaultsAreTheHosts(t *testing.T) {
	def := definition(t, threeKits["weather"])
	inv, err := parseCase(t, def, lineCase{line: "p forecast --city Paris"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := completed(t, def, inv), `{"city":"Paris","days":3}`; got != want || strings.Contains(string(inv.Input), "days") {
		t.Errorf("got %s from %s, want %s", got, inv.Input, want)
	}
}
