package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// How long a connection may be silent before its first OPEN and between PRESENT
// and CALL, and between two calls; how long a CALL of many frames may take.
const (
	handshakeTimeout = 2 * time.Second
	idleTimeout      = 5 * time.Minute
	transferTimeout  = time.Minute
)

// longMessage is the size in bytes from which an input or result counts against
// the guest's room for long ones.
const longMessage = 16 << 10

// conn is one guest's connection: a conversation of OPEN and CALL or ATTACH, one
// at a time.
type conn struct {
	host     *Host
	member   *member
	wire     *wire.Conn
	patience *patience
	// task is the latest request, or nil.
	task atomic.Pointer[task]
	// version is the protocol that OPEN agreed on, 0 before. Tasks set it, and the
	// loop reads it between tasks.
	version int
	// arriving is the room that messages have taken since the latest request; unread
	// is what has come of the present one, and counted as much of it as has a room.
	arriving, unread, counted int
	// lost is set when the loop has ended.
	lost atomic.Bool
}

// task is a request that a goroutine of its own answers, so that the reading one
// can hear CANCEL and answer PING.
type task struct {
	cancel context.CancelCauseFunc
	// flow is what streams beside the call, nil for nothing, and streamed its call.
	flow     atomic.Pointer[flow]
	streamed *call
	// read is closed when the call's input is read; call is set then, or nil
	// when it is refused or not this caller's own.
	read chan struct{}
	call *call
	// sent is called when the answer is sent, if it is not nil.
	sent func()
	// replying is set just before the answer is sent, done closed just after.
	replying atomic.Bool
	done     chan struct{}
}

// converse serves a connection until either side ends it.
func (h *Host) converse(m *member, nc net.Conn) {
	c := &conn{host: h, member: m, wire: wire.NewConn(nc)}
	c.patience = newPatience(func() { c.wire.Close() })
	c.wire.Begins = c.patience.listen
	c.wire.Admit = c.admit
	defer c.patience.stop()
	defer c.wire.Close()
	defer context.AfterFunc(m.life, c.hangUp)()
	if err := c.loop(); !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		h.log.Debug("connection ended", "guest", m.id, "error", err)
		c.wire.Close() // nothing follows a FAIL
	}
	m.quota.giveInput(c.arriving)
	c.lost.Store(true)
	if t := c.task.Load(); t != nil {
		<-t.read
		t.flow.Load().leave(c.wire)
		if t.call != nil {
			h.calls.lost(t.call)
		} else {
			t.cancel(errLinkLost)
		}
		<-t.done
	}
}

// acked lets go of what is kept of a call for whoever has its streams: the peer, if it
// had them here, has all of them.
func (c *conn) acked(m *wire.Ack) {
	if t := c.task.Load(); t != nil && !c.busy() && t.streamed != nil && t.streamed.scope.ID == m.ID {
		t.streamed.release()
	}
}

// admit holds what the peer sends against its limits, before it is read.
func (c *conn) admit(bytes int, passes bool) *toolkit.Error {
	err := c.member.quota.frame(c.member.life, bytes)
	if err == nil && !passes { // what passes is bounded by its slot's window, or not kept
		err = c.makeRoom(bytes)
	}
	if err != nil {
		return asError(c.host.noted(c.member, err))
	}
	return nil
}

// makeRoom takes room for a message that turns out to be long, all of it.
func (c *conn) makeRoom(bytes int) error {
	c.unread += bytes
	if c.unread <= longMessage {
		return nil
	}
	more := c.unread - c.counted
	if err := c.member.quota.takeInput(more); err != nil {
		return err
	}
	c.arriving += more
	c.counted = c.unread
	return nil
}

// lastAnswer is how long the last answer on a connection may take, once its call was
// cancelled.
const lastAnswer = 500 * time.Millisecond

// hangUp ends the connection when the host closes or the guest is removed, after the
// answer to a running call.
func (c *conn) hangUp() {
	defer c.wire.Close()
	t := c.task.Load()
	if t == nil {
		return
	}
	patience := time.NewTimer(lastAnswer)
	defer patience.Stop()
	select {
	case <-t.done:
	case <-patience.C: // a peer that does not read holds nobody up
	}
}

// loop reads messages until the connection ends. A peer that breaks the
// protocol is told so and loses this connection only.
func (c *conn) loop() error {
	for {
		msg, err := c.wire.Receive()
		if err != nil {
			return err
		}
		c.unread, c.counted = 0, 0
		switch m := msg.(type) {
		case *wire.Open:
			err = c.begin(m, func(ctx context.Context, t *task) wire.Message { return c.open(ctx, t, m) })
		case *wire.Call:
			err = c.begin(m, func(ctx context.Context, t *task) wire.Message { return c.answer(ctx, t, m) })
		case *wire.Attach:
			err = c.begin(m, func(ctx context.Context, t *task) wire.Message { return c.attach(ctx, t, m) })
		case *wire.Cancel:
			c.cancel(m)
		case *wire.Ack:
			c.acked(m)
		case *wire.Data, *wire.End, *wire.Credit:
			err = c.stream(m)
		default:
			err = c.refuse(fmt.Sprintf("unexpected %s", msg.Type()))
		}
		if err != nil {
			return err
		}
	}
}

