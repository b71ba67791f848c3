package argv

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
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

// Help may be asked for in place of any subcommand, where the word can be nothing else.
func TestHelpInPlaceOfASubcommand(t *testing.T) {
	def := definition(t, `{"name": "x", "globals": {"options": [{"name": "profile", "schema": {"type": "string"}}]}, "commands": [
		{"name": "util", "commands": [{"name": "slow", "body": {}}, {"name": "more", "commands": [{"name": "deep", "body": {}}]}]},
		{"name": "both", "body": {"positionals": [{"name": "p", "schema": {"type": "string"}}]}, "commands": [{"name": "sub", "body": {}}]},
		{"name": "own", "commands": [{"name": "help", "body": {}}]}]}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x util help slow`, want: "HELP util slow"},
		{line: `agentos-x util help`, want: "HELP util"},
		{line: `agentos-x util more help deep`, want: "HELP util more deep"},
		{line: `agentos-x help util slow`, want: "HELP util slow"},
		{line: `agentos-x --profile a help util`, want: "HELP util"},
		{line: `agentos-x util help nosuch`, want: "TOOL_NOT_FOUND"},
		{line: `agentos-x own help`, want: "own help {}"},
		{line: `agentos-x both help`, want: `both {"p":"help"}`},
	})
	for _, words := range [][]string{{"util", "help", "slow"}, {"help", "util", "slow"}, {"util", "slow"}} {
		pruned := Prune(def, words)
		if len(pruned.Commands) != 1 || len(pruned.Commands[0].Commands) != 1 || pruned.Commands[0].Commands[0].Name != "slow" {
			t.Errorf("%q: got %+v, want the tool util slow alone", words, pruned.Commands)
		}
	}
	if pruned := Prune(def, []string{"both", "help"}); pruned.Commands[0].Body == nil {
		t.Error("both help: the body, which has a place for the word, is gone")
	}
}

// TestNegationsHaveNoValue: what one says is not turned round.
func TestNegationsHaveNoValue(t *testing.T) {
	for _, annotations := range []string{`{}`, `{"read_only": true}`} {
		def := definition(t, `{"name": "x", "commands": [{"name": "t", "body": {"flags": [{"name": "desc", "default": true}], "annotations": `+annotations+`}}]}`)
		checkLines(t, def, []lineCase{
			{line: `agentos-x t --no-desc=true`, want: "USAGE_ERROR", says: []string{"--no-desc: takes no value, alone it sets desc to false"}, hint: "agentos-x t --no-desc"},
			{line: `agentos-x t --no-desc=false`, want: "USAGE_ERROR", hint: "agentos-x t --desc"},
			{line: `agentos-x t --no-desc=x`, want: "USAGE_ERROR", hint: "agentos-x t --help"},
		})
	}
}

// TestUnknownOptionsAreListedOnce has the list of options once in a message and once
// in the details.
func TestUnknownOptionsAreListedOnce(t *testing.T) {
	def := command(t, `"options": [{"name": "alpha", "schema": {"type": "string"}}, {"name": "token", "schema": {"type": "string"}, "secret": true},
		{"name": "pin", "schema": {"type": "integer"}, "secret": true}]`)
	_, err := Parse(def, &Line{Program: "agentos-x", Args: []string{"--foo", "1", "--bar", "2", "--alhpa", "3", "--tokn", "4"}})
	var e *toolkit.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error", err)
	}
	const want = "--foo: unknown option, expected one of --alpha, --token-file; --bar: unknown option; --alhpa: unknown option, nearest --alpha; --tokn: unknown option, nearest --token-file"
	details, _ := json.Marshal(e.Details)
	if e.Message != want || strings.Count(string(details), "--alpha, --token-file") != 1 || strings.Count(string(details), "an option of this command") != 3 {
		t.Errorf("got  %s\nwant %s\nand once in %s", e.Message, want, details)
	}
}

