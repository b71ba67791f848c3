package vmtest

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// examples/qemu boots a VM for a command, or for whoever sits at its console; in
// TestVM_Nested it does so with the kernel's vhost_vsock.
func TestVM_Example(t *testing.T) {
	w := open(t)
	program := w.program("examples/qemu")
	example := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), program, append([]string{"-kernel", w.kernel.Image, "-modules", w.kernel.Modules, "-shim", w.shim}, args...)...)
	}
	t.Run("a command", func(t *testing.T) {
		cmd := example("agentos-weather forecast --city Paris --month 7 && agentos-weather forecast --city Atlantis")
		out, err := cmd.Output()
		status := cmd.ProcessState.ExitCode()
		if status != 3 || !strings.HasPrefix(string(out), `{"ok":true,"result":{"temperature":20.4,`) || !strings.Contains(string(out), `"error":"NOT_FOUND"`) {
			t.Errorf("exit status %d (%v), want 3 and both answers:\n%s", status, err, out)
		}
	})
	t.Run("a shell", func(t *testing.T) {
		cmd := example()
		stdin, err := cmd.StdinPipe()
		w.must(err)
		typing := &typist{stdin: stdin, prompt: "# ", lines: []string{"agentos doctor", "exit 5"}}
		cmd.Stdout = typing
		err = cmd.Run()
		if status := cmd.ProcessState.ExitCode(); status != 5 || !strings.Contains(typing.seen.String(), "the host answered") {
			t.Errorf("exit status %d (%v), want 5 and what doctor says:\n%s", status, err, &typing.seen)
		}
	})
}

// typist types a line at each prompt.
type typist struct {
	stdin  io.Writer
	prompt string
	lines  []string
	seen   bytes.Buffer
	read   int // of seen, up to the latest prompt
}

// Write sees what is printed.
func (y *typist) Write(p []byte) (int, error) {
	y.seen.Write(p)
	at := bytes.Index(y.seen.Bytes()[y.read:], []byte(y.prompt))
	if at < 0 || len(y.lines) == 0 {
		return len(p), nil
	}
	y.read += at + len(y.prompt)
	_, err := io.WriteString(y.stdin, y.lines[0]+"\n")
	y.lines = y.lines[1:]
	return len(p), err
}
