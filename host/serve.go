package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/internal/wire"
)

// ListenAndServe listens at every address and serves until the context ends or
// the host closes; then it returns nil. Addresses are
// "unix:///PATH?guest=ID", "hybrid:///PATH?port=N&guest=ID" and "vsock://:PORT",
// which needs registered guests or says "?cid=any".
func (h *Host) ListenAndServe(ctx context.Context, addrs ...string) error {
	if len(addrs) == 0 {
		return errors.New("listen: no address given")
	}
	listeners, err := h.listen(ctx, addrs)
	if err != nil {
		return err
	}
	for _, l := range listeners {
		h.listening(l.Addr().String())
		h.work.Go(func() { // ends when the listener closes, below
			h.logged(h.serve(ctx, l, func(p transport.Peer) (*member, error) { return h.identify(l.Addr(), p) }))
		})
	}
	select {
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
	closeAll(listeners)
	return nil
}

// listen opens every address, or none.
func (h *Host) listen(ctx context.Context, addrs []string) ([]*transport.Listener, error) {
	var listeners []*transport.Listener
	var errs []error
	implicit := 0
	for _, text := range addrs {
		l, err := h.listenAt(ctx, text)
		if err == nil && l.Addr().Guest == transport.DefaultGuest {
			if implicit++; implicit > 1 {
				err = errors.Join(fmt.Errorf("listen on %s: the guest %q has a socket already; say whose this one is with ?guest=ID", text, transport.DefaultGuest), l.Close())
			}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		listeners = append(listeners, l)
	}
	if len(errs) > 0 {
		closeAll(listeners)
		return nil, errors.Join(errs...)
	}
	return listeners, nil
}

func (h *Host) listenAt(ctx context.Context, text string) (*transport.Listener, error) {
	addr, err := transport.ParseListen(text)
	if err != nil {
		return nil, err
	}
	if addr.Scheme == "vsock" && !addr.AnyCID && !h.guests.anyCIDs() {
		return nil, fmt.Errorf("listen on %s: no guest with a CID is registered; %s?cid=any takes every CID for a guest of its own", text, text)
	}
	l, err := transport.Listen(ctx, addr)
	if err != nil {
		return nil, err
	}
	reports := &seldom{}
	l.Report = func(err error) {
		if times, now := reports.tell(); now {
			h.log.Warn("listener", "address", text, "error", err, "times", times)
		}
	}
	return l, nil
}

func closeAll(listeners []*transport.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

// Serve serves the connections of a listener, all of them as the guest of that
// id: the listener is the identity. It returns nil when the context ends or the
// host or the listener closes, and the listener is closed then.
func (h *Host) Serve(ctx context.Context, l net.Listener, guest string) error {
	return h.serve(ctx, plain{l}, func(transport.Peer) (*member, error) { return h.guests.named(guest), nil })
}

// acceptor is what serve needs of a listener.
type acceptor interface {
	Accept() (net.Conn, transport.Peer, error)
	Close() error
}

// plain is a net.Listener without peer identity.
type plain struct{ net.Listener }

// Accept waits for a connection, whose peer proves nothing.
func (p plain) Accept() (net.Conn, transport.Peer, error) {
	conn, err := p.Listener.Accept()
	return conn, transport.Peer{UID: -1, PID: -1}, err
}

// serve accepts until the listener closes. The loop looks the peer up, checks its
// limits and does nothing else: a VMM may wait for it.
func (h *Host) serve(ctx context.Context, l acceptor, identify func(transport.Peer) (*member, error)) error {
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	defer context.AfterFunc(h.ctx, func() { l.Close() })()
	var strangers seldom
	for {
		conn, peer, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed) || ctx.Err() != nil || h.ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case err != nil:
			return fmt.Errorf("accept: %w", err)
		}
		m, err := identify(peer)
		if err != nil {
			if times, now := strangers.tell(); now {
				h.log.Warn("turn away a stranger", "error", err, "times", times)
			}
			conn.Close()
			continue
		}
		if over := h.welcome(m, conn); over && peer.Guest != "" {
			h.pause(ctx)
		}
	}
}

// floodPause is how long a guest's own socket rests after each connection over
// its rate: to accept and close them all would cost a processor.
const floodPause = time.Millisecond

func (h *Host) pause(ctx context.Context) {
	timer := time.NewTimer(floodPause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
}

// welcome serves a guest's connection, or turns it away. It reports whether the
// guest connects too often.
func (h *Host) welcome(m *member, conn net.Conn) (over bool) {
	if err := m.quota.connect(); err != nil {
		h.turnAway(m, conn, err)
		return true
	}
	switch err := h.guests.hold(m, conn); {
	case errors.Is(err, errEnded):
		conn.Close()
	case err != nil:
		h.turnAway(m, conn, err)
	default:
		h.work.Go(func() { // ends with the connection; joined by Close
			defer h.guests.drop(m, conn)
			h.converse(m, conn)
		})
	}
	return false
}

// How many peers are told at once why they are not served, and how long each may
// take to listen. Beyond that a connection is closed without a word: a flood must
// not cost more than its closing.
const (
	maxFarewells = 16
	farewell     = 100 * time.Millisecond
)

// turnAway closes a connection that is not served, and says why.
func (h *Host) turnAway(m *member, nc net.Conn, err error) {
	_ = h.noted(m, err) // it is told below
	select {
	case h.farewells <- struct{}{}:
	default:
		nc.Close()
		return
	}
	h.work.Go(func() { // ends within farewell; joined by Close
		defer func() { <-h.farewells }()
		conn := wire.NewConn(nc)
		conn.Timing.Progress = farewell
		heard := make(chan struct{})
		go func() { // ends with the connection, waited for below
			defer close(heard)
			_, _ = conn.Receive() // a peer that sends first may not listen before
		}()
		defer func() {
			conn.Close()
			<-heard
		}()
		_ = conn.Send(&wire.Fail{Envelope: failure(err).Envelope}) // a peer that does not listen hears nothing
	})
}

// logged tells the log of a listener that failed.
func (h *Host) logged(err error) {
	if err != nil {
		h.log.Error("listener failed", "error", err)
	}
}

// identify is the guest behind a connection, by what the channel proves.
func (h *Host) identify(addr transport.Address, p transport.Peer) (*member, error) {
	if p.Guest != "" {
		return h.guests.named(p.Guest), nil
	}
	return h.guests.atCID(p.CID, addr.AnyCID)
}

// Dialer opens connections in memory to this host, as the guest of that id: it
// is the guest.Options.Dial of a program that is host and guest at once.
func (h *Host) Dialer(guest string) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		if h.ctx.Err() != nil {
			return nil, net.ErrClosed
		}
		near, far := net.Pipe()
		h.welcome(h.guests.named(guest), far)
		return near, nil
	}
}

