package guest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
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

	// Stdin, Stdout and Stderr are the streams that the caller serves, for tools that
	// declare them; nil ones are not offered. Stdin is read as far as the tool takes
	// it. A Read that waits when the call is over is left to itself.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Files are the contents of the files that Input names, OutFiles the places for
	// those that the tool writes, by the JSON Pointer (RFC 6901) of the parameter.
	Files    map[string]File
	OutFiles map[string]io.Writer
}

// NewCallID is a call id that no other process makes.
func NewCallID() string { return rand.Text() }

// How long a lost link is dialled again for a call that was begun, how long a
// cancelled call's outcome is waited for, how much longer than the call's own time its
// outcome, before the link that should bring it is given up, and after how long a lost
// link is dialled again at once.
const (
	recoverWait = 60 * time.Second
	cancelWait  = time.Second
	overdueWait = 2 * time.Second
	lastingLink = time.Second
)

// longestMS is the longest time of a call, in milliseconds, that is reckoned with.
const longestMS = 365 * 24 * 60 * 60 * 1000

// Call calls a tool and waits for its outcome. When the context ends the call is
// cancelled, and its outcome waited for one second more at most. The answer is
// never nil: an unreachable host and an unknown outcome are answers too.
func (c *Client) Call(ctx context.Context, call *Call) *Answer {
	e := &exchange{client: c, early: c.dialer.patience(), call: call, message: &wire.Call{
		ID: call.ID, Toolkit: call.Toolkit, Path: call.Path, Input: call.Input, Revision: call.Revision,
		TimeoutMS: milliseconds(call.Timeout), DryRun: call.DryRun,
	}}
	if call.ID == "" {
		e.message.ID = NewCallID()
	}
	if call.Input == nil {
		e.message.Input = json.RawMessage("{}")
	}
	if e.flow = newFlow(call); e.flow != nil {
		e.message.Slots, e.message.Files = e.flow.names, e.flow.files
	}
	return e.flow.finish(e.run(ctx))
}

// Await waits for the outcome of a call that this guest made before, perhaps in
// another process. The end of the context ends the wait, not the call. An id that
// the host does not know is answered with CALL_NOT_FOUND.
func (c *Client) Await(ctx context.Context, id string, note func(text string)) *Answer {
	e := &exchange{
		client: c, early: c.dialer.patience(), call: &Call{ID: id, Note: note}, message: &wire.Call{ID: id}, looksOn: true, accepted: true,
	}
	return e.run(ctx)
}

// milliseconds rounds up, so that a short timeout does not become none.
func milliseconds(d time.Duration) int64 {
	whole := d.Milliseconds()
	if d > time.Duration(whole)*time.Millisecond {
		whole++
	}
	return whole
}

// exchange is one call over as many links as it takes.
type exchange struct {
	client  *Client
	call    *Call
	message *wire.Call
	// flow is what streams beside the call, nil for nothing.
	flow *flow
	// looksOn says that another caller made the call, who alone may cancel it.
	looksOn bool
	// epoch is the life of the host that has been sent all of CALL; empty before.
	epoch string
	// accepted says that the host has the call: from here on it is asked for by
	// its id. deadline is when the call is over, zero as long as that is not known.
	accepted bool
	deadline time.Time
	// kept says that the latest link had been idle, so that its loss means little;
	// early is how long other links are tried before CALL was sent.
	kept  bool
	early *patience
	// lost is when a link broke after CALL was sent; zero before. pause is the
	// wait before the next attempt.
	lost  time.Time
	pause time.Duration
	// since is when the call was accepted on the latest link. One that lasts lets the
	// next be dialled at once; others do not, or two callers would take the streams from
	// each other as fast as they can.
	since time.Time
	// resent says that CALL was sent on an earlier link: whether it runs is not known
	// any more from a limit that keeps this one out.
	resent bool
}

