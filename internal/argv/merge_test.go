package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// drawnOption is an option of the fixture's t with a value: as words, and as the
// value that they mean.
type drawnOption struct {
	key   string
	words []string
	value string
}

// drawOptions draws distinct options with values.
func drawOptions(t *rapid.T, label string) []drawnOption {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})`)
	text := rapid.StringMatching(`[a-z=,@ "\\-]{0,8}`)
	asJSON := func(text string) string { raw, _ := json.Marshal(text); return string(raw) }
	makers := map[string]func() ([]string, string){
		"n": func() ([]string, string) { n := number.Draw(t, "n"); return []string{"--n", n}, n },
		"f": func() ([]string, string) { n := number.Draw(t, "f") + ".50"; return []string{"--f=" + n}, n },
		"s": func() ([]string, string) { s := text.Draw(t, "s"); return []string{"--s=" + s}, asJSON(s) },
		"xs": func() ([]string, string) {
			a, b := text.Draw(t, "xs"), text.Draw(t, "xs")
			return []string{"--xs=" + a, "--arg:xs=" + b}, "[" + asJSON(a) + "," + asJSON(b) + "]"
		},
		"ns": func() ([]string, string) {
			a, b := number.Draw(t, "ns"), number.Draw(t, "ns")
			return []string{"--ns", "[" + a + "," + b + "]"}, "[" + a + "," + b + "]"
		},
		"o": func() ([]string, string) {
			a, b := number.Draw(t, "o.a"), text.Draw(t, "o.b")
			return []string{"--o.b=" + b, "--o.a", a}, `{"a":` + a + `,"b":` + asJSON(b) + `}`
		},
		"e": func() ([]string, string) { return []string{"--e", "GREEN"}, `"green"` },
		"labels": func() ([]string, string) {
			v := text.Draw(t, "label")
			return []string{"--labels", "k=" + v}, `{"k":` + asJSON(v) + `}`
		},
		"b": func() ([]string, string) { return []string{"--no-b"}, "false" },
	}
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	var drawn []drawnOption
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 5, rapid.ID[string]).Draw(t, label) {
		words, value := makers[name]()
		drawn = append(drawn, drawnOption{name, words, value})
	}
	return drawn
}

// object is the canonical object of the options, later ones over earlier ones.
func object(options ...drawnOption) string {
	o := strictjson.NewObject()
	for _, option := range options {
		value, err := strictjson.Parse([]byte(option.value))
		if err != nil {
			panic(fmt.Sprintf("value %s: %v", option.value, err))
		}
		o.Set(option.key, value)
	}
	return string(o.Append(nil))
}

func drawnWords(options []drawnOption) []string {
	words := []string{}
	for _, option := range options {
		words = append(words, option.words...)
	}
	return words
}

// Options, JSON and their mixture mean the same, in any order; an option wins over
// the JSON's key.
func TestOptionsAndJSONMeanTheSame(t *testing.T) {
	def := definition(t, fixture)
	rapid.Check(t, func(t *rapid.T) {
		options, base := drawOptions(t, "options"), drawOptions(t, "base")
		shuffled := rapid.Permutation(options).Draw(t, "order")
		under := object(base...)
		// A dotted part leaves the other keys of the JSON's object alone; here it
		// always gives both.
		want := object(append(slices.Clone(base), options...)...)
		for name, args := range map[string][]string{
			"JSON first": append([]string{"t", "--json", under}, drawnWords(options)...),
			"JSON last":  append(append([]string{"t"}, drawnWords(shuffled)...), "--json="+under),
			"all JSON":   {"t", "--agentos:json", want},
		} {
			inv, err := Parse(def, &Line{Program: "agentos-x", Args: args})
			if err != nil || string(inv.Input) != want {
				t.Fatalf("%s: %q\n got %s, %v\nwant %s", name, args, inv.Input, err, want)
			}
			full, err := Complete(def, inv.Path, inv.Input)
			if err != nil || string(full) != want {
				t.Fatalf("Complete(%s): got %s, %v", inv.Input, full, err)
			}
		}
	})
}

// A wrong word more on a good line is reported, and nothing else is.
func TestOneMistakeIsOneProblem(t *testing.T) {
	def := definition(t, fixture)
	mistakes := []string{"--zzzz=1", "--n2", "word", "--s3-file=none", "--timeout=x", "--o.zz=1", "-Q", "--d"}
	rapid.Check(t, func(t *rapid.T) {
		options := drawnWords(drawOptions(t, "options"))
		mistake := rapid.SampledFrom(mistakes).Draw(t, "mistake")
		args := append(append([]string{"t"}, options...), mistake)
		_, err := Parse(def, &Line{Program: "agentos-x", Args: args, ReadFile: files(nil)})
		var e *toolkit.Error
		if !errors.As(err, &e) || len(e.Problems()) != 1 || e.Code != toolkit.CodeUsageError {
			t.Fatalf("%q: got %v, want one USAGE_ERROR", args, err)
		}
	})
}

