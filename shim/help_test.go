package shim_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

func TestCase_B033(t *testing.T) {
	w := newX(t)
	help := w.line("agentos-x t --help").stdout
	for _, line := range []string{
		"agentos-x t --n 5 --help", "agentos-x --help t", "agentos-x t --help --n 5", "agentos-x t --n x --nosuch --json { --help",
		"agentos-x -h t", "agentos-x t --b -h", "agentos-x t --help --output nosuch",
	} {
		w.want(w.line(line), 0, help)
	}
	w.wantFailure(w.line("agentos-x t --n --help"), 2, "USAGE_ERROR", "--n: a value is required", "--n=--help")
	w.wantFailure(w.line("agentos-x t -- --help"), 2, "USAGE_ERROR", "--help")
	w.echoes(echo{in("--s=--help"), `{"s":"--help"}`})
}

// newRepo is a world with a toolkit that has parameters of every kind.
func newRepo(t *testing.T) *world {
	t.Helper()
	data, err := os.ReadFile("../internal/argv/testdata/definitions/repo.json")
	if err != nil {
		t.Fatal(err)
	}
	def, err := toolkit.ParseDefinition(data)
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, toolkit.FromDefinition(def, func(context.Context, *toolkit.Invocation) (json.RawMessage, error) {
		return json.RawMessage(`{"number":7,"state":"open"}`), nil
	}))
}

func TestCase_B038(t *testing.T) {
	w := newRepo(t)
	help := w.line("agentos-repo issues create --help").stdout
	for what, want := range map[string]string{
		"type and range":     "<title>        One line that says what is wrong (required, string, 1–80 characters)",
		"choices":            "--severity <1|2|3>",
		"default":            "default auto",
		"array syntax":       "repeat it or give a JSON array",
		"object syntax":      "{to: integer, kind?: string}",
		"first sentence":     "--body <string>              The text.\n",
		"output shape":       "Result: {number: integer, state: ",
		"exit codes":         "DUPLICATE (exit 4)",
		"examples in quotes": `agentos-repo issues create 'It'\''s broken'`,
	} {
		if !strings.Contains(help, want) {
			t.Errorf("%s: %q is not in\n%s", what, want, help)
		}
	}
	if lines := strings.Count(help, "\n"); lines > 60 {
		t.Errorf("%d lines, want at most 60:\n%s", lines, help)
	}
}

