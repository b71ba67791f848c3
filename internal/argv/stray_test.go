package argv

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestWordsWithoutAPlace(t *testing.T) {
	checkLines(t, definition(t, ticket), []lineCase{
		{line: `x '{"title":"a b"}'`, want: "USAGE_ERROR", says: []string{"an input in JSON goes to --json"}, hint: `x --json '{"title":"a b"}'`},
		{line: `x '{"title":"a"}' --output text`, want: "USAGE_ERROR", hint: `x --json '{"title":"a"}' --output text`},
		{line: `x ' {"title":5}'`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x '{"title":"a"}' '{"title":"b"}'`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x -- '{"title":"a"}'`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x title=a`, want: "USAGE_ERROR", says: []string{"an option is written --title VALUE"}, hint: `x --title a`},
		{line: `x Title='a=b' who.name=bob`, want: "USAGE_ERROR", hint: `x --title a=b --who.name bob`},
		{line: `x --title a who.name=bob --who.id 1`, want: "USAGE_ERROR", hint: `x --title a --who.id 1 --who.name bob`},
		{line: `x title=a --title b`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x color=red`, want: "USAGE_ERROR", hint: `x --title color=red`},
		{line: `x --title a help`, want: "USAGE_ERROR", says: []string{"for help write --help"}, hint: `x --help`},
		{line: `x -- -h`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x --titel help`, want: "USAGE_ERROR", hint: `x --help`},
	})
	own := command(t, `"options": [{"name": "json", "required": true, "schema": {"type": "object"}}]`)
	checkLines(t, own, []lineCase{{line: `agentos-x '{"json":{}}'`, want: "USAGE_ERROR", hint: `agentos-x --agentos:json '{"json":{}}'`}})
}

func TestStraySecretsAreNotRepeated(t *testing.T) {
	def := definition(t, ticket)
	for _, line := range []string{
		`x --title a api-token=hunter2`, `x --title a apiToken=hunter2`, `x '{"title":"a","apiToken":"hunter2"}'`, `x --title a '{"apiToken":"hunter2"'`,
	} {
		_, err := parseCase(t, def, lineCase{line: line})
		var e *toolkit.Error
		if !errors.As(err, &e) || strings.Contains(fmt.Sprint(e.Message, e.Hint, e.Details), "hunter2") {
			t.Errorf("%s: got %+v, want an error without the secret", line, err)
		}
	}
	checkLines(t, def, []lineCase{
		{line: `x --title a api-token=hunter2`, want: "USAGE_ERROR", says: []string{"--api-token-file PATH"}, hint: `x --title a --api-token-file PATH`},
		{line: `x api-token=hunter2`, want: "USAGE_ERROR", hint: `x --help`},
		{line: `x '{"title":"a","apiToken":"hunter2"}'`, want: "USAGE_ERROR", hint: `x --title a --api-token-file PATH`},
	})
}

func TestPlacesThatBeginWithADash(t *testing.T) {
	def := command(t, `"positionals": [{"name": "path", "required": true, "schema": {"type": "string"}}], "flags": [{"name": "all", "short": "a"}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x -dash.txt`, want: "USAGE_ERROR", says: []string{`if it is the value of path, write -- before it`}, hint: `agentos-x -- -dash.txt`},
		{line: `agentos-x -my-file --all`, want: "USAGE_ERROR", hint: `agentos-x --all -- -my-file`},
		{line: `agentos-x -dash.txt other`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x -v`, want: "USAGE_ERROR", says: []string{"-v: unknown option"}, hint: `agentos-x --help`},
		{line: `agentos-x -rf`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x -x=1.5`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x -- -dash.txt`, want: ` {"path":"-dash.txt"}`},
	})
}
