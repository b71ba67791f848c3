package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/toolkit"
)

// icebox is between a guest and its host. It freezes when ACCEPTED has passed,
// and a few bytes more: from then on nothing moves, and nothing is closed.
type icebox struct {
	dial guest.DialFunc
	// more is how many bytes pass behind ACCEPTED.
	more int
	// redial is how the host is reached once it is frozen.
	redial guest.DialFunc

	freeze  sync.Once
	frozen  chan struct{}
	thawed  chan struct{}
	dials   atomic.Int32
	open    atomic.Int32 // of the guest's ends
	relayed sync.WaitGroup
}

func newIcebox(t *testing.T, dial guest.DialFunc) *icebox {
	x := &icebox{dial: dial, frozen: make(chan struct{}), thawed: make(chan struct{})}
	t.Cleanup(func() { close(x.thawed); x.relayed.Wait() })
	return x
}

func (x *icebox) isFrozen() bool {
	select {
	case <-x.frozen:
		return true
	default:
		return false
	}
}

// Dial opens a connection through the box, or by redial once that is frozen.
func (x *icebox) Dial(ctx context.Context) (net.Conn, error) {
	x.dials.Add(1)
	if x.isFrozen() {
		conn, err := x.redial(ctx)
		return x.counted(conn), err
	}
	host, err := x.dial(ctx)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	x.relayed.Go(func() { x.relay(host, far, nil) }) // both are joined when the test ends
	x.relayed.Go(func() { x.relay(far, host, &scanner{point: Point{TypeAccepted, true}}) })
	return x.counted(near), nil
}

// relay carries one direction. What ends before the frost ends the connection,
// what ends later ends nothing: the machine is gone.
func (x *icebox) relay(to, from net.Conn, watch *scanner) {
	defer func() {
		if x.isFrozen() {
			<-x.thawed
		}
		to.Close()
		from.Close()
	}()
	buffer := make([]byte, 4<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || x.isFrozen() {
			return
		}
		pass := n
		if watch != nil {
			if done := watch.scan(buffer[:n]); watch.hit {
				pass = min(n, done+x.more)
			}
		}
		to.Write(buffer[:pass])
		if watch != nil && watch.hit {
			x.freeze.Do(func() { close(x.frozen) })
			return
		}
	}
}

// counted counts the guest's end while it is open.
func (x *icebox) counted(conn net.Conn) net.Conn {
	if conn == nil {
		return nil
	}
	x.open.Add(1)
	return &countedConn{Conn: conn, open: &x.open}
}

type countedConn struct {
	net.Conn
	open    *atomic.Int32
	closing sync.Once
}

func (c *countedConn) Close() error {
	c.closing.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// silent is a dialer that connects to nobody: the host's process is stopped, the
// kernel still accepts for it.
func silent(t *testing.T) guest.DialFunc {
	return func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		return near, nil
	}
}

func refused(context.Context) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "unix", Err: syscall.ECONNREFUSED}
}

// frosts are the moments at which a host freezes.
var frosts = map[string]struct {
	more  int
	early bool // the handler is over by then
}{
	"after ACCEPTED": {0, false},
	"within RESULT":  {12, true},
}

// B067: a host that freezes without closing anything is noticed, and attached to
// until the call's deadline. Then the outcome is unknown, and the error names the
// call.
func TestCase_B067_TheHostFreezesForGood(t *testing.T) {
	for when, frost := range frosts {
		for how, redial := range map[string]func(*testing.T) guest.DialFunc{
			"stopped": silent,
			"killed":  func(*testing.T) guest.DialFunc { return refused },
			"stopped, then killed": func(t *testing.T) guest.DialFunc {
				start, stopped := time.Now(), silent(t)
				return func(ctx context.Context) (net.Conn, error) {
					if time.Since(start) < 20*time.Second {
						return stopped(ctx)
					}
					return refused(ctx)
				}
			},
		} {
			t.Run(when+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x, c, k := freezing(t, frost.more, frost.early)
					x.redial = redial(t)
					start := time.Now()
					const timeout = 30 * time.Second
					answer := c.Call(t.Context(), &guest.Call{ID: "frozen", Toolkit: "suite", Path: []string{"gate"}, Timeout: timeout})
					if answer.Code != toolkit.CodeOutcomeUnknown || answer.Exit != 76 || answer.Call != "frozen" {
						t.Errorf("answer %+v, want OUTCOME_UNKNOWN, exit 76, the id", answer)
					}
					if took := time.Since(start); took < timeout || took > timeout+30*time.Second {
						t.Errorf("it took %v, want the %v of the call and what noticing takes", took, timeout)
					}
					if n := k.ran("frozen"); n != 1 || x.dials.Load() < 3 {
						t.Errorf("ran %d times, %d dials; want once, and to be tried again", n, x.dials.Load())
					}
					c.Close()
					if n := x.open.Load(); n != 0 {
						t.Errorf("%d connections are left open", n)
					}
				})
			})
		}
	}
}