// stream takes what belongs to a slot of the latest call.
func (c *conn) stream(m wire.Message) error {
	var f *flow
	if t := c.task.Load(); t != nil {
		f = t.flow.Load()
	}
	if f == nil {
		return c.refuse(fmt.Sprintf("unexpected %s", m.Type()))
	}
	if err := f.slots.Handle(c.wire, m); err != nil {
		return c.refuse(err.Error())
	}
	return nil
}

// refuse tells a peer what it did wrong, and ends the connection.
func (c *conn) refuse(mistake string) error {
	fail := wire.Failure(&toolkit.Error{Code: toolkit.CodeInternalError, Message: mistake})
	return errors.Join(fmt.Errorf("%w: %s", wire.ErrProtocol, mistake), c.wire.Send(&wire.Fail{Envelope: fail}))
}

// begin starts to answer a request.
func (c *conn) begin(m wire.Message, answer func(context.Context, *task) wire.Message) error {
	_, opens := m.(*wire.Open)
	switch {
	case c.busy():
		return c.refuse(fmt.Sprintf("%s while a request is answered", m.Type()))
	case !opens && c.version == 0:
		return c.refuse(fmt.Sprintf("%s before OPEN", m.Type()))
	}
	if before := c.task.Load(); before != nil && before.streamed != nil {
		before.streamed.release() // whoever goes on has the RESULT
	}
	c.patience.stop()
	ctx, cancel := context.WithCancelCause(c.member.life)
	t := &task{cancel: cancel, read: make(chan struct{}), done: make(chan struct{})}
	c.task.Store(t)
	room := c.arriving
	c.arriving = 0
	go func() { // converse waits for done
		defer close(t.done)
		defer cancel(nil)
		reply := answer(ctx, t)
		t.finishReading()
		t.replying.Store(true)
		c.member.quota.giveInput(room)
		if isBusy(reply) { // one that asks again at once costs more than it is refused
			c.member.quota.delay(ctx, busyPause)
		}
		c.reply(reply)
		t.flow.Load().leave(c.wire)
		if _, failed := reply.(*wire.Fail); failed {
			c.wire.Close()
		}
		c.patience.expect(patienceAfter(reply))
		if t.sent != nil {
			t.sent()
		}
	}()
	return nil
}

// reply sends an answer, which counts against the guest's room for long results
// until the guest has read it.
func (c *conn) reply(m wire.Message) {
	result, ok := m.(*wire.Result)
	if bytes := size(result); ok && bytes > longMessage {
		c.member.quota.sendResult(bytes)
		defer c.member.quota.sendResult(-bytes)
	}
	c.send(m)
}

// busyPause is how long a guest over a limit waits to be told.
const busyPause = 100 * time.Millisecond

func isBusy(reply wire.Message) bool {
	result, ok := reply.(*wire.Result)
	return ok && result.Code == toolkit.CodeBusy
}

// patienceAfter is how long the peer may be silent after a reply.
func patienceAfter(reply wire.Message) time.Duration {
	if _, presented := reply.(*wire.Present); presented {
		return handshakeTimeout
	}
	return idleTimeout
}

// finishReading says that no call of the task's own is to come.
func (t *task) finishReading() {
	select {
	case <-t.read:
	default:
		close(t.read)
	}
}

// open is the answer to an OPEN. One about many tools waits for its turn.
func (c *conn) open(ctx context.Context, t *task, m *wire.Open) *wire.Present {
	t.finishReading()
	if m.Want != wire.WantCommand && c.member.quota.survey(ctx) {
		t.sent = c.member.quota.surveyed
	}
	return c.present(m)
}

// present is what the OPEN asks for.
func (c *conn) present(m *wire.Open) *wire.Present {
	p := c.host.present(c.member, m)
	if p.Version != 0 {
		c.version = p.Version
	}
	return p
}

// answer is what a CALL comes to: its RESULT, or another PRESENT when the
// definition is no longer the one that the input was made for.
func (c *conn) answer(ctx context.Context, t *task, m *wire.Call) wire.Message {
	made, err := c.read(m)
	if err != nil {
		return failure(err)
	}
	if revision, _ := made.entry.measure(); m.Revision != "" && m.Revision != revision {
		return c.present(&wire.Open{Versions: wire.Versions(), Toolkit: m.Toolkit, Words: m.Path, Want: wire.WantCommand})
	}
	files, err := slotsOf(made, m.Slots)
	if err != nil {
		return failure(err)
	}
	if len(m.Slots) > 0 && !m.DryRun {
		if err := c.member.quota.takeSlots(len(m.Slots)); err != nil {
			return failure(c.host.noted(c.member, err))
		}
		made.flow.Store(newFlow(made, m, files, c.wire))
		t.flow.Store(made.flow.Load())
		t.streamed = made
	}
	made.cancel = t.cancel
	made.accepted = func(earlier *call) bool {
		streams, _ := c.accepted(ctx, t, earlier, map[string]int64{}, false)
		return streams
	}
	notes := newNotes(c)
	defer notes.finish()
	made.progress = notes.add
	t.call = made
	made.sought = t.finishReading
	return c.host.dispatch(ctx, made)
}

