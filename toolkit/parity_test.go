package toolkit_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// parityArgs are the parameters that the cases are about.
type parityArgs struct {
	NoCache bool `json:"noCache"`
	Filter  struct {
		Owner struct {
			Name string `json:"name"`
		} `json:"owner"`
	} `json:"filter"`
	Numbers  []float64      `json:"numbers"`
	Switches []bool         `json:"switches"`
	Scores   map[string]int `json:"scores"`
	Maybe    *int           `json:"maybe" nullable:"true"`
	Format   string         `json:"format" validate:"oneof=png jpeg" default:"png"`
	FullPage bool           `json:"fullPage"`
	Width    int            `json:"width"`
}

func TestParity(t *testing.T) {
	tool := toolkit.Func(toolkit.Spec{Name: "shot"}, func(context.Context, parityArgs) (toolkit.None, error) { return toolkit.None{}, nil })
	cmd, err := tool.Command()
	if err != nil {
		t.Fatal(err)
	}
	params := map[string]any{}
	for _, o := range cmd.Body.Options {
		params[o.Name] = o
	}
	for _, f := range cmd.Body.Flags {
		params[f.Name] = f
	}
	for _, row := range []struct{ name, param, want string }{
		{"a noCache boolean can be set true and false", "noCache", `{"name":"noCache"}`},
		{"nested objects work from flags", "filter", `{"name":"filter","schema":{"type":"object","properties":{"owner":{"type":"object",` +
			`"properties":{"name":{"type":"string"}},"additionalProperties":false}},"additionalProperties":false}}`},
		{"arrays of numbers work from flags", "numbers", `{"name":"numbers","schema":{"type":"array","items":{"type":"number"}}}`},
		{"arrays of booleans work from flags", "switches", `{"name":"switches","schema":{"type":"array","items":{"type":"boolean"}}}`},
		{"maps", "scores", `{"name":"scores","schema":{"type":"object","additionalProperties":{"type":"integer"}}}`},
		{"nullable", "maybe", `{"name":"maybe","schema":{"type":["integer","null"]}}`},
		{"a field with a default is optional", "format", `{"name":"format","schema":{"type":"string","enum":["png","jpeg"]},"default":"png"}`},
		{"camelCase becomes kebab on the command line alone", "fullPage", `{"name":"fullPage"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := json.Marshal(params[row.param])
			if err != nil || string(got) != row.want {
				t.Errorf("parameter:\n got %s (%v)\nwant %s", got, err, row.want)
			}
		})
	}
}

// TestParity_handlerSeesWhatIsGiven: omitted optional ones are absent, no
// arguments with no parameters give {}.
func TestParity_handlerSeesWhatIsGiven(t *testing.T) {
	var seen parityArgs
	tool := toolkit.Func(toolkit.Spec{Name: "shot"}, func(_ context.Context, in parityArgs) (toolkit.None, error) {
		seen = in
		return toolkit.None{}, nil
	})
	for _, row := range []struct {
		input string
		check func() bool
	}{
		{`{}`, func() bool { return seen.Maybe == nil && seen.Numbers == nil && !seen.NoCache }},
		{`{"maybe":null}`, func() bool { return seen.Maybe == nil }},
		{`{"maybe":0}`, func() bool { return seen.Maybe != nil && *seen.Maybe == 0 }},
		{`{"numbers":[1,2.5],"scores":{"a":1}}`, func() bool { return seen.Numbers[1] == 2.5 && seen.Scores["a"] == 1 }},
		{`{"filter":{"owner":{"name":"x"}},"noCache":true}`, func() bool { return seen.Filter.Owner.Name == "x" && seen.NoCache }},
	} {
		in, err := tool.Decode(json.RawMessage(row.input))
		if err != nil {
			t.Fatalf("%s: %v", row.input, err)
		}
		if _, err := tool.Run(t.Context(), in); err != nil || !row.check() {
			t.Errorf("%s: the handler saw %+v (%v)", row.input, seen, err)
		}
	}
}
