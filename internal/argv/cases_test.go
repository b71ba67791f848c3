package argv

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

func TestCase_B001_NegativeNumberIsAValue(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --n -5`, want: `t {"n":-5}`},
		{line: `agentos-x t --f -71.09`, want: `t {"f":-71.09}`},
		{line: `agentos-x t --f -1e-3`, want: `t {"f":-1e-3}`},
		{line: `agentos-x t --n=-5`, want: `t {"n":-5}`},
	})
}

func TestCase_B002_DigitsOfAStringStayText(t *testing.T) {
	var rows []lineCase
	for _, text := range []string{"000123", "326030", "020", "true", "null", "1e5", "[1]", "{}", "@note.txt", "5.0"} {
		rows = append(rows, lineCase{line: "agentos-x t --s " + text, want: fmt.Sprintf(`t {"s":%q}`, text)})
	}
	checkLines(t, definition(t, fixture), rows)
}

func TestCase_B003_NoDigitIsLost(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --s 1234567890.123456`, want: `t {"s":"1234567890.123456"}`},
		{line: `agentos-x t --f 1234567890.123456`, want: `t {"f":1234567890.123456}`},
	})
}

func TestCase_B004_IntegerIsNoString(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --n 5`, want: `t {"n":5}`},
		{line: `agentos-x t --n 5x`, want: "USAGE_ERROR", says: []string{"--n", `"5x"`, "integer"}},
	})
}

func TestCase_B005_IntegersStayExact(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --n 9007199254740993`, want: `t {"n":9007199254740993}`},
		{line: `agentos-x t --json '{"n":9007199254740993}'`, want: `t {"n":9007199254740993}`},
		{line: `agentos-x t --n 5`, want: `t {"n":5}`},
		{line: `agentos-x t --n 5.0`, want: `t {"n":5}`},
		{line: `agentos-x t --json '{"n":5.0,"ns":[1.00]}'`, want: `t {"n":5,"ns":[1]}`},
		{line: `agentos-x t --f 5.0`, want: `t {"f":5.0}`},
		{line: `agentos-x t --n 5.5`, want: "USAGE_ERROR"},
		{line: `agentos-x t --json '{"n":5.5}'`, want: "VALIDATION_ERROR", says: []string{"n: got 5.5, expected integer"}},
		{line: `agentos-x t --json '{"n":1e3}'`, want: "VALIDATION_ERROR"},
	})
}

func TestCase_B006_ListTakesElementsOrAnArray(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --xs '["a","b"]'`, want: `t {"xs":["a","b"]}`},
		{line: `agentos-x t --xs a --xs b`, want: `t {"xs":["a","b"]}`},
		{line: `agentos-x t --xs a`, want: `t {"xs":["a"]}`},
		{line: `agentos-x t --xs a --xs '["b","c"]'`, want: `t {"xs":["a","b","c"]}`},
		{line: `agentos-x t --arg:xs '["a"]'`, want: `t {"xs":["[\"a\"]"]}`},
		{line: `agentos-x t --arg:xs='["a"]'`, want: `t {"xs":["[\"a\"]"]}`},
		{line: `agentos-x t --xs '[1]'`, want: `t {"xs":["[1]"]}`},
		{line: `agentos-x t --xs '[not json'`, want: `t {"xs":["[not json"]}`},
		{line: `agentos-x t --xs a,b`, want: `t {"xs":["a,b"]}`},
		{line: `agentos-x t --ns '[1,2.0]' --ns -3`, want: `t {"ns":[1,2,-3]}`},
		{line: `agentos-x t --ns '[1,"2"]'`, want: "USAGE_ERROR", says: []string{"integer"}},
	})
}

func TestCase_B007_ObjectsInAListAreNotSplit(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --os '{"a":1,"b":"p,q"}' --os '{"a":2}'`, want: `t {"os":[{"a":1,"b":"p,q"},{"a":2}]}`},
		{line: `agentos-x t --os '[{"a":1},{"a":2}]'`, want: `t {"os":[{"a":1},{"a":2}]}`},
	})
	delimited := command(t, `"options": [{"name": "os", "shape": {"delimiter": ","},
		"schema": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}}}]`)
	checkLines(t, delimited, []lineCase{{line: `agentos-x --os '{"a":1,"b":2}'`, want: ` {"os":[{"a":1,"b":2}]}`}})
}

