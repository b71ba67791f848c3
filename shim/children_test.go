package shim_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// child is a command that runs.
type child struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// starts starts a command, whose output is kept where it goes nowhere else.
func starts(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{t: t, cmd: cmd}
	if cmd.Stdout == nil {
		cmd.Stdout = &c.stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &c.stderr
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// ends waits for the end of the command. The exit status is as a shell shows it.
func (c *child) ends() output {
	c.t.Helper()
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	got := output{c.stdout.String(), c.stderr.String(), c.cmd.ProcessState.ExitCode()}
	if status := c.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		got.exit = 128 + int(status.Signal())
	}
	return got
}

func (c *child) signal(sig os.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

func runs(t *testing.T, cmd *exec.Cmd) output {
	t.Helper()
	return starts(t, cmd).ends()
}

// heedSignals gives signals their default action in the children of the test, also
// where whoever runs the tests ignores them.
func heedSignals(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	t.Cleanup(func() { signal.Stop(heard) })
}

// needs skips a test where one of the programs is not installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here", program)
		}
	}
}

// wantEnded checks exit status and the beginning of stdout, and what else it says.
func wantEnded(t *testing.T, got output, exit int, begins string, says ...string) {
	t.Helper()
	if got.exit != exit || !strings.HasPrefix(got.stdout, begins) {
		t.Errorf("exit %d, stdout %s, stderr %s\nwant exit %d and %s", got.exit, got.stdout, got.stderr, exit, begins)
	}
	for _, want := range says {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("stdout %s\nlacks %q", got.stdout, want)
		}
	}
}

// The beginnings of what stdout says.
const (
	isOK        = `{"ok":true,`
	isCancelled = `{"ok":false,"error":"CANCELLED",`
	isTimeout   = `{"ok":false,"error":"TIMEOUT",`
	isUnknown   = `{"ok":false,"error":"OUTCOME_UNKNOWN",`
)
