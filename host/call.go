package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// call is one call on its way through the host.
type call struct {
	scope  toolkit.Call
	member *member
	// name is the tool's as a guest says it: "weather forecast".
	name string
	// inv has canonical input; it is let go of when the call has finished.
	inv *toolkit.Invocation
	// digest is that of toolkit, path and input: what a repeated id must match.
	digest [sha256.Size]byte
	entry  *entry
	body   *toolkit.Body
	// flow is what streams beside the call, nil for nothing, and once nobody can come
	// back for it.
	flow   atomic.Pointer[flow]
	limit  limit
	idle   time.Duration // the longest time without progress; 0 for any
	dryRun bool
	// accepted tells the caller that this call's start is recorded, or that of the
	// one which it repeats, and whether the streams of that are the caller's now;
	// progress passes a note on. Neither is nil.
	accepted func(*call) (streams bool)
	progress func(string)
	// sought is called when the table knows the call, or the earlier one of its id.
	sought func()
	// cancel ends the call's context, with the cause.
	cancel context.CancelCauseFunc

	// begun is closed when the call has a place to run; started and ends, the
	// moment by which it is over, are set before.
	begun         chan struct{}
	started, ends time.Time
	// done is closed when the call has finished.
	done chan struct{}

	// These are guarded by the call table's lock: the place among all calls, how
	// many callers wait for the outcome, the timer that runs while none does, the answer
	// while it is kept, when the call finished.
	order    uint64
	callers  int
	orphan   *time.Timer
	answer   *wire.Result
	finished time.Time
}

// newCall checks an invocation against the definition that the guest sees and
// makes its input canonical: the one object that every later step works on.
func (h *Host) newCall(m *member, id string, inv *toolkit.Invocation, caller time.Duration) (*call, error) {
	if err := m.quota.call(); err != nil {
		return nil, h.noted(m, err)
	}
	e, err := h.catalog.find(inv.Toolkit)
	if err != nil {
		return nil, err
	}
	path, cmd, err := argv.Resolve(e.def, inv.Path)
	if err != nil {
		return nil, err
	}
	input, err := argv.Complete(e.def, path, inv.Input)
	if err != nil {
		return nil, err
	}
	if err := e.tools[strings.Join(path, " ")].judge(input, inv.Input); err != nil {
		return nil, err
	}
	if id == "" {
		id = rand.Text()
	}
	c := &call{
		scope:    toolkit.Call{ID: id, Guest: h.guests.scope(m), Toolkit: inv.Toolkit, Path: path, Attempt: 1},
		member:   m,
		name:     strings.Join(append([]string{inv.Toolkit}, path...), " "),
		inv:      &toolkit.Invocation{Toolkit: inv.Toolkit, Path: path, Input: input, Streams: inv.Streams},
		entry:    e,
		body:     cmd.Body,
		limit:    h.limitOf(caller, cmd.Body, e.kit),
		idle:     time.Duration(cmd.Body.IdleTimeoutMS) * time.Millisecond,
		accepted: func(*call) bool { return false },
		progress: func(string) {},
		sought:   func() {},
		cancel:   func(error) {},
		begun:    make(chan struct{}),
		done:     make(chan struct{}),
		callers:  1,
	}
	c.digest = c.sum()
	return c, nil
}

// sum is the digest of what is called.
func (c *call) sum() [sha256.Size]byte {
	data := make([]byte, 0, len(c.inv.Input)+64)
	data = append(data, c.name...)
	data = append(data, 0)
	return sha256.Sum256(append(data, c.inv.Input...))
}

// greeting is the ACCEPTED of a call that has begun. The host holds that much of the
// slots that stream.
func (c *call) greeting(have map[string]int64) *wire.Accepted {
	left := max(time.Until(c.ends), time.Millisecond)
	return &wire.Accepted{ID: c.scope.ID, TimeoutMS: left.Milliseconds(), Have: have}
}

// left is the time until the context's deadline, 0 where it has none.
func left(ctx context.Context) time.Duration {
	deadline, limited := ctx.Deadline()
	if !limited {
		return 0
	}
	return max(time.Until(deadline), 1)
}

// offered are the names of the streams that are there.
func offered(s *toolkit.Streams) []string {
	if s == nil {
		return nil
	}
	names := slices.Concat(slices.Collect(maps.Keys(s.Files)), slices.Collect(maps.Keys(s.OutFiles)))
	for name, there := range map[string]bool{"stdin": s.Stdin != nil, "stdout": s.Stdout != nil, "stderr": s.Stderr != nil} {
		if there {
			names = append(names, name)
		}
	}
	return names
}

// Call calls a tool in this process, as the guest of that id, with any valid
// JSON input and the streams of the invocation. The result is nil for a tool without
// one; the error is a *toolkit.Error. Cancelling the context cancels the call.
func (h *Host) Call(ctx context.Context, guest string, inv *toolkit.Invocation) (json.RawMessage, error) {
	c, err := h.newCall(h.guests.named(guest), "", inv, left(ctx))
	if err == nil {
		_, err = slotsOf(c, offered(inv.Streams))
	}
	if err != nil {
		return nil, asError(err)
	}
	ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)
	life := c.member.life
	defer context.AfterFunc(life, func() { c.cancel(context.Cause(life)) })()
	answer := h.dispatch(ctx, c)
	if err := answer.Error(); err != nil {
		return nil, err
	}
	return answer.Result, nil
}

// As is a caller of this host's tools that acts as the guest of that id, for
// the typed Call of tools.
func (h *Host) As(guest string) toolkit.Caller { return caller{h, guest} }

type caller struct {
	host  *Host
	guest string
}

// CallTool calls a tool of the host's toolkits.
func (c caller) CallTool(ctx context.Context, tool toolkit.Tool, input json.RawMessage) (json.RawMessage, error) {
	kit, path, ok := toolkit.Locate(c.host.catalog.kits, tool)
	if !ok {
		return nil, &toolkit.Error{Code: toolkit.CodeToolNotFound, Message: "the tool is in none of the host's toolkits"}
	}
	return c.host.Call(ctx, c.guest, &toolkit.Invocation{Toolkit: kit.Name, Path: path, Input: input, Streams: toolkit.CallerStreams(ctx)})
}

// DefaultGuest is the guest that a Host acts as when it is used as a
// toolkit.Caller, and that an address without a guest belongs to.
const DefaultGuest = "default"

// CallTool calls a tool as DefaultGuest, which makes a *Host a toolkit.Caller.
func (h *Host) CallTool(ctx context.Context, tool toolkit.Tool, input json.RawMessage) (json.RawMessage, error) {
	return h.As(DefaultGuest).CallTool(ctx, tool, input)
}
