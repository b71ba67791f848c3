package sandboxes_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// longestWait is how long a test waits for what must come, on a machine that is busy.
const longestWait = 60 * time.Second

// place is where recipes run: nothing on its paths is as a careless script expects.
type place struct {
	t       *testing.T
	dir     string // readable to every user
	recipes string // copies of the scripts
	tmp     string // for what they make, which they remove
	user    *syscall.Credential
	env     map[string]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "agentos ")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &place{t: t, dir: dir, recipes: filepath.Join(dir, "the recipes"), tmp: filepath.Join(dir, "t m p")}
	p.env = map[string]string{"PATH": os.Getenv("PATH"), "TMPDIR": p.tmp, "PID_FILE": filepath.Join(p.dir, "pids", "agentosd"), "AGENTOSD": p.write("agentosd",
		"#!/bin/sh\n[ \"$1\" != serve ] || echo $$ >\"$PID_FILE\"\nexec '"+programs+"/agentosd' \"$@\"\n")}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Chmod(p.dir, 0o755))
	for _, shared := range []string{p.tmp, filepath.Join(p.dir, "pids")} {
		check(os.Mkdir(shared, 0o700))
		check(os.Chmod(shared, 0o1777))
	}
	scripts, err := filepath.Glob("*.sh")
	check(err)
	check(os.Mkdir(p.recipes, 0o755))
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		check(err)
		p.write(filepath.Join("the recipes", script), string(text))
	}
	return p
}

// write makes a program below the place.
func (p *place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// shell is dash, busybox sh or what else sh is, as words of a command line.
type shell []string

// shells are those that recipes must run in, as far as they are here.
func shells() []shell {
	found := []shell{{"sh"}}
	for _, more := range []shell{{"dash"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(more[0]); err == nil {
			found = append(found, more)
		}
	}
	return found
}

// command is a recipe that has not been started, with variables beside those of
// the place.
func (p *place) command(sh shell, script string, env map[string]string, args ...string) *exec.Cmd {
	line := append(append(slices.Clone(sh), filepath.Join(p.recipes, script)), args...)
	ctx, cancel := context.WithTimeout(context.Background(), 2*longestWait) // the test's own ends before it cleans up
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = p.dir
	for _, vars := range []map[string]string{p.env, env} {
		for name, value := range vars {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.user, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// left fails the test if a recipe that has ended left anything behind.
func (p *place) left() {
	p.t.Helper()
	if left, err := filepath.Glob(filepath.Join(p.tmp, "*")); err != nil || len(left) > 0 {
		p.t.Errorf("left behind: %q, %v", left, err)
	}
}

// console runs in a sandbox: each line of stdin is a command, answered with its
// output and a line =STATUS.
const console = `while IFS= read -r line; do
	status=0
	sh -c "$line" </dev/null 2>&1 || status=$?
	printf '\n=%s\n' "$status"
done`

// session is a recipe that runs, with somebody at the console of its sandbox.
type session struct {
	*place
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	log  *log
	host *exec.Cmd // the second agentosd and those after it
}

// open starts a recipe. It ends with the test.
func (p *place) open(sh shell, script string, env map[string]string, args ...string) *session {
	p.t.Helper()
	s := &session{place: p, cmd: p.command(sh, script, env, args...), log: newLog()}
	s.cmd.Stderr = s.log
	in, err := s.cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	p.t.Cleanup(s.close)
	return s
}

// close ends the session, if it has not been ended, and the recipe with it.
func (s *session) close() {
	if s.cmd == nil {
		return
	}
	if s.host != nil {
		s.endHost(syscall.SIGTERM)
	}
	_ = s.in.Close()
	_, _ = io.Copy(io.Discard, s.out)
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the recipe ended with %v, and said\n%s", err, s.log)
	}
	s.left()
	s.cmd = nil
}

// run runs a command in the sandbox.
func (s *session) run(line string) (out string, exit int) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.t.Fatalf("%s: %v; the recipe said\n%s", line, err, s.log)
	}
	for {
		text, err := s.out.ReadString('\n')
		if err != nil {
			s.t.Fatalf("%s: %v after %q; the recipe said\n%s", line, err, out, s.log)
		}
		if status, found := strings.CutPrefix(text, "="); found && strings.HasSuffix(out, "\n") {
			if exit, err = strconv.Atoi(strings.TrimSpace(status)); err == nil {
				return strings.TrimSuffix(out, "\n"), exit
			}
		}
		out += text
	}
}

// expect runs a command that must end with that status and say all these texts.
func (s *session) expect(line string, exit int, texts ...string) {
	s.t.Helper()
	out, got := s.run(line)
	if got != exit {
		s.t.Errorf("%s: exit status %d, want %d; it said\n%s", line, got, exit, out)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			s.t.Errorf("%s: it said\n%s\nwant in it: %s", line, out, text)
		}
	}
}

// endHost ends agentosd by a signal and waits until it is gone.
func (s *session) endHost(sig syscall.Signal) {
	s.t.Helper()
	if s.host != nil {
		_ = s.host.Process.Signal(sig)
		_ = s.host.Wait()
		s.host = nil
		return
	}
	s.log.address(s.t)
	text, err := os.ReadFile(s.env["PID_FILE"])
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		s.t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		s.t.Fatalf("agentosd is not there: %v", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		s.t.Fatal(err)
	}
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, int(longestWait.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if n != 1 || err != nil {
			s.t.Fatalf("agentosd does not end: %v", err)
		}
		return
	}
}

// startHost starts agentosd again where the recipe had it, as the same user.
func (s *session) startHost() {
	s.t.Helper()
	log := newLog()
	s.host = exec.Command(filepath.Join(programs, "agentosd"), "serve", "--example", "weather", "--listen", s.log.address(s.t))
	s.host.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	s.host.Stderr = log
	if err := s.host.Start(); err != nil {
		s.t.Fatal(err)
	}
	log.address(s.t)
}

// log is what agentosd and a recipe say on stderr.
type log struct {
	mu   sync.Mutex // guards the fields below
	text bytes.Buffer
	more chan struct{} // closed when there is more text
}

func newLog() *log { return &log{more: make(chan struct{})} }

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.more)
	l.more = make(chan struct{})
	return l.text.Write(p)
}

// String is all of it.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// rest waits for a line with that text, and is what follows it there.
func (l *log) rest(t *testing.T, text string) string {
	t.Helper()
	late := time.After(longestWait)
	for {
		l.mu.Lock()
		_, rest, _ := strings.Cut(l.text.String(), text)
		line, _, whole := strings.Cut(rest, "\n")
		more := l.more
		l.mu.Unlock()
		if whole {
			return line
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("%q is not said, but\n%s", text, l)
		}
	}
}

// address is where agentosd listens, when it does.
func (l *log) address(t *testing.T) string {
	t.Helper()
	return l.rest(t, "agentosd: listening on ")
}
