package vmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// examples/qemu boots a VM for a command, for a script, or for whoever sits at the
// terminal; in TestVM_Nested it does so with the kernel's vhost_vsock.
func TestVM_Example(t *testing.T) {
	w := open(t)
	program := w.program("examples/qemu")
	example := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), program, append([]string{"-kernel", w.kernel.Image, "-modules", w.kernel.Modules, "-shim", w.shim}, args...)...)
	}
	const answers = `{"ok":true,"result":{"temperature":20.4,"condition":"some rain"}}
{"ok":false,"error":"NOT_FOUND","message":"no city \"Old York\"; nearest: New York","hint":"agentos-weather cities"}
`
	for name, cmd := range map[string]*exec.Cmd{
		"a command": example("agentos-weather forecast --city Paris --month 7 && agentos-weather forecast --city 'Old York'"),
		"a script":  example(),
	} {
		t.Run(name, func(t *testing.T) {
			cmd.Stdin = strings.NewReader("agentos-weather forecast --city Paris --month 7\nagentos-weather forecast --city 'Old York'\n")
			out, err := cmd.Output()
			if status := cmd.ProcessState.ExitCode(); status != 3 || string(out) != answers {
				t.Errorf("exit status %d (%v), want 3; stdout\n%s\nwant\n%s", status, err, out, answers)
			}
		})
	}
	t.Run("words", func(t *testing.T) {
		out, _ := example("agentos-weather", "forecast", "--city", "Old  York").Output()
		if !strings.Contains(string(out), `no city \"Old  York\"`) {
			t.Errorf("stdout\n%s\nwant the city as one word", out)
		}
	})
	t.Run("a shell", func(t *testing.T) {
		cmd := example()
		user, line := pseudoTerminal(t)
		before := termios(t, line)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = line, line, line
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		seen := make(chan string)
		go func() { // ends with the terminal; received below
			// What is typed is told from what is printed by the quotes.
			seen <- types(user, "# ", "agentos doctor; echo be''gun; sleep 1000\n", "begun", "\x03", "# ", "exit 5\n")
		}()
		err := cmd.Wait()
		if diff := cmp.Diff(before, termios(t, line)); diff != "" {
			t.Errorf("the terminal is left changed:\n%s", diff)
		}
		line.Close()
		text := <-seen
		if status := cmd.ProcessState.ExitCode(); status != 5 || !strings.Contains(text, "the host answered") {
			t.Errorf("exit status %d (%v), want 5 and what doctor says:\n%s", status, err, text)
		}
	})
}

// pseudoTerminal are the two ends of a new one: the user's, and the line that programs
// have.
func pseudoTerminal(t *testing.T) (user, line *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no pseudo-terminals here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { user.Close() })
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		line, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return user, line
}

func termios(t *testing.T, line *os.File) *unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(line.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// types waits for a text and types the next, in turns, and returns all that it saw
// when the terminal is gone.
func types(user *os.File, texts ...string) string {
	var seen bytes.Buffer
	at, buffer := 0, make([]byte, 4<<10)
	for {
		n, err := user.Read(buffer)
		if err != nil {
			return seen.String()
		}
		seen.Write(buffer[:n])
		if len(texts) == 0 {
			continue
		}
		if found := bytes.Index(seen.Bytes()[at:], []byte(texts[0])); found >= 0 {
			at += found + len(texts[0])
			_, _ = user.WriteString(texts[1]) // seen by what is answered
			texts = texts[2:]
		}
	}
}