// The examples that help shows can be run as they are.
func TestCase_B038_TheExamplesRun(t *testing.T) {
	w := newRepo(t)
	_, after, _ := strings.Cut(w.line("agentos-repo issues create --help").stdout, "\nExamples:\n")
	ran := 0
	for after != "" {
		line, ok := strings.CutPrefix(after, "  ")
		if !ok {
			break
		}
		_, after, _ = strings.Cut(after, "\n")
		line, _, _ = strings.Cut(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		ran++
		if got := w.run(words(t, line)...); got.exit != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if ran == 0 {
		t.Error("no example ran")
	}
}

// Help as JSON is the description of the tool, with its schema.
func TestCase_B038_AsJSON(t *testing.T) {
	w := newRepo(t)
	got := w.line("agentos-repo issues create --help --json")
	w.want(w.line("agentos describe repo issues create"), 0, got.stdout)
	var document struct {
		OK     bool
		Result struct {
			Toolkit, Tool string
			Input         toolkit.Schema
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil || !document.OK {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	input := document.Result.Input
	severity := input.Properties["severity"]
	if document.Result.Tool != "issues create" || !slices.Contains(input.Required, "title") || severity == nil || len(severity.Enum) != 3 {
		t.Errorf("got %s\nwant the schema of the input", got.stdout)
	}
}

// What one guesses from another of agentos's own commands is answered, or leads there.
func TestCase_B037_NeighboursOfHelp(t *testing.T) {
	w := newRepo(t)
	w.want(w.line("agentos describe repo"), 0, w.line("agentos list-tools repo --json").stdout)
	group := w.line("agentos describe repo issues")
	if group.exit != 0 || !strings.HasPrefix(group.stdout, `{"ok":true,"result":{"name":"issues",`) || !strings.Contains(group.stdout, `"--profile"`) {
		t.Errorf("agentos describe repo issues: got %+v, want the tools of the group", group)
	}
	w.wantFailure(w.line("agentos describe"), 2, "VALIDATION_ERROR", "toolkit: required")
	w.wantFailure(w.line("agentos list-tools repo issues create"), 2, "USAGE_ERROR", `"hint":"agentos help repo issues create"`)
	w.wantFailure(w.line("agentos ls repo run --json"), 2, "USAGE_ERROR", `"hint":"agentos help repo run"`)
	w.wantFailure(w.run("agentos", "list-tools", "repo", "$(x)"), 2, "USAGE_ERROR", `"hint":"agentos list-tools --help"`)
	w.wantFailure(w.line("agentos list-tools repo --nosuch"), 2, "USAGE_ERROR", `"hint":"agentos list-tools --help"`)
	help := w.line("agentos-repo issues create --help").stdout
	w.want(w.line("agentos-repo issues help create"), 0, help)
	w.want(w.line("agentos-repo help issues create"), 0, help)
}

// A toolkit too large to be sent at once is described all the same.
func TestCase_B037_DescribeALargeToolkit(t *testing.T) {
	w := newServers(t)
	w.want(w.line("agentos describe github"), 0, w.line("agentos list-tools github --json").stdout)
}

// The same bytes whatever the terminal and the language: a process reads neither.
func TestCase_B040(t *testing.T) {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	r := newReal(t, append(fixture.Kits(), x)...)
	own, kit := r.program("agentos"), r.program("agentos-x")
	for _, line := range [][]string{{kit, "t", "--help"}, {kit, "LIST"}, {kit, "t", "--e", "GREEN"}, {own, "list-tools"}} {
		want := ""
		for i, variables := range [][]string{
			nil,
			{"COLUMNS=40", "TERM=dumb", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8"},
			{"COLUMNS=200", "TERM=xterm-256color", "LC_ALL=C", "FORCE_COLOR=1"},
		} {
			cmd := exec.Command(line[0], line[1:]...)
			cmd.Env = append(r.env(), variables...)
			out, err := cmd.CombinedOutput()
			switch got := string(out); {
			case i == 0:
				want = got
			case got != want || got == "":
				t.Errorf("%v with %v (%v):\n%s\nwant\n%s", line[1:], variables, err, got, want)
			}
		}
	}
}

func TestCase_B056(t *testing.T) {
	tool := func(name string) toolkit.Tool {
		return toolkit.Func(toolkit.Spec{Name: name}, func(context.Context, struct{}) (toolkit.None, error) { return toolkit.None{}, nil })
	}
	for _, name := range []string{"fs.read", "a/b", "naïve", "café", "a b", "..", "-x", "A", "a--b", "a-", "1a", "$(x)", strings.Repeat("a", 64)} {
		for _, kit := range []*toolkit.Toolkit{
			{Name: name, Tools: []toolkit.Tool{tool("t")}},
			{Name: "x", Tools: []toolkit.Tool{tool(name)}},
		} {
			if h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}}); err == nil {
				h.Close()
				t.Errorf("toolkit %q with tool %q: got no error", kit.Name, name)
			}
		}
	}
	newWorld(t, &toolkit.Toolkit{Name: strings.Repeat("a", 63), Tools: []toolkit.Tool{tool("a1-b")}})
}

// A toolkit may bear the name of one of agentos's own commands. Its command is
// another one then, and call reaches it.
func TestCase_B057(t *testing.T) {
	kit := func(name string) *toolkit.Toolkit {
		return &toolkit.Toolkit{Name: name, Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "bash"},
			func(context.Context, struct{}) (string, error) { return "the tool", nil })}}
	}
	w := newWorld(t, kit("completion"))
	w.want(w.line("agentos-completion bash --output text"), 0, "the tool\n")
	w.want(w.line("agentos call completion bash --output text"), 0, "the tool\n")
	if got := w.line("agentos completion bash"); !strings.HasPrefix(got.stdout, "# Completion of agentos") {
		t.Errorf("agentos completion bash = %+v, want the script", got)
	}
	if h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit("list-tools")}}); err == nil {
		h.Close()
		t.Error("a toolkit named list-tools: got no error")
	}
}