func TestCase_B025_LoopsKeepTheirStdin(t *testing.T) {
	def := definition(t, fixture)
	for _, args := range [][]string{{"t", "--s", "a"}, {"t"}, {"t", "--b"}, {"r", "--s", "a"}} {
		_, err := Parse(def, &Line{Program: "agentos-x", Args: args, Stdin: func(time.Duration) ([]byte, error) {
			t.Errorf("%q reads stdin", args)
			return nil, nil
		}})
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	def := definition(t, fixture)
	broken := func(time.Duration) ([]byte, error) { return nil, errors.New("read /dev/stdin: is a directory") }
	for _, row := range []struct {
		args  []string
		stdin func(time.Duration) ([]byte, error)
		says  string
	}{
		{[]string{"t", "--json", "-"}, broken, "--json: cannot be read: read /dev/stdin: is a directory"},
		{[]string{"r"}, broken, "stdin: cannot be read"},
		{[]string{"r"}, stdin("{"), "stdin: the JSON ends too early"},
		{[]string{"r"}, stdin(`"s"`), "stdin: got string, expected an object in JSON"},
		{[]string{"t", "--json-file", "none"}, nil, "--json-file: cannot be read: open none"},
		{[]string{"t", "--json", "@none"}, nil, "--json: cannot be read: open none"},
		{[]string{"t", "--json", "{}", "--json-file", "f"}, nil, "--json-file: a second JSON input beside --json"},
		{[]string{"t", "--json", "{}", "--json", "{}"}, nil, "--json: a second JSON input beside --json"},
		{[]string{"t", "--json", "{}", "--json", `{"n":1}`}, nil, "--json: given twice"},
		{[]string{"t", "--agentos:json-file", "f", "--agentos:json", "{}"}, nil, "--agentos:json: a second JSON input beside --agentos:json-file"},
		{[]string{"t", "--json", "{} {}"}, nil, "--json: "},
		{[]string{"t", "--json", "\xff"}, nil, "--json: "},
		{[]string{"t", "--json", `{"o":{"a":1,"a":2}}`}, nil, `the name "a" is given twice`},
	} {
		_, err := Parse(def, &Line{Program: "agentos-x", Args: row.args, Stdin: row.stdin, ReadFile: files(nil)})
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Code != toolkit.CodeUsageError || !strings.Contains(e.Message, row.says) {
			t.Errorf("%q: got %v, want USAGE_ERROR with %q", row.args, err, row.says)
		}
	}
}

// What is lost with an unreadable source is not reported as missing too.
func TestUnreadableSourceHidesNothingElse(t *testing.T) {
	_, err := parseCase(t, definition(t, fixture), lineCase{line: "agentos-x r --json {"})
	diff(t, "problems of r --json {", problemsOf(err), []string{":  → an object in JSON"})
	_, err = parseCase(t, definition(t, fixture), lineCase{line: "agentos-x t --json { --n x"})
	diff(t, "problems of t --json { --n x", problemsOf(err), []string{"n: x → integer", ":  → an object in JSON"})
}

func TestVariables(t *testing.T) {
	def := command(t, `"options": [
		{"name": "n", "schema": {"type": "integer", "maximum": 9}, "env": "N"},
		{"name": "xs", "schema": {"type": "array", "items": {"type": "string"}}, "env": "XS"},
		{"name": "labels", "schema": {"type": "object", "additionalProperties": {"type": "integer"}}, "env": "LABELS"},
		{"name": "o", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}}, "env": "O"},
		{"name": "e", "schema": {"type": "string", "enum": ["Red"]}, "env": "E"}],
		"flags": [{"name": "b", "env": "B"}, {"name": "v", "count": true, "env": "V"}]`)
	checkLines(t, def, []lineCase{
		{line: "agentos-x", env: []string{"N=5", "XS=a b", "LABELS=k=1", `O={"a":1}`, "E=red", "B=off", "V=2"}, want: ` {"b":false,"e":"Red","labels":{"k":1},"n":5,"o":{"a":1},"v":2,"xs":["a b"]}`},
		{line: "agentos-x", env: []string{`XS=["a","b"]`, `LABELS={"k":1,"l":2}`, "V=0"}, want: ` {"labels":{"k":1,"l":2},"v":0,"xs":["a","b"]}`},
		{line: `agentos-x --json '{"n":1}'`, env: []string{"N=5"}, want: ` {"n":1}`},
		{line: "agentos-x --o.a 2 --xs z", env: []string{`O={"a":1}`, "XS=a"}, want: ` {"o":{"a":2},"xs":["z"]}`},
		{line: "agentos-x --n 1", env: []string{"N=bad"}, want: ` {"n":1}`},
		{line: "agentos-x", env: []string{"N=bad"}, want: "USAGE_ERROR", says: []string{`--n from variable N: got "bad", expected integer of at most 9`}},
		{line: "agentos-x", env: []string{"N=10"}, want: "VALIDATION_ERROR", says: []string{"n: got 10"}},
		{line: "agentos-x", env: []string{"LABELS=k"}, want: "USAGE_ERROR", says: []string{"--labels from variable LABELS"}},
		{line: "agentos-x", env: []string{"V=-1"}, want: "USAGE_ERROR", says: []string{"a decimal number"}},
	})
	for word, want := range map[string]string{
		"1": "true", "TRUE": "true", "yes": "true", "On": "true", "y": "true", "T": "true",
		"0": "false", "False": "false", "NO": "false", "off": "false", "n": "false", "f": "false",
	} {
		checkLines(t, def, []lineCase{{line: "agentos-x", env: []string{"B=" + word}, want: ` {"b":` + want + `}`}})
	}
}
