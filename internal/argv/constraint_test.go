package argv

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestConstraints(t *testing.T) {
	all, anyOf := toolkit.All, toolkit.Any
	present, is := toolkit.Present, toolkit.ValueIs
	for _, row := range []struct {
		name   string
		rule   toolkit.Constraint
		keeps  []string
		breaks map[string]string // line → what the message says
	}{
		{"requires all", toolkit.RequiresAll("a", "from"), []string{`--a x y`, `--json '{"a":"","from":"x"}'`},
			map[string]string{``: "got neither, but --a and <from> are required", `--a x`: "got --a, but"}},
		{"requires any", toolkit.RequiresAny("a", "beta", "l"), []string{`--a x`, `--b`, `--no-b`, `--l 1`},
			map[string]string{``: "got neither, but --a, --b or --l is required"}},
		{"all or none", toolkit.AllOrNone("a", "b"), []string{``, `--a x --b=false`},
			map[string]string{`--a x`: "--a and --b go together, all or none", `--b`: "got --b"}},
		{"mutex", toolkit.Mutex("a", "b"), []string{``, `--a x`, `--b`, `x --l 1`},
			map[string]string{`--a x --no-b`: "--a and --b exclude each other"}},
		{"mutex of groups", toolkit.Constraint{Kind: toolkit.KindMutex, Groups: [][]toolkit.Term{{present("a"), present("b")}, {present("from")}}},
			[]string{`--a x --b`, `y`}, map[string]string{`--b y`: "(--a or --b) and <from> exclude each other"}},
		{"implies", toolkit.Implies(all(is("a", "x")), anyOf(present("b"), present("l"))), []string{``, `--a y`, `--a x --b`, `--a x --l 1`},
			map[string]string{`--a x`: "--a=x requires --b or --l"}},
		{"forbids a value", toolkit.Forbids(all(is("l", 2)), all(is("a", "x"))), []string{`--l 1 --a x`, `--l 2 --a y`},
			map[string]string{`--l 1 --l 2 --a x`: "--l=2 excludes --a=x", `--l '[2.0]' --a x`: "excludes"}},
		{"forbids all", toolkit.Forbids(all(present("a"), present("b")), all(present("from"))), []string{`--a x y`, `--b y`},
			map[string]string{`--a x --b y`: "--a and --b excludes <from>"}},
	} {
		def := command(t, `"positionals": [{"name": "from", "schema": {"type": "string"}}],
			"options": [{"name": "a", "schema": {"type": "string"}, "default": "x"}, {"name": "l", "schema": {"type": "array", "items": {"type": "integer"}}}],
			"flags": [{"name": "b", "aliases": ["beta"]}]`)
		def.Body.Constraints = []toolkit.Constraint{row.rule}
		for _, line := range row.keeps {
			inv, err := parseCase(t, def, lineCase{line: "agentos-x " + line})
			if err != nil {
				t.Errorf("%s: %q: got %v, want no error", row.name, line, err)
				continue
			}
			completed(t, def, inv)
		}
		for line, says := range row.breaks {
			checkLines(t, def, []lineCase{{line: "agentos-x " + line, want: "VALIDATION_ERROR", says: []string{says}}})
		}
	}
}

func TestVariableCountsAsGiven(t *testing.T) {
	def := command(t, `"options": [{"name": "a", "schema": {"type": "string"}, "env": "A"}, {"name": "b", "schema": {"type": "string"}, "default": "x"}]`)
	def.Body.Constraints = []toolkit.Constraint{toolkit.RequiresAny("a", "b")}
	checkLines(t, def, []lineCase{
		{line: "agentos-x", want: "VALIDATION_ERROR"},
		{line: "agentos-x", env: []string{"A=1"}, want: ` {"a":"1"}`},
	})
}

func TestConstraintOfAParameterThatCannotBeRead(t *testing.T) {
	def := command(t, `"options": [{"name": "a", "schema": {"type": "integer"}}, {"name": "b", "schema": {"type": "string"}}]`)
	def.Body.Constraints = []toolkit.Constraint{
		toolkit.Mutex("a", "b"),
		toolkit.Implies(toolkit.All(toolkit.ValueIs("a", 1)), toolkit.All(toolkit.Present("b"))),
	}
	_, err := parseCase(t, def, lineCase{line: "agentos-x --a x"})
	if got := len(problemsOf(err)); got != 1 {
		t.Errorf("--a x: got %d problems (%v), want the one of --a", got, err)
	}
	_, err = parseCase(t, def, lineCase{line: "agentos-x --a x --b y"})
	if err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("--a x --b y: got %v, want the mutex reported too", err)
	}
}

func TestCompleteJudgesConstraintsOnGivenKeys(t *testing.T) {
	def := command(t, `"options": [{"name": "a", "schema": {"type": "string"}, "default": "x"}, {"name": "b", "schema": {"type": "string"}}]`)
	def.Body.Constraints = []toolkit.Constraint{toolkit.Mutex("a", "b")}
	for input, want := range map[string]string{`{"b":"y"}`: `{"a":"x","b":"y"}`, `{"a":"x","b":"y"}`: ""} {
		got, err := Complete(def, nil, json.RawMessage(input))
		if string(got) != want {
			t.Errorf("Complete(%s): got %s, %v, want %q", input, got, err, want)
		}
	}
}