// run takes as many links as it takes.
func (e *exchange) run(ctx context.Context) *Answer {
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

// attempt sends the call over one link. An error is the link's; whatever the
// host said is an answer.
func (e *exchange) attempt(ctx context.Context) (*Answer, error) {
	l, shown, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := e.over(ctx, l, shown)
	if wrong, ok := errors.AsType[*wire.Unsendable](err); ok {
		answer, err = failure(&toolkit.Error{Code: toolkit.CodeValidationError, Message: "the call cannot be sent: " + wrong.Error()}), nil
	}
	if err != nil || ctx.Err() != nil {
		l.close()
		return answer, err
	}
	e.flow.stop() // nothing of them may follow on this link
	e.client.release(l)
	return answer, nil
}

// connect is a link on which the host has presented itself, within the time that
// is left for one, and what it presented if that was now.
func (e *exchange) connect(ctx context.Context) (*link, *wire.Present, error) {
	if !e.lost.IsZero() {
		bound, cancel := context.WithDeadline(ctx, e.until())
		defer cancel()
		ctx = bound
	}
	e.kept = false
	l, err := e.client.take(ctx)
	if err != nil || l.epoch != "" {
		e.kept = err == nil
		return l, nil, err
	}
	e.kept = l.used
	open := &wire.Open{Toolkit: e.call.Toolkit, Words: e.call.Path, Want: wire.WantCommand}
	if e.accepted {
		open = &wire.Open{Want: wire.WantCalls, Query: e.message.ID}
	}
	shown, err := l.open(ctx, open)
	if err != nil {
		l.close()
	}
	return l, shown, err
}

// over sends the call over the link and waits for its outcome.
func (e *exchange) over(ctx context.Context, l *link, shown *wire.Present) (*Answer, error) {
	if shown != nil && shown.Error != nil && e.epoch == "" {
		return failure(shown.Error.Error()), nil
	}
	if e.epoch != "" && e.epoch != l.epoch {
		return e.unknown("the host restarted during the call"), nil
	}
	sent := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		if e.looksOn {
			l.close()
			return
		}
		time.AfterFunc(cancelWait, l.close)
		<-sent                                                            // a CANCEL that overtakes its CALL cancels nothing
		_ = l.wire.Send(&wire.Cancel{Reason: context.Cause(ctx).Error()}) // a broken link shows in listen
	})()
	var request wire.Message = e.message
	if e.accepted {
		request = e.attach()
	}
	err := l.send(request)
	close(sent)
	if err != nil { // the host has not got all of it, so it cannot act on it
		e.early.renew()
		return nil, err
	}
	e.epoch = l.epoch
	return e.listen(l)
}

// attach asks for the call by its id, and for what its streams still owe.
func (e *exchange) attach() *wire.Attach {
	if e.flow == nil {
		return &wire.Attach{ID: e.message.ID}
	}
	return &wire.Attach{ID: e.message.ID, Have: e.flow.slots.Have(), Sent: e.flow.slots.Sent()}
}

// listen waits for RESULT.
func (e *exchange) listen(l *link) (*Answer, error) {
	overdue := time.AfterFunc(e.patience(), l.close)
	defer overdue.Stop()
	for {
		msg, err := l.wire.Receive()
		if err != nil {
			return nil, err
		}
		switch m := msg.(type) {
		case *wire.Accepted:
			e.accepted, e.lost, e.since = true, time.Time{}, time.Now()
			if m.TimeoutMS > 0 {
				e.deadline = time.Now().Add(time.Duration(min(m.TimeoutMS, longestMS)) * time.Millisecond)
				overdue.Reset(e.patience())
			}
			if err := e.flow.goOn(l, m.Have); err != nil {
				return nil, err
			}
		case *wire.Data, *wire.End, *wire.Credit:
			if err := e.flow.handle(l, m); err != nil {
				return nil, err
			}
		case *wire.Note:
			if e.call.Note != nil {
				e.call.Note(m.Text)
			}
		case *wire.Result:
			// The host remembers the call until it is told or tires of it.
			_ = l.wire.Send(&wire.Ack{ID: e.message.ID})
			if e.resent && m.Code == toolkit.CodeBusy {
				return nil, m.Error() // what the limit keeps out is the question, not the call
			}
			if e.forgotten(m) {
				return e.unknown("the host no longer knows the call"), nil
			}
			return received(m), nil
		case *wire.Present:
			return e.changed(m), nil
		default:
			return nil, fmt.Errorf("%w: unexpected %s", wire.ErrProtocol, msg.Type())
		}
	}
}

