package shim_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal, whose other end is a user.
type terminal struct {
	t    *testing.T
	user *os.File
	// read is closed when all that was written to the terminal is in shown.
	read  chan struct{}
	shown bytes.Buffer
}

// onTerminal starts a command as the leader of a session whose terminal this is,
// and which is its stdin, stdout and stderr where it has no others.
func onTerminal(t *testing.T, cmd *exec.Cmd) (*terminal, *child) {
	t.Helper()
	// Without blocking, so that Close ends a Read that waits.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	user := os.NewFile(uintptr(fd), "/dev/ptmx")
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	cmd.Stdin = line
	if cmd.Stdout == nil {
		cmd.Stdout = line
	}
	if cmd.Stderr == nil {
		cmd.Stderr = line
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	term := &terminal{t: t, user: user, read: make(chan struct{})}
	c := starts(t, cmd)
	go func() { // ends when the terminal is hung up, or nobody has it any more
		defer close(term.read)
		_, _ = term.shown.ReadFrom(user) // EIO when nobody has it
	}()
	t.Cleanup(term.hangUp)
	return term, c
}

// types is what the user types: "\x03" is an interrupt.
func (term *terminal) types(text string) {
	term.t.Helper()
	if _, err := term.user.WriteString(text); err != nil {
		term.t.Fatal(err)
	}
}

// hangUp ends the user's connection.
func (term *terminal) hangUp() {
	_ = term.user.Close() // again at the end of the test
	<-term.read
}

// shows is all that was written to the terminal until nobody had it any more.
func (term *terminal) shows() string {
	<-term.read
	return term.shown.String()
}
