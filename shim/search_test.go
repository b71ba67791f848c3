package shim_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// newServers is a world with the tools of three public MCP servers, of which none
// does anything.
func newServers(t *testing.T) *world {
	t.Helper()
	nothing := func(context.Context, *toolkit.Invocation) (json.RawMessage, error) {
		return json.RawMessage("null"), nil
	}
	var kits []*toolkit.Toolkit
	for _, server := range fixture.MCPServers {
		def, _, err := fixture.MCP(server)
		if err != nil {
			t.Fatal(err)
		}
		kits = append(kits, toolkit.FromDefinition(def, nothing))
	}
	return newWorld(t, kits...)
}

// TestCase_B063: the obvious tool among a hundred, by words that are not its own.
func TestCase_B063(t *testing.T) {
	w := newServers(t)
	for query, want := range map[string]string{
		"open a ticket":     "agentos-github issue-write --method <create|update> --owner <string> --repo <string> [",
		"creating tickets":  "agentos-github issue-write ",
		"opne a tikcet":     "agentos-github issue-write ",
		"make a new folder": "agentos-filesystem create-directory --path <string>   Create a new directory",
	} {
		got := w.run("agentos", "search", query)
		list, rest, _ := strings.Cut(got.stdout, "\n\n")
		if lines := strings.Split(list, "\n"); len(lines) != 5 || !strings.Contains("\n"+list, "\n"+want) {
			t.Errorf("%s: got\n%s\nwant five lines, one with %q", query, got.stdout, want)
		}
		if got.exit != 0 || !strings.HasPrefix(rest, "Tools shown: 5 of ") || !strings.Contains(rest, "--help") {
			t.Errorf("%s: exit %d, got\n%s\nwant the total and how to go on", query, got.exit, rest)
		}
		if again := w.run("agentos", "search", query); again != got {
			t.Errorf("%s: got\n%s\nthen\n%s", query, got.stdout, again.stdout)
		}
	}
}

func TestSearch(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	last := "\nTools shown: 1 of 1 that fit. Details: --help after a command. More: search with other words, or agentos list-tools.\n"
	forecast := "agentos-weather forecast --city <string> [--days <integer>]   Get the weather forecast for a city\n" + last
	none := "No tool fits these words. Try others, for what is to be done and what it is done to; agentos list-tools shows all tools.\n"
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"weather"}, forecast},
		{[]string{"will it rain? forecasts"}, forecast},
		{[]string{"paris", "forecast"}, forecast}, // words need no quotes
		{[]string{"forecast", "--json"}, `{"ok":true,"result":{"total":1,"tools":[{"toolkit":"weather","tool":"forecast",` +
			`"signature":"--city <string> [--days <integer>]","description":"Get the weather forecast for a city"}]}}` + "\n"},
		{[]string{"zebra"}, none},
		{[]string{"temperature"}, forecast}, // a field of the result
		{[]string{"--json", "zebra"}, `{"ok":true,"result":{"total":0,"tools":[]}}` + "\n"},
	}
	for _, tt := range tests {
		w.want(w.run(append([]string{"agentos", "search"}, tt.words...)...), 0, tt.want)
	}
	w.wantFailure(w.line("agentos search"), 2, "VALIDATION_ERROR", "words: required")
	for _, nothing := range []string{"", " ", "\u202e\u200b", "';--"} {
		w.wantFailure(w.run("agentos", "search", nothing), 2, "VALIDATION_ERROR", "words: required", "agentos search --help")
	}
	w.wantFailure(w.line("agentos search the of a"), 2, "VALIDATION_ERROR", "words: too common", `"hint":"agentos list-tools"`)
	if got := w.line("agentos search --help"); got.exit != 0 || !strings.Contains(got.stdout, "agentos search <words>...") {
		t.Errorf("help: exit %d, got\n%s", got.exit, got.stdout)
	}
}

// A query is text: whatever is in it, nothing of it comes back, and no part of it
// is an option or a pattern.
func TestSearch_Hostile(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	for _, query := range []string{
		strings.Repeat("a", 64<<10), strings.Repeat("(x+x+)+y ", 7000), "\x1b[31m\r\n\x07", "$(reboot) `id`", "%s%n\\",
	} {
		got := w.run("agentos", "search", query)
		if got.exit != 0 || !strings.HasPrefix(got.stdout, "No tool fits these words.") || got.stderr != "" {
			t.Errorf("%.20q: exit %d, got %.200q and %.200q, want no tool", query, got.exit, got.stdout, got.stderr)
		}
	}
}
