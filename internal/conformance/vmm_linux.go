package conformance

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

// Kind is whose habits a VMM has.
type Kind int

// The VMMs that carry a guest's AF_VSOCK over Unix sockets.
const (
	// Firecracker does not carry the guest's half-close, and takes the host's
	// EOF as the end of both directions (vsock/csm/connection.rs: SHUTDOWN with
	// RCV and SEND).
	Firecracker Kind = iota
	// CloudHypervisor carries half-closes both ways. Its releases before that
	// do as Firecracker does, from whose code they come.
	CloudHypervisor
)

// MaxConnections is how many connections a VMM carries at once (MAX_CONNECTIONS
// in vsock/unix/muxer.rs of both).
const MaxConnections = 1023

// VMM is a double of a VMM's guest-initiated vsock. What the guest dials at CID
// 2 and a port, the VMM connects to the Unix socket PATH_PORT of the host, with
// a blocking connect on its one event loop: the connections come in the order in
// which they were dialled, and as long as one waits, no other comes and no byte
// of any connection moves.
type VMM struct {
	kind     Kind
	path     string
	buffer   int
	requests chan *request
	done     chan struct{}
	closing  sync.Once
	events   sync.WaitGroup // the event loop
	work     sync.WaitGroup // two goroutines a connection

	// turn has room for one: the event loop while it connects, or bytes that are
	// about to move.
	turn chan struct{}

	mu    sync.Mutex // guards conns
	conns map[*crossing]struct{}
}

// request is something that the event loop is to do, on behalf of a guest that
// may have tired of it.
type request struct {
	ctx    context.Context //nolint:containedctx // it is the life of the request, which crosses a channel
	port   uint32
	answer chan *GuestConn // unbuffered; nil is a reset
}

// NewVMM starts a VMM whose vsock device has that path; Close stops it. Its
// sockets get buffers of so many bytes; 0 leaves the system's.
func NewVMM(kind Kind, path string, buffer int) *VMM {
	v := &VMM{kind: kind, path: path, buffer: buffer, requests: make(chan *request), turn: make(chan struct{}, 1), done: make(chan struct{}), conns: map[*crossing]struct{}{}}
	v.events.Go(v.loop) // joined by Close
	return v
}

// errReset is what a guest sees when nobody listens, and when its connection is
// gone.
func errReset(op string) error {
	return &net.OpError{Op: op, Net: "vsock", Err: os.NewSyscallError(op, syscall.ECONNRESET)}
}

// Dial is the guest's connect to CID 2 and the port. ECONNRESET says that nobody
// listens there, or that the VMM carries MaxConnections already.
func (v *VMM) Dial(ctx context.Context, port uint32) (*GuestConn, error) {
	r := &request{ctx: ctx, port: port, answer: make(chan *GuestConn)}
	select {
	case v.requests <- r:
	case <-v.done:
		return nil, errReset("connect")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case conn := <-r.answer:
		if conn == nil {
			return nil, errReset("connect")
		}
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Restore is what the guest sees when it runs on from a snapshot: all its
// connections are reset at once, whatever is buffered in them. Then all works as
// before.
func (v *VMM) Restore() {
	v.mu.Lock()
	conns := slices.Collect(maps.Keys(v.conns))
	v.mu.Unlock()
	for _, c := range conns {
		c.reset()
	}
}

// Close ends the VMM: its connections are reset and its goroutines joined.
func (v *VMM) Close() {
	v.closing.Do(func() { close(v.done) })
	v.events.Wait()
	v.Restore()
	v.work.Wait()
}

// Connections is how many connections the VMM carries.
func (v *VMM) Connections() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.conns)
}

// loop is the event loop.
func (v *VMM) loop() {
	for {
		select {
		case r := <-v.requests:
			v.serve(r)
		case <-v.done:
			return
		}
	}
}

func (v *VMM) serve(r *request) {
	c, err := v.connect(r.port)
	if err != nil {
		c = &crossing{} // with no guest: a reset
	}
	select {
	case r.answer <- c.guest:
	case <-r.ctx.Done():
		if c.guest != nil {
			c.reset()
		}
	}
}

// connect makes the two sockets of a connection and has them carried.
func (v *VMM) connect(port uint32) (*crossing, error) {
	if v.Connections() >= MaxConnections {
		return nil, errReset("connect")
	}
	host, err := v.connectHost(port)
	if err != nil {
		return nil, err
	}
	near, far, err := socketPair()
	if err != nil {
		_ = host.Close()
		return nil, err
	}
	for _, conn := range []*net.UnixConn{host, near, far} {
		narrow(conn, v.buffer)
	}
	c := &crossing{vmm: v, host: host, near: near, ended: make(chan struct{})}
	c.guest = &GuestConn{Conn: far, half: far.CloseWrite, gone: make(chan struct{})}
	v.mu.Lock()
	v.conns[c] = struct{}{}
	v.mu.Unlock()
	v.work.Go(c.toHost) // both are joined by Close
	v.work.Go(c.toGuest)
	return c, nil
}

