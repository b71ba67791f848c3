package prompt_test

import (
	"bytes"
	"encoding/json"
	goflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

var update = goflag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run the test with -update to accept it)\n--- got\n%s--- want\n%s", path, got, want)
	}
}

// indented is the JSON for people.
func indented(t *testing.T, text json.RawMessage) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), '\n')
}

func TestSchemas_AsTheAPIsTakeThem(t *testing.T) {
	defs := definitions(t, fixture.Weather(), fixture.Text())
	schemas := prompt.Schemas(append(defs, repo()), &prompt.Marks{
		NeedsApproval: func(kit string, path []string) bool { return kit == "repo" && path[0] == "issues" },
		Untrusted:     func(def *toolkit.Definition) bool { return def.Name == "text" },
	})
	golden(t, "openai.json", indented(t, prompt.OpenAI(schemas)))
	golden(t, "anthropic.json", indented(t, prompt.Anthropic(schemas)))
}

// repo is a toolkit with all that makes a schema hard: groups, globals, rules over
// several parameters, compositions, numbers that no float64 holds.
func repo() *toolkit.Definition {
	def, err := toolkit.ParseDefinition([]byte(`{
	"name": "repo", "summary": "Repositories",
	"globals": {"options": [{"name": "token", "schema": {"type": "string"}, "secret": true}]},
	"commands": [
		{"name": "issues", "summary": "Issues", "commands": [
			{"name": "create", "summary": "Open an issue.", "description": "Fails when there is one with the same <title>.", "body": {
				"options": [
					{"name": "title", "help": "What it is about", "required": true, "schema": {"type": "string", "maxLength": 80, "title": "Not for the model", "$comment": "nor this"}},
					{"name": "labels", "schema": {"type": "array"}},
					{"name": "number", "schema": {"type": "integer", "maximum": 9007199254740993}},
					{"name": "due", "schema": {"type": "object", "properties": {"description": {"type": "string", "description": "A property\nof that name"}, "title": {"const": "title"}},
						"dependentRequired": {"title": ["description"]}, "default": {"description": "a ` + "`" + `value` + "`" + `", "title": "title"}}}],
				"constraints": [{"kind": "mutex", "groups": [[{"name": "labels"}], [{"name": "number"}]]}]}}]},
		{"name": "merge", "summary": "Merge branches", "body": {
			"tail": {"name": "branches", "item": {"type": "string"}, "min": 1},
			"input": {"anyOf": [{"required": ["branches"]}, {"required": ["token"]}]},
			"annotations": {"destructive": true}}},
		{"name": "status", "body": {}},
		{"name": "upload", "summary": "Store a file", "body": {"stdin": {"required": true}}},
		{"name": "log", "summary": "Keep lines", "body": {"stdin": {}}}]}`))
	if err != nil {
		panic(err)
	}
	return def
}

// What a call of a name means is told with it; a tool that needs a stream cannot be
// called so.
func TestSchemas_Names(t *testing.T) {
	var got []string
	for _, s := range prompt.Schemas([]*toolkit.Definition{repo()}, nil) {
		got = append(got, fmt.Sprintf("%s: %s %q", s.Name, s.Toolkit, s.Path))
	}
	want := []string{
		`repo_issues_create: repo ["issues" "create"]`, `repo_log: repo ["log"]`, `repo_merge: repo ["merge"]`, `repo_status: repo ["status"]`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSchemas_OfNothingIsAnEmptyList(t *testing.T) {
	schemas := prompt.Schemas([]*toolkit.Definition{nil}, nil)
	for _, got := range []json.RawMessage{prompt.OpenAI(schemas), prompt.Anthropic(schemas)} {
		if string(got) != "[]" {
			t.Errorf("got %s, want []", got)
		}
	}
}

// What the APIs refuse, for any definition: one refused tool fails every request.
func TestSchemas_KeepTheProvidersRules(t *testing.T) {
	defs := append(samples(t), repo(), kit(strings.Repeat("long", 15), "Long", tool(strings.Repeat("n", 63), strings.Repeat("A word. ", 400))))
	github, _, err := fixture.MCP("github")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]bool{}
	for _, s := range prompt.Schemas(append(defs, github), nil) {
		if !name.MatchString(s.Name) || seen[s.Name] {
			t.Errorf("got the name %q, want up to 64 letters, digits, _ and -, once", s.Name)
		}
		seen[s.Name] = true
		if n := len([]rune(s.Description)); n > 1024 {
			t.Errorf("%s: the description has %d characters, want at most 1024", s.Name, n)
		}
		var input map[string]json.RawMessage
		if err := json.Unmarshal(s.Input, &input); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if string(input["type"]) != `"object"` || input["properties"] == nil {
			t.Errorf("%s: the input is %s, want an object with properties", s.Name, s.Input)
		}
		for _, keyword := range []string{"allOf", "anyOf", "enum", "not", "oneOf"} {
			if input[keyword] != nil {
				t.Errorf("%s: the input has %s at its top", s.Name, keyword)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("got %d schemas, want all of the samples", len(seen))
	}
}
