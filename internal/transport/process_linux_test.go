package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the other processes that the tests need.
const (
	roleVariable    = "TRANSPORT_TEST_ROLE"    // "listen" or "connect"
	addressVariable = "TRANSPORT_TEST_ADDRESS" // of ParseListen or ParseDial
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "listen":
		fmt.Println(listenAsChild(os.Getenv(addressVariable)))
		_, _ = io.Copy(io.Discard, os.Stdin) // listen until the parent is done with us
	case "connect":
		fmt.Println(connectAsChild(os.Getenv(addressVariable)))
	default:
		goleak.VerifyTestMain(m)
	}
}

// listenAsChild never accepts: connections wait in the kernel's queue.
func listenAsChild(text string) string {
	addr, err := ParseListen(text)
	if err != nil {
		return err.Error()
	}
	if _, err := Listen(context.Background(), addr); err != nil {
		return err.Error()
	}
	return "ready"
}

// connectAsChild says "welcome" if the host sends it a byte.
func connectAsChild(text string) string {
	addr, err := ParseDial(text)
	if err != nil {
		return err.Error()
	}
	conn, err := Dial(context.Background(), addr)
	if dialErr, ok := errors.AsType[*DialError](err); ok {
		return string(dialErr.Reason)
	}
	if n, _ := conn.Read(make([]byte, 1)); n == 1 {
		return "welcome"
	}
	return "turned away"
}

// process is a child.
type process struct {
	*exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

// start runs the test binary in a role, as another user if uid is not 0. It is
// run through /proc since that user may not reach the folder it lies in.
func start(t *testing.T, role, address string, uid int) *process {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), roleVariable+"="+role, addressVariable+"="+address)
	cmd.Stderr = os.Stderr
	if uid != 0 {
		id := uint32(uid)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd, stdin, bufio.NewReader(stdout)}
	t.Cleanup(p.stop)
	return p
}

// line is the next line that the child prints.
func (p *process) line(t *testing.T) string {
	t.Helper()
	text, err := p.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("read from the child: %v", err)
	}
	return strings.TrimSuffix(text, "\n")
}

// stop is kill -9.
func (p *process) stop() {
	_ = p.Process.Kill()
	_ = p.stdin.Close()
	_ = p.Wait()
}
