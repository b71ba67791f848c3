package shim_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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

// whenConnected waits until the command has a socket, which it has of its host only.
func (c *child) whenConnected() {
	c.t.Helper()
	for start := time.Now(); time.Since(start) < longestWait; time.Sleep(time.Millisecond) {
		for _, file := range openFiles(c.t, c.cmd.Process.Pid) {
			if strings.HasPrefix(file, "socket:") {
				return
			}
		}
	}
	c.t.Fatalf("%v: no connection within %s", c.cmd.Args, longestWait)
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

// shellsHere are the shells of this machine.
func shellsHere() (shells []string) {
	known := map[string]bool{}
	for _, name := range []string{"sh", "bash", "dash"} {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil && !known[path] {
			known[path] = true
			shells = append(shells, name)
		}
	}
	return shells
}

// openFiles are the files that a process has open, by descriptor.
func openFiles(t *testing.T, pid int) map[string]string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if file, err := os.Readlink(filepath.Join(dir, entry.Name())); err == nil {
			files[entry.Name()] = file
		}
	}
	return files
}

// newFIFO is a named pipe: who reads it waits until somebody has written to it.
func newFIFO(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// release ends the wait of a tool for a FIFO.
func release(t *testing.T, fifo string) {
	t.Helper()
	if err := os.WriteFile(fifo, []byte("go"), 0); err != nil {
		t.Fatal(err)
	}
}

// readPID is the process id that a script writes to a FIFO.
func readPID(t *testing.T, fifo string) (pid int) {
	t.Helper()
	text, err := os.ReadFile(fifo)
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pid
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

// hearing is well past the moment from which a command whose call has begun hears
// signals (hearAfter). Nothing outside of the command shows that moment.
func hearing() <-chan time.Time { return time.After(500 * time.Millisecond) }
