package argv

import (
	"strings"
	"testing"
)

// ticket is a tool that changes something, so that its example never stands in
// for what was given.
const ticket = `{"name": "x", "body": {"options": [
		{"name": "title", "required": true, "schema": {"type": "string"}},
		{"name": "who", "schema": {"type": "object", "properties": {"name": {"type": "string"}, "id": {"type": "integer"}, "boss": {
			"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}},
		{"name": "size", "schema": {"type": "object", "properties": {"w": {"type": "integer"}, "h": {"type": "integer"}}}},
		{"name": "labels", "schema": {"type": "object", "additionalProperties": {"type": "string"}}},
		{"name": "apiToken", "secret": true, "schema": {"type": "string"}}]},
	"examples": [{"input": {"title": "Disk is full", "who": {"name": "ada"}, "size": {"w": 1}}}]}`

func TestBareWordsForObjects(t *testing.T) {
	checkLines(t, definition(t, ticket), []lineCase{
		{line: `x --title t --who bob`, want: "USAGE_ERROR", hint: `x --title t --who.name bob`},
		{line: `x --title t --who name=bob`, want: "USAGE_ERROR", hint: `x --title t --who.name bob`},
		{line: `x --title t --who id=7`, want: "USAGE_ERROR", hint: `x --title t --who.id 7`},
		{line: `x --title t --who=-bob`, want: "USAGE_ERROR", hint: `x --title t --who.name=-bob`},
		{line: `x --title t --who.boss 7`, want: "USAGE_ERROR", hint: `x --title t --who.boss '{"id":7}'`},
		{line: `x --title t --who '{"id":1}' --who name=bob`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --who bob --who.id 1`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --who name=bob --who name=al`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --who id=bob`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --who nme=bob`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --size 7`, want: "USAGE_ERROR", hint: "x --help"},
		{line: `x --title t --labels red`, want: "USAGE_ERROR", hint: "x --help"},
	})
	reads := definition(t, ticket)
	reads.Body.Annotations.ReadOnly = true
	checkLines(t, reads, []lineCase{{line: `x --title t --size 7`, want: "USAGE_ERROR", hint: "x --help"}})
}

func TestBrokenJSONIsMendedInHints(t *testing.T) {
	checkLines(t, definition(t, ticket), []lineCase{
		{line: `x --json '{"title":"a",}'`, want: "USAGE_ERROR", hint: `x --title a`},
		{line: `x --json '{"title":"a","who":{"id":1,},}'`, want: "USAGE_ERROR", hint: `x --title a --who '{"id":1}'`},
		{line: `x --json "{'title':'a'}"`, want: "USAGE_ERROR", hint: `x --title a`},
		{line: `x --title a --who '{"id":1,}'`, want: "USAGE_ERROR", hint: `x --title a --who '{"id":1}'`},
		{line: `x --json @in.json`, files: map[string]string{"in.json": `{"title":"a",}`}, want: "USAGE_ERROR", hint: `x --title a`},
		{line: `x`, stdin: `{"title":"a",}`, want: "USAGE_ERROR", hint: `x --title a`},
		{line: `x`, stdin: `{"title":"a"`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x --json '{"titel":"a",}'`, want: "USAGE_ERROR", says: []string{"title: required", "titel: unknown key"}, hint: `x --title a`},
		{line: `x --json '{"title":"a"'`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x --json '{title:"a"}'`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x --json '{"title":"a","apiToken":"hunter2",}'`, want: "USAGE_ERROR", says: []string{"--api-token-file PATH"}, hint: `x --title a --api-token-file PATH`},
	})
}

func TestMended(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`:                `{"a":1}`,
		`[1,2 , ]`:                `[1,2  ]`,
		"{\"a\":[1,\n],\n}":       "{\"a\":[1\n]\n}",
		`{"a":",}"}`:              `{"a":",}"}`,
		`{"a":"\",}",}`:           `{"a":"\",}"}`,
		`{'a':'b',}`:              `{"a":"b"}`,
		`{'a':"b"}`:               ``,
		`{'a':'it's'}`:            ``,
		`{"a":1,,}`:               ``,
		`{,}`:                     `{}`,
		`[,1]`:                    ``,
		`{"a":1`:                  ``,
		`{"a":1,"a":2,}`:          ``,
		`"` + "\xff" + `"`:        ``,
		`\`:                       ``,
		strings.Repeat("[", 9999): ``,
		`["` + strings.Repeat("x", maxMended) + `",]`: ``,
	} {
		if got := string(mended([]byte(text))); got != want {
			t.Errorf("mended(%.40s) = %s, want %s", text, got, want)
		}
	}
}
