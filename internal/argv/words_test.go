package argv

import (
	"strings"
	"testing"
)

func TestOptionsStandAnywhere(t *testing.T) {
	def := definition(t, `{"name": "x",
		"globals": {"options": [{"name": "profile", "short": "p", "schema": {"type": "string"}}], "flags": [{"name": "quiet", "short": "q"}]},
		"commands": [{"name": "a", "aliases": ["al"],
			"globals": {"options": [{"name": "zone", "schema": {"type": "string"}}]},
			"commands": [{"name": "b", "body": {
				"positionals": [{"name": "from", "schema": {"type": "string"}, "required": true}],
				"tail": {"name": "rest", "item": {"type": "integer"}},
				"options": [{"name": "n", "short": "n", "schema": {"type": "integer"}}]}}],
			"body": {"options": [{"name": "own", "schema": {"type": "string"}}]}
		}]}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x a b here`, want: `a b {"from":"here"}`},
		{line: `agentos-x --profile dev a --zone eu b -q here --n 1`, want: `a b {"from":"here","n":1,"profile":"dev","quiet":true,"zone":"eu"}`},
		{line: `agentos-x al b --n 1 here --profile dev 1 --zone eu 2 -- -3`, want: `a b {"from":"here","n":1,"profile":"dev","rest":[1,2,-3],"zone":"eu"}`},
		{line: `agentos-x -qp dev a b here`, want: `a b {"from":"here","profile":"dev","quiet":true}`},
		{line: `agentos-x -pdev -q a b here`, want: `a b {"from":"here","profile":"dev","quiet":true}`},
		{line: `agentos-x -p=dev a b -n -5 here`, want: `a b {"from":"here","n":-5,"profile":"dev"}`},
		{line: `agentos-x a --own x`, want: `a {"own":"x"}`},
		// A body's option starts the body: b is no subcommand any more.
		{line: `agentos-x a --own x b`, want: "USAGE_ERROR", says: []string{`unexpected argument "b"`}},
		{line: `agentos-x a c`, want: "TOOL_NOT_FOUND", says: []string{`No tool "a c" in toolkit "x"`, "a b"}},
		{line: `agentos-x --zone eu a b here`, want: "USAGE_ERROR", says: []string{"--zone: unknown option"}},
		{line: `agentos-x -- a b here`, want: "USAGE_ERROR", says: []string{"expected a subcommand"}},
		{line: `agentos-x a b here -qx`, want: "USAGE_ERROR", says: []string{"-x: unknown option"}},
		{line: `agentos-x a b - -5`, want: `a b {"from":"-","rest":[-5]}`},
		{line: `agentos-x a b help`, want: `a b {"from":"help"}`},
	})
}

func TestShortBooleansTakeTheWordsTrueAndFalse(t *testing.T) {
	def := command(t, `"flags": [{"name": "a", "short": "a"}, {"name": "b", "short": "b"}, {"name": "v", "short": "v", "count": true}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x -ab`, want: ` {"a":true,"b":true}`},
		{line: `agentos-x -ab false`, want: ` {"a":true,"b":false}`},
		{line: `agentos-x -b=false -a`, want: ` {"a":true,"b":false}`},
		{line: `agentos-x -vv --v`, want: ` {"v":3}`},
		{line: `agentos-x -v=2`, want: ` {"v":2}`},
		{line: `agentos-x --arg:v 2 --arg:a false`, want: ` {"a":false,"v":2}`},
		{line: `agentos-x -v 2`, want: "USAGE_ERROR", says: []string{`unexpected argument "2"`}},
		{line: `agentos-x -v=x`, want: "USAGE_ERROR", says: []string{"-v: got \"x\", expected integer of at least 0"}},
	})
}

func TestNegationsGiveWayToDeclaredNames(t *testing.T) {
	def := command(t, `"flags": [{"name": "cache"}, {"name": "noCache"}, {"name": "noColor"}, {"name": "plain", "plain": true}, {"name": "wide", "aliases": ["broad"]}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --no-cache`, want: ` {"noCache":true}`},
		{line: `agentos-x --no-cache=false --cache`, want: ` {"cache":true,"noCache":false}`},
		{line: `agentos-x --no-color false`, want: ` {"noColor":false}`},
		{line: `agentos-x --color`, want: "USAGE_ERROR", says: []string{"--color: unknown option"}},
		{line: `agentos-x --no-no-color`, want: "USAGE_ERROR"},
		{line: `agentos-x --no-plain`, want: "USAGE_ERROR"},
		{line: `agentos-x --plain=false`, want: ` {"plain":false}`},
		{line: `agentos-x --no-broad`, want: ` {"wide":false}`},
	})
}