// TestPartsOfWhatIsGivenWhole has the dotted form of objects for what is none.
func TestPartsOfWhatIsGivenWhole(t *testing.T) {
	def := definition(t, `{"name": "x", "commands": [{"name": "pay", "body": {"options": [
		{"name": "method", "required": true, "schema": {"oneOf": [
			{"type": "object", "properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]},
			{"type": "object", "properties": {"kind": {"const": "bank"}}, "required": ["kind"]}]}},
		{"name": "items", "schema": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
		{"name": "any", "schema": {}},
		{"name": "n", "schema": {"type": "integer"}}]}}]}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x pay --method.kind card --method.number 1`, want: "USAGE_ERROR", hint: "agentos-x pay --help", says: []string{
			`--method.kind: unknown option: --method is one of several shapes: give it as JSON, expected a value in JSON, e.g. '{"kind":"card","number":"text"}'; ` +
				`--method.number: unknown option: --method is one of several shapes: give it as JSON`}},
		{line: `agentos-x pay --method {} --items.a 1`, want: "USAGE_ERROR", says: []string{`--items.a: unknown option: --items is a list: give it as JSON, expected array in JSON, e.g. '[{}]'`}},
		{line: `agentos-x pay --method {} --n.a=1`, want: "USAGE_ERROR", says: []string{`--n.a: unknown option: --n has no parts, expected integer`}},
		{line: `agentos-x pay --method {} --any.a 1`, want: "USAGE_ERROR", says: []string{`--any.a: unknown option: --any has no parts here: give it as JSON`}},
		{line: `agentos-x pay --method {} --arg:n.a 1`, want: "USAGE_ERROR", says: []string{`--n has no parts`}},
		{line: `agentos-x pay --method {} --nosuch.a 1`, want: "USAGE_ERROR", says: []string{`--nosuch.a: unknown option, expected one of`}},
	})
}

// TestCountsInAWordOfTheirOwn: a count is repeated, or attached.
func TestCountsInAWordOfTheirOwn(t *testing.T) {
	def := command(t, `"flags": [{"name": "verbose", "short": "v", "count": true, "max": 5}, {"name": "level", "count": true}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --verbose 2`, want: "USAGE_ERROR", says: []string{`unexpected argument "2" after --verbose, which counts: write -vv or --verbose=2`}, hint: `agentos-x -vv`},
		{line: `agentos-x -v 5`, want: "USAGE_ERROR", says: []string{`which counts: write --verbose=5`}, hint: `agentos-x --verbose=5`},
		{line: `agentos-x --verbose 9`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --level 1`, want: "USAGE_ERROR", says: []string{`which counts: write --level=1`}, hint: `agentos-x --level`},
		{line: `agentos-x --level x`, want: "USAGE_ERROR", says: []string{`unexpected argument "x"`}},
	})
}

// TestListsInOneWord: commas split a list only where it says so.
func TestListsInOneWord(t *testing.T) {
	def := command(t, `"options": [{"name": "list", "schema": {"type": "array", "items": {"type": "integer"}}},
		{"name": "state", "schema": {"type": "array", "items": {"type": "string", "enum": ["open", "shut"]}}},
		{"name": "split", "schema": {"type": "array", "items": {"type": "integer"}}, "shape": {"delimiter": ","}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --list 1,2`, want: "USAGE_ERROR", says: []string{`--list: got "1,2", expected integer; repeat it or give a JSON array`}, hint: `agentos-x --list 1 --list 2`},
		{line: `agentos-x --state open,SHUT`, want: "USAGE_ERROR", says: []string{`expected one of open, shut; repeat it or give a JSON array`}, hint: `agentos-x --state open --state shut`},
		{line: `agentos-x --list 1,x`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --list 1,2 --list 3`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --list 3 --list 1,2`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --list x`, want: "USAGE_ERROR", says: []string{`--list: got "x", expected integer`}},
		{line: `agentos-x --split 1,x`, want: "USAGE_ERROR", says: []string{`--split: got "x", expected integer`}},
	})
}

// TestUnitsAreTold: what a number counts stands in the name of its value.
func TestUnitsAreTold(t *testing.T) {
	def := command(t, `"options": [{"name": "holdFor", "help": "How long.", "value_name": "nanoseconds", "schema": {"type": "integer", "minimum": 0}},
		{"name": "sizes", "value_name": "bytes", "schema": {"type": "array", "items": {"type": "integer"}}},
		{"name": "days", "help": "Number of days", "value_name": "days", "schema": {"type": "integer"}},
		{"name": "day", "value_name": "day", "schema": {"type": "string"}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --hold-for 5s`, want: "USAGE_ERROR", says: []string{`--hold-for: got "5s", expected integer of at least 0 (nanoseconds)`}},
		{line: `agentos-x --hold-for -1`, want: "VALIDATION_ERROR", says: []string{`holdFor: got -1, expected integer of at least 0 (nanoseconds)`}},
		{line: `agentos-x --json '{"holdFor":"5s"}'`, want: "VALIDATION_ERROR", says: []string{`holdFor: got "5s", expected integer of at least 0 (nanoseconds)`}},
		{line: `agentos-x --sizes 1k`, want: "USAGE_ERROR", says: []string{`--sizes: got "1k", expected integer (bytes)`}},
		{line: `agentos-x --hold-for`, want: "USAGE_ERROR", says: []string{`--hold-for: a value is required`}},
	})
	for _, want := range []string{`"description":"How long (nanoseconds)"`, `"description":"bytes"`, `"description":"Number of days"`, `"day":{"type":"string"}`} {
		if got := string(Describe(def, nil)); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant in it %s", got, want)
		}
	}
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
