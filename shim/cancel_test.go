package shim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// TestCase_B089: the call ends by a signal, its envelope says so, and a shell shows
// the signal's exit status.
func TestCase_B089(t *testing.T) {
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	type job struct {
		call, says string
		sig        syscall.Signal
		pid        int
		shell      *child
	}
	var jobs []*job
	for _, shell := range shellsHere() {
		for sig, says := range map[syscall.Signal]string{syscall.SIGHUP: "hangup", syscall.SIGINT: "interrupt", syscall.SIGTERM: "terminated"} {
			j, dir := &job{call: shell + "-" + says, says: says, sig: sig}, t.TempDir()
			fifo := newFIFO(t, dir, "pid")
			j.shell = starts(t, h.script(shell, dir, `sh -c 'echo $$ > $D/pid; exec agentos-work run --name `+j.call+` --ms 60000'; echo "exit $?"`))
			j.pid = readPID(t, fifo)
			jobs = append(jobs, j)
		}
	}
	for _, j := range jobs {
		h.whenSaid("began " + j.call)
	}
	<-hearing()
	for _, j := range jobs {
		if err := syscall.Kill(j.pid, j.sig); err != nil {
			t.Fatal(err)
		}
	}
	for _, j := range jobs {
		wantEnded(t, j.shell.ends(), 0, isCancelled, j.says, fmt.Sprintf("\nexit %d\n", 128+int(j.sig)))
		h.whenSaid("cancelled " + j.call)
	}
}

// TestCase_B089_UnderTimeout is the case's own line.
func TestCase_B089_UnderTimeout(t *testing.T) {
	t.Parallel()
	needs(t, "timeout")
	if exec.Command("timeout", "--preserve-status", "1", "true").Run() != nil {
		t.Skip("no timeout of GNU here")
	}
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	plain := starts(t, h.script("sh", t.TempDir(), `timeout -s INT 2 agentos-work run --name plain --ms 60000; echo "exit $?"`))
	preserved := starts(t, h.script("sh", t.TempDir(), `timeout --preserve-status -s INT 2 agentos-work run --name preserved --ms 60000; echo "exit $?"`))
	wantEnded(t, plain.ends(), 0, isCancelled, "\nexit 124\n")
	wantEnded(t, preserved.ends(), 0, isCancelled, "\nexit 130\n")
	h.whenSaid("cancelled plain")
	h.whenSaid("cancelled preserved")
}

// deaf is a host that takes calls and does with a CANCEL only what the test says.
type deaf struct {
	t         *testing.T
	socket    string
	called    chan struct{}
	cancelled chan *wire.Cancel
	// atCancel is what a CANCEL is answered with, nil for nothing.
	atCancel wire.Message
}

// newDeaf serves a toolkit "h" with the tool "run".
func newDeaf(t *testing.T, atCancel wire.Message) *deaf {
	t.Helper()
	d := &deaf{t: t, socket: filepath.Join(t.TempDir(), "deaf.sock"), called: make(chan struct{}, 1), cancelled: make(chan *wire.Cancel, 1), atCancel: atCancel}
	listener, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	shown := presented(t)
	served := make(chan struct{})
	go func() { // ends with the listener and its connection, below
		defer close(served)
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			d.serve(wire.NewConn(conn), shown)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-served
	})
	return d
}

// presented is how a host presents the toolkit.
func presented(t *testing.T) *wire.Present {
	t.Helper()
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{handler(0, 0, waits)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	return &wire.Present{Version: 1, Epoch: "e", Revision: "r", Definition: h.Definitions(t.Context(), "g")[0]}
}

// serve serves one connection until the peer closes it.
func (d *deaf) serve(conn *wire.Conn, shown *wire.Present) {
	defer conn.Close()
	for {
		msg, err := conn.Receive()
		if err != nil {
			return
		}
		var answer wire.Message
		switch m := msg.(type) {
		case *wire.Open:
			answer = shown
		case *wire.Call:
			answer = &wire.Accepted{ID: m.ID, TimeoutMS: 60000}
			d.called <- struct{}{}
		case *wire.Cancel:
			answer = d.atCancel
			d.cancelled <- m
		}
		if answer != nil && conn.Send(answer) != nil {
			return
		}
	}
}

// calls starts a call, and is the command when the CALL has come.
func (d *deaf) calls(stdout *os.File) *child {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), "agentos-h", "run", "--call-id", "k")
	cmd.Env = append(os.Environ(), "AGENTOS_ADDR=unix://"+d.socket)
	if stdout != nil {
		cmd.Stdout = stdout
	}
	c := starts(d.t, cmd)
	<-d.called
	return c
}

