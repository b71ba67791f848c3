package host_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// The call that these tests make, and how its caller comes back for it.
var (
	catCall = &wire.Call{ID: "k", Toolkit: "t", Path: []string{"cat"}, Input: json.RawMessage("{}"), Slots: []string{"stdin", "stdout"}}
	catBack = &wire.Attach{ID: "k", Have: map[string]int64{"stdout": 0}, Sent: map[string]int64{"stdin": 0}}
)

// looksOn waits for the outcome on a link without the streams, and says that it has it.
func (p *peer) looksOn() {
	for {
		m, err := p.wire.Receive()
		if err != nil {
			return
		}
		if _, over := m.(*wire.Result); over {
			p.send(&wire.Ack{ID: "k"})
			return
		}
	}
}

// Somebody who awaits a call and has its outcome does not take its streams from who
// made it: neither while they are sent, nor before their caller is back.
func TestAnOnlookersAckLeavesTheStreams(t *testing.T) {
	for name, over := range map[string]bool{"while they are sent": false, "before the caller is back": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
				caller, onlooker := dial(t, h, "g"), dial(t, h, "g")
				caller.send(catCall)
				receive[*wire.Accepted](caller)
				give := func() {
					caller.send(&wire.Data{Slot: wire.Stdin, Bytes: []byte("text")})
					caller.send(&wire.End{Slot: wire.Stdin})
				}
				back := catBack
				if over {
					give()
					synctest.Wait()
					back = &wire.Attach{ID: "k", Have: back.Have, Sent: map[string]int64{"stdin": 4}}
				}
				caller.raw.Close()
				synctest.Wait()
				onlooker.send(&wire.Attach{ID: "k"})
				done := make(chan struct{})
				go func() { // waited for below
					defer close(done)
					onlooker.looksOn()
				}()
				if over {
					<-done
				}
				synctest.Wait()
				caller = dial(t, h, "g")
				caller.send(back)
				receive[*wire.Accepted](caller)
				if !over {
					give()
				}
				if text, r := caller.rest(); string(text) != "text" || !r.OK {
					t.Errorf("%q, %+v; want the text", text, r.Envelope)
				}
				<-done
			})
		})
	}
}

// A caller that never comes back is not waited for longer because others look on.
func TestOnlookersDoNotKeepACallWithoutItsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := pipes()
		kit.Timeout = time.Hour
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		caller, onlooker := dial(t, h, "g"), dial(t, h, "g")
		caller.send(catCall)
		receive[*wire.Accepted](caller)
		onlooker.send(&wire.Attach{ID: "k"})
		caller.raw.Close()
		start := time.Now()
		if onlooker.looksOn(); time.Since(start) > 2*time.Minute {
			t.Errorf("the call ended after %s, want a minute", time.Since(start))
		}
	})
}

// What a finished call streamed is given to its caller, also where that sends CALL
// again since it never saw ACCEPTED.
func TestARepeatedCallGetsWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
		lost := dial(t, h, "g")
		lost.send(&wire.Call{ID: "k", Toolkit: "t", Path: []string{"fail"}, Input: json.RawMessage("{}"), Slots: []string{"stdout"}})
		synctest.Wait()
		lost.raw.Close()
		synctest.Wait()
		again := dial(t, h, "g")
		again.send(&wire.Call{ID: "k", Toolkit: "t", Path: []string{"fail"}, Input: json.RawMessage("{}"), Slots: []string{"stdout"}})
		if text, r := again.rest(); string(text) != "half" || !r.Replayed {
			t.Errorf("%q, %+v; want what it wrote, and its outcome", text, r)
		}
	})
}

// Once a call was sent whole, a limit on the way back to it does not say that nothing
// ran.
func TestBusyOnTheWayBackIsNoAnswer(t *testing.T) {
	for name, limits := range map[string]*host.Limits{
		"call_rate":    {CallRate: host.Rate{PerSecond: 0.001, Burst: 1}},
		"connect_rate": {ConnectRate: host.Rate{PerSecond: 0.001, Burst: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs atomic.Int32
				h := newHost(t, &host.Options{Limits: limits, Toolkits: []*toolkit.Toolkit{tool(toolkit.Spec{}, func(context.Context) (any, error) {
					runs.Add(1)
					time.Sleep(2 * time.Second)
					return "sent", nil
				})}})
				dials := 0
				c := streamClient(t, func(ctx context.Context) (net.Conn, error) {
					conn, err := h.Dialer("g")(ctx)
					if dials++; dials == 1 {
						conn = &lostAfterCall{Conn: conn}
					}
					return conn, err
				})
				a := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"run"}})
				if a.Code != toolkit.CodeOutcomeUnknown || runs.Load() != 1 {
					t.Errorf("%+v after %d runs, want OUTCOME_UNKNOWN after one", a, runs.Load())
				}
			})
		})
	}
}

// lostAfterCall is a connection that ends when CALL has gone out.
type lostAfterCall struct {
	net.Conn
	gone atomic.Bool
}

func (c *lostAfterCall) Write(p []byte) (int, error) {
	const typeAt, call = 4, 3
	n, err := c.Conn.Write(p)
	if len(p) > typeAt && p[typeAt] == call {
		c.gone.Store(true)
		c.Close()
	}
	return n, err
}

func (c *lostAfterCall) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.gone.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// Two callers that both think they made a call do not take its streams from each other
// as fast as they can dial.
func TestCallersThatFightForStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := pipes()
		kit.Timeout = 10 * time.Second
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		var dials atomic.Int32
		links := make(chan net.Conn, 1) // the first one
		call := func() {
			c := streamClient(t, func(ctx context.Context) (net.Conn, error) {
				conn, err := h.Dialer("g")(ctx)
				if dials.Add(1) == 1 {
					links <- conn
				}
				return conn, err
			})
			stdin, never := io.Pipe()
			defer never.Close()
			c.Call(t.Context(), &guest.Call{ID: "k", Toolkit: "t", Path: []string{"cat"}, Stdin: stdin, Stdout: io.Discard, Note: func(string) {}})
		}
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(call) // both are waited for below
			synctest.Wait()
		}
		(<-links).Close() // the second caller inherits, and the first comes back
		callers.Wait()
		if n := dials.Load(); n < 4 || n > 60 {
			t.Errorf("%d dials in ten seconds, want a few each second", n)
		}
	})
}
