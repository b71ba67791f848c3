package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"golang.org/x/net/nettest"
)

var kinds = map[string]Kind{"Firecracker": Firecracker, "Cloud Hypervisor": CloudHypervisor}

func eachKind(t *testing.T, test func(t *testing.T, kind Kind)) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			leavesNoDescriptor(t)
			test(t, kind)
		})
	}
}

// newVMM is a VMM without a host.
func newVMM(t *testing.T, kind Kind) *VMM {
	t.Helper()
	v := NewVMM(kind, filepath.Join(shortDir(t), "v.sock"), 0)
	t.Cleanup(v.Close)
	return v
}

// listenPort is a plain listener where the VMM connects for the port.
func listenPort(t *testing.T, v *VMM, port uint32) *net.UnixListener {
	t.Helper()
	l, err := net.Listen("unix", fmt.Sprintf("%s_%d", v.path, port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(*net.UnixListener)
}

func dialPort(t *testing.T, v *VMM, port uint32) *GuestConn {
	t.Helper()
	conn, err := v.Dial(t.Context(), port)
	if err != nil {
		t.Fatalf("dial port %d: %v", port, err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func accept(t *testing.T, l net.Listener) *net.UnixConn {
	t.Helper()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.UnixConn)
}

// met is both ends of a connection through the VMM.
func met(t *testing.T, v *VMM) (guest *GuestConn, host *net.UnixConn) {
	t.Helper()
	l := listenPort(t, v, 52)
	return dialPort(t, v, 52), accept(t, l)
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatalf("write %q: %v", text, err)
	}
}

func expect(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v; want %q", got, err, want)
	}
}

func expectError(t *testing.T, conn net.Conn, want error) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, want) {
		t.Fatalf("read %d bytes, %v; want %v", n, err, want)
	}
}

func TestVMM_IsAConn(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			v := newVMM(t, kind)
			l := listenPort(t, v, 52)
			nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
				if c1, err = v.Dial(t.Context(), 52); err != nil {
					return nil, nil, nil, err
				}
				c2, err = l.Accept()
				return c1, c2, func() { c1.Close(); c2.Close() }, err
			})
		})
	}
}

func TestVMM_NobodyListens(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		refused := func() {
			t.Helper()
			if conn, err := v.Dial(t.Context(), 52); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("dial: %v, %v; want ECONNRESET", conn, err)
			}
		}
		refused() // no socket
		l := listenPort(t, v, 52)
		dialPort(t, v, 52) // the control
		l.SetUnlinkOnClose(false)
		l.Close()
		refused() // a socket on which nobody listens
	})
}

func TestVMM_ConnectsInOrder(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		l := listenPort(t, v, 52)
		for i := range 10 {
			write(t, dialPort(t, v, 52), strconv.Itoa(i))
		}
		for i := range 10 {
			expect(t, accept(t, l), strconv.Itoa(i))
		}
	})
}

// moment is how long something is watched that must not happen.
const moment = 20 * time.Millisecond

// As long as one connect waits, nobody else connects and no byte moves.
func TestVMM_AConnectThatWaitsHoldsUpEverything(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		moving, far := met(t, v)
		full := listenPort(t, v, 7)
		shrinkQueues(t)
		dialPort(t, v, 7) // fills the queue
		var waiting sync.WaitGroup
		waiting.Go(func() { // until accept, below
			if conn, err := v.Dial(t.Context(), 7); err != nil {
				t.Errorf("the dial that waits: %v", err)
			} else {
				conn.Close()
			}
		})
		for len(v.turn) == 0 { // until it connects
			runtime.Gosched()
		}
		write(t, moving, "held")
		far.SetReadDeadline(time.Now().Add(moment))
		expectError(t, far, os.ErrDeadlineExceeded)
		ctx, cancel := context.WithTimeout(t.Context(), moment)
		defer cancel()
		if _, err := v.Dial(ctx, 52); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("another dial while one waits: %v, want it to wait too", err)
		}
		accept(t, full)
		waiting.Wait()
		far.SetReadDeadline(time.Time{})
		expect(t, far, "held")
		dialPort(t, v, 52)
	})
}

// shrinkQueues leaves every listening socket of this process, whoever made it, a
// queue of one connection.
func shrinkQueues(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	shrunk := 0
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if on, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN); err != nil || on == 0 {
			continue
		}
		if err := syscall.Listen(fd, 0); err != nil {
			t.Fatal(err)
		}
		shrunk++
	}
	if shrunk == 0 {
		t.Fatal("no listening socket found")
	}
}

func TestVMM_HalfCloseOfTheGuest(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		guest, host := met(t, newVMM(t, kind))
		write(t, guest, "all")
		if err := guest.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		expect(t, host, "all")
		if kind == CloudHypervisor {
			expectError(t, host, io.EOF)
		} else {
			host.SetReadDeadline(time.Now().Add(moment))
			expectError(t, host, os.ErrDeadlineExceeded)
			host.SetReadDeadline(time.Time{})
		}
		write(t, host, "reply")
		expect(t, guest, "reply")
		guest.Close()
		expectError(t, host, io.EOF)
	})
}

