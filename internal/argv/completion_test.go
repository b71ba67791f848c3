package argv

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// suggested are the words that may follow a line. Its last word is what is typed;
// of a line that ends in a blank that is nothing.
func suggested(t testing.TB, def *toolkit.Definition, line string) []string {
	t.Helper()
	words := splitLine(t, strings.TrimSuffix(line, " "))
	if strings.HasSuffix(line, " ") || line == "" {
		words = append(words, "")
	}
	last := len(words) - 1
	found := []string{}
	for _, s := range Suggest(def, words[:last], words[last]) {
		found = append(found, s.Word)
	}
	return found
}

// paint is a command with the parameters whose values are known.
const paint = `{"name": "paint", "commands": [
	{"name": "fill", "aliases": ["f"], "summary": "Fill a shape. It stays where it is.", "body": {
		"positionals": [
			{"name": "shape", "schema": {"type": "string", "enum": ["circle", "square"]}, "required": true},
			{"name": "on", "schema": {"type": "boolean"}}
		],
		"options": [
			{"name": "color", "short": "c", "help": "What with. Any will do.", "schema": {"$ref": "#/$defs/Color"}, "required": true},
			{"name": "edges", "schema": {"type": "array", "items": {"$ref": "#/$defs/Color"}}},
			{"name": "tags", "schema": {"type": "array", "items": {"type": "string"}}, "shape": {"delimiter": ","}},
			{"name": "width", "schema": {"type": ["integer", "null"], "enum": [1, 2, 16, null]}},
			{"name": "dim", "schema": {"type": "boolean"}},
			{"name": "look", "schema": {"type": "object", "properties": {"style": {"type": "string", "enum": ["flat", "deep"]}}}},
			{"name": "labels", "schema": {"type": "object", "additionalProperties": {"type": "string"}}},
			{"name": "when", "schema": {"type": "string", "enum": ["always", "never"]}, "shape": {"optional": true}, "default": "always"},
			{"name": "pin", "schema": {"type": "string", "enum": ["1234"]}, "secret": true}
		],
		"flags": [{"name": "wet", "short": "w"}, {"name": "noBorder", "help": "Without one"}, {"name": "loud", "short": "l", "count": true}],
		"input": {"$defs": {"Color": {"type": "string", "enum": ["red", "green", "dark red"]}}}
	}},
	{"name": "undo", "body": {"options": [
		{"name": "json", "schema": {"type": "string", "enum": ["a"]}},
		{"name": "output", "schema": {"type": "string"}}
	]}},
	{"name": "send", "body": {"options": [{"name": "token", "schema": {"type": "string"}, "secret": true}, {"name": "code", "schema": {"type": "integer"}, "secret": true}]}},
	{"name": "run", "body": {"tail": {"name": "jobs", "item": {"type": "string", "enum": ["x", "y"]}}}},
	{"name": "exec", "body": {"tail": {"name": "words", "item": {"enum": ["x"]}, "separator": "::", "verbatim": true}}},
	{"name": "set", "summary": "Settings", "commands": [{"name": "one", "body": {}}, {"name": "all", "body": {}}]}
], "globals": {"flags": [{"name": "quiet", "short": "q", "help": "Say less"}], "options": [{"name": "layer", "schema": {"type": "integer"}}]}}`