func TestForgottenValuesAreNotTakenFromTheNextOption(t *testing.T) {
	def := definition(t, fixture)
	for _, next := range []string{"--n", "--n=1", "--no-b", "--b", "--o.a", "--labels.team", "--s2-file", "--s2_file=x"} {
		checkLines(t, def, []lineCase{{
			line: "agentos-x t --s " + next + " 1", want: "USAGE_ERROR",
			says: []string{"--s: a value is required before " + strings.SplitN(next, "=", 2)[0]},
		}})
	}
	checkLines(t, def, []lineCase{
		{line: `agentos-x t --s --s`, want: `t {"s":"--s"}`},
		{line: `agentos-x t --s --output`, want: `t {"s":"--output"}`},
		{line: `agentos-x t --s --arg:n`, want: `t {"s":"--arg:n"}`},
		{line: `agentos-x t --s=--n`, want: `t {"s":"--n"}`},
		{line: `agentos-x t --s-file --n 1`, want: "USAGE_ERROR", says: []string{"--s-file: a value is required before --n, expected the path of a file"}},
		{line: `agentos-x t --o.a --o.b x`, want: "USAGE_ERROR", says: []string{"--o.a: a value is required before --o.b"}},
		{line: `agentos-x t --timeout --n 1`, want: "USAGE_ERROR", says: []string{"--timeout: a value is required before --n"}},
		{line: `agentos-x t --json --help`, want: "USAGE_ERROR", says: []string{"--json: a value is required"}},
		{line: `agentos-x t --arg:s`, want: "USAGE_ERROR", says: []string{"--arg:s: a value is required"}},
	})
}

func TestEveryParameterHasTheArgForm(t *testing.T) {
	def := command(t, `"positionals": [{"name": "place", "schema": {"type": "string"}, "required": true}],
		"tail": {"name": "rest", "item": {"type": "string"}, "separator": "::"},
		"options": [{"name": "json", "schema": {"type": "string"}}, {"name": "help", "schema": {"type": "string"}},
			{"name": "o", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}}},
			{"name": "color", "schema": {"type": "string"}, "shape": {"optional": true}}],
		"flags": [{"name": "b"}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --arg:place p --arg:rest a --arg:rest b`, want: ` {"place":"p","rest":["a","b"]}`},
		{line: `agentos-x p --arg:json '{"a":1}' --arg:help=x --arg:b false`, want: ` {"b":false,"help":"x","json":"{\"a\":1}","place":"p"}`},
		{line: `agentos-x p --json text --help more`, want: ` {"help":"more","json":"text","place":"p"}`},
		{line: `agentos-x p --agentos:json '{"o":{"a":1}}' --arg:o.a 2`, want: ` {"o":{"a":2},"place":"p"}`},
		{line: `agentos-x p --arg:color red`, want: ` {"color":"red","place":"p"}`},
		{line: `agentos-x --arg:place p :: a`, want: ` {"place":"p","rest":["a"]}`},
		{line: `agentos-x --agentos:help`, want: "HELP "},
		{line: `agentos-x p -h`, want: "HELP "},
		{line: `agentos-x p --arg:nosuch 1`, want: "USAGE_ERROR", says: []string{"--arg:nosuch: unknown option"}, hint: "agentos-x --agentos:help"},
		{line: `agentos-x p --agentos:nosuch 1`, want: "USAGE_ERROR", says: []string{"--agentos:nosuch: unknown option"}},
		{line: `agentos-x --place p`, want: "USAGE_ERROR", says: []string{"place is given by its place"}, hint: "agentos-x p"},
	})
}

func TestToolNamedHelpWins(t *testing.T) {
	def := definition(t, `{"name": "x", "commands": [{"name": "help", "body": {}}, {"name": "t", "body": {}}]}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x help`, want: "help {}"},
		{line: `agentos-x help --help`, want: "HELP help"},
	})
}

