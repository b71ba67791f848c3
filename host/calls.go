package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// What the host remembers of finished calls, for callers that repeat an id:
// this many, within so many bytes of answers, for so long.
const (
	rememberCalls = 1024
	rememberBytes = 4 << 20
	rememberFor   = 10 * time.Minute
)

// orphanGrace is how long an ordinary call goes on after its caller was lost.
const orphanGrace = 60 * time.Second

// callTable holds the calls that run and those that finished not long ago, in
// memory: calls of an earlier life of the host are not in it.
type callTable struct {
	mu       sync.Mutex // guards everything below
	byID     map[callID]*call
	finished []*call // oldest first
	bytes    int     // of the finished calls' answers
}

// callID tells calls apart: an id belongs to one generation of one guest.
type callID struct {
	guest      string
	generation uint64
	id         string
}

func newCallTable() *callTable { return &callTable{byID: map[callID]*call{}} }

func (c *call) key() callID {
	return callID{c.scope.Guest.ID, c.scope.Guest.Generation, c.scope.ID}
}

// lookUp is the earlier call of the same id, or nil: then the id is now c's.
func (h *Host) lookUp(c *call) *call {
	t := h.calls
	t.mu.Lock()
	defer t.mu.Unlock()
	earlier, ok := t.byID[c.key()]
	if !ok {
		t.byID[c.key()] = c
		return nil
	}
	return earlier
}

// errLinkLost ends the wait of a caller whose link broke.
var errLinkLost = errors.New("the caller's link was lost")

// errCallerLost ends a call for whose outcome nobody came back.
var errCallerLost = &toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled: the caller's link was lost and nobody came back for the call"}

// await answers a caller with the outcome of an earlier call of the same id,
// for which it waits if that still runs. A caller that cancels, cancels that call.
func (h *Host) await(ctx context.Context, c, earlier *call) *wire.Result {
	if earlier.digest != c.digest {
		return failure(&toolkit.Error{
			Code:    toolkit.CodeCallIDConflict,
			Message: fmt.Sprintf("the call id %q was used for another call (of %s, or with another input); nothing ran", c.scope.ID, earlier.name()),
		})
	}
	if !h.calls.join(earlier) {
		replayed := *earlier.outcome
		replayed.Replayed = true
		return &replayed
	}
	defer h.calls.leave(earlier)
	c.accepted()
	select {
	case <-earlier.done:
		return earlier.outcome
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, errLinkLost) {
		return failure(errCallerLost) // which nobody hears
	}
	earlier.cancel(cause)
	<-earlier.done // comes within the limits of run
	return earlier.outcome
}

// start records that the call runs and tells its caller.
func (h *Host) start(c *call) {
	c.started = time.Now()
	c.accepted()
}

// finish records the call's one outcome and is the reply to its caller.
func (h *Host) finish(c *call, result json.RawMessage, err error) *wire.Result {
	if err != nil {
		c.outcome = failure(err)
		h.explain(c, err)
	} else {
		c.outcome = success(result)
	}
	h.calls.remember(c)
	close(c.done)
	return c.outcome
}

// explain adds the call's id where its outcome leaves a question, and tells the
// host's log what the guest must not see.
func (h *Host) explain(c *call, err error) {
	switch c.outcome.Code {
	case toolkit.CodeExecutionError, toolkit.CodeHandlerCrashed, toolkit.CodeInvalidResult, toolkit.CodeInternalError:
		h.log.Error("call failed", "guest", c.scope.Guest.ID, "call", c.scope.ID, "tool", c.name(), "error", err)
	case toolkit.CodeTimeout, toolkit.CodeCancelled, toolkit.CodeResultTooLarge:
	default:
		return
	}
	c.outcome.Envelope.Call = c.scope.ID
}

// join adds a caller to a running call, so that it goes on when another one is
// lost; false means that the call has finished.
func (t *callTable) join(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-c.done:
		return false
	default:
	}
	c.callers++
	if c.orphan != nil {
		c.orphan.Stop()
	}
	return true
}

// leave takes a caller away from a call. A running call that has none left is
// cancelled after the grace that lets a caller come back.
func (t *callTable) leave(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.callers--
	select {
	case <-c.done:
		return
	default:
	}
	if c.callers == 0 {
		c.orphan = time.AfterFunc(orphanGrace, func() { c.cancel(errCallerLost) })
	}
}

// lost is leave for a caller whose link broke: one that waits for an earlier
// call stops waiting.
func (t *callTable) lost(c *call) {
	t.mu.Lock()
	own := t.byID[c.key()] == c
	t.mu.Unlock()
	if own {
		t.leave(c)
	} else {
		c.cancel(errLinkLost)
	}
}

// remember keeps a finished call for a while and forgets what is too old or
// too much. Of the call only its digest, name and outcome stay.
func (t *callTable) remember(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.orphan != nil {
		c.orphan.Stop()
	}
	c.inv = &toolkit.Invocation{Toolkit: c.inv.Toolkit, Path: c.inv.Path}
	c.finished = time.Now()
	t.finished = append(t.finished, c)
	t.bytes += len(c.outcome.Result)
	for len(t.finished) > 0 && t.tooMuch(t.finished[0], c.finished) {
		oldest := t.finished[0]
		t.bytes -= len(oldest.outcome.Result)
		delete(t.byID, oldest.key())
		t.finished[0] = nil
		t.finished = t.finished[1:]
	}
}

// tooMuch reports whether the oldest finished call must be forgotten.
func (t *callTable) tooMuch(oldest *call, now time.Time) bool {
	return len(t.finished) > rememberCalls || t.bytes > rememberBytes || now.Sub(oldest.finished) > rememberFor
}

// running are the calls that have not finished, in no order.
func (t *callTable) running() []*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	var calls []*call
	for _, c := range t.byID {
		if c.finished.IsZero() {
			calls = append(calls, c)
		}
	}
	return calls
}