func TestSuggest(t *testing.T) {
	def := definition(t, paint)
	for _, row := range []struct {
		line string
		want string // the words, separated by |
	}{
		// Commands, and what belongs to all of them.
		{``, "exec|fill|run|send|set|undo"},
		{`f`, "fill"},
		{`set `, "all|one"},
		{`set a`, "all"},
		{`nosuch `, ""},
		{`nosuch --`, ""},
		{`--q`, "--quiet"},
		{`--quiet f`, "fill|false"},
		{`--layer 1 se`, "send|set"},
		{`--layer `, ""},
		{`--layer`, "--layer"},
		{`--`, "--layer|--quiet|--no-quiet|--help|--version"},
		{`help `, "exec|fill|run|send|set|undo"},
		{`help set `, "all|one"},
		{`help fill `, ""},

		// Places, and options in their place when there are none.
		{`fill `, "circle|square"},
		{`fill s`, "square"},
		{`fill square `, "true|false"},
		{`fill square true `, "--color|--edges|--tags|--width|--dim|--look|--labels|--when|--pin-file|--wet|--no-wet|--no-border|--loud|--layer|--quiet|--no-quiet"},
		{`f square true --color red --w`, "--width|--when|--wet"},
		{`run `, "x|y"},
		{`run x y `, "x|y"},
		{`exec `, "--layer|--quiet|--no-quiet"},
		{`exec :: `, ""},

		// Values, as the next word and attached.
		{`fill --color `, "red|green|dark red"},
		{`fill -c `, "red|green|dark red"},
		{`fill -wc `, "red|green|dark red"},
		{`fill -cred `, "circle|square"},
		{`fill --color r`, "red"},
		{`fill --color --`, ""},
		{`fill --color=`, "--color=red|--color=green|--color=dark red"},
		{`fill --color=g`, "--color=green"},
		{`fill --edges `, "red|green|dark red"},
		{`fill --width `, "1|2|16"},
		{`fill --width=1`, "--width=1|--width=16"},
		{`fill --dim `, "true|false"},
		{`fill --dim=f`, "--dim=false"},
		{`fill --look.style `, "flat|deep"},
		{`fill --look.style=f`, "--look.style=flat"},
		{`fill --look.nosuch=`, ""},
		{`fill --when `, "circle|square"},
		{`fill --when=a`, "--when=always"},
		{`fill --arg:color r`, "red"},
		{`fill --arg:wet `, "true|false"},
		{`fill --arg:color=r`, "--arg:color=red"},
		{`fill --color-file `, ""},
		{`fill --pin `, ""},
		{`fill --nosuch=`, ""},
		{`fill --labels `, ""},

		// Secrets: in files, if anywhere.
		{`send --`, "--token-file|--layer|--quiet|--no-quiet|--help|--version|--json|--json-file|--output|--timeout|--field|--result-file|--inline-limit|--call-id|--dry-run"},
		{`send --token-file `, ""},

		// Flags.
		{`fill --wet=`, "--wet=true|--wet=false"},
		{`fill --no-wet=`, ""},
		{`fill --wet `, "circle|square"},
		{`fill --wet t`, "true"},
		{`fill --no`, "--no-wet|--no-border|--no-quiet"},
		{`fill --loud=`, ""},

		// What is given is not suggested again unless it may be repeated.
		{`fill --color red --c`, "--call-id"},
		{`fill --edges red --e`, "--edges"},
		{`fill --labels a=b --la`, "--labels|--layer"},
		{`fill --tags a --t`, "--timeout"},
		{`fill -ll --l`, "--look|--labels|--loud|--layer"},
		{`fill --no-wet --w`, "--width|--when"},
		{`fill --wet --no`, "--no-border|--no-quiet"},
		{`--quiet fill --q`, ""},

		// The bridge's options come last, and give way to the tool's own.
		{`run --`, "--layer|--quiet|--no-quiet|--help|--version|--json|--json-file|--output|--timeout|--field|--result-file|--inline-limit|--call-id|--dry-run"},
		{`run --output `, "envelope|result|text"},
		{`run --output r`, "result"},
		{`run --output=t`, "--output=text"},
		{`run --agentos:output `, "envelope|result|text"},
		{`run --timeout `, ""},
		{`run --output text --out`, ""},
		{`run --json {} --j`, ""},
		{`run --json `, ""},
		{`undo --json `, "a"},
		{`undo --output `, ""},
		{`undo --agentos:o`, "--agentos:output"},
		{`run --dry-run --d`, ""},
		{`run --help --`, ""},

		// After -- every word is a value.
		{`fill -- `, ""},
		{`fill -- --`, ""},
		{`fill --color -- `, ""},
	} {
		if got := strings.Join(suggested(t, def, row.line), "|"); got != row.want {
			t.Errorf("%q\n got %s\nwant %s", row.line, got, row.want)
		}
	}
}

func TestSuggestionsSayWhatTheyMean(t *testing.T) {
	def := definition(t, paint)
	for _, row := range []struct {
		before []string
		word   string
		want   Suggestion
	}{
		{nil, "fi", Suggestion{"fill", "Fill a shape."}},
		{in("fill"), "--color", Suggestion{"--color", "What with (required)"}},
		{in("fill"), "--no-bo", Suggestion{"--no-border", "Without one"}},
		{in("fill"), "--no-w", Suggestion{"--no-wet", "Not --wet"}},
		{in("fill"), "--dry", Suggestion{"--dry-run", "Check everything and run nothing"}},
		{in("fill", "--color"), "r", Suggestion{"red", ""}},
	} {
		got := Suggest(def, row.before, row.word)
		if !slices.Equal(got, []Suggestion{row.want}) {
			t.Errorf("%q %q: got %+v, want %+v", row.before, row.word, got, row.want)
		}
	}
	for _, o := range bridgeOptions {
		if bridgeTexts[o.name] == "" {
			t.Errorf("--%s: no text says what it does", o.name)
		}
	}
}