// interrupt sends a command a signal and waits for its CANCEL.
func (d *deaf) interrupt(c *child, sig syscall.Signal) {
	d.t.Helper()
	c.signal(sig)
	if cancel := <-d.cancelled; !strings.Contains(cancel.Reason, sig.String()) {
		d.t.Errorf("CANCEL's reason = %q, want %s", cancel.Reason, sig)
	}
}

// TestCase_B089_NoAcknowledgement: a second after the CANCEL nobody knows the
// outcome, and the envelope says so.
func TestCase_B089_NoAcknowledgement(t *testing.T) {
	heedSignals(t)
	d := newDeaf(t, nil)
	c := d.calls(nil)
	<-hearing()
	start := time.Now()
	d.interrupt(c, syscall.SIGHUP)
	wantEnded(t, c.ends(), 129, isUnknown, `"call":"k"`, `"hint":"agentos calls k"`, "did not confirm")
	if took := time.Since(start); took < 900*time.Millisecond {
		t.Errorf("ended after %s, want a wait of 1s", took)
	}
}

// TestCase_B089_TheResultCameFirst: then that is the outcome, whatever the signal.
func TestCase_B089_TheResultCameFirst(t *testing.T) {
	heedSignals(t)
	result := &wire.Result{Envelope: wire.Success(json.RawMessage(`"done"`))}
	d := newDeaf(t, result)
	c := d.calls(nil)
	<-hearing()
	d.interrupt(c, syscall.SIGTERM)
	wantEnded(t, c.ends(), 143, `{"ok":true,"result":"done"}`+"\n")
}

// TestCase_B089_ASecondSignal ends the command at once, without a word. The first one's
// echo is none.
func TestCase_B089_ASecondSignal(t *testing.T) {
	heedSignals(t)
	d := newDeaf(t, nil)
	c := d.calls(nil)
	<-hearing()
	d.interrupt(c, syscall.SIGINT)
	c.signal(syscall.SIGINT)
	for range 8 { // from within the time of an echo until just before the answer
		<-time.After(100 * time.Millisecond)
		_ = c.cmd.Process.Signal(syscall.SIGTERM) // it is not reaped yet
	}
	wantEnded(t, c.ends(), 143, "")
	if c.stdout.Len() > 0 {
		t.Errorf("stdout %s, want nothing", c.stdout.String())
	}
}

// TestCase_B089_NobodyReadsTheAnswer: a command whose output nobody takes dies of its
// signal all the same.
func TestCase_B089_NobodyReadsTheAnswer(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	full, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	long, err := json.Marshal(strings.Repeat("a", 300000))
	if err != nil {
		t.Fatal(err)
	}
	d := newDeaf(t, &wire.Result{Envelope: wire.Success(long)})
	c := d.calls(writer)
	writer.Close()
	<-hearing()
	c.signal(syscall.SIGTERM)
	if got := c.ends(); got.exit != 143 {
		t.Errorf("exit %d, stderr %s, want 143", got.exit, got.stderr)
	}
}

// TestCase_B089_TheCommandIsKilled: nobody cancels the call then. It is there for
// whoever asks for it by its id, until its time is over.
func TestCase_B089_TheCommandIsKilled(t *testing.T) {
	t.Parallel()
	h := newHostProcess(t, 1)
	h.start()
	until := newFIFO(t, t.TempDir(), "until")
	c := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--until", until, "--call-id", "a"))
	d := starts(t, h.command(0, "agentos-work", "run", "--name", "b", "--ms", "60000", "--call-id", "b", "--timeout", "1s"))
	h.whenSaid("began a")
	h.whenSaid("began b")
	c.signal(syscall.SIGKILL)
	d.signal(syscall.SIGKILL)
	for _, killed := range []*child{c, d} {
		if got := killed.ends(); got.exit != 137 || got.stdout != "" {
			t.Errorf("exit %d, stdout %s, want 137 and nothing", got.exit, got.stdout)
		}
	}
	wantEnded(t, h.run(0, "agentos", "calls", "a"), 0, `{"ok":true,"result":{"calls":[{"id":"a","toolkit":"work","tool":"run","state":"started"}]}}`)
	release(t, until)
	wantEnded(t, h.run(0, "agentos", "await", "a"), 0, `{"ok":true,"result":"a"}`)
	wantEnded(t, h.run(0, "agentos", "await", "b"), 124, isTimeout, `"limit":"caller"`)
	h.kill() // all that it said is heard then
	if a, b := h.count("finished a"), h.count("cancelled b"); a != 1 || b != 1 {
		t.Errorf("a finished %d times and b was cancelled %d times, want once each", a, b)
	}
}

