package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// cancelGrace is how long a handler has to return after its context ended,
// before its caller is answered without it.
const cancelGrace = 50 * time.Millisecond

// errExited says that a handler ended its goroutine instead of returning.
var errExited = errors.New("handler called runtime.Goexit")

// ran is what a handler came to.
type ran struct {
	result json.RawMessage
	err    error
}

// run is the middleware around the leaf, under the call's limit. A handler that
// ignores its context is abandoned: the caller is answered, the handler's own
// result goes to the log.
func (h *Host) run(ctx context.Context, c *call) (json.RawMessage, error) {
	if ctx.Err() != nil { // cancelled before it began: nothing runs
		h.places.leave(c.member)
		return nil, context.Cause(ctx)
	}
	ctx, cancel := c.bound(ctx)
	defer cancel()
	ctx, report, stop := c.watched(ctx)
	defer stop()
	defer c.flow.Load().follow(ctx)()
	ctx = toolkit.WithProgress(toolkit.WithCall(ctx, c.scope), report)
	done, inv := make(chan ran, 1), c.inv // which is let go of when the call has finished
	h.work.Go(func() {                    // joined by Close; this call waits for it as long as it honours ctx
		r := ran{err: &crash{value: errExited}}
		defer func() {
			h.places.leave(c.member)
			done <- r
		}()
		if ctx.Err() != nil { // the caller may have been answered already
			r.err = context.Cause(ctx)
			return
		}
		r.result, r.err = h.layered(h.leaf)(ctx, inv)
	})
	select {
	case r := <-done:
		return settle(ctx, r)
	case <-ctx.Done():
	}
	grace := time.NewTimer(cancelGrace)
	defer grace.Stop()
	select {
	case r := <-done:
		return settle(ctx, r)
	case <-grace.C:
		h.abandon(c, done)
		return nil, context.Cause(ctx)
	}
}

// settle is the handler's own word, unless it failed because its context ended.
func settle(ctx context.Context, r ran) (json.RawMessage, error) {
	var own *handlerError
	isOwnWord := errors.As(r.err, &own) && own.forGuest != nil
	if r.err != nil && ctx.Err() != nil && !isOwnWord {
		return nil, context.Cause(ctx)
	}
	return r.result, r.err
}

// abandon leaves a handler behind that ignores its context, and logs its end.
func (h *Host) abandon(c *call, done <-chan ran) {
	log := h.log.With("guest", c.scope.Guest.ID, "call", c.scope.ID, "tool", c.name)
	log.Warn("handler ignores its cancelled context: abandoned")
	c.member.quota.abandon(1)
	h.work.Go(func() { // ends with the handler; joined by Close
		r := <-done
		c.member.quota.abandon(-1)
		log.Warn("abandoned handler ended", "age", time.Since(c.started), "error", r.err)
	})
}

// layered is the handler inside the host's middleware, the first outermost.
func (h *Host) layered(handler toolkit.Handler) toolkit.Handler {
	for _, layer := range slices.Backward(h.middleware) {
		handler = layer(handler)
	}
	return handler
}
