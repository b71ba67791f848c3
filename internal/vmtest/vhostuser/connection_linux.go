package vhostuser

import (
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// piece is how much is moved at a time, and how much the guest's credit is behind
// before it is told. It is well below bufferSize, so that the guest fills a part of
// the buffer while the host reads another.
const piece = bufferSize / 4

// grace is how long Firecracker remembers a connection that the host has closed
// (CONN_SHUTDOWN_TIMEOUT_MS in vsock/csm/mod.rs).
const grace = 2 * time.Second

// conn is a connection of the guest's. It is in the VM's table until the guest
// knows that it is reset.
type conn struct {
	vm   *vm
	key  key
	host *net.UnixConn

	// The VM's lock guards the rest.
	changed   *sync.Cond    // that is, any of the rest
	ended     chan struct{} // closed when over
	over      bool
	shut      uint32 // flags of the guest's opShutdown
	forgetful bool   // Firecracker's: the host has closed, what the guest says is lost
	pending   []byte // from the guest, not yet taken for the host

	// Bytes since the start, modulo 2^32 (VIRTIO 5.10.6.3): received from the guest
	// and forwarded to the host, and of these, how many the guest was told of; sent
	// to the guest and forwarded by it.
	received, forwarded, told uint32
	sent, peerForwarded       uint32
	peerBuffer                uint32
}

func newConn(v *vm, k key, host *net.UnixConn, request *header) *conn {
	c := &conn{vm: v, key: k, host: host, changed: sync.NewCond(&v.mu), ended: make(chan struct{})}
	c.peerBuffer, c.peerForwarded = request.bufAlloc, request.fwdCnt
	return c
}

// end closes the host's socket and has both goroutines stop, with the lock held.
func (c *conn) end() {
	if c.over {
		return
	}
	c.over = true
	close(c.ended)
	_ = c.host.Close()
	c.changed.Broadcast()
	c.vm.queues[receiveQueue].ready.Broadcast() // some of those who wait are too late now
}

// forget gives the connection's place free, with the lock held.
func (c *conn) forget() {
	if c.known() {
		delete(c.vm.conns, c.key)
		c.vm.queues[receiveQueue].ready.Broadcast()
	}
}

func (c *conn) known() bool { return c.vm.conns[c.key] == c }

// reset ends the connection and lets the guest know.
func (c *conn) reset() {
	c.vm.mu.Lock()
	first := !c.over
	c.end()
	c.vm.mu.Unlock()
	if first {
		_, _ = c.send(opReset, 0, nil) // fails when the guest is gone or was first
	}
}

// send sends a packet of the connection, with as much of the data as there is
// room and credit for.
func (c *conn) send(op uint16, flags uint32, data []byte) (n int, err error) {
	tooLate := func() bool { return c.over }
	if op == opReset {
		tooLate = func() bool { return !c.known() }
	}
	err = c.vm.send(tooLate, func(room int) (header, []byte) {
		n = min(len(data), room, int(min(c.credit(), bufferSize)))
		c.sent += uint32(n)
		c.told = c.forwarded
		if op == opReset {
			c.forget()
		}
		return header{
			srcPort: c.key.host, dstPort: c.key.guest, kind: typeStream, op: op, flags: flags,
			bufAlloc: bufferSize, fwdCnt: c.forwarded,
		}, data[:n]
	})
	return n, err
}

// credit is how much the guest has room for. What a guest says that contradicts
// itself is no credit.
func (c *conn) credit() uint32 {
	outstanding := c.sent - c.peerForwarded
	if outstanding > c.peerBuffer {
		return 0
	}
	return c.peerBuffer - outstanding
}

// receive takes a packet from the guest, with the lock held, and says what the
// reply is, if there is one.
func (c *conn) receive(h *header, data []byte) (op uint16) {
	c.peerBuffer, c.peerForwarded = h.bufAlloc, h.fwdCnt
	defer c.changed.Broadcast()
	switch {
	case h.op == opReset:
		c.end()
		c.forget()
	case c.over || c.forgetful:
		// What is on its way crosses with our reset.
	case h.op == opData && c.accepts(h.length):
		c.received += h.length
		c.pending = append(c.pending, data...)
	case h.op == opShutdown:
		c.shutDown(h.flags)
	case h.op == opCreditUpdate:
	case h.op == opCreditRequest:
		return opCreditUpdate
	default:
		c.end()
		return opReset
	}
	return 0
}

// accepts is whether the guest may send so much: it has the credit, and has not
// said that there would be no more.
func (c *conn) accepts(length uint32) bool {
	return c.shut&shutSend == 0 && length <= bufferSize-(c.received-c.forwarded)
}

// shutDown notes what the guest will do no more, which cannot be taken back.
func (c *conn) shutDown(flags uint32) {
	c.shut |= flags & shutBoth
	if c.shut == shutReceive && !c.vm.options.Firecracker {
		_ = c.host.CloseRead() // the host's writes fail
	}
}

// toHost carries what the guest sends, and the end of it.
func (c *conn) toHost() {
	var taken []byte
	for {
		if taken = c.take(taken[:0]); len(taken) == 0 {
			break
		}
		for some := range slices.Chunk(taken, piece) {
			if _, err := c.host.Write(some); err != nil {
				c.reset()
				return
			}
			c.forward(uint32(len(some)))
		}
	}
	if !c.vm.options.Firecracker {
		_ = c.host.CloseWrite() // fails where the host is gone, or the connection over
	}
	if c.awaitShutdown() {
		c.reset() // which the guest waits for (VIRTIO 5.10.6.5)
	}
}

// take waits for data from the guest and takes all of it, leaving an empty slice
// to be filled. It takes nothing when there will be no more.
func (c *conn) take(empty []byte) []byte {
	c.vm.mu.Lock()
	defer c.vm.mu.Unlock()
	for len(c.pending) == 0 && !c.over && c.shut&shutSend == 0 {
		c.changed.Wait()
	}
	if c.over {
		return nil
	}
	taken := c.pending
	c.pending = empty
	return taken
}

// forward counts what the host took, and tells the guest before it runs out of
// credit.
func (c *conn) forward(n uint32) {
	c.vm.mu.Lock()
	c.forwarded += n
	late := c.forwarded-c.told >= piece
	c.vm.mu.Unlock()
	if late {
		_, _ = c.send(opCreditUpdate, 0, nil) // fails when the connection is over
	}
}

// awaitShutdown waits for the guest to close both directions; false says that the
// connection was over first.
func (c *conn) awaitShutdown() bool {
	c.vm.mu.Lock()
	defer c.vm.mu.Unlock()
	for c.shut != shutBoth && !c.over {
		c.changed.Wait()
	}
	return !c.over
}

// toGuest tells the guest that it is connected and carries what the host sends,
// and the end of it.
func (c *conn) toGuest() {
	if _, err := c.send(opResponse, 0, nil); err != nil {
		return
	}
	buffer := make([]byte, piece)
	for {
		n, err := c.host.Read(buffer)
		if !c.deliver(buffer[:n]) {
			return
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			c.hostClosed()
			return
		default:
			c.reset()
			return
		}
	}
}

// deliver sends data to the guest as it has room; false says that it is not
// wanted.
func (c *conn) deliver(data []byte) bool {
	for len(data) > 0 {
		if !c.awaitCredit() {
			return false
		}
		n, err := c.send(opData, 0, data)
		if err != nil {
			return false
		}
		data = data[n:]
	}
	return true
}

// awaitCredit waits until the guest has room, after asking it to say so.
func (c *conn) awaitCredit() bool {
	c.vm.mu.Lock()
	defer c.vm.mu.Unlock()
	if c.credit() == 0 {
		c.vm.mu.Unlock()
		_, _ = c.send(opCreditRequest, 0, nil) // fails when the connection is over
		c.vm.mu.Lock()
	}
	for c.credit() == 0 && !c.over && c.shut&shutReceive == 0 {
		c.changed.Wait()
	}
	return !c.over && c.shut&shutReceive == 0
}

// hostClosed tells the guest that the host sends no more.
func (c *conn) hostClosed() {
	if !c.vm.options.Firecracker {
		_, _ = c.send(opShutdown, shutSend, nil) // fails when the connection is over
		return
	}
	c.vm.mu.Lock()
	c.forgetful = true
	c.vm.mu.Unlock()
	if _, err := c.send(opShutdown, shutBoth, nil); err != nil {
		return
	}
	expiry := time.NewTimer(grace)
	defer expiry.Stop()
	select {
	case <-expiry.C:
		c.reset()
	case <-c.ended:
	}
}
