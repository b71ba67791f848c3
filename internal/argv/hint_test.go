package argv

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

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
	rows := wrongLines(t)
	if len(rows) < 20 {
		t.Errorf("got %d wrong lines, want 20 or more", len(rows))
	}
	for _, row := range rows {
		program, _, _ := strings.Cut(row.line, " ")
		def := definition(t, kits[strings.TrimPrefix(program, "agentos-")])
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
		{line: `agentos-x --token-file '/run/a b' --n 9`, files: map[string]string{"/run/a b": "hunter2"}, want: "VALIDATION_ERROR", hint: `agentos-x --token-file '/run/a b' --n 2`},
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
