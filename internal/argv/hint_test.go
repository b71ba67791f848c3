package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// wrongLine is a record of testdata/wrong-lines.txt.
type wrongLine struct{ line, message, hint string }

func wrongLines(t *testing.T) []wrongLine {
	t.Helper()
	text, err := os.ReadFile("testdata/wrong-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []wrongLine
	for _, record := range strings.Split(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(record), "\n")
		if strings.HasPrefix(record, "#") {
			continue
		}
		if len(lines) != 3 {
			t.Fatalf("record %q: got %d lines, want 3", record, len(lines))
		}
		all = append(all, wrongLine{strings.TrimPrefix(lines[0], "$ "), strings.TrimSpace(lines[1]), lines[2]})
	}
	return all
}

func TestWrongLinesHaveHintsThatRun(t *testing.T) {
	kits := maps.Clone(threeKits)
	kits["x"] = fixture
	tickets := stored(t, "tickets")
	rows := wrongLines(t)
	if len(rows) < 20 {
		t.Errorf("got %d wrong lines, want 20 or more", len(rows))
	}
	for _, row := range rows {
		program, _, _ := strings.Cut(row.line, " ")
		def := tickets
		if text := kits[strings.TrimPrefix(program, "agentos-")]; text != "" {
			def = definition(t, text)
		}
		_, err := parseCase(t, def, lineCase{line: row.line})
		var e *toolkit.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want an error", row.line, err)
			continue
		}
		hint, isLine := strings.CutPrefix(row.hint, "$ ")
		if hint = strings.TrimSpace(hint); e.Message != row.message || e.Hint != hint {
			t.Errorf("$ %s\n got %s\n     $ %s\nwant %s\n     $ %s", row.line, e.Message, e.Hint, row.message, hint)
		}
		if !isLine {
			continue
		}
		inv, err := parseCase(t, def, lineCase{line: hint})
		if err != nil {
			t.Errorf("$ %s\nhint $ %s fails: %v", row.line, hint, err)
		} else if !inv.Help {
			completed(t, def, inv)
		}
	}
}

func TestHintKeepsSecretsInTheirFiles(t *testing.T) {
	def := command(t, `"options": [{"name": "token", "required": true, "secret": true, "schema": {"type": "string"}}, {"name": "n", "schema": {"type": "integer", "maximum": 5}, "default": 2}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --token-file '/run/a b' --n 9`, files: map[string]string{"/run/a b": "hunter2"}, want: "VALIDATION_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --token-file '/run/a b' --n 1 --n 2`, files: map[string]string{"/run/a b": "hunter2"}, want: "USAGE_ERROR", hint: `agentos-x --token-file '/run/a b' --n 2`},
		{line: `agentos-x --n 1`, want: "VALIDATION_ERROR", hint: "agentos-x --token-file PATH --n 1"},
	})
}

func TestHintsAreNoMadeUpValues(t *testing.T) {
	def := definition(t, `{"name": "x", "commands": [{"name": "delete", "body": {"options": [
		{"name": "id", "required": true, "schema": {"type": "integer"}}, {"name": "olderThan", "schema": {"type": "integer"}}], "flags": [{"name": "all"}],
		"constraints": [{"kind": "mutex", "groups": [[{"name": "id"}], [{"name": "all"}]]}]}}]}`)
	for _, line := range []string{
		"delete", "delete --id x", "delete --id 1 --older-than 5x", "delete --id 1 --bogus 5", "delete --id 1 --all", "delete --id 1 word", "delete --id 1 --json {",
		"delete --id 1 --older-than", `delete --id 1 --json {"zzzz":1}`,
	} {
		_, err := Parse(def, &Line{Program: "agentos-x", Args: strings.Fields(line)})
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Hint != "agentos-x delete --help" {
			t.Errorf("%s: got %+v, want the hint agentos-x delete --help", line, err)
		}
	}
}