func TestVMM_HalfCloseOfTheHost(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		guest, host := met(t, newVMM(t, kind))
		write(t, host, "last words")
		if err := host.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		expect(t, guest, "last words")
		expectError(t, guest, io.EOF)
		_, err := io.WriteString(guest, "too late?")
		if kind == CloudHypervisor {
			expect(t, host, "too late?")
			return
		}
		if !errors.Is(err, syscall.EPIPE) {
			t.Errorf("the guest writes: %v, want EPIPE", err)
		}
		expectError(t, host, io.EOF)
	})
}

func TestVMM_WhatWasWrittenBeforeCloseArrives(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		guest, host := met(t, newVMM(t, kind))
		text := fill(100 << 10)
		write(t, guest, text)
		guest.Close()
		if got, err := io.ReadAll(host); err != nil || string(got) != text {
			t.Errorf("read %d bytes, %v; want the %d", len(got), err, len(text))
		}
	})
}

func TestVMM_Restore(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		l := listenPort(t, v, 52)
		var guests []*GuestConn
		var hosts []*net.UnixConn
		for range 5 {
			guests, hosts = append(guests, dialPort(t, v, 52)), append(hosts, accept(t, l))
		}
		write(t, hosts[0], "never read")
		v.Restore()
		for i := range guests {
			expectError(t, guests[i], syscall.ECONNRESET)
			if n, err := hosts[i].Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("the host reads %d bytes, %v; want the end", n, err)
			}
			if _, err := guests[i].Write([]byte("a")); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("write after a reset: %v, want ECONNRESET", err)
			}
		}
		if n := v.Connections(); n != 0 {
			t.Errorf("%d connections after Restore, want none", n)
		}
		guest := dialPort(t, v, 52)
		write(t, accept(t, l), "hello again")
		expect(t, guest, "hello again")
	})
}

func TestVMM_CarriesNoMoreThanItsLimit(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		listenPort(t, v, 52) // whose queue is long enough
		var last *GuestConn
		for range MaxConnections {
			last = dialPort(t, v, 52)
		}
		if _, err := v.Dial(t.Context(), 52); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("dial one more: %v, want ECONNRESET", err)
		}
		last.Close()
		for v.Connections() == MaxConnections {
			runtime.Gosched()
		}
		dialPort(t, v, 52)
	})
}

// A guest that runs on from a snapshot finds its call again.
func TestHybrid_RestoreDuringACall(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var v *VMM
		b := newBed(t, Bridge{Open: func(t testing.TB, h *host.Host) guest.DialFunc {
			v = openHybrid(t, h, kind, 0)
			return dialVMM(v)
		}})
		c := client(t, b.dial)
		answers := make(chan *guest.Answer)
		go func() { // ends with the answer, which is waited for
			answers <- c.Call(t.Context(), &guest.Call{ID: "paused", Toolkit: "suite", Path: []string{"gate"}})
		}()
		<-b.kit.started
		v.Restore()
		b.kit.release()
		checkOnce(t, b.kit, "paused", <-answers)
	})
}

// dialSoon dials within a time that a loop which does not stand still never needs.
func dialSoon(t *testing.T, v *VMM, port uint32, limit time.Duration) (*GuestConn, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	conn, err := v.Dial(ctx, port)
	if err == nil {
		t.Cleanup(func() { conn.Close() })
	}
	return conn, err
}

// T03: a guest that fills the VMM with connections that say nothing, garbage or
// half of something, or do not read, never keeps the host from accepting: the
// VMM's loop would stand still, and with it the whole VM.
func TestSec_T03_AFloodDoesNotStopTheEventLoop(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		var v *VMM
		b := newBed(t, Bridge{Open: func(t testing.TB, h *host.Host) guest.DialFunc {
			v = openHybrid(t, h, kind, 0)
			return dialVMM(v)
		}})
		shrinkQueues(t)
		c := client(t, b.dial)
		call := Frames(t, TypeCall, callMessage{ID: "unread", Toolkit: "suite", Path: []string{"fill"}, Input: bytesInput{300_000}})
		flood := []string{"", "GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00", "\xff\xff\xff\xff\x01\x00\x00\x00", string(call), string(call[:20])}
		for i := range MaxConnections - 1 { // one is the client's
			conn, err := dialSoon(t, v, vsockPort, 10*time.Second)
			if errors.Is(err, syscall.ECONNRESET) {
				break // full
			}
			if err != nil {
				t.Fatalf("connection %d of the flood: %v", i, err)
			}
			write(t, conn, flood[i%len(flood)])
			if i%100 == 0 {
				if got := say(c, t, "echo", textInput{"a"}); got != "a" {
					t.Fatalf("a call after %d connections: %.200q", i, got)
				}
			}
		}
		if got := say(c, t, "echo", textInput{"a"}); got != "a" {
			t.Fatalf("a call after the flood: %.200q", got)
		}
	})
}

// The control: a host that reads before it accepts again stops the loop.
func TestSec_T03_Control(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		v := newVMM(t, kind)
		l := listenPort(t, v, vsockPort)
		shrinkQueues(t)
		var naive sync.WaitGroup
		naive.Go(func() { // ends with the listener or the VMM, both below
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				wire.ReadFrame(conn, nil)
				conn.Close()
			}
		})
		var stuck error
		for i := 0; i < 4 && stuck == nil; i++ {
			_, stuck = dialSoon(t, v, vsockPort, 10*moment)
		}
		if !errors.Is(stuck, context.DeadlineExceeded) {
			t.Errorf("dials: %v, want one that waits for the loop", stuck)
		}
		l.Close()
		v.Close()
		naive.Wait()
	})
}
