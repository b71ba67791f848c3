package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// DefaultDialWait is how long a client waits for a host that is not there yet.
const DefaultDialWait = 2 * time.Second

// attemptTimeout limits one attempt to connect or to be presented something.
const attemptTimeout = 2 * time.Second

// DialFunc opens one connection to the host.
type DialFunc func(ctx context.Context) (net.Conn, error)

// dialer connects, patiently: a guest may start before its host.
type dialer struct {
	dial DialFunc
	wait time.Duration
}

// newDialer dials as the options say.
func newDialer(o *Options) (dialer, error) {
	d := dialer{dial: o.Dial, wait: o.DialWait}
	if d.wait <= 0 {
		d.wait = DefaultDialWait
	}
	if d.dial == nil {
		addr, err := transport.ParseDial(o.Addr)
		if err != nil {
			return dialer{}, &toolkit.Error{Code: toolkit.CodeHostUnreachable, Message: err.Error()}
		}
		d.dial = func(ctx context.Context) (net.Conn, error) { return transport.Dial(ctx, addr) }
	}
	return d, nil
}

// connect is a new link.
func (d dialer) connect(ctx context.Context) (*link, error) {
	conn, err := d.conn(ctx)
	if err != nil {
		return nil, err
	}
	return &link{wire: wire.NewConn(conn)}, nil
}

// conn dials until it succeeds, the wait is over or trying again is no use.
func (d dialer) conn(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	var last error
	for p := d.patience(); ; {
		conn, err := d.attempt(ctx)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil && last != nil {
			err = last // it says more than that the time is over
		}
		if !p.again(ctx, err) {
			return nil, d.unreachable(err)
		}
		last = err
	}
}

// patience is how long a host is tried again that is not there, or that goes away
// before it is called: for the wait since it was there, and until last at most.
type patience struct {
	wait      time.Duration
	end, last time.Time
	pause     time.Duration
}

func (d dialer) patience() *patience {
	p := &patience{wait: d.wait, last: time.Now().Add(max(d.wait, recoverWait))}
	p.renew()
	return p
}

// renew says that the host was there a moment ago.
func (p *patience) renew() {
	p.end, p.pause = time.Now().Add(p.wait), 10*time.Millisecond
	if p.end.After(p.last) {
		p.end = p.last
	}
}

// again waits a moment before the next attempt, longer each time. It is false when
// the time is over or another attempt is of no use.
func (p *patience) again(ctx context.Context, err error) bool {
	ctx, cancel := context.WithDeadline(ctx, p.end)
	defer cancel()
	wait := jitter(p.pause)
	p.pause = min(2*p.pause, 500*time.Millisecond)
	return !hopeless(err) && sleep(ctx, wait)
}

// hopeless reports whether another attempt would end alike: something here forbids
// it, one side broke the protocol, or the host or the dialer has spoken.
func hopeless(err error) bool {
	var told *toolkit.Error
	return permanent(err) || errors.Is(err, wire.ErrProtocol) || errors.As(err, &told)
}

func (d dialer) attempt(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return d.dial(ctx)
}

// unreachable is the last attempt's error as a guest may read it.
func (d dialer) unreachable(err error) *toolkit.Error {
	message := err.Error()
	var dial *transport.DialError
	if errors.As(err, &dial) {
		message += ": " + dial.Advice()
	}
	if !hopeless(err) {
		message += d.waited()
	}
	return &toolkit.Error{Code: toolkit.CodeHostUnreachable, Message: message, Hint: "agentos doctor"}
}

// waited says how long a host is waited for.
func (d dialer) waited() string { return " (waited " + d.wait.String() + ")" }

// permanent reports whether dialling again is of no use: something here forbids it.
func permanent(err error) bool {
	var dial *transport.DialError
	return errors.As(err, &dial) && dial.Reason == transport.Forbidden
}

// jitter is between half of d and d, so that many guests do not come at once.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

// sleep reports whether it slept to its end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// errSilent says that a host took a connection and did not answer on it.
var errSilent = fmt.Errorf("the host did not answer within %s: it is stopped or busy, or has more connections waiting than it takes", attemptTimeout)

// link is a connection to the host, of one user at a time.
type link struct {
	wire *wire.Conn
	// epoch is the life of the host at the other end; empty before PRESENT.
	epoch string
	// used says that the link was idle since its last use, so that the host may
	// have closed it.
	used bool
}

func (l *link) close() { l.wire.Close() }

// open sends an OPEN and is the PRESENT that answers it. The link is closed
// when that takes too long.
func (l *link) open(ctx context.Context, open *wire.Open) (*wire.Present, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, l.close)()
	open.Versions = wire.Versions()
	if err := l.send(open); err != nil {
		return nil, err
	}
	msg, err := l.wire.Receive()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, errSilent
	}
	if err != nil {
		return nil, err
	}
	p, ok := msg.(*wire.Present)
	if !ok {
		return nil, fmt.Errorf("%w: %s instead of PRESENT", wire.ErrProtocol, msg.Type())
	}
	if p.Error == nil {
		if err := wire.CheckChosen(p.Version); err != nil {
			return nil, err
		}
	}
	l.epoch = p.Epoch
	return p, nil
}

// lastWordsWait is how long a host that takes nothing more may take to say why.
const lastWordsWait = time.Second

// send sends a message. When that fails the error is what the host said before it
// closed the connection, if it did.
func (l *link) send(m wire.Message) error {
	err := l.wire.Send(m)
	if err == nil {
		return nil
	}
	defer time.AfterFunc(lastWordsWait, l.close).Stop()
	var told *toolkit.Error
	if _, last := l.wire.Receive(); errors.As(last, &told) {
		return last
	}
	return err
}

// unsent is the error of a link that broke before anything was called.
func (d dialer) unsent(ctx context.Context, err error) *toolkit.Error {
	var own *toolkit.Error
	switch {
	case ctx.Err() != nil:
		return &toolkit.Error{Code: toolkit.CodeCancelled, Message: fmt.Sprintf("cancelled before the call was sent (%v)", context.Cause(ctx))}
	case errors.As(err, &own):
		return own
	}
	waited := d.waited()
	switch {
	case errors.Is(err, errSilent):
		return &toolkit.Error{Code: toolkit.CodeHostUnreachable, Message: err.Error() + waited, Hint: "agentos doctor"}
	case errors.Is(err, wire.ErrProtocol):
		waited = ": The host may be of a newer release than this agentos, whose version agentos version tells."
	case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		waited = ": The host closed it without a word: perhaps it does not know this guest, or not yet; its CID or user has to be registered there." + waited
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // without what package net calls the socket
	}
	return &toolkit.Error{Code: toolkit.CodeHostUnreachable, Message: "the link to the host broke: " + err.Error() + waited, Hint: "agentos doctor"}
}
