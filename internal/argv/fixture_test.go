package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentos-go/agentos/toolkit"
)

// definition reads a definition written as JSON.
func definition(t testing.TB, text string) *toolkit.Definition {
	t.Helper()
	var def toolkit.Definition
	if err := json.Unmarshal([]byte(text), &def); err != nil {
		t.Fatalf("definition %s: %v", text, err)
	}
	return &def
}

// fixture is the toolkit that most tests are about: every kind of parameter, none
// of them required but that of r.
const fixture = `{"name": "x", "commands": [
	{"name": "t", "summary": "Echo the arguments", "body": {
		"options": [
			{"name": "n", "schema": {"type": "integer"}},
			{"name": "f", "schema": {"type": "number"}},
			{"name": "s", "schema": {"type": "string"}},
			{"name": "s2", "schema": {"type": "string"}},
			{"name": "s3", "schema": {"type": "string"}},
			{"name": "s4", "schema": {"type": "string"}},
			{"name": "xs", "schema": {"type": "array", "items": {"type": "string"}}},
			{"name": "ns", "schema": {"type": "array", "items": {"type": "integer"}}},
			{"name": "o", "schema": {"$ref": "#/$defs/O"}},
			{"name": "os", "schema": {"type": "array", "items": {"$ref": "#/$defs/O"}}},
			{"name": "e", "schema": {"type": "string", "enum": ["red", "green"]}},
			{"name": "z", "schema": {"type": ["string", "null"]}},
			{"name": "zn", "schema": {"type": ["integer", "null"]}},
			{"name": "d", "schema": {"type": "string", "format": "date-time"}},
			{"name": "labels", "schema": {"type": "object", "additionalProperties": {"type": "string"}}}
		],
		"flags": [{"name": "b"}],
		"input": {"$defs": {"O": {
			"type": "object", "additionalProperties": false,
			"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}
		}}}
	}},
	{"name": "r", "body": {"options": [{"name": "s", "schema": {"type": "string"}, "required": true}]}},
	{"name": "slow", "body": {"options": [{"name": "ms", "schema": {"type": "integer"}}]}},
	{"name": "rev", "body": {"stdin": {"mime": ["text/plain"]}, "stdout": {"mime": ["text/plain"]}}},
	{"name": "big", "body": {"options": [{"name": "bytes", "schema": {"type": "integer"}}]}}
]}`

// splitLine splits a line as a shell does: blanks, single and double quotes, and
// the backslash outside of single quotes.
func splitLine(t testing.TB, line string) []string {
	t.Helper()
	var words []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		t.Fatalf("line %q: a quote is not closed", line)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// environment makes Line.Env of "NAME=value" entries.
func environment(entries ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range entries {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// files makes Line.ReadFile of contents by path.
func files(contents map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if content, ok := contents[path]; ok {
			return []byte(content), nil
		}
		return nil, fmt.Errorf("open %s: no such file or directory", path)
	}
}

// stdin makes Line.Stdin.
func stdin(text string) func(time.Duration) ([]byte, error) {
	return func(time.Duration) ([]byte, error) { return []byte(text), nil }
}

// parsed is the outcome of a line in one text: "path input", "HELP path", or the
// error's code. The input is the one without defaults.
func parsed(inv *Invocation, err error) string {
	var e *toolkit.Error
	path := strings.Join(inv.Path, " ")
	switch {
	case errors.As(err, &e):
		return e.Code
	case inv.HelpJSON:
		return "HELPJSON " + path
	case inv.Help:
		return "HELP " + path
	case inv.Version:
		return "VERSION"
	}
	return path + " " + string(inv.Input)
}

// lineCase is a row of a table of lines.
type lineCase struct {
	line string
	want string // see parsed
	// says are parts that the error's message must have.
	says []string
	// hint is the error's whole hint; "" is not judged.
	hint  string
	env   []string
	files map[string]string
	stdin string // "" means that there is none
}

// parseCase parses a row's line after its program, the first word.
func parseCase(t testing.TB, def *toolkit.Definition, row lineCase) (*Invocation, error) {
	t.Helper()
	words := splitLine(t, row.line)
	line := &Line{Program: words[0], Args: words[1:], Env: environment(row.env...), ReadFile: files(row.files)}
	if row.stdin != "" {
		line.Stdin = stdin(row.stdin)
	}
	return Parse(def, line)
}

// checkLines runs a table of lines against a definition.
func checkLines(t *testing.T, def *toolkit.Definition, rows []lineCase) {
	t.Helper()
	for _, row := range rows {
		inv, err := parseCase(t, def, row)
		if got := parsed(inv, err); got != row.want {
			t.Errorf("%s\n got %s (%v)\nwant %s", row.line, got, err, row.want)
			continue
		}
		var e *toolkit.Error
		if errors.As(err, &e) {
			checkError(t, def, row, e)
		}
	}
}

// checkError judges what an error says and that its hint, if that is a line, runs.
func checkError(t *testing.T, def *toolkit.Definition, row lineCase, e *toolkit.Error) {
	t.Helper()
	for _, part := range row.says {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%s\n got message %q\nwant a message with %q", row.line, e.Message, part)
		}
	}
	if row.hint != "" && e.Hint != row.hint {
		t.Errorf("%s\n got hint %q\nwant hint %q", row.line, e.Hint, row.hint)
	}
	if e.Hint == "" || len(e.Problems()) == 0 {
		t.Errorf("%s\n got hint %q and details %v, want both", row.line, e.Hint, e.Details)
	}
	program := splitLine(t, row.line)[0]
	if rest, ok := strings.CutPrefix(e.Hint, program+" "); ok {
		contents := map[string]string{"PATH": "x"}
		maps.Copy(contents, row.files)
		inv, err := parseCase(t, def, lineCase{line: program + " " + rest, env: row.env, files: contents})
		if err != nil {
			t.Errorf("%s\n got hint %q, which fails: %v", row.line, e.Hint, err)
		} else if !inv.Help {
			completed(t, def, inv)
		}
	}
}

// completed is the input with defaults, as the host sees it.
func completed(t *testing.T, def *toolkit.Definition, inv *Invocation) string {
	t.Helper()
	full, err := Complete(def, inv.Path, inv.Input)
	if err != nil {
		t.Errorf("Complete(%v, %s): %v", inv.Path, inv.Input, err)
	}
	return string(full)
}

// command is a definition whose only tool is the root, with these parts of its
// body as JSON.
func command(t testing.TB, body string) *toolkit.Definition {
	t.Helper()
	return definition(t, `{"name": "x", "body": {`+body+`}}`)
}

// problemsOf are an error's problems as "path: got → expected".
func problemsOf(err error) []string {
	var e *toolkit.Error
	var lines []string
	if errors.As(err, &e) {
		for _, p := range e.Problems() {
			lines = append(lines, p.Path+": "+p.Got+" → "+p.Expected)
		}
	}
	return lines
}

// diff fails the test when the values differ.
func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestSplitLineIsThatOfAShell(t *testing.T) {
	got := splitLine(t, `a 'b c' d\ e "f \" g" '' --s='x y' 'it'\''s'`)
	want := []string{"a", "b c", "d e", `f " g`, "", "--s=x y", "it's"}
	if !slices.Equal(got, want) {
		t.Errorf("splitLine: got %q, want %q", got, want)
	}
}
