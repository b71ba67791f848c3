package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// vector is a line, or variables, against a definition, with what it means after
// defaults: "path input", "HELP path", or "ERR" and a part of the message.
type vector struct {
	line string
	env  string // "NAME=value ..."
	want string
}

// vectorGroup is a definition with the lines that are read by it.
type vectorGroup struct {
	id      string
	command string // JSON of the root without its name
	rows    []vector
}

// numberType is a schema of integers within the bounds.
func numberType(low, high string) string {
	return fmt.Sprintf(`{"type":"integer","minimum":%s,"maximum":%s}`, low, high)
}

const (
	stringType = `{"type":"string"}`
	matchType  = `{"type":"string","enum":["Literal","Regex"]}`
)

var (
	s32Type = numberType("-2147483648", "2147483647")
	u32Type = numberType("0", "4294967295")
	s64Type = numberType("-9223372036854775808", "9223372036854775807")
	u64Type = numberType("0", "18446744073709551615")
)

// Bodies and commands that several groups share.
var (
	textNumber = `"body":{"positionals":[{"name":"text","schema":` + stringType + `,"required":true},
		{"name":"number","schema":` + s32Type + `,"required":true}],"options":[{"name":"label","schema":` + stringType + `}]}`
	verboseRepeat = `"globals":{"flags":[{"name":"verbose","short":"v","count":true,"max":3}]},
		"commands":[{"name":"repeat","aliases":["r"],"body":{"positionals":[{"name":"value","schema":` + stringType + `,"required":true}]}}]`
	valueRest = `"body":{"positionals":[{"name":"value","schema":` + stringType + `,"required":true}],
		"tail":{"name":"rest","item":` + stringType + `,"separator":"tail","verbatim":true}}`
	tagSet = `"body":{"options":[{"name":"tag","schema":{"type":"array","items":` + stringType + `},"shape":{"delimiter":",","repeats":true}},
		{"name":"set","schema":{"type":"object","additionalProperties":` + u32Type + `}}]}`
	colorEnabled = `"body":{"options":[{"name":"color","short":"c","aliases":["colour"],"schema":` + stringType + `,"shape":{"optional":true},"default":"auto"}],
		"flags":[{"name":"enabled","short":"e","default":true}]}`
	fileTail = `"body":{"tail":{"name":"files","item":` + stringType + `,"min":1,"max":2,"separator":"::","verbatim":true}}`
	offsets  = `"body":{"positionals":[{"name":"offset","schema":` + u64Type + `,"required":true},{"name":"delta","schema":` + s64Type + `,"required":true}],
		"options":[{"name":"limit","schema":` + u64Type + `}]}`
	matches = `"body":{"positionals":[{"name":"mode","schema":` + matchType + `,"required":true}],
		"options":[{"name":"fallback","schema":` + matchType + `},{"name":"also","schema":{"type":"array","items":` + matchType + `},"shape":{"delimiter":","}}]}`
	profileShow = `"globals":{"options":[{"name":"profile","schema":` + stringType + `}]},
		"commands":[{"name":"show","body":{"options":[{"name":"color","schema":` + stringType + `,"shape":{"optional":true}}]}}]`
)