func TestCase_B008_ListWithoutAValue(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --xs`, want: "USAGE_ERROR", says: []string{"--xs: a value is required", "'[]'"}},
		{line: `agentos-x t --xs --n 1`, want: "USAGE_ERROR", says: []string{"--xs: a value is required before --n"}},
		{line: `agentos-x t --xs '[]'`, want: `t {"xs":[]}`},
	})
}

func TestCase_B009_ObjectAsJSONOrInParts(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --o '{"a":1}'`, want: `t {"o":{"a":1}}`},
		{line: `agentos-x t --o.a 1 --o.b z`, want: `t {"o":{"a":1,"b":"z"}}`},
		{line: `agentos-x t --o.a=1 --o '{"b":"z"}'`, want: `t {"o":{"a":1,"b":"z"}}`},
		{line: `agentos-x t --o nonsense`, want: "USAGE_ERROR", says: []string{`object in JSON, e.g. '{"a":1}'`}},
		{line: `agentos-x t --o '[1]'`, want: "USAGE_ERROR"},
		{line: `agentos-x t --o.a x`, want: "USAGE_ERROR", says: []string{`--o.a: got "x", expected integer`}},
		{line: `agentos-x t --o.c 1`, want: "USAGE_ERROR", says: []string{"--o.c: unknown key, expected one of a, b"}},
		{line: `agentos-x t --o '{"a":"x"}'`, want: "VALIDATION_ERROR", says: []string{`o.a: got "x", expected integer`}},
		{line: `agentos-x t --o '{"c":1}'`, want: "VALIDATION_ERROR", says: []string{"o.c: unknown key"}},
	})
}

func TestCase_B010_UndeclaredOptionIsNeverIgnored(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --limt 5`, want: "USAGE_ERROR", says: []string{"--limt: unknown option", "--n, --f, --s"}, hint: "agentos-x t --help"},
		{line: `agentos-x t --label a=b`, want: "USAGE_ERROR", says: []string{"nearest --labels"}, hint: "agentos-x t --labels a=b"},
		{line: `agentos-x t -q`, want: "USAGE_ERROR", says: []string{"-q: unknown option"}},
		{line: `agentos-x t --constructor 1`, want: "USAGE_ERROR"},
		{line: `agentos-x t --__proto__ 1 --toString=2 --% 3`, want: "USAGE_ERROR", says: []string{"--__proto__", "--toString", "--%"}},
	})
	open := command(t, `"options": [{"name": "a", "schema": {"type": "string"}}], "input": {"additionalProperties": true}`)
	checkLines(t, open, []lineCase{
		{line: `agentos-x --extra 5`, want: "USAGE_ERROR"},
		{line: `agentos-x --json '{"extra":5}'`, want: ` {"extra":5}`},
	})
}

func TestCase_B011_AttachedValues(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --b=false`, want: `t {"b":false}`},
		{line: `agentos-x t --n=5`, want: `t {"n":5}`},
		{line: `agentos-x t --s=`, want: `t {"s":""}`},
		{line: `agentos-x t --s=a=b`, want: `t {"s":"a=b"}`},
	})
}

func TestCase_B012_FlagsAndTheirWords(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --b`, want: `t {"b":true}`},
		{line: `agentos-x t --b true`, want: `t {"b":true}`},
		{line: `agentos-x t --b false`, want: `t {"b":false}`},
		{line: `agentos-x t --no-b`, want: `t {"b":false}`},
		{line: `agentos-x t --b maybe`, want: "USAGE_ERROR", says: []string{`"maybe"`, "--b", "true or false"}},
		{line: `agentos-x t --b=maybe`, want: "USAGE_ERROR", says: []string{"true or false"}},
		{line: `agentos-x t --b --no-b`, want: `t {"b":false}`},
		{line: `agentos-x t --no-b --b=TRUE`, want: `t {"b":true}`},
		{line: `agentos-x t --no-b=true`, want: "USAGE_ERROR", says: []string{"--no-b: takes no value"}},
		{line: `agentos-x t --no-no-b`, want: "USAGE_ERROR"},
	})
}

func TestCase_B013_EmptyStringIsAValue(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --s ''`, want: `t {"s":""}`},
		{line: `agentos-x r --s=`, want: `r {"s":""}`},
	})
	short := command(t, `"options": [{"name": "s", "schema": {"type": "string", "minLength": 1}}]`)
	checkLines(t, short, []lineCase{
		{line: `agentos-x --s ''`, want: "VALIDATION_ERROR", says: []string{"s: got 0 characters, expected at least 1 character"}},
	})
}

