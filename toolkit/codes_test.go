package toolkit

import (
	"regexp"
	"testing"
)

// TestCodes: every code stands once, with a status that a shell can tell from
// those of declared errors. Statuses of the bridge are those of sysexits(3), of
// timeout(1), of "command not found" and of signals.
func TestCodes(t *testing.T) {
	name := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	seen := map[string]bool{}
	last := 0
	for _, code := range Codes {
		if seen[code.Name] || !name.MatchString(code.Name) || code.When == "" {
			t.Errorf("%s: want a unique upper snake case name with a meaning", code.Name)
		}
		seen[code.Name] = true
		if code.Exit != 1 && code.Exit != 2 && (code.Exit < 69 || code.Exit > 143) {
			t.Errorf("%s exits with %d, want 1, 2 or 69 to 143", code.Name, code.Exit)
		}
		if code.Exit < last {
			t.Errorf("%s (%d) stands after a code with %d, want them sorted", code.Name, code.Exit, last)
		}
		last = code.Exit
		if exit, ok := CodeExit(code.Name); !ok || exit != code.Exit {
			t.Errorf("CodeExit(%s): got %d %t, want %d", code.Name, exit, ok, code.Exit)
		}
	}
	if len(Codes) != 21 {
		t.Errorf("got %d codes, want 21", len(Codes))
	}
	if exit, ok := CodeExit("NOT_FOUND"); ok {
		t.Errorf("CodeExit of a declared error: got %d, want none", exit)
	}
}