var vectorGroups = []vectorGroup{
	{"A01", textNumber, []vector{{line: `"hello world" -17 --label null`, want: `{"label":"null","number":-17,"text":"hello world"}`}}},
	{"A02", textNumber, []vector{{line: `x 8`, want: `{"number":8,"text":"x"}`}}},
	{"A03", textNumber, []vector{
		{line: `x`, want: "ERR number: required"},
		{line: `x 2147483648`, want: "ERR number: got 2147483648, expected integer from -2147483648 to 2147483647"},
		{line: `x 2 --unknown`, want: "ERR --unknown: unknown option"},
		{line: `x 2 --label a --label b`, want: `ERR --label: given twice, as "a" and "b"`},
	}},
	{"A04", verboseRepeat, []vector{{line: `-vv r word`, want: `repeat {"value":"word","verbose":2}`}}},
	{"A05", verboseRepeat, []vector{{line: `--help`, want: `HELP`}, {line: `repeat --help`, want: `HELP repeat`}}},
	{"A06", verboseRepeat, []vector{
		{line: `repeat`, want: "ERR value: required"},
		{line: `-vvvv r word`, want: "ERR verbose: got 4, expected integer from 0 to 3"},
	}},
	{"A07", `"body":{"positionals":[{"name":"value","schema":` + stringType + `,"required":true}]},"commands":[{"name":"sub","body":{}}]`, []vector{
		{line: `-- --help`, want: `{"value":"--help"}`},
		{line: `-- sub`, want: `{"value":"sub"}`},
		{line: `sub`, want: `sub {}`},
	}},
	{"A08", valueRest, []vector{{line: `-- tail`, want: `{"value":"tail"}`}}},
	{"A09", valueRest, []vector{{line: `-- tail tail --help tail`, want: `{"rest":["--help","tail"],"value":"tail"}`}}},
	{"A10", valueRest, []vector{{line: `-- tail --help`, want: `ERR unexpected argument "--help", expected "tail" before rest`}}},
	{"A11", strings.Replace(valueRest, `"name":"rest"`, `"name":"rest","min":1`, 1), []vector{
		{line: `tail tail item`, want: `{"rest":["item"],"value":"tail"}`},
		{line: `tail tail`, want: `ERR rest: got 0 items, expected at least 1 item`},
	}},
	{"A12", strings.Replace(valueRest, `"required":true`, `"default":"fallback"`, 1), []vector{
		{line: `tail item`, want: `{"rest":["item"],"value":"fallback"}`},
	}},
	{"A13", tagSet, []vector{{line: `--tag=a,b --tag c --set x=7`, want: `{"set":{"x":7},"tag":["a","b","c"]}`}}},
	{"A14", tagSet, []vector{{line: `--set x=1 --set x=2`, want: "ERR --set: given twice, as 1 and 2"}}},
	{"A15", strings.Replace(tagSet, `{"name":"set",`, `{"name":"set","shape":{"last_wins":true},`, 1), []vector{
		{line: `--set=x=1 --set=x=9`, want: `{"set":{"x":9}}`},
	}},
	{"A16", strings.Replace(tagSet, `,"repeats":true`, "", 1), []vector{
		{line: `--tag=a --tag=b`, want: "ERR --tag: given twice"},
		{line: `--tag=a,b`, want: `{"tag":["a","b"]}`},
	}},
	{"A17", colorEnabled, []vector{{line: ``, want: `{"color":"auto","enabled":true}`}}},
	{"A18", colorEnabled, []vector{
		{line: `--color --no-enabled`, want: `{"color":"auto","enabled":false}`},
		{line: `--colour=never`, want: `{"color":"never","enabled":true}`},
		{line: `-calways`, want: `{"color":"always","enabled":true}`},
	}},
	{"A20", fileTail, []vector{{line: `:: --help`, want: `{"files":["--help"]}`}}},
	{"A21", fileTail, []vector{
		{line: ``, want: "ERR files: required"},
		{line: `file`, want: `ERR unexpected argument "file", expected "::" before files`},
		{line: `:: a b c`, want: "ERR files: got 3 items, expected 1 to 2 items"},
	}},
	{"A23", `"body":{"options":[{"name":"manual","short":"h","aliases":["help"],"schema":` + stringType + `}],"flags":[{"name":"verbose","short":"v","count":true}]}`, []vector{
		{line: `--help --help -v`, want: `{"manual":"--help","verbose":1}`},
		{line: `-vh--help`, want: `{"manual":"--help","verbose":1}`},
	}},
	{"A25", `"body":{"positionals":[{"name":"value","schema":` + s32Type + `,"required":true}],"flags":[{"name":"one","short":"1","count":true}]}`, []vector{
		{line: `-2`, want: `{"value":-2}`},
		{line: `-1 -2`, want: `{"one":1,"value":-2}`},
		{line: `-- -1`, want: `{"value":-1}`},
		{line: `-11 -- -1`, want: `{"one":2,"value":-1}`},
	}},
	{"A29", `"body":{"flags":[{"name":"left","short":"l"},{"name":"right","short":"r"}],
		"constraints":[{"kind":"forbids","if":{"terms":[{"name":"left"}]},"then":{"terms":[{"name":"right"}]}}]}`, []vector{
		{line: `--left`, want: `{"left":true}`},
		{line: `-lr`, want: "ERR got --left and --right, but --left excludes --right"},
	}},
	{"A31", `"body":{"positionals":[{"name":"directory","schema":` + stringType + `}],"options":[{"name":"initialBranch","schema":` + stringType + `}]}`, []vector{
		{line: ``, want: `{}`},
		{line: `repo`, want: `{"directory":"repo"}`},
		{line: `--initial-branch main`, want: `{"initialBranch":"main"}`},
		{line: `repo --initial-branch main`, want: `{"directory":"repo","initialBranch":"main"}`},
		{line: `--initial-branch main repo`, want: `{"directory":"repo","initialBranch":"main"}`},
	}},
	{"A32", profileShow, []vector{
		{line: `show`, want: `show {}`},
		{line: `--profile dev show`, want: `show {"profile":"dev"}`},
		{line: `show --profile dev`, want: `show {"profile":"dev"}`},
		{line: `show --color=always`, want: `show {"color":"always"}`},
	}},
	{"A34", `"body":{"positionals":[{"name":"from","schema":` + stringType + `}],"options":[{"name":"author","schema":` + stringType + `}],
		"constraints":[{"kind":"forbids","if":{"terms":[{"name":"author"}]},"then":{"terms":[{"name":"from"}]}}]}`, []vector{
		{line: ``, want: `{}`},
		{line: `HEAD`, want: `{"from":"HEAD"}`},
		{line: `--author Ada`, want: `{"author":"Ada"}`},
		{line: `--author Ada HEAD`, want: "ERR --author excludes <from>"},
	}},
	{"A35", `"body":{"options":[{"name":"cwd","schema":` + stringType + `,"env":"PWD"},
		{"name":"color","schema":` + stringType + `,"shape":{"optional":true},"env":"COLOR"}]}`, []vector{
		{want: `{}`},
		{env: "OTHER=x", want: `{}`},
		{env: "PWD=/data/repo", want: `{"cwd":"/data/repo"}`},
		{env: "PWD=/data/repo COLOR=always", want: `{"color":"always","cwd":"/data/repo"}`},
	}},
	{"A36", `"body":{"options":[{"name":"cwd","schema":` + stringType + `,"env":"PWD","default":"/"}]}`, []vector{
		{want: `{"cwd":"/"}`},
		{env: "PWD=/data", want: `{"cwd":"/data"}`},
		{line: `--cwd /x`, env: "PWD=/data", want: `{"cwd":"/x"}`},
		{line: `--cwd=/x`, env: "PWD=/data", want: `{"cwd":"/x"}`},
		{env: "PWD=", want: `{"cwd":"/"}`},
	}},
	{"A37", `"body":{"options":[{"name":"region","schema":` + stringType + `,"env":"REGION","required":true}]}`, []vector{
		{want: "ERR region: required"},
		{env: "REGION=eu", want: `{"region":"eu"}`},
	}},
	{"A38", `"body":{"options":[{"name":"tags","schema":{"type":"array","items":` + stringType + `},"shape":{"delimiter":","},"env":"TAGS"}]}`, []vector{
		{want: `{}`},
		{env: "TAGS=a,b", want: `{"tags":["a","b"]}`},
		{line: `--tags x`, env: "TAGS=a,b", want: `{"tags":["x"]}`},
	}},
	{"A40", `"body":{"flags":[{"name":"verbose","env":"VERBOSE"},{"name":"level","short":"l","count":true,"max":3,"env":"LEVEL"}]}`, []vector{
		{env: "VERBOSE=true LEVEL=2", want: `{"level":2,"verbose":true}`},
		{env: "VERBOSE=FALSE", want: `{"verbose":false}`},
		{line: `--verbose`, env: "VERBOSE=false", want: `{"verbose":true}`},
		{line: `-l`, env: "LEVEL=3", want: `{"level":1}`},
		{env: "VERBOSE=Yes LEVEL=003", want: `{"level":3,"verbose":true}`},
		{env: "VERBOSE=maybe", want: `ERR --verbose from variable VERBOSE: got "maybe"`},
		{env: "LEVEL=2.0", want: `ERR --level from variable LEVEL: got "2.0", expected a decimal number`},
		{env: "LEVEL=4", want: "ERR level: got 4, expected integer from 0 to 3"},
	}},
	{"A44", `"body":{"options":[{"name":"token","schema":` + stringType + `,"env":"TOKEN"},{"name":"tokenFile","schema":` + stringType + `}],
		"constraints":[{"kind":"forbids","if":{"terms":[{"name":"token"}]},"then":{"terms":[{"name":"token-file"}]}}]}`, []vector{
		{line: `--token-file f`, want: `{"tokenFile":"f"}`},
		{env: "TOKEN=t", want: `{"token":"t"}`},
		{line: `--token-file f`, env: "TOKEN=t", want: "ERR --token excludes --token-file"},
	}},
	{"A45", offsets, []vector{{line: `201 -5 --limit 18446744073709551615`, want: `{"delta":-5,"limit":18446744073709551615,"offset":201}`}}},
	{"A46", offsets, []vector{
		{line: `18446744073709551616 0`, want: "ERR offset: got 18446744073709551616"},
		{line: `0 9223372036854775808`, want: "ERR delta: got 9223372036854775808"},
		{line: `-1 0`, want: "ERR offset: got -1"},
		{line: `1.5 0`, want: `ERR offset: got "1.5"`},
		{line: `many 0`, want: `ERR offset: got "many"`},
		{line: `007 0`, want: `ERR offset: got "007"`},
	}},
	{"A47", matches, []vector{
		{line: `regex --fallback literal --also literal,regex`, want: `{"also":["Literal","Regex"],"fallback":"Literal","mode":"Regex"}`},
		{line: `REGEX --fallback LITERAL --also LITERAL,REGEX`, want: `{"also":["Literal","Regex"],"fallback":"Literal","mode":"Regex"}`},
		{line: `rEgEx --fallback liTeral --also literal,Regex`, want: `{"also":["Literal","Regex"],"fallback":"Literal","mode":"Regex"}`},
		{line: `Regex --fallback Literal --also '["literal","Regex"]'`, want: `{"also":["Literal","Regex"],"fallback":"Literal","mode":"Regex"}`},
	}},
}

