package kit

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// A host finds nothing wrong with the definitions, fills in defaults, and
// refuses what breaks a rule.
func TestInAHost(t *testing.T) {
	kit, err := Toolkit(newTree(t))
	must(t, err)
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	must(t, err)
	defer h.Close()
	tests := []struct {
		tool, input, want string
		code              string
	}{
		{"list", `{"path":"docs/a"}`, `{"entries":[{"name":"deep.md","type":"file","size":14}]}`, ""},
		{"list", `{}`, `{"entries":[{"name":"docs","type":"directory","size":0},{"name":"empty","type":"file","size":0},{"name":"notes.txt","type":"file","size":8}]}`, ""},
		{"list", `{"path":".."}`, "", "OUTSIDE_ROOT"},
		{"list", `{"path":"notes.txt"}`, "", "NOT_A_DIRECTORY"},
		{"read", `{"path":"notes.txt"}`, `{"text":"one\ntwo\n","size":8}`, ""},
		{"read", `{"path":"nope"}`, "", "NOT_FOUND"},
		{"read", `{"path":"docs"}`, "", "NOT_A_FILE"},
		{"read", `{}`, "", toolkit.CodeValidationError},
		{"read", `{"path":"notes.txt","max_bytes":0}`, "", toolkit.CodeValidationError},
		{"read", `{"path":"notes.txt","max_bytes":1048577}`, "", toolkit.CodeValidationError},
		{"search", `{"text":"again"}`, `{"matches":[{"path":"docs/a/deep.md","line":1,"text":"budget, again"}],"skipped":0}`, ""},
		{"search", `{"text":""}`, "", toolkit.CodeValidationError},
		{"search", `{"text":"x","max":501}`, "", toolkit.CodeValidationError},
		{"cat", `{"path":"notes.txt"}`, "", toolkit.CodeUsageError}, // nobody serves the streams
		{"write", `{"path":"new"}`, "", toolkit.CodeUsageError},
		{"hash", `{}`, "", toolkit.CodeUsageError},
		{"copy", `{"path":"notes.txt","to":"out"}`, "", toolkit.CodeUsageError},
		{"copy", `{"path":"notes.txt"}`, "", toolkit.CodeValidationError},
	}
	for _, test := range tests {
		t.Run(test.tool+" "+test.input, func(t *testing.T) {
			got, err := h.Call(context.Background(), host.DefaultGuest, &toolkit.Invocation{
				Toolkit: "files", Path: []string{test.tool}, Input: json.RawMessage(test.input)})
			var refused *toolkit.Error
			switch {
			case test.code == "" && (err != nil || string(got) != test.want):
				t.Errorf("result = %s, %v; want %s", got, err, test.want)
			case test.code != "" && (!errors.As(err, &refused) || refused.Code != test.code):
				t.Errorf("error = %v, want %s", err, test.code)
			}
		})
	}
}
