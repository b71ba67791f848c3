package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// browser is a toolkit with groups, aliases and globals on two levels.
const browser = `{"name": "browser", "summary": "A browser", "version": "1.2",
	"globals": {"options": [{"name": "profile", "short": "p", "schema": {"type": "string"}}]},
	"commands": [
		{"name": "open", "aliases": ["goto"], "summary": "Open a page", "examples": [{"input": {"url": "https://example.com/"}}],
			"body": {"positionals": [{"name": "url", "schema": {"type": "string"}, "required": true}]}},
		{"name": "click", "body": {}},
		{"name": "screenshot", "body": {"flags": [{"name": "fullPage"}]}},
		{"name": "tab", "aliases": ["t"], "globals": {"flags": [{"name": "quiet", "short": "q"}]}, "commands": [
			{"name": "close", "body": {"options": [{"name": "id", "schema": {"type": "integer"}}]}},
			{"name": "list", "body": {}}
		], "body": {"options": [{"name": "own", "schema": {"type": "string"}}]}}
	]}`

func TestResolve(t *testing.T) {
	def := definition(t, browser)
	for _, row := range []struct{ words, path, message string }{
		{"", "", ""},
		{"open", "open", ""},
		{"goto", "open", ""},
		{"t close", "tab close", ""},
		{"tab", "tab", ""},
		{"oepn", "", `No tool "oepn" in toolkit "browser". Nearest: open. Available: click, open, screenshot, tab`},
		{"gotu", "", `No tool "gotu" in toolkit "browser". Nearest: goto. Available: click, open, screenshot, tab`},
		{"t clsoe", "", `No tool "tab clsoe" in toolkit "browser". Nearest: tab close. Available: tab close, tab list`},
		{"open page", "", `No tool "open page" in toolkit "browser".`},
	} {
		path, cmd, err := Resolve(def, strings.Fields(row.words))
		var e *toolkit.Error
		switch {
		case row.message == "" && (err != nil || strings.Join(path, " ") != row.path || cmd.Name != last(append([]string{"browser"}, path...))):
			t.Errorf("Resolve(%q): got %q, %v, want %q", row.words, path, err, row.path)
		case row.message != "" && (!errors.As(err, &e) || e.Code != toolkit.CodeToolNotFound || e.Message != row.message):
			t.Errorf("Resolve(%q): got %v, want %s", row.words, err, row.message)
		}
	}
}

func last(words []string) string { return words[len(words)-1] }

func TestLongListsOfToolsAreCapped(t *testing.T) {
	def := &toolkit.Definition{Command: toolkit.Command{Name: "many"}}
	for i := range 200 {
		def.Commands = append(def.Commands, toolkit.Command{Name: fmt.Sprintf("tool-%03d", i), Body: &toolkit.Body{}})
	}
	_, _, err := Resolve(def, []string{"nosuch"})
	if text := err.Error(); !strings.HasSuffix(text, "tool-029, … (agentos list-tools many lists all 200)") {
		t.Errorf("got %q, want 30 names and how to list all", text)
	}
}

func TestToolHints(t *testing.T) {
	checkLines(t, definition(t, browser), []lineCase{
		{line: `agentos-browser oepn https://a.example/ -p dev`, want: "TOOL_NOT_FOUND", hint: "agentos-browser open https://a.example/ --profile dev"},
		{line: `agentos-browser oepn`, want: "TOOL_NOT_FOUND", hint: "agentos-browser open https://example.com/"},
		{line: `agentos-browser oepn --help`, want: "TOOL_NOT_FOUND", hint: "agentos-browser open --help"},
		{line: `agentos-browser tba clsoe --id 1`, want: "TOOL_NOT_FOUND", hint: "agentos-browser tab close --id 1"},
		{line: `agentos-browser tab xyz`, want: "TOOL_NOT_FOUND", hint: "agentos-browser tab --help"},
		{line: `agentos-browser screenshots --fullpage`, want: "TOOL_NOT_FOUND", hint: "agentos-browser screenshot --full-page"},
	})
}

func TestLeadingWords(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, row := range []struct{ args, want []string }{
		{nil, nil},
		{[]string{"a", "b", "--c", "d"}, []string{"a", "b"}},
		{[]string{"-v", "a"}, nil},
		{[]string{"a", "-", "b"}, []string{"a"}},
		{strings.Fields("1 2 3 4 5 6 7 8 9"), strings.Fields("1 2 3 4 5 6 7 8")},
		{[]string{"a", long, long + "a", "b"}, []string{"a", long}},
	} {
		if got := LeadingWords(row.args); !slices.Equal(got, row.want) {
			t.Errorf("LeadingWords(%q): got %q, want %q", row.args, got, row.want)
		}
	}
}

