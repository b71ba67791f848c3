package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Manner is how a Proxy is awkward.
type Manner int

// The proxies of which the design says that the protocol survives them.
const (
	// HalfIsFull closes both connections, both ways, as soon as one of the four
	// directions ends; what is still on its way is lost.
	HalfIsFull Manner = iota
	// NoEOF never tells one side that the other one has closed.
	NoEOF
	// Bytewise passes on one byte at a time.
	Bytewise
	// Resets ends connections as Cut says, with a reset and without delivering
	// what it holds; others it carries as they are.
	Resets
)

// Proxy carries connections between a listener, where guests dial, and a host.
type Proxy struct {
	manner   Manner
	buffer   int
	listener net.Listener
	dial     func(context.Context) (net.Conn, error)
	cut      atomic.Pointer[Limits]

	ctx    context.Context //nolint:containedctx // it is the proxy's life
	cancel context.CancelFunc
	work   sync.WaitGroup // the accept loop and two goroutines a connection

	mu    sync.Mutex // guards conns
	conns map[net.Conn]struct{}
}

// Limits are how many bytes a connection carries each way before it is cut; a
// negative number is no limit.
type Limits struct{ ToHost, ToGuest int }

// NewProxy starts a proxy behind the listener, which it owns from now on; Close
// ends it. Its sockets get buffers of so many bytes; 0 leaves the system's.
func NewProxy(manner Manner, buffer int, l net.Listener, dial func(context.Context) (net.Conn, error)) *Proxy {
	p := &Proxy{manner: manner, buffer: buffer, listener: l, dial: dial, conns: map[net.Conn]struct{}{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.work.Go(p.accept) // joined by Close
	return p
}

// Cut has the next connection, and no other, reset once it has carried so many
// bytes.
func (p *Proxy) Cut(at Limits) { p.cut.Store(&at) }

// Close closes the listener and every connection, and waits for the proxy's
// goroutines.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.listener.Close()
	p.mu.Lock()
	conns := p.conns
	p.conns = nil
	p.mu.Unlock()
	for conn := range conns {
		_ = conn.Close()
	}
	p.work.Wait()
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		limits := &Limits{-1, -1}
		if cut := p.cut.Swap(nil); cut != nil {
			limits = cut
		}
		p.work.Go(func() { p.carry(near, limits) }) // joined by Close
	}
}

// keep remembers a connection for Close; false means that it came too late.
func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		if p.conns == nil {
			return false
		}
		narrow(conn, p.buffer)
		p.conns[conn] = struct{}{}
	}
	return true
}

func (p *Proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(p.conns, conn)
	}
}

// carry serves one connection.
func (p *Proxy) carry(guest net.Conn, limits *Limits) {
	host, err := p.dial(p.ctx)
	if err != nil {
		_ = guest.Close()
		return
	}
	defer p.drop(guest, host)
	if !p.keep(guest, host) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.pass(guest, host, guest, host, limits.ToHost) })
	both.Go(func() { p.pass(host, guest, guest, host, limits.ToGuest) })
	both.Wait()
}

// errCut ends a direction that has carried what it may.
var errCut = errors.New("cut")

// pass carries one direction, and ends it in the proxy's manner.
func (p *Proxy) pass(from, to, guest, host net.Conn, limit int) {
	err := p.copy(to, from, limit)
	switch {
	case errors.Is(err, errCut):
		reset(guest)
		reset(host)
	case p.manner == HalfIsFull:
		_, _ = guest.Close(), host.Close()
	case p.manner == NoEOF:
		_, _ = io.Copy(io.Discard, from) // until it closes by itself
	default:
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // fails where it is closed
		}
	}
}

// reset closes a connection with a RST where its transport has one. A Unix
// socket resets its peer when it holds bytes that nobody has read.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a connection that is gone needs none
	}
	_ = conn.Close()
}

// copy carries bytes until the source ends, which is no error.
func (p *Proxy) copy(to io.Writer, from io.Reader, limit int) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if limit >= 0 && n >= limit { // the rest has arrived here, and no further
			_, _ = to.Write(buffer[:limit])
			return errCut
		}
		limit -= n
		if err := p.write(to, buffer[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *Proxy) write(to io.Writer, bytes []byte) error {
	step := max(len(bytes), 1)
	if p.manner == Bytewise {
		step = 1
	}
	for ; len(bytes) > 0; bytes = bytes[step:] {
		if _, err := to.Write(bytes[:step]); err != nil {
			return err
		}
	}
	return nil
}

// narrow gives a socket buffers of so many bytes, unless that is 0. The kernel
// may make them a little longer.
func narrow(conn net.Conn, size int) {
	sized, ok := conn.(interface {
		SetReadBuffer(int) error
		SetWriteBuffer(int) error
	})
	if ok && size > 0 {
		_, _ = sized.SetReadBuffer(size), sized.SetWriteBuffer(size) // in vain only on a closed one
	}
}
