package transport

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// Connect makes a connection to the listener of a Pipe, whose Accept returns it
// with the given peer. It waits for an Accept; errors are of type *DialError.
type Connect func(ctx context.Context, as Peer) (net.Conn, error)

// Pipe is a transport in memory, for tests and for callers in the same process.
// Its connections are net.Pipe's: nothing is buffered, so a write waits until
// the other end reads.
func Pipe() (*Listener, Connect) {
	p := &pipe{queue: make(chan *pipeConn), closed: make(chan struct{})}
	nothing := func() error { return nil }
	return newListener(Address{Scheme: schemePipe}, p, pipePeer, nothing), p.connect
}

// pipe is the net.Listener below a Pipe's Listener.
type pipe struct {
	queue   chan *pipeConn
	closing sync.Once
	closed  chan struct{}
}

// pipeConn is the host's end of a connection, with its peer.
type pipeConn struct {
	net.Conn
	peer Peer
}

func (p *pipe) connect(ctx context.Context, as Peer) (net.Conn, error) {
	guest, host := net.Pipe()
	err := ctx.Err()
	if err == nil {
		err = p.offer(ctx, &pipeConn{host, as})
	}
	if err != nil {
		discard(guest)
		discard(host)
		return nil, newDialError(Address{Scheme: schemePipe}, err)
	}
	return guest, nil
}

func (p *pipe) offer(ctx context.Context, conn *pipeConn) error {
	select {
	case p.queue <- conn:
		return nil
	case <-p.closed:
		return syscall.ECONNREFUSED
	case <-ctx.Done():
		return ctx.Err()
	}
}

func pipePeer(conn net.Conn) (Peer, error) { return conn.(*pipeConn).peer, nil }

// Accept implements net.Listener.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.queue:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipe) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Net: schemePipe, Name: schemePipe} }
