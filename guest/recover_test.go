package guest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// begin starts a call of slow run, and waits until it runs.
func begin(ctx context.Context, client *guest.Client, call guest.Call, started <-chan struct{}) <-chan *guest.Answer {
	call.Toolkit, call.Path = "slow", []string{"run"}
	done := make(chan *guest.Answer, 1)
	go func() { done <- client.Call(ctx, &call) }()
	<-started
	time.Sleep(2 * time.Millisecond) // in which ACCEPTED comes
	return done
}

// nowhere is the dialer of a host that is gone.
func nowhere(context.Context) (net.Conn, error) { return nil, errors.New("nobody there") }

// A call whose host is gone is given up when the host would have ended it.
func TestALostCallIsGivenUpAtItsDeadline(t *testing.T) {
	for name, row := range map[string]struct {
		kit, caller, want time.Duration
	}{
		"the caller's":              {0, 5 * time.Second, 5 * time.Second},
		"the toolkit's":             {7 * time.Second, 0, 7 * time.Second},
		"the host's":                {0, 0, host.DefaultTimeout},
		"later than it is kept for": {time.Hour, 0, 2*time.Second + 60*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := make(chan struct{})
				var runs atomic.Int64
				kit := slow(started, nil, &runs)
				kit.Timeout = row.kit
				f := &fragile{dial: newHost(t, kit).Dialer("g")}
				client := newClient(t, f.Dial)
				start := time.Now()
				done := begin(t.Context(), client, guest.Call{ID: "k", Timeout: row.caller}, started)
				time.Sleep(2 * time.Second)
				f.moveTo(nowhere)
				f.cut()
				answer := <-done
				if answer.Code != toolkit.CodeOutcomeUnknown || answer.Call != "k" || answer.Hint != "agentos calls k" {
					t.Errorf("answer = %+v, want OUTCOME_UNKNOWN with the id", answer)
				}
				if took := time.Since(start); took > row.want+10*time.Millisecond || took < row.want-2*time.Second {
					t.Errorf("given up after %v, want %v", took, row.want)
				}
			})
		})
	}
}

// A restored machine finds its connections dead and its calls at the host.
func TestALinkThatFellSilentIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan struct{}), make(chan struct{})
		var runs atomic.Int64
		kit := slow(started, release, &runs)
		kit.Timeout = time.Hour
		dial := newHost(t, kit).Dialer("g")
		silent := make(chan struct{})
		first := true
		client := newClient(t, func(ctx context.Context) (net.Conn, error) {
			conn, err := dial(ctx)
			if first && err == nil {
				first = false
				conn = &silenced{Conn: conn, silent: silent}
			}
			return conn, err
		})
		start := time.Now()
		done := begin(t.Context(), client, guest.Call{}, started)
		close(silent)
		time.Sleep(20 * time.Second) // longer than a link may be silent
		close(release)
		answer := <-done
		if string(answer.Result) != `"done"` || runs.Load() != 1 {
			t.Errorf("answer = %+v after %d runs, want done and 1", answer, runs.Load())
		}
		if took := time.Since(start); took > 20*time.Second+10*time.Millisecond {
			t.Errorf("answered after %v, want it as soon as there is an answer", took)
		}
	})
}

// silenced is a connection on which nothing comes any more once it is silent, until
// its deadline: what a peer that was stopped looks like.
type silenced struct {
	net.Conn
	silent chan struct{}
}

func (c *silenced) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		select {
		case <-c.silent:
			if err != nil {
				return 0, err
			}
		default:
			return n, err
		}
	}
}

// A host that stops in the middle of a call is given up soon after the call's time.
func TestAFrozenHostIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		var runs atomic.Int64
		dial := newHost(t, slow(started, nil, &runs)).Dialer("g")
		silent := make(chan struct{})
		client := newClient(t, func(ctx context.Context) (net.Conn, error) {
			conn, err := dial(ctx)
			if err != nil {
				return nil, err
			}
			return &silenced{Conn: conn, silent: silent}, nil
		})
		start := time.Now()
		done := begin(t.Context(), client, guest.Call{Timeout: 3 * time.Second}, started)
		close(silent)
		if answer := <-done; answer.Code != toolkit.CodeOutcomeUnknown {
			t.Errorf("answer = %+v, want OUTCOME_UNKNOWN", answer)
		}
		if took := time.Since(start); took > 8*time.Second {
			t.Errorf("given up after %v, want a few seconds after the limit of 3 s", took)
		}
	})
}

