package shim_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

// proxied is a proxy that is a process.
type proxied struct {
	t      *testing.T
	socket string
	cmd    *exec.Cmd
}

// newProxied starts a proxy to the host's socket and waits until it listens.
func newProxied(t *testing.T, host string, env ...string) *proxied {
	t.Helper()
	p := &proxied{t: t, socket: filepath.Join(t.TempDir(), "proxy.sock")}
	p.cmd = exec.Command((&real{t: t}).program("agentos"), "proxy", "--listen", p.socket)
	p.cmd.Env = append(env, "AGENTOS_ADDR=unix://"+host)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait() // ended by a signal, this one or the test's
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if want := "agentos: listening on unix://" + p.socket + "\n"; line != want || err != nil {
		t.Fatalf("the proxy said %q, %v, want %q", line, err, want)
	}
	return p
}

// dial is a client of the proxy that waits a minute at most for anything.
func (p *proxied) dial() net.Conn {
	p.t.Helper()
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	return conn
}

// adds checks that a shim behind the proxy calls a tool.
func (p *proxied) adds() {
	p.t.Helper()
	cmd := exec.Command((&real{t: p.t}).program("agentos-math"), "add", "--a", "2", "--b", "3")
	cmd.Env = []string{"AGENTOS_ADDR=unix://" + p.socket}
	got, err := cmd.CombinedOutput()
	if want := `{"ok":true,"result":{"sum":5}}` + "\n"; err != nil || string(got) != want {
		p.t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// refuses checks that the proxy says FAIL with this code to a new client, and closes.
func (p *proxied) refuses(code string) {
	p.t.Helper()
	conn := p.dial()
	_, err := wire.NewConn(conn).Receive()
	var told *toolkit.Error
	if !errors.As(err, &told) || told.Code != code {
		p.t.Errorf("got %v, want FAIL with %s", err, code)
	}
}

// until waits for something that soon holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// The numbers of the types, as in PROTOCOL.md.
const (
	typeOpen     wire.Type = 1
	typePresent  wire.Type = 2
	typeCall     wire.Type = 3
	typeAccepted wire.Type = 5
	typeNote     wire.Type = 10
	typeResult   wire.Type = 11
	typeAck      wire.Type = 12
	typePing     wire.Type = 13
	typePong     wire.Type = 14
	typeFail     wire.Type = 15
)

// listing is an OPEN as a client sends it.
var listing = wire.AppendFrame(nil, wire.Frame{Type: typeOpen, Payload: []byte(`{"v":[1],"want":"list"}`)})

func TestProxy(t *testing.T) {
	r := newReal(t, fixture.Kits()...)
	p := newProxied(t, r.socket)
	info, err := os.Stat(p.socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v, want one for its user alone", info.Mode(), err)
	}
	p.adds()
	p.adds()
}

// A signal ends the proxy as it ends any process, from the moment on that it says it
// listens, and leaves nothing behind.
func TestProxy_ASignalEndsIt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			heard := make(chan os.Signal, 1) // see TestASignalCancelsTheCall
			signal.Notify(heard, sig)
			defer signal.Stop(heard)
			p := newProxied(t, newReal(t, fixture.Kits()...).socket)
			client := p.dial()
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := p.cmd.Wait()
			if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != sig {
				t.Errorf("the proxy ended with %v, want death by %v", err, sig)
			}
			if _, err := os.Lstat(p.socket); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the socket is still there: %v", err)
			}
			if n, err := client.Read(make([]byte, 1)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the client read %d bytes, %v, want the end", n, err)
			}
		})
	}
}

// The end of its context is the end of a proxy without signals.
func TestProxy_EndsWithItsContext(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	socket := filepath.Join(t.TempDir(), "made", "proxy.sock")
	said, stderr := io.Pipe()
	exit := make(chan int)
	go func() { // ends with the context; received from below
		exit <- shim.Run(ctx, &shim.Process{
			Args: []string{"agentos", "proxy", "--listen", socket}, Stdout: io.Discard, Stderr: stderr,
			ReadFile: os.ReadFile, Env: func(string) (string, bool) { return "", false }, Dial: w.host.Dialer("g"),
		})
	}()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || !strings.HasPrefix(line, "agentos: listening on ") {
		t.Fatalf("the proxy said %q, %v", line, err)
	}
	p := &proxied{t: t, socket: socket}
	client := p.dial()
	client.Write(listing)
	if msg, err := wire.NewConn(client).Receive(); err != nil || msg.(*wire.Present).Definitions == nil {
		t.Errorf("got %v, %v, want the host's PRESENT", msg, err)
	}
	cancel()
	if got := <-exit; got != 0 {
		t.Errorf("exit %d, want 0", got)
	}
	if _, err := net.Dial("unix", socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dial: %v, want no socket", err)
	}
}

// A proxy outlives its host and serves the next one.
func TestProxy_AHostThatIsNotThere(t *testing.T) {
	place := filepath.Join(t.TempDir(), "host.sock")
	p := newProxied(t, place, "AGENTOS_DIAL_WAIT=20ms")
	p.refuses("HOST_UNREACHABLE")
	for range 2 {
		h := newHostAt(t, place, fixture.Kits()...)
		p.adds()
		client := p.dial()
		client.Write(listing)
		conn := wire.NewConn(client)
		if _, err := conn.Receive(); err != nil {
			t.Fatal(err)
		}
		h.Close()
		if _, err := conn.Receive(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Receive: %v, want the end that the host made", err)
		}
		p.refuses("HOST_UNREACHABLE")
	}
}