func TestPrune(t *testing.T) {
	def := definition(t, browser)
	before, _ := json.Marshal(def)
	for words, want := range map[string]string{
		"":                    "browser[open click screenshot tab[close list]]",
		"nosuch open":         "browser[open click screenshot tab[close list]]",
		"goto https://x.org/": "browser[open]",
		"tab":                 "browser[tab[close list]]",
		"t close 5":           "browser[tab[close]]",
		"tab nosuch":          "browser[tab[close list]]",
		"help open":           "browser[open]",
		"help":                "browser[open click screenshot tab[close list]]",
	} {
		pruned := Prune(def, strings.Fields(words))
		if got := outline(&pruned.Command); got != want {
			t.Errorf("Prune(%q): got %s, want %s", words, got, want)
		}
	}
	pruned := Prune(def, []string{"tab", "close"})
	if pruned.Commands[0].Body != nil || pruned.Commands[0].Commands[0].Body != def.Commands[3].Commands[0].Body || len(pruned.Globals.Options) != 1 {
		t.Errorf("Prune(tab close): got %+v, want the body of close alone, shared, and the globals", pruned)
	}
	if after, _ := json.Marshal(def); string(after) != string(before) {
		t.Error("Prune has changed its argument")
	}
}

// outline is the tree of a command's names.
func outline(cmd *toolkit.Command) string {
	var below []string
	for i := range cmd.Commands {
		below = append(below, outline(&cmd.Commands[i]))
	}
	if below == nil {
		return cmd.Name
	}
	return cmd.Name + "[" + strings.Join(below, " ") + "]"
}

// What the pruned definition says of a line is what the whole one says.
func TestPrunedDefinitionReadsTheSameLine(t *testing.T) {
	def := definition(t, browser)
	for _, line := range []string{
		"open https://x.org/ -p dev", "t close --id 5 -q", "tab --own x", "tab", "help tab close", "nosuch", "tab nosuch", "open", "open --help",
		"--profile dev t list", "screenshot --full-page extra", "",
	} {
		args := strings.Fields(line)
		whole, wholeErr := Parse(def, &Line{Program: "agentos-browser", Args: args})
		part, partErr := Parse(Prune(def, LeadingWords(args)), &Line{Program: "agentos-browser", Args: args})
		diff(t, "invocation of "+line, part, whole)
		if fmt.Sprint(wholeErr) != fmt.Sprint(partErr) {
			t.Errorf("%s: got %v, want %v", line, partErr, wholeErr)
		}
	}
}

func TestSkeletonAndLocate(t *testing.T) {
	def := definition(t, browser)
	bones := Skeleton(def)
	text, _ := json.Marshal(bones)
	want := `{"version":"1.2","name":"browser","summary":"A browser","globals":{"options":[{"name":"profile","short":"p","schema":{"type":"string"}}]},` +
		`"commands":[{"name":"open","aliases":["goto"]},{"name":"click"},{"name":"screenshot"},` +
		`{"name":"tab","aliases":["t"],"globals":{"flags":[{"name":"quiet","short":"q"}]},"commands":[{"name":"close"},{"name":"list"}]}],"skeleton":true}`
	if string(text) != want {
		t.Errorf("Skeleton:\n got %s\nwant %s", text, want)
	}
	for line, want := range map[string]string{
		"":                              "",
		"open https://x.org/":           "open",
		"--profile tab open x":          "open",
		"-p dev goto":                   "open",
		"--output text t -q close --id": "tab close",
		"--help tab close":              "tab close",
		"help t close":                  "tab close",
		"tab --own close":               "tab",
		"tab nosuch":                    "tab",
		"--json {} tab list x":          "tab list",
		"-- tab":                        "",
		"nosuch tab":                    "",
		"--nosuch tab":                  "",
	} {
		if got := strings.Join(Locate(bones, strings.Fields(line)), " "); got != want {
			t.Errorf("Locate(%q): got %q, want %q", line, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"open", "close", "screenshot", "full-page", "userID", "limit", "list", "lint", "n"}
	for word, want := range map[string]string{
		"oepn": "open", "opne": "open", "op": "", "scre": "screenshot", "screenshots": "screenshot",
		"fullPage": "full-page", "full_page": "full-page", "user-id": "userID", "USERID": "userID",
		"limt": "limit lint list", "N": "n", "x": "", "": "", "nosuch": "", strings.Repeat("o", 100): "",
	} {
		if got := strings.Join(Nearest(word, names), " "); got != want {
			t.Errorf("Nearest(%q): got %q, want %q", word, got, want)
		}
	}
	if got := Nearest("aaaa", []string{"aaad", "aaac", "aaab", "aaae", "aaab"}); !slices.Equal(got, []string{"aaab", "aaac", "aaad"}) {
		t.Errorf("Nearest of many: got %q, want the first three by name, each once", got)
	}
}
