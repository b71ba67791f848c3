package guest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// Call is one call of a tool.
type Call struct {
	// ID names the call; empty means a new one. Repeating an id repeats the
	// answer, not the call.
	ID      string
	Toolkit string
	Path    []string
	// Input is a JSON object; nil means an empty one.
	Input json.RawMessage
	// Timeout limits the call on the host; 0 leaves it to the host.
	Timeout time.Duration
	// DryRun asks for everything but the run.
	DryRun bool
	// Revision is that of the definition which Input was made for; empty means
	// that any will do.
	Revision string
	// Note receives progress and notices; nil drops them.
	Note func(text string)
}

// NewCallID is a call id that no other process makes.
func NewCallID() string { return rand.Text() }

// Answer is what a call came to: the document that a guest prints and the exit
// status that goes with it.
type Answer = wire.Result

// How long a lost link is dialled again for a call that was sent, and how long
// a cancelled call's outcome is waited for.
const (
	recoverWait = 60 * time.Second
	cancelWait  = time.Second
)

// Call calls a tool and waits for its outcome. When the context ends the call is
// cancelled, and its outcome waited for one second more at most. The answer is
// never nil: an unreachable host and an unknown outcome are answers too.
func (c *Client) Call(ctx context.Context, call *Call) *Answer {
	e := &exchange{client: c, call: call, message: &wire.Call{
		ID: call.ID, Toolkit: call.Toolkit, Path: call.Path, Input: call.Input, Revision: call.Revision,
		TimeoutMS: milliseconds(call.Timeout), DryRun: call.DryRun,
	}}
	if call.ID == "" {
		e.message.ID = NewCallID()
	}
	if call.Input == nil {
		e.message.Input = json.RawMessage("{}")
	}
	for {
		answer, err := e.attempt(ctx)
		if err == nil {
			return answer
		}
		if !e.again(ctx, err) {
			return e.conclude(ctx, err)
		}
	}
}

// milliseconds rounds up, so that a short timeout does not become none.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// exchange is one call over as many links as it takes.
type exchange struct {
	client  *Client
	call    *Call
	message *wire.Call
	// epoch is the life of the host that CALL was sent to; empty before.
	epoch string
	// kept says that the latest link had been idle, so that its loss means little.
	kept bool
	// lost is when a link broke after CALL was sent; zero before. pause is the
	// wait before the next attempt.
	lost  time.Time
	pause time.Duration
}

// attempt sends the call over one link. An error is the link's; whatever the
// host said is an answer.
func (e *exchange) attempt(ctx context.Context) (*Answer, error) {
	l, err := e.client.take(ctx)
	if err != nil {
		e.kept = false
		return nil, err
	}
	e.kept = l.used
	answer, err := e.over(ctx, l)
	if err != nil || ctx.Err() != nil {
		l.close()
		return answer, err
	}
	e.client.release(l)
	return answer, nil
}

// over sends the call over the link and waits for its outcome.
func (e *exchange) over(ctx context.Context, l *link) (*Answer, error) {
	if l.epoch == "" {
		p, err := l.open(ctx, &wire.Open{Toolkit: e.call.Toolkit, Words: e.call.Path, Want: wire.WantCommand})
		if err != nil {
			return nil, err
		}
		if p.Error != nil && e.epoch == "" {
			return failure(p.Error.Error()), nil
		}
	}
	if e.epoch != "" && e.epoch != l.epoch {
		return e.unknown("the host restarted during the call"), nil
	}
	e.epoch = l.epoch
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(cancelWait, l.close)
		_ = l.wire.Send(&wire.Cancel{Reason: context.Cause(ctx).Error()}) // a broken link shows in listen
	})()
	if err := l.wire.Send(e.message); err != nil {
		return nil, err
	}
	return e.listen(l)
}

// listen waits for RESULT.
func (e *exchange) listen(l *link) (*Answer, error) {
	for {
		msg, err := l.wire.Receive()
		if err != nil {
			return nil, err
		}
		switch m := msg.(type) {
		case *wire.Accepted:
		case *wire.Note:
			if e.call.Note != nil {
				e.call.Note(m.Text)
			}
		case *wire.Result:
			// The host remembers the call until it is told or tires of it.
			_ = l.wire.Send(&wire.Ack{ID: e.message.ID})
			return m, nil
		case *wire.Present:
			return e.changed(m), nil
		default:
			return nil, fmt.Errorf("%w: unexpected %s", wire.ErrProtocol, msg.Type())
		}
	}
}

// again reports whether another link should be tried after this error.
func (e *exchange) again(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if e.epoch == "" {
		return e.kept
	}
	if e.lost.IsZero() {
		e.lost = time.Now()
	}
	patience := recoverWait
	if t := e.call.Timeout; t > 0 {
		patience = min(t, patience)
	}
	if time.Since(e.lost) >= patience || permanent(err) {
		return false
	}
	wait := e.pause
	e.pause = min(2*e.pause+10*time.Millisecond, time.Second)
	return wait == 0 || sleep(ctx, jitter(wait))
}

// conclude is the answer when no link brought one: nothing happened, or nobody
// knows.
func (e *exchange) conclude(ctx context.Context, err error) *Answer {
	switch {
	case e.epoch == "":
		return failure(unsent(ctx, err))
	case ctx.Err() != nil:
		return e.unknown("the call was cancelled, but the host did not confirm it")
	}
	return e.unknown(fmt.Sprintf("the link to the host was lost (%v)", err))
}

// unknown is the answer of a call that was sent and whose outcome is not known.
func (e *exchange) unknown(why string) *Answer {
	answer := failure(&toolkit.Error{
		Code:    toolkit.CodeOutcomeUnknown,
		Message: why + "; it may have run: find out before you repeat it",
	})
	answer.Call = e.message.ID
	return answer
}

// changed is the answer when the definition is another one than the input was
// made for: nothing ran.
func (e *exchange) changed(p *wire.Present) *Answer {
	if p.Error != nil {
		return failure(p.Error.Error())
	}
	return failure(&toolkit.Error{Code: toolkit.CodeBusy, Message: fmt.Sprintf("the definition of %s changed while the command was read; nothing ran, run it again", e.call.Toolkit)})
}

// failure is an error as an answer.
func failure(err *toolkit.Error) *Answer {
	return &Answer{Envelope: wire.Failure(err), Exit: err.ExitStatus()}
}
