package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leavesNoDescriptor wants as many descriptors open when the test and all that
// it cleans up is over as when this was called, first of all in the test. Where
// the system lists none it wants nothing.
func leavesNoDescriptor(t *testing.T) {
	t.Helper()
	before := descriptors()
	t.Cleanup(func() {
		if after := descriptors(); len(after) > len(before) {
			t.Errorf("%d descriptors are open, %d were before:\n%s", len(after), len(before), strings.Join(after, "\n"))
		}
	})
}

// descriptors is what this process has open, but for what Go opens once and
// keeps.
func descriptors() []string {
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var open []string
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(dir, entry.Name()))
		if err == nil && !strings.HasPrefix(target, "anon_inode:") {
			open = append(open, entry.Name()+" "+target)
		}
	}
	return open
}
