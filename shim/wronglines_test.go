package shim_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// What an error proposes to run instead of a wrong line runs as it is. The lines
// are those of internal/argv/testdata: a wrong one, its message, the proposal.
func TestTheCorrectedLineRuns(t *testing.T) {
	data, err := os.ReadFile("../internal/argv/testdata/wrong-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, append(fixture.Kits(), x, tickets(t))...)
	ran := 0
	for _, entry := range strings.Split(string(data), "\n\n") {
		lines := strings.Split(strings.TrimSpace(entry), "\n")
		wrong, ok := strings.CutPrefix(lines[0], "$ ")
		corrected, isCommand := strings.CutPrefix(lines[len(lines)-1], "$ ")
		if !ok || !isCommand {
			continue // a heading, or an advice in words
		}
		if got := w.run(words(t, wrong)...); got.exit != 2 {
			t.Errorf("%s: exit %d, want 2", wrong, got.exit)
		}
		ran++
		if got := w.run(words(t, corrected)...); got.exit != 0 {
			t.Errorf("%s\nproposes %s\nwhich ends with exit %d: %s", wrong, corrected, got.exit, got.stdout)
		}
	}
	if ran < 40 {
		t.Errorf("%d corrected lines ran, want at least 40", ran)
	}
}

// tickets is the toolkit of that name, whose tools do nothing.
func tickets(t *testing.T) *toolkit.Toolkit {
	t.Helper()
	text, err := os.ReadFile("../internal/argv/testdata/definitions/tickets.json")
	if err != nil {
		t.Fatal(err)
	}
	def, err := toolkit.ParseDefinition(text)
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, *toolkit.Invocation) (json.RawMessage, error) { return nil, nil }
	return toolkit.FromDefinition(def, nothing)
}
