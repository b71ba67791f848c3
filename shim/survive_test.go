package shim_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCase_B079_BetweenTwoCalls: the call after a restart knows nothing of it.
func TestCase_B079_BetweenTwoCalls(t *testing.T) {
	h := newHostProcess(t, 1)
	for i, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		h.start()
		name := fmt.Sprint("call", i)
		wantEnded(t, h.run(0, "agentos-work", "run", "--name", name), 0, isOK, name)
		h.end(end)
	}
}

// TestCase_B079_DuringACall: of a call that the old host had, nobody knows the
// outcome. It is not made again, and the next one is served.
func TestCase_B079_DuringACall(t *testing.T) {
	h := newHostProcess(t, 1)
	h.start()
	call := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--ms", "60000", "--call-id", "lost"))
	h.whenSaid("began a")
	h.kill()
	h.start()
	wantEnded(t, call.ends(), 76, isUnknown, `"call":"lost"`, `"hint":"agentos calls lost"`, "find out before you repeat it")
	if n := h.count("began a"); n != 1 {
		t.Errorf("the call ran %d times, want once", n)
	}
	wantEnded(t, h.run(0, "agentos", "calls", "lost"), 2, `{"ok":false,"error":"CALL_NOT_FOUND",`, "since the host started")
	wantEnded(t, h.run(0, "agentos-work", "run", "--name", "b"), 0, isOK)
}

// TestCase_B079_AHostThatIsToldToEnd cancels what runs and says so: that is an
// outcome.
func TestCase_B079_AHostThatIsToldToEnd(t *testing.T) {
	h := newHostProcess(t, 1)
	h.start()
	call := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--ms", "60000"))
	h.whenSaid("began a")
	h.end(syscall.SIGTERM)
	wantEnded(t, call.ends(), 130, isCancelled, "the host is shutting down")
	if n := h.count("cancelled a"); n != 1 {
		t.Errorf("the handler was cancelled %d times, want once", n)
	}
}

// TestCase_B079_AHostThatIsDown is waited for as long as AGENTOS_DIAL_WAIT says.
func TestCase_B079_AHostThatIsDown(t *testing.T) {
	t.Parallel()
	h := newHostProcess(t, 1)
	h.start()
	h.kill() // which leaves the socket's file

	impatient := h.command(0, "agentos-work", "run", "--name", "a")
	impatient.Env = append(impatient.Env, "AGENTOS_DIAL_WAIT=200ms")
	start := time.Now()
	wantEnded(t, runs(t, impatient), 69, `{"ok":false,"error":"HOST_UNREACHABLE",`, "waited 200ms", h.sockets[0])
	if took := time.Since(start); took < 100*time.Millisecond {
		t.Errorf("gave up after %s, want 200ms", took)
	}

	call := starts(t, h.command(0, "agentos-work", "run", "--name", "b"))
	<-time.After(300 * time.Millisecond) // many attempts
	h.start()
	wantEnded(t, call.ends(), 0, isOK, "b")
	h.kill()
	if a, b := h.count("began a"), h.count("began b"); a != 0 || b != 1 {
		t.Errorf("the calls ran %d and %d times, want 0 and 1", a, b)
	}
}

// TestCase_B079_AHostThatStaysAway: a call that it had is given up when the call's
// time is over.
func TestCase_B079_AHostThatStaysAway(t *testing.T) {
	t.Parallel()
	h := newHostProcess(t, 1)
	h.start()
	start := time.Now()
	call := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--ms", "60000", "--timeout", "1s"))
	h.whenSaid("began a")
	h.kill()
	wantEnded(t, call.ends(), 76, isUnknown, "the link to the host was lost")
	if took := time.Since(start); took < 500*time.Millisecond || took > longestWait/2 {
		t.Errorf("ended after %s, want about the call's second", took)
	}
}

// TestCase_B079_TenGuestsAtOnce come back to a host that restarts: each through its
// own socket, some in the middle of a call.
func TestCase_B079_TenGuestsAtOnce(t *testing.T) {
	const guests = 10
	h := newHostProcess(t, guests)
	h.start()
	var running, waiting []*child
	for g := range guests {
		running = append(running, starts(t, h.command(g, "agentos-work", "run", "--name", fmt.Sprint("running", g), "--ms", "60000")))
	}
	for g := range guests {
		h.whenSaid(fmt.Sprint("began running", g))
	}
	h.kill()
	for g := range guests {
		waiting = append(waiting, starts(t, h.command(g, "agentos-work", "run", "--name", fmt.Sprint("waiting", g))))
	}
	h.start()
	for g := range guests {
		wantEnded(t, running[g].ends(), 76, isUnknown)
		wantEnded(t, waiting[g].ends(), 0, isOK, fmt.Sprint("waiting", g))
	}
	for name, n := range h.counts("began") {
		if n != 1 {
			t.Errorf("%s ran %d times, want once", name, n)
		}
	}
}

