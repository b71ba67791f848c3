package argv

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestDescribe(t *testing.T) {
	got := string(Describe(stored(t, "weather"), []string{"forecast"}))
	want := `{"toolkit":"weather","tool":"forecast","summary":"Get the weather forecast for a city","description":"Get the weather forecast for a city",` +
		`"input":{"additionalProperties":false,"properties":{` +
		`"city":{"description":"City name","type":"string"},` +
		`"days":{"default":3,"description":"Number of days","maximum":16,"minimum":1,"type":"integer"}},` +
		`"required":["city"],"type":"object"},` +
		`"result":{"properties":{"condition":{"type":"string"},"temperature":{"type":"number"}},"required":["temperature","condition"],"type":"object"},` +
		`"errors":[{"name":"NOT_FOUND","summary":"no such city","kind":"runtime","exit":3}],` +
		`"annotations":{"read_only":true,"destructive":false,"idempotent":false,"open_world":true},` +
		`"examples":[{"summary":"3-day forecast for Paris","input":{"city":"Paris","days":3},` +
		`"command":"agentos-weather forecast --city Paris --days 3"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDescribeLittle(t *testing.T) {
	got := string(Describe(bodied(t, `{}`), []string{"t"}))
	want := `{"toolkit":"x","tool":"t","summary":"","description":"",` +
		`"input":{"additionalProperties":false,"type":"object"},"result":null,"errors":[],` +
		`"annotations":{"read_only":false,"destructive":true,"idempotent":false,"open_world":true},"examples":[]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDescribeRules: what no keyword says is a sentence of the input's description.
func TestDescribeRules(t *testing.T) {
	def := bodied(t, `{"options":[{"name":"sinceDay","schema":{"type":"string"}},{"name":"until","schema":{"type":"string"}},{"name":"level","schema":{"type":"integer"}}],
		"input":{"description":"A range."},
		"constraints":[{"kind":"all-or-none","terms":[{"name":"since-day"},{"name":"until"}]},
			{"kind":"implies","if":{"terms":[{"name":"level","value":1}]},"then":{"terms":[{"name":"until"}]}}]}`)
	const want = `"input":{"additionalProperties":false,"description":"A range. sinceDay and until go together, all or none. level=1 requires until.",`
	if got := string(Describe(def, []string{"t"})); !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant in it %s", got, want)
	}
	if got := InputSchema(def, []string{"t"}).Description; got != "A range." {
		t.Errorf("InputSchema: got the description %q, want that of the definition", got)
	}
	for _, path := range [][]string{nil, {"nosuch"}} {
		if got := Rules(def, path); got != nil {
			t.Errorf("Rules of %q: got %q, want none", path, got)
		}
	}
}

// TestDescribeSecrets: a schema alone says which of its properties are secret.
func TestDescribeSecrets(t *testing.T) {
	def := bodied(t, `{"options":[{"name":"apiToken","help":"Token of the shop","schema":{"type":"string"},"secret":true},
		{"name":"clientSecret","help":"The secret of the client.","schema":{"type":"string","x-of":1},"secret":true}]}`)
	got := string(Describe(def, []string{"t"}))
	for _, want := range []string{
		`"apiToken":{"description":"Token of the shop (secret)","type":"string","writeOnly":true}`,
		`"clientSecret":{"description":"The secret of the client.","type":"string","writeOnly":true,"x-of":1}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got  %s\nwant in it %s", got, want)
		}
	}
	if extra := def.Commands[0].Body.Options[1].Schema.Extra; len(extra) != 1 {
		t.Errorf("the definition was changed to %v", extra)
	}
}

func TestDescribeOfOthers(t *testing.T) {
	def := stored(t, "repo")
	if got, want := Describe(def, nil), ListToolkitJSON(def); !bytes.Equal(got, want) {
		t.Errorf("a toolkit: got %s, want %s", got, want)
	}
	if got, want := string(Describe(def, []string{"issues"})), `{"name":"issues","description":"Issues and their comments","tools":{"issues create":`; !strings.HasPrefix(got, want) {
		t.Errorf("a group: got %s, want it to begin with %s", got, want)
	}
	if got := string(Describe(def, []string{"nosuch"})); got != "null" {
		t.Errorf("a command that there is not: got %s, want null", got)
	}
}

func TestDescribeAnnotations(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		annotations toolkit.Annotations
		want        string
	}{
		{toolkit.Annotations{}, `{"read_only":false,"destructive":true,"idempotent":false,"open_world":true}`},
		{toolkit.Annotations{ReadOnly: true}, `{"read_only":true,"destructive":false,"idempotent":false,"open_world":true}`},
		{toolkit.Annotations{Destructive: &no, Idempotent: true, OpenWorld: &no}, `{"read_only":false,"destructive":false,"idempotent":true,"open_world":false}`},
		{toolkit.Annotations{Destructive: &yes, OpenWorld: &yes}, `{"read_only":false,"destructive":true,"idempotent":false,"open_world":true}`},
	}
	for _, test := range tests {
		if got, _ := json.Marshal(promises(&test.annotations)); string(got) != test.want {
			t.Errorf("%+v: got %s, want %s", test.annotations, got, test.want)
		}
	}
}

// TestDescribeExamples has what an example never shows: a secret.
func TestDescribeExamples(t *testing.T) {
	def := bodied(t, `{"options":[{"name":"s","schema":{"type":"string"}},{"name":"token","schema":{"type":"string"},"secret":true,"required":true}]}`)
	def.Commands[0].Examples = []toolkit.ExampleCase{{Input: json.RawMessage(`{"s":"a\u202eb"}`)}}
	got := string(Describe(def, []string{"t"}))
	want := `"examples":[{"summary":"","input":{"s":"a\u202eb"},"command":"agentos-x t --token-file PATH --json '{\"s\":\"a\\u202eb\"}'"}]`
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant in it %s", got, want)
	}
}

func TestInputSchema(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"nothing", `{}`, `{"additionalProperties":false,"type":"object"}`},
		{"every kind of parameter",
			`{"positionals":[{"name":"p","schema":{"type":"string"},"required":true,"help":"P"}],
			  "tail":{"name":"rest","item":{"type":"integer"},"min":1,"max":2},
			  "options":[{"name":"o","schema":{"type":"string","description":"own"},"default":"a","required":true}],
			  "flags":[{"name":"b","required":true},{"name":"v","count":true,"max":3},{"name":"m","nullable":true}]}`,
			`{"additionalProperties":false,"properties":{` +
				`"b":{"type":"boolean"},` +
				`"m":{"type":["boolean","null"]},` +
				`"o":{"default":"a","description":"own","type":"string"},` +
				`"p":{"description":"P","type":"string"},` +
				`"rest":{"items":{"type":"integer"},"maxItems":2,"minItems":1,"type":"array"},` +
				`"v":{"maximum":3,"minimum":0,"type":"integer"}},` +
				`"required":["p","rest","b"],"type":"object"}`},
		{"what the body says of the input",
			`{"options":[{"name":"q","schema":{"$ref":"#/$defs/Q"}}],
			  "input":{"$defs":{"Q":{"type":"string"}},"minProperties":1,"additionalProperties":{"type":"integer"},"x-origin":"elsewhere"}}`,
			`{"$defs":{"Q":{"type":"string"}},"additionalProperties":{"type":"integer"},"minProperties":1,` +
				`"properties":{"q":{"$ref":"#/$defs/Q"}},"type":"object","x-origin":"elsewhere"}`},
	}
	for _, test := range tests {
		def := bodied(t, test.body)
		before, _ := json.Marshal(def)
		if got := string(schemaText(InputSchema(def, []string{"t"}))); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.name, got, test.want)
		}
		if after, _ := json.Marshal(def); !bytes.Equal(before, after) {
			t.Errorf("%s: the definition was changed to %s", test.name, after)
		}
	}
}

func TestInputSchemaOfGlobals(t *testing.T) {
	def := stored(t, "repo")
	schema := InputSchema(def, []string{"issues", "list"})
	for _, name := range []string{"profile", "token", "verbose", "closed"} {
		if schema.Properties[name] == nil {
			t.Errorf("the schema has no %q", name)
		}
	}
	for _, path := range [][]string{nil, {"issues"}, {"nosuch"}} {
		if got := InputSchema(def, path); got != nil {
			t.Errorf("%v: got %s, want no schema", path, schemaText(got))
		}
	}
}