func TestCase_B014_NullFromTheLine(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --json '{"z":null}'`, want: `t {"z":null}`},
		{line: `agentos-x t --z null`, want: `t {"z":"null"}`},
		{line: `agentos-x t --zn null`, want: `t {"zn":null}`},
		{line: `agentos-x t --n null`, want: "USAGE_ERROR"},
	})
}

func TestCase_B015_RequiredIsJudgedOnTheMergedInput(t *testing.T) {
	def := definition(t, fixture)
	def.Commands[0].Body.Options[2].Required = true // s
	checkLines(t, def, []lineCase{
		{line: `agentos-x t --json '{"s":"v"}'`, want: `t {"s":"v"}`},
		{line: `agentos-x t --n 3 --json '{"s":"v"}'`, want: `t {"n":3,"s":"v"}`},
		{line: `agentos-x --json '{"s":"v"}' t --n 3`, want: `t {"n":3,"s":"v"}`},
		{line: `agentos-x t --json '{"n":1,"s":"v"}' --n 2`, want: `t {"n":2,"s":"v"}`},
		{line: `agentos-x t --n 2 --json '{"n":1,"s":"v"}'`, want: `t {"n":2,"s":"v"}`},
		{line: `agentos-x t --json '{"n":1}'`, want: "VALIDATION_ERROR", says: []string{"s: required"}},
	})
}

func TestCase_B016_ValuesFromFiles(t *testing.T) {
	contents := map[string]string{"note.txt": "a\nb\n", "args.json": `{"s":"v"}`, "bad.txt": "ab\xff"}
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --s @note.txt`, want: `t {"s":"@note.txt"}`, files: contents},
		{line: `agentos-x t --s @@handle`, want: `t {"s":"@@handle"}`},
		{line: `agentos-x t --s-file note.txt`, want: `t {"s":"a\nb\n"}`, files: contents},
		{line: `agentos-x t --s-file=note.txt --n 1`, want: `t {"n":1,"s":"a\nb\n"}`, files: contents},
		{line: `agentos-x t --json @args.json`, want: `t {"s":"v"}`, files: contents},
		{line: `agentos-x t --json-file args.json`, want: `t {"s":"v"}`, files: contents},
		{line: `agentos-x t --json -`, want: `t {"s":"v"}`, stdin: `{"s":"v"}`},
		{line: `agentos-x t --s-file bad.txt`, want: "USAGE_ERROR", files: contents, says: []string{"--s-file: invalid UTF-8 at byte 2"}},
		{line: `agentos-x t --s-file none`, want: "USAGE_ERROR", says: []string{"--s-file: cannot be read: open none"}},
		{line: `agentos-x t --n-file note.txt`, want: "USAGE_ERROR", says: []string{"--n-file: unknown option"}},
		{line: `agentos-x t --s x --s-file note.txt`, want: "USAGE_ERROR", says: []string{"given twice"}, files: contents},
	})
}

func TestCase_B017_SpellingsOfAName(t *testing.T) {
	def := command(t, `"options": [{"name": "userID", "schema": {"type": "string"}}, {"name": "HTTPServer2", "schema": {"type": "string"}},
		{"name": "x_y", "schema": {"type": "string"}}], "flags": [{"name": "fullPage"}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --user-id 1 --http-server2 2 --x-y 3`, want: ` {"HTTPServer2":"2","userID":"1","x_y":"3"}`},
		{line: `agentos-x --userID 1 --HTTPServer2 2 --x_y 3`, want: ` {"HTTPServer2":"2","userID":"1","x_y":"3"}`},
		{line: `agentos-x --user_id 1 --http_server2=2`, want: ` {"HTTPServer2":"2","userID":"1"}`},
		{line: `agentos-x --fullPage --user_id_file f`, want: ` {"fullPage":true,"userID":"F"}`, files: map[string]string{"f": "F"}},
		{line: `agentos-x --no-full-page`, want: ` {"fullPage":false}`},
		{line: `agentos-x --no-fullPage --no_full_page`, want: ` {"fullPage":false}`},
		{line: `agentos-x --USERID 1`, want: "USAGE_ERROR", says: []string{"nearest --user-id"}},
		{line: `agentos-x --json '{"user-id":"1"}'`, want: "VALIDATION_ERROR", says: []string{"user-id: unknown key, nearest userID"}, hint: "agentos-x --user-id 1"},
	})
}