// B067: the guest comes back until the call's deadline, and not much longer, even
// if it would wait longer for a host that it never reached.
func TestCase_B067_TheGuestGivesUpAtTheDeadline(t *testing.T) {
	for _, dialWait := range []time.Duration{guest.DefaultDialWait, time.Minute} {
		t.Run(dialWait.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, _, _ := freezing(t, 0, false)
				x.redial = refused
				c, err := guest.Dial(t.Context(), &guest.Options{Dial: x.Dial, DialWait: dialWait})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				const timeout, grace = 30 * time.Second, 5 * time.Second
				start := time.Now()
				answer := c.Call(t.Context(), &guest.Call{ID: "frozen", Toolkit: "suite", Path: []string{"gate"}, Timeout: timeout})
				if took := time.Since(start); answer.Code != toolkit.CodeOutcomeUnknown || took > timeout+grace {
					t.Errorf("%s after %v, want OUTCOME_UNKNOWN within %v", answer.Code, took, timeout+grace)
				}
			})
		})
	}
}

// B067, the control: where the next connection reaches the host the call's
// outcome comes, and it ran once.
func TestCase_B067_OnlyTheConnectionFreezes(t *testing.T) {
	for when, frost := range frosts {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, c, k := freezing(t, frost.more, frost.early)
				x.redial = x.dial
				time.AfterFunc(20*time.Second, k.release)
				start := time.Now()
				answer := c.Call(t.Context(), &guest.Call{ID: "frozen", Toolkit: "suite", Path: []string{"gate"}})
				checkOnce(t, k, "frozen", answer)
				// A frame that does not go on costs 5 s, silence 15.
				if took := time.Since(start); took < 5*time.Second || took > 21*time.Second {
					t.Errorf("it took %v, want 5 s to 20 s", took)
				}
				if n := x.dials.Load(); n != 2 {
					t.Errorf("%d dials, want 2", n)
				}
			})
		})
	}
}

// freezing is a guest before a host that will freeze.
func freezing(t *testing.T, more int, early bool) (*icebox, *guest.Client, *kit) {
	b := newBed(t, Memory())
	t.Cleanup(b.kit.release)
	if early {
		b.kit.release()
	}
	x := newIcebox(t, b.dial)
	x.more = more
	c, err := guest.Dial(t.Context(), &guest.Options{Dial: x.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return x, c, b.kit
}

// B067: the keep-alive goes both ways. A guest that hears but says nothing more
// loses its connection after 5 s and 10 s more, and nothing else.
func TestCase_B067_TheGuestFreezes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, Memory())
		r := b.raw(t)
		r.call("left", "gate", notesInput{})
		r.accepted("left")
		<-b.kit.started
		start := time.Now()
		if _, err := io.Copy(io.Discard, r.in); err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("read until the host gives up: %v", err)
		}
		if took := time.Since(start); took.Round(time.Second) != 15*time.Second {
			t.Errorf("the host gave up after %v, want 15 s", took)
		}
		b.kit.release()
		again := b.raw(t)
		again.call("left", "gate", notesInput{})
		typ, payload, _ := again.Next()
		if typ == TypeAccepted {
			typ, payload, _ = again.Next()
		}
		if n := b.kit.ran("left"); typ != TypeResult || n != 1 {
			t.Errorf("%s %s after %d runs, want RESULT after one", typ, payload, n)
		}
	})
}