// TestCase_B089_BeforeSignalsAreHeard: a signal that comes too early for a CANCEL
// ends the command without a word. To the host that is a lost caller: the call goes
// on, and can be waited for. Whether a signal is early is a race that the test does
// not decide; both ends of it are right.
func TestCase_B089_BeforeSignalsAreHeard(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	var early []string
	for i := 0; i < 20 && len(early) < 2; i++ {
		call, dir := fmt.Sprint("call", i), t.TempDir()
		until := newFIFO(t, dir, "until")
		c := starts(t, h.command(0, "agentos-work", "run", "--name", call, "--until", until, "--call-id", call))
		h.whenSaid("began " + call)
		c.signal(syscall.SIGTERM)
		got := c.ends()
		if got.stdout != "" {
			wantEnded(t, got, 143, isCancelled, "terminated")
			continue
		}
		early = append(early, call)
		wantEnded(t, got, 143, "")
		wantEnded(t, h.run(0, "agentos", "calls", call), 0, isOK, `"state":"started"`)
		release(t, until)
		wantEnded(t, h.run(0, "agentos", "await", call), 0, isOK, call)
	}
	t.Logf("%d signals came before the command heard them", len(early))
}

// TestCase_B089_ClosedStdout: whoever writes to a reader that is gone dies of
// SIGPIPE, also when the call is done. A stdout that was never open is /dev/null.
func TestCase_B089_ClosedStdout(t *testing.T) {
	h := newHostProcess(t, 1)
	h.start()
	for name, script := range map[string]string{
		"stdout":              `exec agentos-work run --name "$N" --until $D/until`,
		"stdout and stderr":   `exec agentos-work run --name "$N" --until $D/until 2>&1`,
		"SIGPIPE was ignored": `trap "" PIPE; exec agentos-work run --name "$N" --until $D/until`,
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		until := newFIFO(t, dir, "until")
		cmd := h.script("sh", dir, script)
		cmd.Env, cmd.Stdout = append(cmd.Env, "N="+name), writer
		c := starts(t, cmd)
		writer.Close()
		h.whenSaid("began " + name)
		reader.Close()
		release(t, until)
		h.whenSaid("finished " + name)
		if got := c.ends(); got.exit != 141 || got.stderr != "" {
			t.Errorf("%s: exit %d, stderr %q, want 141 when the call is done", name, got.exit, got.stderr)
		}
	}
	for _, closed := range []string{">&-", "<&- >&- 2>&-"} {
		name := "closed " + closed
		got := runs(t, h.script("sh", t.TempDir(), `exec agentos-work run --name "`+name+`" `+closed))
		if h.whenSaid("finished " + name); got.exit != 0 {
			t.Errorf("%s: exit %d, want 0 when the call is done", name, got.exit)
		}
	}
}

// TestCase_B089_AnInProcessCaller: the context of a client in Go is its signal.
func TestCase_B089_AnInProcessCaller(t *testing.T) {
	h := newHostProcess(t, 1)
	h.start()
	client, err := guest.Dial(t.Context(), &guest.Options{Addr: "unix://" + h.sockets[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan *guest.Answer)
	go func() { // joined below
		done <- client.Call(ctx, &guest.Call{Toolkit: "work", Path: []string{"run"}, Input: json.RawMessage(`{"name":"a","ms":60000}`)})
	}()
	h.whenSaid("began a")
	cancel()
	if answer := <-done; answer.Code != toolkit.CodeCancelled {
		t.Errorf("answer = %+v, want CANCELLED", answer)
	}
	h.whenSaid("cancelled a")
}