// Where the proxy may not or must not listen it says so, and what to do.
func TestProxy_Refusals(t *testing.T) {
	dir := t.TempDir()
	file, taken := filepath.Join(dir, "file"), filepath.Join(dir, "taken")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", taken)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Chdir(dir)
	for _, test := range []struct {
		name, addr, listen string
		exit               int
		says               string
	}{
		{"a file", "unix:///nosuch", file, 2, "is a regular file, not a socket"},
		{"a socket in use", "unix:///nosuch", taken, 2, "is in use by this very process"},
		{"an address", "unix:///nosuch", "unix:///run/it's", 2, `"hint":"agentos proxy --listen '/run/it'\\''s'"`},
		{"the host's own", "unix://" + filepath.Join(dir, "host"), "./host", 2, "is where the host is"},
		{"nothing", "unix:///nosuch", "", 2, "listen"},
		{"no host's address", "", "proxy", 69, "AGENTOS_ADDR"},
		{"a wrong address", "vsock://:5000", "proxy", 69, "vsock://2:5000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			exit := shim.Run(t.Context(), &shim.Process{
				Args: []string{"agentos", "proxy", "--listen", test.listen}, Stdout: &stdout, Stderr: &stderr, ReadFile: os.ReadFile, Root: dir,
				Env: func(name string) (string, bool) {
					value, ok := map[string]string{"AGENTOS_ADDR": test.addr}[name]
					return value, ok
				},
			})
			if exit != test.exit || !strings.Contains(stdout.String(), test.says) || stderr.Len() > 0 {
				t.Errorf("exit %d, %s%s\nwant %d and %s", exit, stdout.String(), stderr.String(), test.exit, test.says)
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has %v, %v, want what was there", entries, err)
	}
}

// A socket that a killed proxy left behind is replaced.
func TestProxy_AfterAKill(t *testing.T) {
	r := newReal(t, fixture.Kits()...)
	p := newProxied(t, r.socket)
	p.cmd.Process.Kill()
	p.cmd.Wait()
	if _, err := os.Lstat(p.socket); err != nil {
		t.Fatalf("the kill left nothing behind: %v", err)
	}
	cmd := exec.Command((&real{t: t}).program("agentos"), "proxy", "--listen", filepath.Base(p.socket))
	cmd.Env, cmd.Dir = r.env(), filepath.Dir(p.socket)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	if line, err := bufio.NewReader(stderr).ReadString('\n'); err != nil || line != "agentos: listening on unix://"+p.socket+"\n" {
		t.Fatalf("the proxy said %q, %v, want the whole path of its socket", line, err)
	}
	p.adds()
}

// A client that shuts one direction down loses the connection, as on transports
// that know no half of an end, and is never left waiting.
func TestProxy_AHalfClose(t *testing.T) {
	p := newProxied(t, newReal(t, fixture.Kits()...).socket)
	for range 20 {
		client := p.dial()
		client.Write(listing)
		if err := client.(*net.UnixConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, client); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the client waits for an end that does not come")
		}
	}
	p.adds()
}

// hold is a host that takes connections and says nothing.
type hold struct {
	net.Listener
	taken chan net.Conn
}

func newHold(t *testing.T) (h *hold, place string) {
	t.Helper()
	place = filepath.Join(t.TempDir(), "host.sock")
	l, err := net.Listen("unix", place)
	if err != nil {
		t.Fatal(err)
	}
	h = &hold{l, make(chan net.Conn, 4000)}
	done := make(chan struct{})
	go func() { // ends when the listener closes; the cleanup waits for it
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.taken <- conn
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for close(h.taken); ; {
			conn, more := <-h.taken
			if !more {
				return
			}
			conn.Close()
		}
	})
	return h, place
}

// Two thousand clients: the first thousand reach the host, the others are told
// BUSY at once, and a place that becomes free is another client's.
func TestSec_T11_AFloodOfClientsOfAProxy(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max < 4096 {
		t.Skipf("over 3,000 descriptors are needed, and the limit is %d (%v)", limit.Max, err)
	}
	h, place := newHold(t)
	p := newProxied(t, place)
	clients := make([]net.Conn, 1000)
	for i := range clients {
		clients[i] = p.dial()
	}
	until(t, "a thousand connections at the host", func() bool { return len(h.taken) >= len(clients) })
	for range 1000 {
		p.refuses("BUSY")
	}
	if got := len(h.taken); got != len(clients) {
		t.Errorf("%d connections at the host, want %d", got, len(clients))
	}
	clients[0].Close()
	until(t, "a place for another client", func() bool {
		p.dial()
		return len(h.taken) > len(clients)
	})
}

// Clients that break every rule harm themselves alone, and leave nothing behind in
// the proxy.
func TestSec_T10_HostileClientsOfAProxy(t *testing.T) {
	p := newProxied(t, newReal(t, fixture.Kits()...).socket)
	p.adds()
	before := p.descriptors()
	var slow []net.Conn
	for i := range 100 {
		loris := p.dial()
		loris.Write(listing[:1+i%len(listing)])
		slow = append(slow, loris)
		garbage := p.dial()
		fmt.Fprintf(garbage, "GET / HTTP/1.1\r\nHost: %d\r\n\r\n", i)
		reset := p.dial()
		reset.Write(listing)
		reset.Close() // with the answer unread, which is a reset at the other end
		if i%10 == 0 {
			p.adds()
		}
		if _, err := io.Copy(io.Discard, garbage); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("garbage is not answered with an end")
		}
	}
	p.adds()
	for _, loris := range slow { // the host's patience ends these
		if _, err := io.Copy(io.Discard, loris); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a client that sends no whole frame keeps its connection")
		}
	}
	until(t, "as many descriptors as before", func() bool { return p.descriptors() <= before })
	p.adds()
}

// descriptors is how many the proxy has open; 0 where nothing says so.
func (p *proxied) descriptors() int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		p.t.Logf("descriptors are not counted: %v", err)
	}
	return len(entries)
}