func in(words ...string) []string { return words }

// A skeleton has names alone, and these are suggested.
func TestSuggestFromASkeleton(t *testing.T) {
	bones := Skeleton(stored(t, "repo"))
	for line, want := range map[string]string{
		"": "issues|run", "issues ": "create|list", "i cr": "create", "run ": "--profile|--token-file|--verbose", "run --v": "--verbose|--version",
	} {
		if got := strings.Join(suggested(t, bones, line), "|"); got != want {
			t.Errorf("%q\n got %s\nwant %s", line, got, want)
		}
	}
}

// What is suggested can be read: of every definition and every beginning of its
// examples, no suggested word makes a line that has a mistake, unless what is
// missing follows.
func TestWhatIsSuggestedIsUnderstood(t *testing.T) {
	tried := 0
	for _, name := range []string{"kinds", "repo", "text", "weather", "x"} {
		def := stored(t, name)
		for _, path := range Tools(def) {
			_, cmd, err := Resolve(def, path)
			if err != nil {
				t.Fatal(err)
			}
			lines := [][]string{path}
			for _, example := range cmd.Examples {
				line, err := CommandLine("x", def, path, example.Input)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, splitLine(t, line)[1:])
			}
			for _, line := range lines {
				for n := range len(line) + 1 {
					for _, typed := range []string{"", "-", "--", "--no", "t"} {
						tried += understood(t, def, line[:n], typed)
					}
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d suggestions were tried, want at least 1000", tried)
	}
}

// understood tries each suggestion and counts them.
func understood(t *testing.T, def *toolkit.Definition, before []string, typed string) int {
	t.Helper()
	found := Suggest(def, before, typed)
	for _, s := range found {
		p := newParser(def, &Line{Args: append(slices.Clip(before), s.Word)})
		p.words()
		if p.notFound != nil || len(p.strays) > 0 {
			t.Errorf("%q + %q: got %v, stray %q", before, s.Word, p.notFound, p.strays)
		}
		for _, problem := range p.problems.list {
			if !strings.Contains(problem.clause, "a value is required") {
				t.Errorf("%q + %q: got %s", before, s.Word, problem.clause)
			}
		}
	}
	return len(found)
}

// Words and texts come from strangers, and go to a terminal.
func TestSuggestionsHideNothing(t *testing.T) {
	for _, value := range []string{"a\tb", "a\nb", "\x1b[2J", "\u202ea", ""} {
		enum, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		def := command(t, `"options": [{"name": "e", "schema": {"enum": [`+string(enum)+`, "plain"]}}]`)
		if got := suggested(t, def, "--e "); !slices.Equal(got, []string{"plain"}) {
			t.Errorf("value %q: got %q, want only the plain one", value, got)
		}
	}
	def := hostile()
	for _, before := range [][]string{nil, {"t"}, {"t", "--a"}} {
		for _, typed := range []string{"", "-"} {
			for _, s := range Suggest(def, before, typed) {
				if !isVisible(s.Word) || !isVisible(s.Help) {
					t.Errorf("%q %q: got %+q, want nothing hidden", before, typed, s)
				}
			}
		}
	}
}

// Whatever the line: no panic, and each suggestion continues what is typed.
func FuzzSuggest(f *testing.F) {
	for _, seed := range []string{"t\x00--n\x00-5\x00--x", "t\x00--o.a", "help\x00", "-vvc", "tail\x00tail\x00--\x00x", "t\x00--arg:b\x00", "--agentos:output\x00"} {
		f.Add(uint8(0), seed)
	}
	defs := fuzzDefinitions(f)
	f.Fuzz(func(t *testing.T, pick uint8, text string) {
		words := strings.Split(text, "\x00")
		typed := words[len(words)-1]
		for _, s := range Suggest(defs[int(pick)%len(defs)], words[:len(words)-1], typed) {
			if !strings.HasPrefix(s.Word, typed) || s.Word == "" {
				t.Errorf("%q: got %q", words, s.Word)
			}
		}
	})
}