// TestCase_B079_Doctor says that the link is down until a whole round trip succeeds:
// a file, a socket that takes connections and a host that is stopped are none.
func TestCase_B079_Doctor(t *testing.T) {
	t.Parallel()
	h := newHostProcess(t, 1)
	down := func(why string, says ...string) {
		t.Helper()
		cmd := h.command(0, "agentos", "doctor")
		cmd.Env = append(cmd.Env, "AGENTOS_DIAL_WAIT=100ms")
		got := runs(t, cmd)
		if got.exit != 69 || !strings.Contains(got.stdout, "FAIL  ") || strings.Contains(got.stdout, "the host answered") {
			t.Errorf("%s: exit %d, stdout %s, want 69 and FAIL", why, got.exit, got.stdout)
		}
		for _, want := range says {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: stdout %s\nlacks %q", why, got.stdout, want)
			}
		}
	}
	up := func(why string) {
		t.Helper()
		if got := h.run(0, "agentos", "doctor"); got.exit != 0 || !strings.Contains(got.stdout, "ok    the host answered") || strings.Contains(got.stdout, "FAIL") {
			t.Errorf("%s: exit %d, stdout %s, want 0 and an answer", why, got.exit, got.stdout)
		}
	}
	down("nothing there", h.sockets[0])
	h.start()
	up("a host")
	h.kill()
	down("a socket's file that a killed host left")
	h.start()
	up("a host again")
	h.signal(syscall.SIGSTOP)
	down("a host that is stopped", "ok    connected", "did not answer within 2s")
	h.signal(syscall.SIGCONT)
	up("a host that goes on")
	h.kill()

	deaf, err := net.Listen("unix", filepath.Join(t.TempDir(), "deaf.sock"))
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{})
	go func() { // ends with the listener, below
		defer close(accepted)
		for conn, err := deaf.Accept(); err == nil; conn, err = deaf.Accept() {
			conn.Close()
		}
	}()
	h.sockets[0] = deaf.Addr().String()
	down("somebody who hangs up")
	deaf.Close()
	<-accepted
}

// TestStoppedForAMoment: a call goes on when its command or its host is stopped and
// continued, and has one outcome.
func TestStoppedForAMoment(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	const moment = 300 * time.Millisecond
	t.Run("the command", func(t *testing.T) {
		until := newFIFO(t, t.TempDir(), "until")
		call := starts(t, h.command(0, "agentos-work", "run", "--name", "guest-stops", "--until", until))
		h.whenSaid("began guest-stops")
		call.signal(syscall.SIGSTOP)
		release(t, until)
		h.whenSaid("finished guest-stops") // the result waits for the command
		call.signal(syscall.SIGCONT)
		wantEnded(t, call.ends(), 0, isOK, "guest-stops")
	})
	t.Run("the command, beyond its time", func(t *testing.T) {
		call := starts(t, h.command(0, "agentos-work", "run", "--name", "overslept", "--ms", "60000", "--timeout", "500ms"))
		h.whenSaid("began overslept")
		call.signal(syscall.SIGSTOP)
		h.whenSaid("cancelled overslept")
		call.signal(syscall.SIGCONT)
		wantEnded(t, call.ends(), 124, isTimeout, `"limit":"caller"`)
	})
	t.Run("the host", func(t *testing.T) {
		call := starts(t, h.command(0, "agentos-work", "run", "--name", "host-stops", "--ms", "400"))
		h.whenSaid("began host-stops")
		h.signal(syscall.SIGSTOP)
		time.AfterFunc(moment, func() { h.signal(syscall.SIGCONT) })
		wantEnded(t, call.ends(), 0, isOK, "host-stops")
	})
	t.Run("the host, before the call", func(t *testing.T) {
		h.signal(syscall.SIGSTOP)
		call := starts(t, h.command(0, "agentos-work", "run", "--name", "early"))
		time.AfterFunc(moment, func() { h.signal(syscall.SIGCONT) })
		wantEnded(t, call.ends(), 0, isOK, "early")
	})
	for name, n := range h.counts("began") {
		if n != 1 {
			t.Errorf("%s ran %d times, want once", name, n)
		}
	}
}
