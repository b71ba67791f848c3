package guest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

func TestSearch(t *testing.T) {
	client := newClient(t, newHost(t, fixture.Kits()...).Dialer("g"))
	tests := []struct{ query, text, result string }{
		{"adding", "agentos-math add --a <number> --b <number>   Add two numbers\n",
			`{"total":1,"tools":[{"toolkit":"math","tool":"add","signature":"--a <number> --b <number>","description":"Add two numbers"}]}`},
		{"zebra", "No tool ", `{"total":0,"tools":[]}`},
	}
	for _, tt := range tests {
		found, err := client.Search(t.Context(), tt.query)
		if err != nil {
			t.Fatalf("%s: %v", tt.query, err)
		}
		if !strings.HasPrefix(found.Text, tt.text) {
			t.Errorf("%s: got text %q, want it to begin with %q", tt.query, found.Text, tt.text)
		}
		if string(found.Result) != tt.result {
			t.Errorf("%s: got %s\nwant %s", tt.query, found.Result, tt.result)
		}
	}
	for _, query := range []string{"", "the of a"} {
		if found, err := client.Search(t.Context(), query); !errors.Is(err, &toolkit.Error{Code: toolkit.CodeValidationError}) {
			t.Errorf("%q: got %+v, %v, want VALIDATION_ERROR", query, found, err)
		}
	}
}