func TestCase_B018_ValuesThatBeginWithADash(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --s -y`, want: `t {"s":"-y"}`},
		{line: `agentos-x t --s -h`, want: `t {"s":"-h"}`},
		{line: `agentos-x t --s --weird`, want: `t {"s":"--weird"}`},
		{line: `agentos-x t --s --help`, want: "USAGE_ERROR", says: []string{"--s: a value is required", "--s=--help"}, hint: "agentos-x t --help"},
		{line: `agentos-x t --s=--help`, want: `t {"s":"--help"}`},
		{line: `agentos-x t --xs -- --y`, want: "USAGE_ERROR", says: []string{"--xs: a value is required before --", `unexpected argument "--y"`}},
		{line: `agentos-x t -- --weird`, want: "USAGE_ERROR", says: []string{`unexpected argument "--weird"`}},
	})
}

func TestCase_B019_SameOptionTwice(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --n 1 --n 2`, want: "USAGE_ERROR", says: []string{"--n: given twice, as 1 and 2"}, hint: "agentos-x t --n 2"},
		{line: `agentos-x t --n 1 --n 1.0`, want: `t {"n":1}`},
		{line: `agentos-x t --o '{"a":1,"b":"x"}' --o '{"b":"x","a":1}'`, want: `t {"o":{"a":1,"b":"x"}}`},
		{line: `agentos-x t --o '{"a":1}' --o '{"a":2}'`, want: "USAGE_ERROR"},
		{line: `agentos-x t --o.a 1 --o.a 2`, want: "USAGE_ERROR", says: []string{"--o.a: given twice"}},
		{line: `agentos-x t --o '{"a":1}' --o.a 2`, want: "USAGE_ERROR", says: []string{"given twice"}},
		{line: `agentos-x t --o '{"a":1}' --o.a 1`, want: `t {"o":{"a":1}}`},
		{line: `agentos-x t --xs b --xs a`, want: `t {"xs":["b","a"]}`},
	})
}

func TestCase_B020_DoublyEncodedObject(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --json '{"o":"{\"a\":1}"}'`, want: "VALIDATION_ERROR", hint: "o must be an object, you sent a JSON string; remove the quotes"},
		{line: `agentos-x t --json '{"xs":"[\"a\"]"}'`, want: "VALIDATION_ERROR", hint: "xs must be an array, you sent a JSON string; remove the quotes"},
		{line: `agentos-x t --json '{"s":"{\"a\":1}"}'`, want: `t {"s":"{\"a\":1}"}`},
	})
}

func TestCase_B021_CaseOfChoicesAndNearNames(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --e RED`, want: `t {"e":"red"}`},
		{line: `agentos-x t --e rde`, want: "USAGE_ERROR", says: []string{`--e: got "rde", expected one of red, green`}, hint: "agentos-x t --e red"},
		{line: `agentos-x lst`, want: "TOOL_NOT_FOUND", says: []string{`No tool "lst" in toolkit "x"`, "big, r, rev, slow, t"}},
		{line: `agentos-x slwo --ms 5`, want: "TOOL_NOT_FOUND", says: []string{"Nearest: slow."}, hint: "agentos-x slow --ms 5"},
	})
	twins := command(t, `"options": [{"name": "e", "schema": {"type": "string", "enum": ["Red", "RED"]}}]`)
	checkLines(t, twins, []lineCase{
		{line: `agentos-x --e RED`, want: ` {"e":"RED"}`},
		{line: `agentos-x --e red`, want: "USAGE_ERROR", says: []string{"one of Red, RED"}},
	})
}

