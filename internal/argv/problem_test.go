package argv

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestUsageOutranksValidation(t *testing.T) {
	def := definition(t, threeKits["weather"])
	checkLines(t, def, []lineCase{
		{line: "p forecast --days 99", want: "VALIDATION_ERROR", says: []string{"city: required; days: got 99"}},
		{line: "p forecast --days 99 --bogus", want: "USAGE_ERROR", says: []string{"--bogus: unknown option", "city: required; days: got 99"}},
		{line: "p forecast --days x", want: "USAGE_ERROR", says: []string{`--days: got "x"`, "city: required"}},
		{line: `p forecast --json '{"city":1}'`, want: "VALIDATION_ERROR"},
		{line: `p forecast --json '{"city":1'`, want: "USAGE_ERROR"},
		{line: "p nosuch --days x", want: "TOOL_NOT_FOUND"},
	})
}

func TestEveryProblemOfALineIsReported(t *testing.T) {
	def := command(t, `"positionals": [{"name": "from", "schema": {"type": "string", "minLength": 3}, "required": true}],
		"options": [{"name": "city", "schema": {"type": "string"}, "required": true}, {"name": "n", "schema": {"type": "integer", "maximum": 5}},
			{"name": "e", "schema": {"type": "string", "enum": ["red", "green"]}}, {"name": "o", "schema": {"type": "object", "additionalProperties": false, "properties": {"a": {"type": "integer"}}}},
			{"name": "env", "schema": {"type": "boolean"}, "env": "ENV"}],
		"flags": [{"name": "left"}, {"name": "right"}],
		"constraints": [{"kind": "mutex", "groups": [[{"name": "left"}], [{"name": "right"}]]}]`)
	_, err := parseCase(t, def, lineCase{
		line: `agentos-x ab --n 9 --e blue --bogus --left --right --o.b 1 --json '{"extra":1,"o":{"a":"x"}}' --timeout never too many`,
		env:  []string{"ENV=perhaps"},
	})
	diff(t, "problems", problemsOf(err), []string{
		"bogus: --bogus → one of --city, --n, --e, --o, --env, --left, --right",
		": never → a duration above zero such as 5s or 1h30m, or a number of seconds",
		": too → no further argument",
		": many → no further argument",
		"e: blue → one of red, green",
		"o.b: b → one of a",
		"env: perhaps → true or false",
		"from: 2 characters → at least 3 characters",
		"city:  → string",
		"n: 9 → integer of at most 5",
		"extra: extra → one of from, city, n, e, o, env, left, right",
		": --left and --right → --left and --right exclude each other",
	})
}

func TestDetailsAreThoseOfTheEnvelope(t *testing.T) {
	def := definition(t, threeKits["weather"])
	_, err := parseCase(t, def, lineCase{line: "agentos-weather forecast"})
	var e *toolkit.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	details, err := json.Marshal(e.Details)
	if want := `[{"path":"city","expected":"string"}]`; err != nil || string(details) != want {
		t.Errorf("details: got %s, %v, want %s", details, err, want)
	}
	if e.Message != "city: required" || e.Hint != "agentos-weather forecast --city Paris" {
		t.Errorf("got %q and the hint %q, want the missing parameter and the line with it", e.Message, e.Hint)
	}
}

func TestPathsLeadToTheValue(t *testing.T) {
	for input, want := range map[string]string{
		`{"os":[{},{"a":"x"}]}`:   "os.1.a",
		`{"o":{"b":1}}`:           "o.b",
		`{"ns":[1,2,null]}`:       "ns.2",
		`{"labels":{"a.b":1}}`:    "labels.a.b",
		`{"os":[[]]}`:             "os.0",
		`{"zz":1}`:                "zz",
		`{"o":{"a":1,"\n":true}}`: "o.\n",
	} {
		_, err := Complete(definition(t, fixture), []string{"t"}, json.RawMessage(input))
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Problems()[0].Path != want {
			t.Errorf("%s: got %v, want the path %q", input, problemsOf(err), want)
		}
	}
}

func TestListsOfNamesAreCapped(t *testing.T) {
	var options []string
	for i := range 50 {
		options = append(options, `{"name":"opt`+strings.Repeat("x", i)+`","schema":{}}`)
	}
	_, err := parseCase(t, command(t, `"options": [`+strings.Join(options, ",")+`]`), lineCase{line: "agentos-x --bogus"})
	if err == nil || !strings.HasSuffix(err.Error(), " and 20 more") {
		t.Errorf("got %v, want 30 of the 50 options and how many more there are", err)
	}
}
