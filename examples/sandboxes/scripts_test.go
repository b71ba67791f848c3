package sandboxes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each recipe says what of it is tested and what is not, is short, and
// is a script for any POSIX shell.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("*.sh")
	if err != nil || len(scripts) < 7 {
		t.Fatalf("scripts %q, %v, want seven and host.sh", scripts, err)
	}
	for _, script := range append(scripts, "testdata/bytes.sh") {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines > 85 {
			t.Errorf("%s has %d lines, over 85", script, lines)
		}
		recipe := strings.HasPrefix(string(text), "#!/bin/sh\n")
		for _, want := range []string{"\n# Tested: ", "\n# Not tested: ", "\nset -eu\n"} {
			if recipe && !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q", script, want)
			}
		}
		for _, shell := range [][]string{{"sh"}, {"dash"}, {"busybox", "sh"}, {"bash", "--posix"}} {
			if _, err := exec.LookPath(shell[0]); err != nil {
				continue
			}
			if out, err := exec.Command(shell[0], append(shell[1:], "-n", script)...).CombinedOutput(); err != nil {
				t.Errorf("%v -n %s: %v: %s", shell, script, err, out)
			}
		}
	}
}
