package host_test

import (
	"strings"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

func TestASearchIsAnswered(t *testing.T) {
	p := dial(t, newHost(t, &host.Options{Toolkits: fixture.Kits()}), "g")
	search := func(kit, query string) *wire.Present {
		p.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantSearch, Toolkit: kit, Query: query})
		return receive[*wire.Present](p)
	}
	for _, tt := range []struct{ kit, query, text, found string }{
		{"", "convert number text", "agentos-text upper ", `{"total":3,`},
		{"math", "convert number text", "agentos-math add ", `{"total":1,`},
		{"weather", "zebra", "No tool ", `{"total":0,"tools":[]}`},
	} {
		shown := search(tt.kit, tt.query)
		if !strings.HasPrefix(shown.Text, tt.text) || !strings.HasPrefix(string(shown.Found), tt.found) {
			t.Errorf("%q in %q: got %q and %s, want %s and %s", tt.query, tt.kit, shown.Text, shown.Found, tt.text, tt.found)
		}
		if shown.Definition != nil || shown.Definitions != nil || shown.Error != nil {
			t.Errorf("%q in %q: got %+v, want text and found alone", tt.query, tt.kit, shown)
		}
	}
	if shown := search("nosuch", "text"); shown.Error == nil || shown.Error.Code != toolkit.CodeToolkitNotFound {
		t.Errorf("search in an unknown toolkit: got %+v, want TOOLKIT_NOT_FOUND", shown)
	}
	for query, want := range map[string]string{"": "words: required", "the of a": "words: too common"} {
		if shown := search("", query); shown.Error == nil || shown.Error.Code != toolkit.CodeValidationError || !strings.HasPrefix(shown.Error.Message, want) {
			t.Errorf("%q: got %+v, want VALIDATION_ERROR, %s", query, shown, want)
		}
	}
}