func TestParse(t *testing.T) {
	for _, group := range vectorGroups {
		def := definition(t, `{"name":"x",`+group.command+`}`)
		for i, row := range group.rows {
			t.Run(fmt.Sprintf("%s_%d", group.id, i+1), func(t *testing.T) {
				got := meaning(def, splitLine(t, row.line), strings.Fields(row.env))
				want := strings.TrimSpace(row.want)
				if isError := strings.HasPrefix(want, "ERR "); isError && strings.HasPrefix(got, "ERR ") && strings.Contains(got, want[4:]) {
					return
				}
				if got != want {
					t.Errorf("x %s {%s}\n got %s\nwant %s", row.line, row.env, got, want)
				}
			})
		}
	}
}

// meaning is the outcome of a line in the notation of the vectors.
func meaning(def *toolkit.Definition, args, env []string) string {
	inv, err := Parse(def, &Line{Program: "agentos-x", Args: args, Env: environment(env...)})
	path := strings.Join(inv.Path, " ")
	var full json.RawMessage
	if err == nil && !inv.Help {
		full, err = Complete(def, inv.Path, inv.Input)
	}
	var e *toolkit.Error
	switch {
	case errors.As(err, &e) && e.ExitStatus() != 2:
		return fmt.Sprintf("exit %d, want 2: %v", e.ExitStatus(), e)
	case err != nil:
		return "ERR " + err.Error()
	case inv.Help:
		return strings.TrimSpace("HELP " + path)
	}
	return strings.TrimSpace(path + " " + string(full))
}