// Advice is for what only the host judges: it never stands in for what was meant.
func TestAdvice(t *testing.T) {
	const options = `"options": [{"name": "a", "required": true, "schema": {"type": "string"}}, {"name": "key", "required": true, "secret": true, "schema": {"type": "string"}}]`
	const example = `"examples": [{"input": {"a": "It's"}}]`
	for _, row := range []struct{ tool, given, want string }{
		{`"body": {` + options + `}, ` + example, `{"a":"x"}`, `agentos-x t --help`},
		{`"body": {` + options + `}, ` + example, `{}`, `agentos-x t --a 'It'\''s' --key-file PATH`},
		{`"body": {` + options + `, "annotations": {"read_only": true}}, ` + example, `{"a":"x"}`, `agentos-x t --a 'It'\''s' --key-file PATH`},
		{`"body": {` + options + `, "annotations": {"read_only": true}}`, `{"a":"x"}`, `agentos-x t --help`},
		{`"body": {"options": [{"name": "help", "schema": {"type": "string"}}]}`, `{"help":"x"}`, `agentos-x t --agentos:help`},
	} {
		def := definition(t, `{"name": "x", "commands": [{"name": "t", `+row.tool+`}]}`)
		if got := Advice(def, []string{"t"}, json.RawMessage(row.given)); got != row.want {
			t.Errorf("%s given %s\n got %s\nwant %s", row.tool, row.given, got, row.want)
		}
	}
	if got := Advice(definition(t, ticket), []string{"nosuch"}, nil); got != "agentos list-tools x" {
		t.Errorf("a tool that there is not: got %q", got)
	}
}

func TestHintsKeepFiles(t *testing.T) {
	def := command(t, `"options": [{"name": "text", "required": true, "schema": {"type": "string", "minLength": 3}}, {"name": "n", "schema": {"type": "integer"}}]`)
	text := map[string]string{"f": "a longer text", "short": "a"}
	checkLines(t, def, []lineCase{
		{line: `agentos-x --text-file f --n 1 --n 2`, files: text, want: "USAGE_ERROR", hint: `agentos-x --text-file f --n 2`},
		{line: `agentos-x --text-file short --n 1`, files: text, want: "VALIDATION_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --text-file -`, files: text, want: "USAGE_ERROR", says: []string{"stdin is read only as JSON, by --json -"}, hint: `use --json - to read stdin, as JSON`},
		{line: `agentos-x --json @-`, files: text, want: "USAGE_ERROR", hint: `use --json - to read stdin, as JSON`},
		{line: `agentos-x --json-file -`, files: map[string]string{"-": `{"text":"abc"}`}, want: ` {"text":"abc"}`},
	})
	kit := definition(t, `{"name": "x", "commands": [{"name": "write", "body": {"options": [{"name": "text", "required": true, "schema": {"type": "string", "minLength": 9}}]}}]}`)
	checkLines(t, kit, []lineCase{
		{line: `agentos-x wriet --text-file f`, files: text, want: "TOOL_NOT_FOUND", hint: `agentos-x write --text-file f`},
	})
	for args, want := range map[string]string{
		"wriet --json @f":                  "agentos-x write --json @f",
		"wriet --json -":                   "agentos-x write --json -",
		"wriet --json @f --bogus":          "agentos-x write --help",
		"wriet --text-file f --bogus":      "agentos-x write --help",
		"wriet --text \u001b[31mlong-text": "agentos-x write --json '{\"text\":\"\\u001b[31mlong-text\"}'",
	} {
		_, err := Parse(kit, &Line{Program: "agentos-x", Args: strings.Fields(args)})
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Hint != want {
			t.Errorf("%s: got %+v, want the hint %s", args, err, want)
		}
	}
}

func TestUnreadStdinIsTold(t *testing.T) {
	const note = "stdin was not read, since parameters are on the line: add --json - to read it"
	def := definition(t, ticket)
	checkLines(t, def, []lineCase{
		{line: `x --labels a=b`, stdin: `{"title":"a"}`, want: "VALIDATION_ERROR", says: []string{"title: required; " + note}},
		{line: `x --labels a=b --json -`, stdin: `{"title":"a"}`, want: ` {"labels":{"a":"b"},"title":"a"}`},
	})
	for _, row := range []lineCase{
		{line: `x --labels a=b`},
		{line: `x`, stdin: `{}`},
		{line: `x --labels a=b --json -`, stdin: `{}`},
		{line: `x --title a --labels b`, stdin: `{}`},
	} {
		if _, err := parseCase(t, def, row); err == nil || strings.Contains(err.Error(), "stdin was not read") {
			t.Errorf("%s, stdin %q: got %v, want an error that says nothing of stdin", row.line, row.stdin, err)
		}
	}
}

// TestOptionsOfAToolThatIsNotNamed has lines without the tool.
func TestOptionsOfAToolThatIsNotNamed(t *testing.T) {
	def := definition(t, `{"name": "x", "globals": {"options": [{"name": "profile", "schema": {"type": "string"}}]}, "commands": [
		{"name": "get", "body": {"options": [{"name": "id", "schema": {"type": "integer"}}]}},
		{"name": "set", "body": {"options": [{"name": "id", "schema": {"type": "integer"}}, {"name": "to", "short": "t", "schema": {"type": "string"}}], "flags": [{"name": "force"}]}},
		{"name": "old", "commands": [{"name": "list", "aliases": ["ls"], "body": {"flags": [{"name": "long"}]}}, {"name": "drop", "body": {}}]},
		{"name": "new", "commands": [{"name": "drop", "body": {}}]}]}`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --id 1 --to a`, want: "USAGE_ERROR", says: []string{"--id: unknown option before a subcommand, it belongs to get, set", "--to: unknown option before a subcommand, it belongs to set"},
			hint: `agentos-x set --id 1 --to a`},
		{line: `agentos-x -t a --no-force`, want: "USAGE_ERROR", hint: `agentos-x set --to a --no-force`},
		{line: `agentos-x --profile p --long`, want: "USAGE_ERROR", hint: `agentos-x old list --profile p --long`},
		{line: `agentos-x --to a --id x`, want: "USAGE_ERROR", hint: `agentos-x set --help`},
		{line: `agentos-x --id 1`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --to a --long`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		{line: `agentos-x --to a set`, want: "USAGE_ERROR", hint: `agentos-x set --help`},
		{line: `agentos-x --bogus 1`, want: "USAGE_ERROR", hint: `agentos-x --help`},
		// A tool that is further below.
		{line: `agentos-x list --long`, want: "TOOL_NOT_FOUND", says: []string{"Nearest: old list."}, hint: `agentos-x old list --long`},
		{line: `agentos-x ls`, want: "TOOL_NOT_FOUND", says: []string{"Nearest: old list."}, hint: `agentos-x old list`},
		{line: `agentos-x drop`, want: "TOOL_NOT_FOUND", says: []string{"Nearest: new drop, old drop."}, hint: `agentos-x --help`},
	})
}