// patience is how long the outcome is waited for on a link that seems well.
func (e *exchange) patience() time.Duration {
	if e.deadline.IsZero() {
		return math.MaxInt64
	}
	return time.Until(e.deadline) + overdueWait
}

// forgotten reports whether the host says of a call that it accepted from this
// very client that there is none.
func (e *exchange) forgotten(r *wire.Result) bool {
	return e.accepted && !e.looksOn && r.Code == toolkit.CodeCallNotFound
}

// until is when a call whose link was lost is given up: when the host would end
// it, and a moment later if the link was lost just then.
func (e *exchange) until() time.Time {
	until := e.lost.Add(recoverWait)
	if e.deadline.IsZero() || e.deadline.After(until) {
		return until
	}
	if e.lost.After(e.deadline) {
		return e.lost.Add(overdueWait)
	}
	return e.deadline
}

// again reports whether another link should be tried after this error.
func (e *exchange) again(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if e.epoch == "" {
		return e.kept || e.early.again(ctx, err)
	}
	if e.lost.IsZero() {
		e.lost = time.Now()
		if t := e.call.Timeout; t > 0 && e.deadline.IsZero() {
			e.deadline = e.lost.Add(t)
		}
	}
	if !time.Now().Before(e.until()) || permanent(err) || e.isFinal(err) {
		return false
	}
	if !e.since.IsZero() && time.Since(e.since) >= lastingLink {
		e.pause = 0
	}
	e.since, e.resent = time.Time{}, true
	wait := e.pause
	e.pause = min(2*e.pause+10*time.Millisecond, time.Second)
	return wait == 0 || sleep(ctx, min(jitter(wait), time.Until(e.until())))
}

// isFinal reports whether another link would not help: one side broke the
// protocol, or the host is over a limit and has not taken the call.
func (e *exchange) isFinal(err error) bool {
	var told *toolkit.Error
	return errors.Is(err, wire.ErrProtocol) || errors.As(err, &told) && !e.accepted && !e.resent && told.Code != toolkit.CodeHostUnreachable
}

// conclude is the answer when no link brought one: nothing happened, or nobody
// knows.
func (e *exchange) conclude(ctx context.Context, err error) *Answer {
	var told *toolkit.Error
	switch {
	case e.looksOn && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return e.stopped(toolkit.CodeTimeout, []map[string]string{{"limit": "caller"}})
	case e.looksOn && ctx.Err() != nil:
		return e.stopped(toolkit.CodeOutcomeUnknown, nil)
	case e.epoch == "":
		return failure(e.client.dialer.unsent(ctx, err))
	case errors.As(err, &told) && told.Code == toolkit.CodeBusy && !e.accepted && !e.resent:
		return failure(told)
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
		Hint:    "agentos calls " + e.message.ID,
	})
	answer.Call = e.message.ID
	return answer
}

// stopped is the answer of a wait that ended before the call did; the details say by
// which limit.
func (e *exchange) stopped(code string, details any) *Answer {
	answer := failure(&toolkit.Error{
		Code:    code,
		Message: fmt.Sprintf("the call %s is not over: only the wait for it ended", e.message.ID),
		Hint:    "agentos await " + e.message.ID,
		Details: details,
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
	answer := failure(&toolkit.Error{Code: toolkit.CodeBusy, Message: fmt.Sprintf("the definition of %s changed while the command was read; nothing ran, run it again", e.call.Toolkit)})
	answer.Stale = true
	return answer
}
