package host

import (
	"context"

	"github.com/agentos-go/agentos/internal/wire"
)

// dispatch takes one call through its seven steps, in this order and no other:
// no handler runs before its start is recorded, no caller is answered before
// the outcome is. The context is the call's: when it ends, the call is cancelled.
func (h *Host) dispatch(ctx context.Context, c *call) *wire.Result {
	if c.dryRun {
		return h.rehearse(ctx, c)
	}
	if earlier := h.lookUp(c); earlier != nil { // 1 look up (guest, id): replay, or attach
		return h.repeat(ctx, c, earlier)
	}
	if err := h.decide(ctx, c); err != nil { // 2 decide: may this guest make this call
		return h.reject(c, err)
	}
	if err := h.start(ctx, c); err != nil { // 3 record the start; from here the call is the host's
		return h.reject(c, err)
	}
	result, err := h.run(ctx, c)    // 4 middleware around 5 the leaf, under the deadline
	return h.finish(c, result, err) // 6 record the one outcome, 7 reply with it
}

// rehearse is a dry run: everything up to the decision, and nothing after it.
func (h *Host) rehearse(ctx context.Context, c *call) *wire.Result {
	c.sought()
	answer := success(nil)
	if err := h.decide(ctx, c); err != nil {
		answer = failure(err)
	}
	answer.DryRun = true
	return answer
}
