package kit

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// A host finds nothing wrong with the definitions, fills in defaults, and
// refuses what breaks a rule.
func TestInAHost(t *testing.T) {
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{toolkitAt(on(time.August, 31))}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const august = `{"temperature":17.6,"condition":"some rain"}`
	tests := []struct {
		tool, input, want string
		code              string
	}{
		{"forecast", `{"city":"Paris"}`, august, ""}, // 3 days
		{"forecast", `{"city":"Paris","days":3}`, august, ""},
		{"forecast", `{"city":"Paris","days":0}`, "", toolkit.CodeValidationError},
		{"forecast", `{"city":"Paris","days":17}`, "", toolkit.CodeValidationError},
		{"forecast", `{"city":"Paris","month":0}`, "", toolkit.CodeValidationError},
		{"forecast", `{"city":"Paris","month":13}`, "", toolkit.CodeValidationError},
		{"forecast", `{"days":3}`, "", toolkit.CodeValidationError},
		{"forecast", `{"city":"Pariss"}`, "", "NOT_FOUND"},
		{"cities", `{"country":"FR"}`, `{"cities":["Paris"]}`, ""},
		{"cities", `{"country":"AQ"}`, `{"cities":[]}`, ""},
		{"cities", `{"country":"FRA"}`, "", toolkit.CodeValidationError},
	}
	for _, test := range tests {
		t.Run(test.tool+" "+test.input, func(t *testing.T) {
			got, err := h.Call(context.Background(), host.DefaultGuest, &toolkit.Invocation{
				Toolkit: "weather", Path: []string{test.tool}, Input: json.RawMessage(test.input)})
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
