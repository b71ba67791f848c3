package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/shim"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this binary the daemon, and the shim, when it is called by
// their names.
func TestMain(m *testing.M) {
	guest := func() { os.Exit(shim.Main()) }
	testscript.Main(m, map[string]func(){"agentosd": main, "agentos": guest, "agentos-weather": guest, "agentos-files": guest})
}

// The scripts run the real daemon. Without bubblewrap the sandbox scripts run
// in the ordinary process that agentosd falls back to, and print that.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			env.Setenv("SHIM", self)
			env.Setenv("TMPDIR", env.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
	})
}

// Without bubblewrap the command is an ordinary process, and the operator is told.
func TestWithoutBubblewrapNothingIsPretended(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	box := newSandbox(dir)
	line, env := box.command([]string{"sh", "-c", "true"})
	if line[0] != "sh" || box.inside != filepath.Join(dir, "root") {
		t.Errorf("command = %q below %s, want the command itself", line, box.inside)
	}
	if want := "ordinary process"; !strings.Contains(box.about, want) {
		t.Errorf("about = %q, want %q in it", box.about, want)
	}
	for _, variable := range env {
		if strings.Contains(variable, "TMPDIR") {
			t.Errorf("environment %q, want none of this process's own", env)
		}
	}
}