func TestCase_B022_SixteenMillionBytes(t *testing.T) {
	def := definition(t, fixture)
	big := strings.Repeat("a", 16_000_000)
	for _, row := range []lineCase{
		{line: "agentos-x t --s-file big", files: map[string]string{"big": big}},
		{line: "agentos-x t --json -", stdin: `{"s":"` + big + `"}`},
	} {
		inv, err := parseCase(t, def, row)
		if err != nil || len(inv.Input) != len(big)+len(`{"s":""}`) {
			t.Errorf("%s: got %d bytes, %v, want %d", row.line, len(inv.Input), err, len(big)+8)
		}
	}
	quotes := strings.Repeat(`"`, 9_000_000) // twice as long in JSON
	checkLines(t, def, []lineCase{
		{line: "agentos-x t --s-file q", files: map[string]string{"q": quotes}, want: "USAGE_ERROR", says: []string{"at most 16777216 bytes (16 MiB)"}},
		{line: "agentos-x t --s-file q", files: map[string]string{"q": quotes + quotes}, want: "USAGE_ERROR", says: []string{"at most 16777216 bytes (16 MiB)"}},
	})
}

func TestCase_B023_NoArgumentsAreAnEmptyObject(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t`, want: `t {}`},
		{line: `agentos-x t --json null`, want: "USAGE_ERROR", says: []string{"got null, expected an object in JSON"}},
		{line: `agentos-x t --json '[]'`, want: "USAGE_ERROR", says: []string{"got array, expected an object in JSON"}},
	})
}

// Where stdin is something else, a line that asks for it is told so, and one that
// does not is judged without it.
func TestNoStdin(t *testing.T) {
	def := definition(t, fixture)
	for words, want := range map[string]string{
		"t --json -":             "USAGE_ERROR: --json: stdin is taken",
		"t --agentos:json=-":     "USAGE_ERROR: --agentos:json: stdin is taken",
		"r":                      "VALIDATION_ERROR: s: required",
		"t --json {\"n\":\"-\"}": "VALIDATION_ERROR: n: got",
	} {
		_, err := Parse(def, &Line{Program: "agentos-x", Args: strings.Fields(words), NoStdin: "stdin is taken"})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", words, err, want)
		}
	}
}

func TestCase_B024_WhenStdinIsRead(t *testing.T) {
	def := definition(t, fixture)
	def.Commands[1].Body.Options = append(def.Commands[1].Body.Options, toolkit.Option{Name: "other", Schema: &toolkit.Schema{Type: toolkit.Types{"string"}}})
	for _, row := range []struct {
		line, stdin, want string
		reads             bool
	}{
		{line: "agentos-x t", stdin: `{"n":1}`, want: `t {}`},
		{line: "agentos-x t --n 1", stdin: `{"n":2}`, want: `t {"n":1}`},
		{line: "agentos-x t --json -", stdin: `{"n":1}`, want: `t {"n":1}`, reads: true},
		{line: "agentos-x r", stdin: `{"s":"v"}`, want: `r {"s":"v"}`, reads: true},
		{line: "agentos-x r --output text --timeout 5 --dry-run", stdin: `{"s":"v"}`, want: `r {"s":"v"}`, reads: true},
		{line: "agentos-x r --other x", stdin: `{"s":"v"}`, want: "VALIDATION_ERROR"},
		{line: "agentos-x r --s w", stdin: `{"s":"v"}`, want: `r {"s":"w"}`},
		{line: "agentos-x r --json '{}'", stdin: `{"s":"v"}`, want: "VALIDATION_ERROR"},
		{line: "agentos-x r --nosuch", stdin: `{"s":"v"}`, want: "USAGE_ERROR"},
		{line: "agentos-x r", stdin: " \n", want: "VALIDATION_ERROR", reads: true},
		{line: "agentos-x r", stdin: "[]", want: "USAGE_ERROR", reads: true},
		{line: "agentos-x r --help", stdin: `{"s":"v"}`, want: "HELP r"},
		{line: "agentos-x rev", stdin: "stream", want: `rev {}`},
	} {
		reads := false
		words := splitLine(t, row.line)
		inv, err := Parse(def, &Line{Program: words[0], Args: words[1:], Stdin: func(time.Duration) ([]byte, error) {
			reads = true
			return []byte(row.stdin), nil
		}})
		if got := parsed(inv, err); got != row.want || reads != row.reads {
			t.Errorf("%s: got %s, stdin read: %v, want %s, %v (%v)", row.line, got, reads, row.want, row.reads, err)
		}
	}
}

func TestCase_B024_MissingParametersAreNamed(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: "agentos-x r", want: "VALIDATION_ERROR", says: []string{"s: required"}},
		{line: "agentos-x r", stdin: "\n", want: "VALIDATION_ERROR", says: []string{"s: required"}},
	})
}

func TestCase_B026_EmptyInputIsAnError(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --json -`, stdin: "{\"s\":\"v\"}\n", want: `t {"s":"v"}`},
		{line: `agentos-x t --json -`, want: "USAGE_ERROR", says: []string{"--json: empty input"}},
		{line: `agentos-x t --json -`, stdin: " \n", want: "USAGE_ERROR", says: []string{"--json: empty input"}},
		{line: `agentos-x t --json @f`, files: map[string]string{"f": ""}, want: "USAGE_ERROR", says: []string{"--json: empty input"}},
		{line: `agentos-x t --json ''`, want: "USAGE_ERROR", says: []string{"--json: empty input"}},
		{line: `agentos-x rev --json -`, stdin: `{}`, want: "USAGE_ERROR", says: []string{"stdin is this command's stream"}},
	})
}