// read is the call that a CALL asks for.
func (c *conn) read(m *wire.Call) (*call, error) {
	inv := &toolkit.Invocation{Toolkit: m.Toolkit, Path: m.Path, Input: m.Input}
	timeout := time.Duration(min(m.TimeoutMS, longestTimeout.Milliseconds())) * time.Millisecond
	made, err := c.host.newCall(c.member, m.ID, inv, timeout)
	if err == nil {
		made.dryRun = m.DryRun
	}
	return made, err
}

// attach is the outcome of a call that was made earlier.
func (c *conn) attach(ctx context.Context, t *task, m *wire.Attach) wire.Message {
	t.finishReading() // there is no call of its own to come
	if err := c.member.quota.call(); err != nil {
		return failure(c.host.noted(c.member, err))
	}
	have := m.Have
	if have == nil && m.Sent != nil {
		have = map[string]int64{}
	}
	var wrong error
	answer := c.host.attach(ctx, c.member, m.ID, func(earlier *call) (streams bool) {
		if streams, wrong = c.accepted(ctx, t, earlier, have, true); wrong != nil {
			t.cancel(errLinkLost) // this caller's, not the call's
		}
		return streams
	})
	if wrong != nil {
		return &wire.Fail{Envelope: wire.Failure(&toolkit.Error{Code: toolkit.CodeInternalError, Message: wrong.Error()})}
	}
	return answer
}

// accepted tells the peer that the call runs, and for how long it may. The call's
// streams go on over this link from what the peer has, unless it does not say. While
// they flow over another link they are waited for, and without them there is no
// ACCEPTED, after which the peer would send them: only the outcome comes.
func (c *conn) accepted(ctx context.Context, t *task, call *call, have map[string]int64, comesBack bool) (streams bool, err error) {
	f := call.flow.Load()
	if f == nil || have == nil {
		c.send(call.greeting(nil))
		return false, nil
	}
	for told := false; ; told = true {
		before := t.flow.Swap(f) // the peer may send DATA as soon as it reads ACCEPTED
		elsewhere, err := f.take(c.wire, call, have, comesBack)
		if err == nil && elsewhere == nil {
			t.streamed = call
			if c.lost.Load() { // what was sent just now went nowhere
				f.leave(c.wire)
			}
			return true, nil
		}
		t.flow.Store(before)
		if err != nil {
			c.host.log.Debug("streams", "guest", c.member.id, "call", call.scope.ID, "error", err)
			if comesBack && errors.Is(err, wire.ErrProtocol) {
				return false, err
			}
			return false, nil
		}
		if call == t.call {
			return false, nil // this link was given up for one that came back; the call runs
		}
		if !told {
			c.send(&wire.Note{Kind: wire.NoteNotice, Text: "another caller made this call and has its streams; unless that one is lost, only the outcome comes here"})
		}
		select {
		case <-elsewhere:
		case <-call.done:
			return false, nil
		case <-ctx.Done():
			return false, nil
		}
	}
}

// busy reports whether a request of this connection is still unanswered.
func (c *conn) busy() bool {
	t := c.task.Load()
	if t == nil {
		return false
	}
	if t.replying.Load() {
		<-t.done // the peer may have read RESULT before this side saw it sent
	}
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}

// send writes a message of a request. A link that breaks here is noticed
// by the reader; an answer that the protocol cannot carry is told as such.
func (c *conn) send(m wire.Message) {
	err := c.wire.Send(m)
	if err == nil {
		return
	}
	c.host.log.Debug("send", "guest", c.member.id, "message", m.Type(), "error", err)
	if _, isAnswer := m.(*wire.Result); isAnswer {
		_ = c.wire.Send(failure(&toolkit.Error{ // fails at once where the link is broken
			Code: toolkit.CodeResultTooLarge, Message: "the answer is more than a message can carry; ask for less",
		}))
	}
}

// cancel ends the running call, if there is one.
func (c *conn) cancel(m *wire.Cancel) {
	if t := c.task.Load(); t != nil {
		t.cancel(&toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled by the caller (" + clip(m.Reason, longestReason) + ")"})
	}
}

// What a guest says of a call is cut at these many bytes, and a caller's timeout
// at this time.
const (
	longestReason  = 200
	longestTimeout = 365 * 24 * time.Hour
)

// clip cuts a text that is too long to repeat.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