func TestTailWithoutSeparatorTakesWordsAmongOptions(t *testing.T) {
	def := command(t, `"tail": {"name": "files", "item": {"type": "string"}}, "flags": [{"name": "b"}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x a --b b c`, want: ` {"b":true,"files":["a","b","c"]}`},
		{line: `agentos-x '["a","b"]' c`, want: ` {"files":["a","b","c"]}`},
		{line: `agentos-x -- --b`, want: ` {"files":["--b"]}`},
		{line: `agentos-x -5`, want: ` {"files":["-5"]}`},
	})
}

func TestSeparatorThatIsADoubleDash(t *testing.T) {
	def := command(t, `"positionals": [{"name": "p", "schema": {"type": "string"}, "required": true}],
		"tail": {"name": "rest", "item": {"type": "string"}, "separator": "--", "verbatim": true}, "flags": [{"name": "b"}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x p -- --b --`, want: ` {"p":"p","rest":["--b","--"]}`},
		{line: `agentos-x -- -- -- x`, want: ` {"p":"--","rest":["x"]}`},
		{line: `agentos-x p --b --`, want: ` {"b":true,"p":"p","rest":[]}`},
	})
}

func TestOptionalScalars(t *testing.T) {
	def := command(t, `"options": [
		{"name": "color", "short": "c", "schema": {"type": "string", "enum": ["auto", "never"]}, "shape": {"optional": true}, "default": "auto"},
		{"name": "depth", "schema": {"type": "integer"}, "shape": {"optional": true}}],
		"positionals": [{"name": "p", "schema": {"type": "string"}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --color never`, want: ` {"color":"auto","p":"never"}`},
		{line: `agentos-x --color=NEVER -c`, want: "USAGE_ERROR", says: []string{`-c: given twice, as "never" and "auto"`}},
		{line: `agentos-x -cnever`, want: ` {"color":"never"}`},
		{line: `agentos-x --color-file f`, files: map[string]string{"f": "never"}, want: ` {"color":"never"}`},
		{line: `agentos-x --depth=3`, want: ` {"depth":3}`},
		{line: `agentos-x --depth`, want: "USAGE_ERROR", says: []string{"--depth: a value is required, as --depth=VALUE"}},
		{line: `agentos-x --color=blue`, want: "USAGE_ERROR", says: []string{"one of auto, never"}},
	})
}

func TestNamesThatTwoParametersShare(t *testing.T) {
	// Both wire names have the snake form a_b: neither is meant by it.
	def := command(t, `"options": [{"name": "aB", "schema": {"type": "string"}}, {"name": "a_B", "aliases": ["other"], "schema": {"type": "string"}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --a_b x`, want: "USAGE_ERROR", says: []string{"--a_b: unknown option"}},
		{line: `agentos-x --aB x --a_B y`, want: ` {"aB":"x","a_B":"y"}`},
		{line: `agentos-x --other y`, want: ` {"a_B":"y"}`},
	})
	parts := command(t, `"options": [{"name": "o", "schema": {"type": "object", "properties": {"aB": {"type": "string"}, "a_b": {"type": "string"}}}}]`)
	checkLines(t, parts, []lineCase{
		{line: `agentos-x --o.a-b x`, want: "USAGE_ERROR", says: []string{"--o.a-b: unknown key"}},
		{line: `agentos-x --o.a_b x --o.aB y`, want: ` {"o":{"aB":"y","a_b":"x"}}`},
	})
}

func TestHintsKeepTheBridgesOptions(t *testing.T) {
	def := command(t, `"options": [{"name": "n", "schema": {"type": "integer"}}, {"name": "output", "schema": {"type": "string"}}],
		"flags": [{"name": "verbose", "short": "v", "count": true}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --dry-run --agentos:output text --call-id a --n 1 --n 2`, want: "USAGE_ERROR",
			hint: "agentos-x --agentos:output text --call-id a --dry-run --n 2"},
		{line: `agentos-x --verbos`, want: "USAGE_ERROR", hint: "agentos-x -v"},
		{line: `agentos-x --timeuot 5`, want: "USAGE_ERROR", says: []string{"nearest --timeout"}, hint: "agentos-x --help"},
	})
}