func TestCase_B033_HelpInAnyPosition(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x --help`, want: "HELP "},
		{line: `agentos-x t -h`, want: "HELP t"},
		{line: `agentos-x t --n 5 --help`, want: "HELP t"},
		{line: `agentos-x --help t`, want: "HELP t"},
		{line: `agentos-x t --n x --nosuch --json '{' --help`, want: "HELP t"},
		{line: `agentos-x t --n --help`, want: "USAGE_ERROR", says: []string{"--n: a value is required"}},
		{line: `agentos-x t --n --help --help`, want: "USAGE_ERROR"},
		{line: `agentos-x t -- --help`, want: "USAGE_ERROR", says: []string{`unexpected argument "--help"`}},
		{line: `agentos-x help t`, want: "HELP t"},
		{line: `agentos-x help`, want: "HELP "},
		{line: `agentos-x help nosuch`, want: "TOOL_NOT_FOUND"},
		{line: `agentos-x t --help --json`, want: "HELPJSON t"},
		{line: `agentos-x t -h --json`, want: "HELPJSON t"},
		{line: `agentos-x help t --json`, want: "HELPJSON t"},
		{line: `agentos-x --help --json`, want: "HELPJSON "},
		{line: `agentos-x --help --json t`, want: "HELP "},
		{line: `agentos-x --agentos:help t`, want: "HELP t"},
		{line: `agentos-x t --help=1`, want: "USAGE_ERROR", says: []string{"--help: takes no value"}},
	})
}

func TestCase_B034_UnknownTool(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x nosuch`, want: "TOOL_NOT_FOUND", says: []string{`No tool "nosuch" in toolkit "x". Available: big, r, rev, slow, t`}, hint: "agentos-x --help"},
		{line: `agentos-x nosuch --help`, want: "TOOL_NOT_FOUND"},
		{line: `agentos-x --help nosuch`, want: "TOOL_NOT_FOUND"},
		{line: `agentos-x nosuch --s secret --n`, want: "TOOL_NOT_FOUND"},
		{line: `agentos-x`, want: "USAGE_ERROR", says: []string{"expected a subcommand, one of big, r, rev, slow, t"}},
	})
}

func TestCase_B037_ErrorsNameTheNextStep(t *testing.T) {
	def := definition(t, fixture)
	def.Commands[1].Examples = []toolkit.ExampleCase{{Input: []byte(`{"s":"San Francisco's"}`)}}
	checkLines(t, def, []lineCase{
		{line: `agentos-x r`, want: "VALIDATION_ERROR", says: []string{"s: required"}, hint: `agentos-x r --s 'San Francisco'\''s'`},
		{line: `agentos-x r --output text`, want: "VALIDATION_ERROR", hint: `agentos-x r --output text --s 'San Francisco'\''s'`},
		{line: `agentos-x r word`, want: "USAGE_ERROR", says: []string{`unexpected argument "word"`, "s: required"}, hint: `agentos-x r --s word`},
		{line: `agentos-x t --e blue`, want: "USAGE_ERROR", says: []string{"one of red, green"}},
	})
}