// A guest that is removed hears that its call was cancelled. The call does not run
// again, whether ACCEPTED had come or not.
func TestARemovedGuestIsTold(t *testing.T) {
	for name, wait := range map[string]time.Duration{"before ACCEPTED": 0, "after ACCEPTED": 2 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := make(chan struct{}, 2)
				var runs atomic.Int64
				h := newHost(t, slow(started, nil, &runs))
				client := newClient(t, h.Dialer("g"))
				done := make(chan *guest.Answer, 1)
				go func() { done <- client.Call(t.Context(), &guest.Call{ID: "k", Toolkit: "slow", Path: []string{"run"}}) }()
				<-started
				time.Sleep(wait)
				h.RemoveGuest("g")
				if answer := <-done; answer.Code != toolkit.CodeCancelled || !strings.Contains(answer.Message, "removed") || runs.Load() != 1 {
					t.Errorf("answer = %+v after %d runs, want CANCELLED after one", answer, runs.Load())
				}
			})
		})
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan struct{}), make(chan struct{})
		var runs atomic.Int64
		h := newHost(t, slow(started, release, &runs))
		client, other := newClient(t, h.Dialer("g")), newClient(t, h.Dialer("g"))
		if answer := other.Await(t.Context(), "k", nil); answer.Code != toolkit.CodeCallNotFound || answer.Exit != 2 {
			t.Errorf("before the call: %+v, want CALL_NOT_FOUND, exit 2", answer)
		}
		done := begin(t.Context(), client, guest.Call{ID: "k"}, started)

		bound, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if answer := other.Await(bound, "k", nil); answer.Code != toolkit.CodeTimeout || answer.Hint != "agentos await k" {
			t.Errorf("a wait of a second: %+v, want TIMEOUT and how to wait again", answer)
		}
		stopped, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if answer := other.Await(stopped, "k", nil); answer.Code != toolkit.CodeOutcomeUnknown {
			t.Errorf("a wait that was stopped: %+v, want OUTCOME_UNKNOWN", answer)
		}
		list, err := other.Calls(t.Context(), "")
		if err != nil || len(list.Calls) != 1 || list.Calls[0] != (guest.CallState{ID: "k", Toolkit: "slow", Tool: "run", State: "started"}) {
			t.Errorf("calls = %+v, %v, want the one that runs", list, err)
		}
		close(release)
		for what, answer := range map[string]*guest.Answer{"the call": <-done, "await": other.Await(t.Context(), "k", nil)} {
			if string(answer.Result) != `"done"` || answer.Replayed {
				t.Errorf("%s = %+v, want done, not replayed", what, answer)
			}
		}
		if _, err := other.Calls(t.Context(), "j"); !errors.Is(err, &toolkit.Error{Code: toolkit.CodeCallNotFound}) {
			t.Errorf("calls j: %v, want CALL_NOT_FOUND", err)
		}
	})
}

// What the host says before it closes is the answer, also when the guest was
// about to speak.
func TestAHostThatIsOverALimitIsHeard(t *testing.T) {
	near, far := net.Pipe()
	client := newClient(t, func(context.Context) (net.Conn, error) { return near, nil })
	go func() {
		conn := wire.NewConn(far)
		conn.Receive()
		conn.Send(&wire.Present{Version: 1, Epoch: "1"})
		conn.Receive()
		fail := wire.Failure(&toolkit.Error{Code: toolkit.CodeBusy, Message: "too much", Details: []map[string]string{{"limit": "byte_rate"}}})
		conn.Send(&wire.Fail{Envelope: fail})
		conn.Close()
	}()
	answer := client.Call(t.Context(), &guest.Call{Toolkit: "t", Input: json.RawMessage(`{}`)})
	if answer.Code != toolkit.CodeBusy || answer.Exit != 75 || !strings.Contains(string(answer.Details), "byte_rate") {
		t.Errorf("answer = %+v, want BUSY as the host said it", answer)
	}
}

// What the protocol cannot carry is told at once, and the link stays.
func TestACallThatCannotBeSent(t *testing.T) {
	client := newClient(t, newHost(t, fixture.Kits()...).Dialer("g"))
	for _, call := range []guest.Call{{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`[]`)}, {Toolkit: "math", Path: []string{"add"}, ID: "not an id"}} {
		if answer := client.Call(t.Context(), &call); answer.Code != toolkit.CodeValidationError {
			t.Errorf("%+v = %+v, want VALIDATION_ERROR", call, answer)
		}
	}
}

// One whose link is lost just then does not know, and its call does not run again
// under its guest's next generation.
func TestACallOfAnEndedGenerationIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{}, 2)
		var runs atomic.Int64
		h := newHost(t, slow(started, nil, &runs))
		f := &fragile{dial: h.Dialer("g")}
		client := newClient(t, f.Dial)
		done := make(chan *guest.Answer, 1)
		go func() { done <- client.Call(t.Context(), &guest.Call{ID: "k", Toolkit: "slow", Path: []string{"run"}}) }()
		<-started
		f.moveTo(nowhere)
		f.cut()
		synctest.Wait()
		h.RemoveGuest("g")
		f.moveTo(h.Dialer("g"))
		if answer := <-done; answer.Code != toolkit.CodeOutcomeUnknown || answer.Call != "k" || runs.Load() != 1 {
			t.Errorf("answer = %+v after %d runs, want OUTCOME_UNKNOWN after one", answer, runs.Load())
		}
	})
}