// AddGuest begins a generation of a guest. With an address of its own the guest
// is served at once, until RemoveGuest or Close. A guest that is there already
// goes on, with its calls, under the new CID or address. A CID that belonged to
// another guest less than ten minutes ago is refused without ReuseCID.
func (h *Host) AddGuest(ctx context.Context, g Guest) error {
	if g.ID == "" {
		return errors.New("add guest: no id given")
	}
	var l *transport.Listener
	if g.Addr != "" {
		var err error
		if l, err = h.listenFor(ctx, g); err != nil {
			return fmt.Errorf("add guest %q: %w", g.ID, err)
		}
	}
	m, err := h.guests.add(g, l)
	if err != nil {
		if l != nil {
			l.Close()
		}
		return err
	}
	if l != nil {
		h.work.Go(func() { // ends when RemoveGuest or Close closes the listener
			h.logged(h.serve(h.ctx, l, func(transport.Peer) (*member, error) { return m, nil }))
		})
	}
	return nil
}

// listenFor opens the guest's own address.
func (h *Host) listenFor(ctx context.Context, g Guest) (*transport.Listener, error) {
	addr, err := transport.ParseListen(g.Addr)
	switch {
	case err != nil:
		return nil, err
	case addr.Scheme == "vsock":
		return nil, fmt.Errorf("%s is no address of its own: every VM of this machine reaches it; give the guest a CID and ListenAndServe the address", g.Addr)
	}
	return h.listenAt(ctx, g.Addr)
}

// RemoveGuest ends the guest's generation: its listener closes, its running calls
// are cancelled, and each connection closes once its caller has been told. It
// reports whether there was such a guest.
func (h *Host) RemoveGuest(id string) bool {
	m := h.guests.remove(id)
	if m == nil {
		return false
	}
	h.calls.forget(m.guest.Generation)
	return true
}