func TestCase_B044_References(t *testing.T) {
	def := command(t, `"options": [
		{"name": "q", "schema": {"$ref": "#/$defs/Q"}},
		{"name": "a", "schema": {"$ref": "#/$defs/Q/properties/a"}},
		{"name": "k", "schema": {"$ref": "#/$defs/a~1b%20c"}},
		{"name": "loop", "schema": {"$ref": "#/$defs/loop"}},
		{"name": "node", "schema": {"$ref": "#/$defs/node"}},
		{"name": "maybe", "schema": {"anyOf": [{"$ref": "#/$defs/Q/properties/a"}, {"type": "null"}]}},
		{"name": "nothing", "schema": {"anyOf": [{"type": "null"}, false]}},
		{"name": "gone", "schema": {"$ref": "https://example.com/schema"}}
	], "input": {"$defs": {
		"Q": {"type": "object", "properties": {"a": {"type": "integer"}}},
		"a/b c": {"type": "boolean"},
		"loop": {"$ref": "#/$defs/loop"},
		"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "v": {"type": "integer"}}}
	}}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --q.a 1 --a 2 --k true`, want: ` {"a":2,"k":true,"q":{"a":1}}`},
		{line: `agentos-x --a x`, want: "USAGE_ERROR", says: []string{"integer"}},
		{line: `agentos-x --node.next.next.v 3`, want: ` {"node":{"next":{"next":{"v":3}}}}`},
		{line: `agentos-x --maybe null`, want: ` {"maybe":null}`},
		{line: `agentos-x --nothing null`, want: ` {"nothing":null}`},
		{line: `agentos-x --json '{"nothing":1}'`, want: "VALIDATION_ERROR", says: []string{"nothing: got 1, expected null"}},
		{line: `agentos-x --maybe 7`, want: ` {"maybe":7}`},
		{line: `agentos-x --maybe x`, want: "USAGE_ERROR", says: []string{"integer or null"}},
		{line: `agentos-x --loop '"any"' --gone '{"b":1}'`, want: ` {"gone":{"b":1},"loop":"any"}`},
		{line: `agentos-x --json '{"node":{"next":{"v":"x"}}}'`, want: "VALIDATION_ERROR", says: []string{`node.next.v: got "x", expected integer`}},
	})
}

func TestCase_B046_NumbersBeyondFloats(t *testing.T) {
	def := command(t, `"options": [{"name": "n", "schema": {"type": "integer"}}, {"name": "f", "schema": {"type": "number"}},
		{"name": "u", "schema": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615}},
		{"name": "g", "schema": {"type": "number", "maximum": 1e308}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --n 9223372036854775807 --u 18446744073709551615`, want: ` {"n":9223372036854775807,"u":18446744073709551615}`},
		{line: `agentos-x --n 123456789012345678901234567890`, want: ` {"n":123456789012345678901234567890}`},
		{line: `agentos-x --f 1e400`, want: ` {"f":1e400}`},
		{line: `agentos-x --f 0.1000000000000000055`, want: ` {"f":0.1000000000000000055}`},
		{line: `agentos-x --f -0 --n -0`, want: ` {"f":-0,"n":-0}`},
		{line: `agentos-x --u 18446744073709551616`, want: "VALIDATION_ERROR", says: []string{"integer from 0 to 18446744073709551615"}},
		{line: `agentos-x --g 1e400`, want: "VALIDATION_ERROR", says: []string{"number of at most 1e308"}},
		{line: `agentos-x --n ` + strings.Repeat("9", 65), want: "USAGE_ERROR"},
	})
}

