package shim_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ready is printed by the shells each time before they read a line, or more of one. It
// is in no line.
const ready = '\x1e'

// session is an interactive shell on a pseudo-terminal.
type session struct {
	t     *testing.T
	dir   string // the shell's own
	user  *os.File
	lines chan []byte // what was printed, up to each ready
}

// interactive starts the shell in a directory of its own, and types its setup.
func interactive(t *testing.T, env []string, setup string, shell ...string) *session {
	t.Helper()
	if _, err := exec.LookPath(shell[0]); err != nil {
		t.Skipf("%s is not installed", shell[0])
	}
	user, line := pseudoTerminal(t)
	defer line.Close()
	if err := unix.IoctlSetWinsize(int(line.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200}); err != nil {
		t.Fatal(err)
	}
	x := &session{t: t, dir: t.TempDir(), user: user, lines: make(chan []byte)}
	cmd := exec.CommandContext(t.Context(), shell[0], shell[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = x.dir, line, line, line
	cmd.Env = append(os.Environ(), append(env, "HOME="+x.dir, "TERM=dumb", "HISTFILE=")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go x.read(stop, done) // joined below
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		close(stop)
		_ = user.Close()
		<-done
	})
	x.enter(setup + "\r")
	return x
}

// read passes on what the shell prints until it is gone.
func (x *session) read(stop, done chan struct{}) {
	defer close(done)
	var printed []byte
	buf := make([]byte, 4096)
	for {
		n, err := x.user.Read(buf)
		for _, c := range buf[:n] {
			if printed = append(printed, c); c == ready {
				select {
				case x.lines <- printed:
				case <-stop:
				}
				printed = nil
			}
		}
		if err != nil {
			return
		}
	}
}

// enter types the text, which ends a line, and waits until the shell reads again. It
// returns what the shell printed.
func (x *session) enter(text string) string {
	x.t.Helper()
	if _, err := io.WriteString(x.user, text); err != nil {
		x.t.Fatal(err)
	}
	select {
	case printed := <-x.lines:
		return string(printed)
	case <-time.After(20 * time.Second):
		x.t.Fatalf("the shell does not come back from %q", text)
		return ""
	}
}
