package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/toolkit"
)

// late is a dialer whose first connections are not the host's, but those of a
// program that is not ready.
type late struct {
	dial    guest.DialFunc
	unready int                 // how many; all of them if it is negative
	answer  func(conn net.Conn) // nil: nobody is there, until the context ends
	ctx     context.Context     //nolint:containedctx // it is the test's life
	dials   atomic.Int32
}

func (l *late) Dial(ctx context.Context) (net.Conn, error) {
	if n := int(l.dials.Add(1)); l.unready >= 0 && n > l.unready {
		return l.dial(ctx)
	}
	near, far := net.Pipe()
	if l.answer == nil {
		context.AfterFunc(l.ctx, func() { far.Close() })
		return near, nil
	}
	go func() { // ends with the connection, at the latest; the test's bubble waits
		defer far.Close()
		l.answer(far)
	}()
	return near, nil
}

func hear(conn net.Conn) { conn.Read(make([]byte, 4<<10)) }

// unready are programs that accept before they can serve.
var unready = map[string]func(net.Conn){
	"closes after accept":           func(net.Conn) {},
	"closes within OPEN":            func(conn net.Conn) { conn.Read(make([]byte, 1)) },
	"closes after OPEN":             hear,
	"closes within PRESENT":         func(conn net.Conn) { hear(conn); io.WriteString(conn, "\x00\x00\x01") },
	"never sends PRESENT":           func(conn net.Conn) { io.Copy(io.Discard, conn) },
	"never takes OPEN":              nil,
	"sends a part of PRESENT alone": func(conn net.Conn) { hear(conn); io.WriteString(conn, "\x00\x00\x01"); io.Copy(io.Discard, conn) },
}

// B065: dial and handshake are tried again until the host is ready.
func TestCase_B065_ReadyAtTheFourthDial(t *testing.T) {
	for name, answer := range unready {
		for what, ask := range ask {
			t.Run(name+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBed(t, Memory())
					l := &late{dial: b.dial, unready: 3, answer: answer, ctx: t.Context()}
					c, err := guest.Dial(t.Context(), &guest.Options{Dial: l.Dial, DialWait: time.Minute})
					if err != nil {
						t.Fatalf("dial: %v", err)
					}
					defer c.Close()
					if err := ask(t.Context(), c); err != nil || l.dials.Load() != 4 {
						t.Errorf("%s: %v after %d dials, want success at the 4th", what, err, l.dials.Load())
					}
					if n := b.kit.ran("late"); what == "call" && n != 1 {
						t.Errorf("the call ran %d times, want once", n)
					}
				})
			})
		}
	}
}

// B065: the total wait is the caller's, and the error says how long it was.
func TestCase_B065_NeverReady(t *testing.T) {
	for name, answer := range unready {
		for what, ask := range ask {
			t.Run(name+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const wait = 5 * time.Second
					l := &late{unready: -1, answer: answer, ctx: t.Context()}
					start := time.Now()
					c, err := guest.Dial(t.Context(), &guest.Options{Dial: l.Dial, DialWait: wait})
					if err == nil {
						defer c.Close()
						err = ask(t.Context(), c)
					}
					checkUnreachable(t, err, wait)
					if took := time.Since(start); took < wait/2 || took > wait+4*time.Second || l.dials.Load() < 3 {
						t.Errorf("%s: %d dials within %v, want at least 3 within about %v", what, l.dials.Load(), took, wait)
					}
				})
			})
		}
	}
}

// checkUnreachable wants the error of a host that was not there for so long.
func checkUnreachable(t *testing.T, err error, wait time.Duration) {
	t.Helper()
	var got *toolkit.Error
	if !errors.As(err, &got) || got.Code != toolkit.CodeHostUnreachable || got.ExitStatus() != 69 {
		t.Fatalf("error: %v, want HOST_UNREACHABLE, exit 69", err)
	}
	if !strings.Contains(got.Message, wait.String()) {
		t.Errorf("error: %q, want the wait of %v in it", got.Message, wait)
	}
}