func TestCase_B050_NullForAnOptionalParameter(t *testing.T) {
	checkLines(t, definition(t, fixture), []lineCase{
		{line: `agentos-x t --json '{"s":null,"n":1}'`, want: "VALIDATION_ERROR", says: []string{"s: got null, expected string"}, hint: "omit s instead of null"},
		{line: `agentos-x t --json '{"o":{"a":null}}'`, want: "VALIDATION_ERROR", hint: "omit o.a instead of null"},
		{line: `agentos-x r --json '{"s":null}'`, want: "VALIDATION_ERROR", hint: "agentos-x r --help"},
	})
}

func TestCase_B090_Timeouts(t *testing.T) {
	def := definition(t, fixture)
	for text, want := range map[string]string{"5": "5s", "1.5": "1.5s", "1h30m": "1h30m0s", "250ms": "250ms"} {
		inv, err := parseCase(t, def, lineCase{line: "agentos-x t --timeout " + text})
		if got := inv.Options.Timeout.String(); err != nil || got != want {
			t.Errorf("--timeout %s: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "0s", "-1s", "-5", "1e99s", "99999999999999999999", "none", "''", "'5 s'", "+-1s"} {
		checkLines(t, def, []lineCase{{line: "agentos-x t --timeout " + text, want: "USAGE_ERROR", says: []string{"--timeout: got", "duration above zero"}}})
	}
}

func TestCase_B106_SecretsNeverStandOnTheLine(t *testing.T) {
	def := command(t, `"options": [{"name": "token", "schema": {"type": "string"}, "secret": true, "required": true}, {"name": "n", "schema": {"type": "integer"}}],
		"positionals": [{"name": "pin", "schema": {"type": "integer"}, "secret": true}]`)
	const secret = "hunter2"
	for _, line := range []string{
		"agentos-x --token hunter2", "agentos-x --token=hunter2 --n x", "agentos-x --arg:token hunter2",
		`agentos-x --json '{"token":"hunter2"}'`, "agentos-x --tokn hunter2", "agentos-x --tokn=hunter2", "agentos-x --token hunter2 --token hunter3",
	} {
		_, err := parseCase(t, def, lineCase{line: line})
		e, ok := err.(*toolkit.Error)
		if !ok || e.Code != toolkit.CodeUsageError {
			t.Errorf("%s: got %v, want USAGE_ERROR", line, err)
			continue
		}
		if text := fmt.Sprintf("%s %s %v", e.Message, e.Hint, e.Details); strings.Contains(text, secret) {
			t.Errorf("%s: the error repeats the secret: %s", line, text)
		}
	}
	checkLines(t, def, []lineCase{
		{line: "agentos-x --token hunter2", want: "USAGE_ERROR", says: []string{"--token", "--token-file PATH"}, hint: "agentos-x --token-file PATH"},
		{line: "agentos-x --token-file f", files: map[string]string{"f": secret}, want: ` {"token":"hunter2"}`},
		{line: "agentos-x --json @f", files: map[string]string{"f": `{"token":"hunter2"}`}, want: ` {"token":"hunter2"}`},
		{line: "agentos-x --json -", stdin: `{"token":"hunter2"}`, want: ` {"token":"hunter2"}`},
		{line: "agentos-x", stdin: `{"token":"hunter2","pin":1}`, want: ` {"pin":1,"token":"hunter2"}`},
		{line: "agentos-x --token secret:github", want: "USAGE_ERROR", says: []string{"--token-file PATH, --json @PATH or as JSON on stdin"}, hint: "agentos-x --token-file PATH"},
		{line: `agentos-x --json '{"token":"secret:github"}'`, want: "USAGE_ERROR", hint: "agentos-x --token-file PATH"},
		{line: "agentos-x --token-file f 1234", files: map[string]string{"f": secret}, want: "USAGE_ERROR", says: []string{"pin: a secret"}},
	})
	short := command(t, `"options": [{"name": "token", "schema": {"type": "string", "maxLength": 3}, "secret": true}, {"name": "n", "schema": {"type": "integer"}}]`)
	_, err := parseCase(t, short, lineCase{line: "agentos-x --token-file f --n x", files: map[string]string{"f": secret}})
	if text := fmt.Sprintf("%v %v", err, problemsOf(err)); strings.Contains(text, secret) || !strings.Contains(text, "token: expected at most 3 characters") {
		t.Errorf("a secret of the wrong length: got %s", text)
	}
}
