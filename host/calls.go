package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// What the host remembers of a guest's finished calls, for callers that repeat
// an id: this many, within so many bytes of answers, for so long. Each guest has
// a budget of its own, so that none can make the host forget another's calls.
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
	mu      sync.Mutex // guards everything below
	byID    map[callID]*call
	order   uint64              // of the latest call
	history map[uint64]*history // by generation of guests
}

// history is a guest's finished calls.
type history struct {
	calls []*call // oldest first
	// emptied is how many of the oldest calls have lost their answers, bytes the
	// size of the answers that are left.
	emptied, bytes int
	// dropped says that there were more, of which nothing is known any more.
	dropped bool
}

// callID tells calls apart: an id belongs to one generation of one guest.
type callID struct {
	guest      string
	generation uint64
	id         string
}

func newCallTable() *callTable {
	return &callTable{byID: map[callID]*call{}, history: map[uint64]*history{}}
}

func (c *call) key() callID {
	return callID{c.scope.Guest.ID, c.scope.Guest.Generation, c.scope.ID}
}

// lookUp is the earlier call of the same id, or nil: then the id is now c's.
func (h *Host) lookUp(c *call) *call {
	t := h.calls
	defer c.sought() // when its caller is lost, the table has to tell whose call it is
	t.mu.Lock()
	defer t.mu.Unlock()
	earlier, ok := t.byID[c.key()]
	if !ok {
		t.byID[c.key()] = c
		t.order++
		c.order = t.order
		return nil
	}
	return earlier
}

// forgetID lets go of the id of a call that did not run, which may be made again.
func (t *callTable) forgetID(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, c.key())
}

// errLinkLost ends the wait of a caller whose link broke.
var errLinkLost = errors.New("the caller's link was lost")

// errCallerLost ends a call for whose outcome nobody came back.
var errCallerLost = &toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled: the caller's link was lost and nobody came back for the call"}

// repeat answers a call with the outcome of the earlier one of the same id.
func (h *Host) repeat(ctx context.Context, c, earlier *call) *wire.Result {
	c.release() // what streams is the earlier call's
	if earlier.digest != c.digest {
		return failure(&toolkit.Error{
			Code:    toolkit.CodeCallIDConflict,
			Message: fmt.Sprintf("the call id %q was used for another call (of %s, or with another input); nothing ran", c.scope.ID, earlier.name),
		})
	}
	if !h.calls.join(earlier) {
		streams := earlier.flow.Load() != nil && c.accepted(earlier)
		replayed := *h.settled(ctx, earlier, streams)
		replayed.Replayed = true
		return &replayed
	}
	return h.await(ctx, earlier, c.accepted)
}

// attach answers a caller that comes back for a call which it made before.
func (h *Host) attach(ctx context.Context, m *member, id string, accepted func(*call) bool) *wire.Result {
	earlier, err := h.calls.find(h.guests.scope(m), id)
	switch {
	case err != nil:
		return failure(err)
	case !h.calls.join(earlier):
		streams := earlier.flow.Load() != nil && accepted(earlier)
		return h.settled(ctx, earlier, streams)
	}
	return h.await(ctx, earlier, accepted)
}

// await waits for a call that was joined. A caller that cancels, cancels the call.
func (h *Host) await(ctx context.Context, earlier *call, accepted func(*call) bool) *wire.Result {
	defer h.calls.leave(earlier)
	streams := false
	select {
	case <-earlier.begun:
		streams = accepted(earlier)
	case <-earlier.done:
	case <-ctx.Done():
	}
	select {
	case <-earlier.done:
		return h.settled(ctx, earlier, streams)
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, errLinkLost) {
		return failure(errCallerLost) // which nobody hears
	}
	earlier.cancel(cause)
	<-earlier.done // comes within the limits of run
	return h.calls.outcome(earlier)
}

// start waits for a place to run, records that the call runs and tells its caller.
func (h *Host) start(ctx context.Context, c *call) error {
	if err := h.places.take(ctx, c.member); err != nil {
		return h.noted(c.member, err)
	}
	c.started = time.Now()
	c.ends = c.started.Add(c.limit.after)
	close(c.begun)
	c.accepted(c)
	return nil
}

// reject answers a call that does not run. Nothing is recorded of it: it may be
// made again under the same id.
func (h *Host) reject(c *call, err error) *wire.Result {
	answer := failure(err)
	h.calls.forgetID(c)
	c.answer = answer // read by those who wait for done
	close(c.done)
	c.flow.Load().drop(err)
	return answer
}

// finish records the call's one outcome and is the reply to its caller.
func (h *Host) finish(c *call, result json.RawMessage, err error) *wire.Result {
	answer := success(result)
	if err != nil {
		answer = failure(err)
		h.explain(c, answer, err)
	}
	h.calls.remember(c, answer)
	f := c.flow.Load() // from done on it may be released
	close(c.done)
	switch {
	case f == nil:
	case !f.finish(c.member.life, err == nil):
		c.release()
	default:
		stop := context.AfterFunc(c.member.life, c.release)
		time.AfterFunc(orphanGrace, func() {
			stop()
			c.release()
		})
	}
	return answer
}