// patience ends a connect that would block the event loop, and so the test, for
// good.
var patience = syscall.Timeval{Sec: 30}

// connectHost is a blocking connect(2): unlike Go's it waits when the queue of
// the listener is full.
func (v *VMM) connectHost(port uint32) (*net.UnixConn, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "host")
	defer func() { _ = file.Close() }()
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &patience); err != nil {
		return nil, os.NewSyscallError("setsockopt", err)
	}
	name := v.path + "_" + strconv.FormatUint(uint64(port), 10)
	v.turn <- struct{}{}
	defer func() { <-v.turn }()
	if err := ignoringEINTR(func() error { return syscall.Connect(fd, &syscall.SockaddrUnix{Name: name}) }); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	return unixConn(file)
}

func ignoringEINTR(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func socketPair() (a, b *net.UnixConn, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	near, far := os.NewFile(uintptr(fds[0]), "vmm"), os.NewFile(uintptr(fds[1]), "guest")
	defer func() { _, _ = near.Close(), far.Close() }()
	if a, err = unixConn(near); err != nil {
		return nil, nil, err
	}
	if b, err = unixConn(far); err != nil {
		_ = a.Close()
		return nil, nil, err
	}
	return a, b, nil
}

// unixConn is a connection over a copy of the file's descriptor.
func unixConn(file *os.File) (*net.UnixConn, error) {
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// GuestConn is the guest's end of a connection.
type GuestConn struct {
	net.Conn
	half    func() error
	closing sync.Once
	gone    chan struct{} // closed by Close
	lost    atomic.Bool   // reset: what is buffered is lost too
}

// Read reads what the host sent. After a reset it is ECONNRESET at once.
func (g *GuestConn) Read(p []byte) (int, error) {
	if g.lost.Load() {
		return 0, errReset("read")
	}
	n, err := g.Conn.Read(p)
	if err != nil && g.lost.Load() {
		err = errReset("read")
	}
	return n, err
}

// Write sends to the host. After a reset it is ECONNRESET.
func (g *GuestConn) Write(p []byte) (int, error) {
	n, err := g.Conn.Write(p)
	if err != nil && g.lost.Load() {
		err = errReset("write")
	}
	return n, err
}

// CloseWrite is the guest's half-close.
func (g *GuestConn) CloseWrite() error { return g.half() }

// Close ends both directions; what was written before still reaches the host.
func (g *GuestConn) Close() error {
	err := g.Conn.Close()
	g.closing.Do(func() { close(g.gone) })
	return err
}

// crossing is a connection on its way through the VMM.
type crossing struct {
	vmm   *VMM
	guest *GuestConn
	near  *net.UnixConn // the VMM's end of the guest's socket
	host  *net.UnixConn

	ending sync.Once
	ended  chan struct{}
	halves atomic.Int32 // directions that ended, for CloudHypervisor
}

// reset ends the connection at once.
func (c *crossing) reset() {
	c.guest.lost.Store(true)
	c.end()
}

// end closes both sockets; what was written to them is delivered.
func (c *crossing) end() {
	c.ending.Do(func() {
		_, _ = c.host.Close(), c.near.Close()
		close(c.ended)
		c.vmm.forget(c)
	})
}

// forget gives the connection's place free.
func (v *VMM) forget(c *crossing) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.conns, c)
}

// toHost carries what the guest sends, until the guest closes or the host is
// gone.
func (c *crossing) toHost() {
	defer c.end()
	if err := c.carry(c.host, c.near); err != nil {
		return
	}
	if c.vmm.kind == CloudHypervisor {
		_ = c.host.CloseWrite() // fails where the host is gone, which toGuest notices
		if c.halves.Add(1) == 2 {
			return
		}
	}
	select { // so far it may be a half-close
	case <-c.guest.gone:
	case <-c.ended:
	}
}

// toGuest carries what the host sends, until the host closes or the guest is
// gone.
func (c *crossing) toGuest() {
	err := c.carry(c.near, c.host)
	if err == nil && c.vmm.kind == CloudHypervisor && c.near.CloseWrite() == nil && c.halves.Add(1) < 2 {
		return
	}
	c.end()
}

// awaitTurn waits while the event loop connects.
func (v *VMM) awaitTurn() {
	v.turn <- struct{}{}
	<-v.turn
}

// carry moves bytes until the source ends, which is no error.
func (c *crossing) carry(to, from *net.UnixConn) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		c.vmm.awaitTurn()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}
