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

// conn is one guest's connection: a conversation of OPEN and CALL, one call at
// a time.
type conn struct {
	host  *Host
	guest toolkit.Guest
	wire  *wire.Conn
	// patience closes the connection when the peer is silent for too long where
	// it should speak.
	patience *time.Timer
	// task is the latest call, or nil.
	task atomic.Pointer[task]
}

// task is a call that a connection waits for.
type task struct {
	cancel context.CancelCauseFunc
	// read is closed when the call's input is read; call is set then, or nil
	// when it is refused.
	read chan struct{}
	call *call
	// replying is set just before the answer is sent, done closed just after.
	replying atomic.Bool
	done     chan struct{}
}

// converse serves a connection until either side ends it.
func (h *Host) converse(m *member, nc net.Conn) {
	c := &conn{host: h, guest: m.guest, wire: wire.NewConn(nc)}
	c.patience = time.AfterFunc(handshakeTimeout, func() { c.wire.Close() })
	c.wire.Begins = func() { c.patience.Reset(transferTimeout) }
	defer c.patience.Stop()
	defer c.wire.Close()
	defer context.AfterFunc(h.ctx, c.hangUp)()
	if err := c.loop(); !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		h.log.Debug("connection ended", "guest", m.guest.ID, "error", err)
	}
	if t := c.task.Load(); t != nil {
		<-t.read
		if t.call != nil {
			h.calls.lost(t.call)
		}
		<-t.done
	}
}

// hangUp ends the connection when the host closes, after the answer to a
// running call.
func (c *conn) hangUp() {
	if t := c.task.Load(); t != nil {
		<-t.done
	}
	c.wire.Close()
}

// loop reads messages until the connection ends. A peer that breaks the
// protocol is told so and loses this connection only.
func (c *conn) loop() error {
	for {
		msg, err := c.wire.Receive()
		if err != nil {
			return err
		}
		switch m := msg.(type) {
		case *wire.Open:
			err = c.open(m)
		case *wire.Call:
			err = c.call(m)
		case *wire.Cancel:
			c.cancel(m)
		case *wire.Ack:
		default:
			err = c.refuse(fmt.Sprintf("unexpected %s", msg.Type()))
		}
		if err != nil {
			return err
		}
	}
}

// refuse tells a peer what it did wrong, and ends the connection.
func (c *conn) refuse(mistake string) error {
	fail := wire.Failure(&toolkit.Error{Code: toolkit.CodeInternalError, Message: mistake})
	return errors.Join(fmt.Errorf("%w: %s", wire.ErrProtocol, mistake), c.wire.Send(&wire.Fail{Envelope: fail}))
}

// open presents what the peer asks for.
func (c *conn) open(m *wire.Open) error {
	if c.busy() {
		return c.refuse("OPEN while a call runs")
	}
	c.patience.Reset(handshakeTimeout)
	return c.wire.Send(c.host.present(m))
}

// call takes a call. A goroutine of its own reads the input and answers, so
// that this one can hear CANCEL and answer PING.
func (c *conn) call(m *wire.Call) error {
	if c.busy() {
		return c.refuse("CALL while a call runs")
	}
	c.patience.Stop()
	ctx, cancel := context.WithCancelCause(c.host.ctx)
	t := &task{cancel: cancel, read: make(chan struct{}), done: make(chan struct{})}
	c.task.Store(t)
	go func() { // converse waits for done
		defer close(t.done)
		defer cancel(nil)
		answer := c.answer(ctx, t, m)
		t.replying.Store(true)
		c.patience.Reset(idleTimeout)
		c.send(answer)
	}()
	return nil
}

// answer is what a CALL comes to: its RESULT, or another PRESENT when the
// definition is no longer the one that the input was made for.
func (c *conn) answer(ctx context.Context, t *task, m *wire.Call) wire.Message {
	inv := &toolkit.Invocation{Toolkit: m.Toolkit, Path: m.Path, Input: m.Input}
	timeout := time.Duration(min(m.TimeoutMS, longestTimeout.Milliseconds())) * time.Millisecond
	call, err := c.host.newCall(c.guest, m.ID, inv, timeout)
	if err != nil {
		close(t.read)
		return failure(err)
	}
	if revision, _ := call.entry.measure(); m.Revision != "" && m.Revision != revision {
		close(t.read)
		return c.host.present(&wire.Open{Versions: wire.Versions(), Toolkit: m.Toolkit, Words: m.Path, Want: wire.WantCommand})
	}
	call.dryRun = m.DryRun
	call.cancel = t.cancel
	id := m.ID // the functions must not keep the input
	call.accepted = func() { c.send(&wire.Accepted{ID: id}) }
	call.progress = func(text string) {
		if !t.replying.Load() { // later ones are not this call's
			c.send(&wire.Note{Kind: wire.NoteProgress, Text: clip(text, longestNote)})
		}
	}
	t.call = call
	close(t.read)
	return c.host.dispatch(ctx, call)
}

// busy reports whether a call of this connection is still unanswered.
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

// send writes a message of a running call. A link that breaks here is noticed
// by the reader; an answer that the protocol cannot carry is told as such.
func (c *conn) send(m wire.Message) {
	err := c.wire.Send(m)
	if err == nil {
		return
	}
	c.host.log.Debug("send", "guest", c.guest.ID, "message", m.Type(), "error", err)
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

// What a guest or a handler says of a call is cut at these many bytes, and a
// caller's timeout at this time.
const (
	longestReason  = 200
	longestNote    = 4 << 10
	longestTimeout = 365 * 24 * time.Hour
)

// clip cuts a text that is too long to repeat.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
