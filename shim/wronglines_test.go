package shim_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
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
	w := newWorld(t, append(fixture.Kits(), x)...)
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
	if ran < 20 {
		t.Errorf("%d corrected lines ran, want at least 20", ran)
	}
}
