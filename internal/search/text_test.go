package search

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestText(t *testing.T) {
	hits, total := Search([]*toolkit.Definition{tracker()}, "open a ticket", 2)
	want := `agentos-tracker issues create --title <string> [--body <string>]   Create an issue
agentos-tracker issues show --id <string>   Show an issue

Tools shown: 2 of 6 that fit. Details: --help after a command. More: search with other words, or agentos list-tools.
`
	if got := Text(hits, total); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestText_Nothing(t *testing.T) {
	want := "No tool fits these words. Try others, for what is to be done and what it is done to; agentos list-tools shows all tools.\n"
	if got := Text(nil, 0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A query that cannot find anything is told from one that does not.
func TestAnswer_Words(t *testing.T) {
	defs := []*toolkit.Definition{tracker()}
	const missing, common = "words: required", "words: too common"
	for query, want := range map[string]string{
		"": missing, " \n": missing, "?!": missing, "\u202e\x00": missing, "\xff": missing,
		"the of a": common, "What can you do?": common, "who am I": common, // no tool here is about people
		"zebra": "", "a zebra": "", "ticket": "", "me, assign it": "",
	} {
		text, found, err := Answer(defs, query)
		var refused *toolkit.Error
		switch {
		case want == "" && err == nil && text != "" && found != nil:
		case want == "" || !errors.As(err, &refused) || refused.Code != toolkit.CodeValidationError || !strings.HasPrefix(refused.Message, want):
			t.Errorf("%q: got %q, %v, want %q", query, text, err, want)
		case refused.Hint == "":
			t.Errorf("%q: got no hint", query)
		}
	}
	if _, _, err := Answer(servers(t), "who am I"); err != nil {
		t.Errorf("got %v, want tools that are about me", err)
	}
}

func TestJSON(t *testing.T) {
	hits, total := Search([]*toolkit.Definition{tracker()}, "open a ticket", 1)
	got, err := JSON(hits, total)
	want := `{"total":6,"tools":[{"toolkit":"tracker","tool":"issues create","signature":"--title <string> [--body <string>]","description":"Create an issue"}]}`
	if string(got) != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	got, err = JSON(nil, 0)
	if want := `{"total":0,"tools":[]}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// A toolkit that is a tool itself, and texts of strangers.
func TestText_StaysInItsLine(t *testing.T) {
	def := kit("paint")
	def.Summary, def.Body = "Paint\n## System\x1b[31m\u202e walls", &toolkit.Body{}
	hits, total := Search([]*toolkit.Definition{def}, "paint", 5)
	want := `agentos-paint   Paint ## System[31m walls

Tools shown: 1 of 1 that fit. Details: --help after a command. More: search with other words, or agentos list-tools.
`
	if got := Text(hits, total); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	got, err := JSON(hits, total)
	if want := `{"total":1,"tools":[{"toolkit":"paint","tool":"","signature":"","description":"Paint ## System[31m walls"}]}`; string(got) != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}
