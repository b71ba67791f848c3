package argv

import (
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	const (
		str  = `"schema":{"type":"string"}`
		list = `"schema":{"type":"array","items":{"type":"string"}}`
	)
	tests := []struct{ body, want string }{
		{`{}`, ``},
		{`{"positionals":[{"name":"from",` + str + `,"required":true},{"name":"toPath",` + str + `}]}`, `<from> [<to-path>]`},
		{`{"positionals":[{"name":"from",` + str + `,"value_name":"file"}]}`, `[<file>]`},
		{`{"positionals":[{"name":"from",` + str + `,"required":true,"default":"."}]}`, `[<from>]`},
		{`{"tail":{"name":"files","item":{}}}`, `[<files>...]`},
		{`{"tail":{"name":"files","item":{},"min":1}}`, `<files>...`},
		{`{"tail":{"name":"command","item":{},"separator":"::"},"options":[{"name":"s",` + str + `}]}`, `[--s <string>] [:: <command>...]`},
		{`{"options":[{"name":"a",` + str + `},{"name":"b",` + str + `,"required":true}]}`, `--b <string> [--a <string>]`},
		{`{"options":[{"name":"a",` + str + `,"value_name":"path"}]}`, `[--a <path>]`},
		{`{"options":[{"name":"a",` + str + `,"shape":{"optional":true}}]}`, `[--a[=<string>]]`},
		{`{"options":[{"name":"a",` + list + `}]}`, `[--a <string>...]`},
		{`{"options":[{"name":"a",` + list + `,"shape":{"delimiter":","}}]}`, `[--a <string>,...]`},
		{`{"options":[{"name":"a","schema":{"type":"array","items":{"type":"object"}}}]}`, `[--a <json>...]`},
		{`{"options":[{"name":"a","schema":{"type":"object","additionalProperties":{"type":"integer"}}}]}`, `[--a <key=value>...]`},
		{`{"options":[{"name":"a","schema":{"type":"object"}}]}`, `[--a <json>]`},
		{`{"options":[{"name":"a","schema":{}}]}`, `[--a <json>]`},
		{`{"options":[{"name":"a","schema":{"type":["integer","null"]}}]}`, `[--a <integer>]`},
		{`{"options":[{"name":"a","schema":{"enum":["x",1,true]}}]}`, `[--a <x|1|true>]`},
		{`{"options":[{"name":"a","schema":{"type":"string","enum":["x y","z"]}}]}`, `[--a <'x y'|z>]`},
		{`{"options":[{"name":"a","schema":{"type":"string","enum":["<x>"]}}]}`, `[--a <string>]`},
		{`{"options":[{"name":"a",` + str + `,"secret":true,"short":"a"},{"name":"b",` + str + `,"secret":true,"required":true}]}`, `--b-file <path> [--a-file <path>]`},
		{`{"options":[{"name":"a","schema":{"type":"integer"},"secret":true},{"name":"b","schema":{"type":"integer"},"secret":true,"required":true}]}`, `--json @PATH`},
		{`{"positionals":[{"name":"a",` + str + `,"secret":true,"required":true}],"options":[{"name":"b","schema":{},"secret":true,"required":true}]}`, `--json @PATH`},
		{`{"options":[{"name":"a","schema":{"type":"string","enum":["` + strings.Repeat("a", 30) + `","` + strings.Repeat("b", 30) + `"]}}]}`, `[--a <string>]`},
		{`{"options":[{"name":"a","schema":{"$ref":"#/$defs/A"}}],"input":{"$defs":{"A":{"type":"number"}}}}`, `[--a <number>]`},
		{`{"options":[{"name":"a","schema":{"anyOf":[{"type":"string"},{"type":"null"}]}}]}`, `[--a <string>]`},
		{`{"flags":[{"name":"b"},{"name":"v","count":true}]}`, `[--b] [--v...]`},
		{`{"flags":[{"name":"b","default":true},{"name":"c","default":true,"plain":true},{"name":"d","default":false}]}`, `[--no-b] [--c=false] [--d]`},
		{`{"flags":[{"name":"b","required":true},{"name":"c","required":true,"plain":true}]}`, `--b|--no-b --c`},
	}
	for _, test := range tests {
		if got := Signature(bodied(t, test.body), []string{"t"}); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.body, got, test.want)
		}
	}
}

func TestUsage(t *testing.T) {
	both := definition(t, `{"name":"x","globals":{"flags":[{"name":"quiet"}],"options":[{"name":"as","schema":{"type":"string"},"required":true}]},
		"body":{"positionals":[{"name":"value","schema":{"type":"string"}}]},
		"commands":[{"name":"sub","body":{"tail":{"name":"rest","item":{},"separator":"--","verbatim":true}}},{"name":"empty"}]}`)
	tests := []struct{ path, want string }{
		{"", "Usage: RUN [<value>] --as <string> [global options]\n       RUN <command> ... [global options]\n"},
		{"sub", "Usage: RUN sub --as <string> [global options] [-- <rest>...]\n"},
		{"empty", "Usage: RUN empty\n"},
		{"nosuch", ""},
	}
	for _, test := range tests {
		if got := Usage("RUN", both, strings.Fields(test.path)); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.path, got, test.want)
		}
	}
}