// The work on a hint does not grow with the input, nor does that on what is wrong.
func TestLargeInputsHaveCheapErrors(t *testing.T) {
	def := definition(t, ticket)
	var members []string
	for i := range 9999 {
		members = append(members, fmt.Sprintf(`"key%d":%d`, i, i))
	}
	for name, input := range map[string]string{
		"unknown keys":    `{` + strings.Join(members, ",") + `}`,
		"a large text":    `{"title":"` + strings.Repeat("x", 1<<20) + `","who":1}`,
		"a large mistake": `{"title":{` + strings.Join(members, ",") + `}}`,
	} {
		read := testing.AllocsPerRun(3, func() { _, _ = strictjson.Parse([]byte(input)) })
		judged := testing.AllocsPerRun(3, func() { _, _ = Complete(def, nil, json.RawMessage(input)) })
		if judged > read+4000 {
			t.Errorf("%s: got %v allocations, want few more than the %v of reading it", name, judged, read)
		}
	}
}

func TestIsLonger(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":["b",1]}`: false, `"` + strings.Repeat("x", 100) + `"`: true, `[` + strings.Repeat("1,", 99) + `1]`: true,
		`{"` + strings.Repeat("x", 100) + `":1}`: true, `{"a":{"b":"` + strings.Repeat("x", 50) + `"}}`: false,
	} {
		value, err := strictjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := isLonger(value, 99); got != want {
			t.Errorf("isLonger(%s, 99) = %v, want %v", text, got, want)
		}
	}
}
