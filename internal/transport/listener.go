package transport

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// Peer is what the channel proves about the other end of a connection. What a
// transport cannot prove is zero, or -1 for UID and PID.
type Peer struct {
	// Guest is the guest that the listener belongs to; empty on a shared one.
	Guest string
	// CID is the context id of a guest on AF_VSOCK, vouched for by the kernel.
	CID uint32
	// UID and PID are the user and process that connected to a Unix socket, as
	// this process's user and PID namespaces see them (SO_PEERCRED, unix(7)):
	// PID is 0 for a process that is not visible from here. Behind a hybrid
	// listener they are the VMM's.
	UID, PID int
}

// Listener accepts connections. Its methods may be called from several
// goroutines.
type Listener struct {
	// Report, when set before the first Accept, hears what Accept survives: a
	// peer that was turned away, and the first of a row of errors such as
	// "too many open files". It must return soon, as Accept waits for it.
	Report func(error)

	addr     Address
	socket   net.Listener
	identify func(net.Conn) (Peer, error)
	release  func() error // takes the socket's file away, while it still listens

	closing    sync.Once
	closed     chan struct{}
	closeError error // written once, by closing
}

func newListener(addr Address, socket net.Listener, identify func(net.Conn) (Peer, error), release func() error) *Listener {
	return &Listener{addr: addr, socket: socket, identify: identify, release: release, closed: make(chan struct{})}
}

// Listen listens on an address that ParseListen made. The context bounds the
// wait for another process that is just claiming the same Unix socket, not the
// life of the listener; the caller closes that.
//
// A Unix socket appears with its owner, mode and backlog already set, in a
// directory that is made 0700 if missing. A socket file that nobody listens on
// any more is replaced; a live socket, and any file that is no socket, is an
// error that names the owner's process or the kind of file.
func Listen(ctx context.Context, addr Address) (*Listener, error) {
	l, err := listen(ctx, addr)
	return l, listenError(addr, err)
}

// ListenUnix is Listen on a Unix socket that only this process's user may connect
// to. It is apart for the guest binary, which listens on nothing else.
func ListenUnix(ctx context.Context, path string) (*Listener, error) {
	addr := Address{Scheme: schemeUnix}
	err := addr.setPath(escape(path))
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", path, err)
	}
	l, err := listenUnix(ctx, addr)
	return l, listenError(addr, err)
}

func listenError(addr Address, err error) error {
	if err != nil {
		err = fmt.Errorf("listen on %s: %w", addr, err)
	}
	return err
}

func listen(ctx context.Context, addr Address) (*Listener, error) {
	switch addr.Scheme {
	case schemeVsock:
		return listenVsock(addr)
	case schemeUnix:
		return listenUnix(ctx, addr)
	case schemeHybrid:
		if suffix := "_" + number(addr.Port); strings.HasSuffix(addr.Path, suffix) {
			return nil, fmt.Errorf("path: the VMM appends %s itself, so leave it out", suffix)
		}
		return listenUnix(ctx, addr)
	default:
		return nil, fmt.Errorf("no listener for scheme %q", addr.Scheme)
	}
}

// Addr is the address that the listener was made for.
func (l *Listener) Addr() Address { return l.addr }

// Accept waits for the next connection of a peer that may connect. It returns
// net.ErrClosed once the listener is closed, and no other error: a VMM connects
// with a blocking call on its event loop, so running short of descriptors or
// memory must delay its guest, never stop the listener.
func (l *Listener) Accept() (net.Conn, Peer, error) {
	const longestWait = 100 * time.Millisecond
	var wait time.Duration
	for {
		conn, err := l.socket.Accept()
		if l.isClosed() {
			discard(conn)
			return nil, Peer{}, net.ErrClosed
		}
		if err != nil {
			if wait == 0 {
				l.report(fmt.Errorf("accept: %w", err))
			}
			wait = min(2*wait+time.Millisecond, longestWait)
			pause(l.closed, wait)
			continue
		}
		wait = 0
		peer, err := l.identify(conn)
		if err == nil {
			return conn, peer, nil
		}
		discard(conn)
		l.report(fmt.Errorf("turn away a peer: %w", err))
	}
}

// Close stops listening, ends every Accept, and removes the socket's file if
// it is still the one that Listen made. Accepted connections stay open. Later
// calls do nothing and return the first one's error.
func (l *Listener) Close() error {
	l.closing.Do(func() {
		close(l.closed)
		// The file goes first: as long as the socket listens, no other
		// process takes it for stale and puts its own in this place.
		l.closeError = l.release()
		if err := l.socket.Close(); l.closeError == nil {
			l.closeError = err
		}
	})
	return l.closeError
}

func (l *Listener) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

func (l *Listener) report(err error) {
	if l.Report != nil {
		l.Report(err)
	}
}

func discard(conn net.Conn) {
	if conn != nil {
		_ = conn.Close() // nothing was written that could be lost
	}
}

// pause waits, or returns false as soon as done is closed.
func pause(done <-chan struct{}, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
		return true
	}
}