// explain adds the call's id where its outcome leaves a question, and tells the
// host's log what the guest must not see.
func (h *Host) explain(c *call, answer *wire.Result, err error) {
	switch answer.Code {
	case toolkit.CodeExecutionError, toolkit.CodeHandlerCrashed, toolkit.CodeInvalidResult, toolkit.CodeInternalError:
		h.log.Error("call failed", "guest", c.scope.Guest.ID, "call", c.scope.ID, "tool", c.name, "error", err)
	case toolkit.CodeTimeout, toolkit.CodeCancelled, toolkit.CodeResultTooLarge:
	default:
		return
	}
	answer.Envelope.Call = c.scope.ID
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

// remember keeps a finished call for a while, and forgets what is too old or too
// much of its guest's. Of the call only its name, digest and outcome stay.
func (t *callTable) remember(c *call, answer *wire.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.orphan != nil {
		c.orphan.Stop()
	}
	c.inv, c.accepted = nil, nil
	c.answer, c.finished = answer, time.Now()
	if c.member.life.Err() != nil { // nobody can ask for it any more
		delete(t.byID, c.key())
		return
	}
	h := t.history[c.scope.Guest.Generation]
	if h == nil {
		h = &history{}
		t.history[c.scope.Guest.Generation] = h
	}
	h.add(c)
	for len(h.calls) > rememberCalls || c.finished.Sub(h.calls[0].finished) > rememberFor {
		delete(t.byID, h.calls[0].key())
		h.dropOldest()
	}
}

// forget drops what is remembered of a guest whose generation has ended.
func (t *callTable) forget(generation uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.history[generation]; h != nil {
		for _, c := range h.calls {
			delete(t.byID, c.key())
		}
		delete(t.history, generation)
	}
}

// settled is the outcome of a finished call once its streams are sent, where they are
// the caller's.
func (h *Host) settled(ctx context.Context, c *call, streams bool) *wire.Result {
	if streams {
		c.flow.Load().settle(ctx, &h.work)
	}
	return h.calls.outcome(c)
}

// release lets go of the streams of a finished call: its caller has all of them, or
// does not come back.
func (c *call) release() {
	c.flow.Swap(nil).release(errOver)
}

// outcome is the answer of a finished call, while it is kept.
func (t *callTable) outcome(c *call) *wire.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.answer != nil {
		return c.answer
	}
	lost := failure(&toolkit.Error{
		Code:    toolkit.CodeOutcomeUnknown,
		Message: "the call finished, but its answer is no longer kept; nothing ran again",
	})
	lost.Envelope.Call = c.scope.ID
	return lost
}

// add appends a call. Answers over the budget are let go of, oldest first and
// never the latest; that their calls finished is still known.
func (h *history) add(c *call) {
	h.calls = append(h.calls, c)
	h.bytes += size(c.answer)
	for h.bytes > rememberBytes && h.emptied < len(h.calls)-1 {
		oldest := h.calls[h.emptied]
		h.bytes -= size(oldest.answer)
		oldest.answer = nil
		h.emptied++
	}
}

func (h *history) dropOldest() {
	if h.emptied > 0 {
		h.emptied--
	}
	h.bytes -= size(h.calls[0].answer)
	h.calls[0] = nil
	h.dropped = true
	h.calls = h.calls[1:]
}

// size is roughly the memory of an answer in bytes.
func size(r *wire.Result) int {
	if r == nil {
		return 0
	}
	return len(r.Result) + len(r.Message) + len(r.Hint) + len(r.Details)
}

// find is the call of that id of a guest, or why there is none.
func (t *callTable) find(g toolkit.Guest, id string) (*call, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.byID[callID{g.ID, g.Generation, id}]; ok {
		return c, nil
	}
	if h := t.history[g.Generation]; h != nil && h.dropped {
		return nil, &toolkit.Error{
			Code:    toolkit.CodeOutcomeUnknown,
			Message: fmt.Sprintf("nothing is known of a call %q: it may have run, the records of older calls are no longer kept", id),
		}
	}
	return nil, &toolkit.Error{
		Code:    toolkit.CodeCallNotFound,
		Message: fmt.Sprintf("no call %q of this guest since the host started", id),
		Hint:    "agentos calls",
	}
}

// callList is the guest's calls as PRESENT tells them, the latest first. Total is
// how many there are when these are not all.
type callList struct {
	Calls []listedCall `json:"calls"`
	Total int          `json:"total,omitempty"`
}

// listedCall is one of them.
type listedCall struct {
	ID      string `json:"id"`
	Toolkit string `json:"toolkit"`
	Tool    string `json:"tool"`
	State   string `json:"state"`

	order uint64
}

// The states of a call that a guest can see.
const (
	stateQueued    = "queued"    // it waits for a place to run
	stateStarted   = "started"   // it runs
	stateCompleted = "completed" // it is over, whatever its outcome
)

// list is what is known of the guest's calls, the latest first.
func (t *callTable) list(g toolkit.Guest) []listedCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := []listedCall{}
	for id, c := range t.byID {
		if id.guest == g.ID && id.generation == g.Generation {
			calls = append(calls, listedCall{c.scope.ID, c.scope.Toolkit, strings.Join(c.scope.Path, " "), c.state(), c.order})
		}
	}
	slices.SortFunc(calls, func(a, b listedCall) int { return cmp.Compare(b.order, a.order) })
	return calls
}

// state is how far the call is; the table's lock is held.
func (c *call) state() string {
	if !c.finished.IsZero() {
		return stateCompleted
	}
	select {
	case <-c.begun:
		return stateStarted
	default:
		return stateQueued
	}
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
