package vhostuser

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// guest is the guest's vsock driver. It has one chain for what it sends and, for
// what it receives, as many as the queue takes, each with a descriptor for the
// header and one for the data, as Linux's driver had up to 6.2.
type guest struct {
	*vmm
	port   uint32
	conns  map[key]*guestConn
	strays []header // what belongs to no connection
	quit   atomic.Bool
}

const (
	transmitAt = 0x1_0000 // where the guest has what it sends, in the low region
	receiveAt  = 0x8_0000 // and what it receives
	roomAt     = 0x1000   // of each chain
	dataRoom   = 4000
)

// bootGuest is a VMM with a running guest.
func (b *bench) bootGuest(t *testing.T) *guest {
	t.Helper()
	v := b.connect(t)
	v.boot()
	g := newGuest(v)
	g.fill()
	return g
}

func newGuest(v *vmm) *guest { return &guest{vmm: v, port: 1024, conns: map[key]*guestConn{}} }

// fill offers all chains for receiving.
func (g *guest) fill() {
	for i := uint16(0); i < driverSize; i += 2 {
		at := lowGuest + receiveAt + uint64(i/2)*roomAt
		g.rx.describe(i, at, headerSize, descriptorNext|descriptorWrite, i+1)
		g.rx.describe(i+1, at+headerSize, dataRoom, descriptorWrite, 0)
		g.rx.offer(i)
	}
}

// transmit sends a packet and waits until the device has it.
func (g *guest) transmit(h header, data []byte) {
	g.t.Helper()
	g.put(h, data)
	if head, n, ok := g.tx.await(&g.quit); ok && (head != 0 || n != 0) {
		g.t.Errorf("chain %d comes back with %d bytes, want 0 with none", head, n)
	}
}

// put offers a packet to the device, with the CIDs and the type that are right
// where there are none.
func (g *guest) put(h header, data []byte) {
	h.srcCID, h.dstCID = orElse(h.srcCID, guestCID), orElse(h.dstCID, hostCID)
	h.kind, h.length = orElse(h.kind, typeStream), uint32(len(data))
	copy(g.bytes(transmitAt, headerSize), h.encode())
	copy(g.bytes(transmitAt+headerSize, uint64(len(data))), data)
	g.tx.describe(0, lowGuest+transmitAt, headerSize, descriptorNext, 1)
	g.tx.describe(1, lowGuest+transmitAt+headerSize, uint32(len(data)), 0, 0)
	g.tx.offer(0)
}

func orElse[T comparable](value, instead T) T {
	var zero T
	if value == zero {
		return instead
	}
	return value
}

// receive waits for a packet.
func (g *guest) receive() (header, []byte) {
	g.t.Helper()
	head, n, ok := g.rx.await(&g.quit)
	if !ok {
		g.t.FailNow()
	}
	b := g.bytes(receiveAt+uint64(head/2)*roomAt, uint64(n))
	h := decodeHeader((*[headerSize]byte)(b))
	data := bytes.Clone(b[headerSize:])
	g.rx.offer(head)
	if h.srcCID != hostCID || h.dstCID != guestCID || int(h.length) != len(data) {
		g.t.Errorf("received %+v with %d bytes", h, len(data))
	}
	return h, data
}

// pump receives a packet and gives it to its connection.
func (g *guest) pump() {
	g.t.Helper()
	h, data := g.receive()
	if c := g.conns[key{guest: h.dstPort, host: h.srcPort}]; c != nil {
		c.take(&h, data)
	} else {
		g.strays = append(g.strays, h)
	}
}

// expectStray waits for a packet that belongs to no connection.
func (g *guest) expectStray(op uint16) header {
	g.t.Helper()
	for len(g.strays) == 0 {
		g.pump()
	}
	h := g.strays[0]
	g.strays = g.strays[1:]
	if h.op != op {
		g.t.Fatalf("received %+v, want operation %d", h, op)
	}
	return h
}

// guestConn is a socket of the guest.
type guestConn struct {
	guest *guest
	key   key
	// What the device says.
	connected, reset     bool
	shut                 uint32
	peerBuffer, peerFwd  uint32
	asked, updates       int
	data                 []byte // received, not read
	buffer               uint32 // what may be received and not read
	sent, received, read uint32
}

// request sends a request to connect from a port of its own.
func (g *guest) request(port, buffer uint32) *guestConn {
	g.t.Helper()
	g.port++
	c := &guestConn{guest: g, key: key{guest: g.port, host: port}, buffer: buffer}
	g.conns[c.key] = c
	c.send(opRequest, 0, nil)
	return c
}

// dial connects.
func (g *guest) dial(port uint32) *guestConn {
	g.t.Helper()
	c := g.request(port, 64<<10)
	c.await("response", func() bool { return c.connected })
	return c
}

// meet is both ends of a connection.
func (b *bench) meet(t *testing.T, g *guest) (*guestConn, *net.UnixConn) {
	t.Helper()
	l := b.host(t, 52)
	c := g.dial(52)
	return c, accept(t, l)
}

func (c *guestConn) send(op uint16, flags uint32, data []byte) {
	c.guest.t.Helper()
	c.guest.transmit(header{
		srcPort: c.key.guest, dstPort: c.key.host, op: op, flags: flags,
		bufAlloc: c.buffer, fwdCnt: c.read,
	}, data)
	c.sent += uint32(len(data))
}

// take holds what the device sends against what it may.
func (c *guestConn) take(h *header, data []byte) {
	t := c.guest.t
	t.Helper()
	c.peerBuffer, c.peerFwd = h.bufAlloc, h.fwdCnt
	switch h.op {
	case opResponse:
		c.connected = true
	case opReset:
		c.reset = true
	case opShutdown:
		c.shut |= h.flags
	case opData:
		c.received += h.length
		c.data = append(c.data, data...)
		if c.received-c.read > c.buffer {
			t.Fatalf("%d bytes are in a buffer of %d", c.received-c.read, c.buffer)
		}
	case opCreditUpdate:
		c.updates++
	case opCreditRequest:
		c.asked++
	default:
		t.Errorf("received operation %d", h.op)
	}
}

// await receives until the condition holds.
func (c *guestConn) await(what string, condition func() bool) {
	c.guest.t.Helper()
	for !condition() {
		if c.reset {
			c.guest.t.Fatalf("reset, want %s", what)
		}
		c.guest.pump()
	}
}

func (c *guestConn) awaitReset() {
	c.guest.t.Helper()
	for !c.reset {
		c.guest.pump()
	}
}

// awaitShut waits for the device to close what the flags say, and no more.
func (c *guestConn) awaitShut(flags uint32) {
	c.guest.t.Helper()
	c.await("shutdown", func() bool { return c.shut != 0 })
	if c.shut != flags {
		c.guest.t.Errorf("shutdown with the flags %d, want %d", c.shut, flags)
	}
}

// write sends as far as the device has room.
func (c *guestConn) write(data []byte) {
	c.guest.t.Helper()
	for len(data) > 0 {
		c.await("credit", func() bool { return c.sent-c.peerFwd < c.peerBuffer })
		n := min(len(data), int(c.peerBuffer-(c.sent-c.peerFwd)), 10_000)
		c.send(opData, 0, data[:n])
		data = data[n:]
	}
}

// consume takes what was received and gives the room back.
func (c *guestConn) consume() []byte {
	c.guest.t.Helper()
	data := c.data
	c.data, c.read = nil, c.received
	c.send(opCreditUpdate, 0, nil)
	return data
}

// expect reads that text.
func (c *guestConn) expect(want string) {
	c.guest.t.Helper()
	c.await("data", func() bool { return len(c.data) >= len(want) })
	if got := string(c.consume()); got != want {
		c.guest.t.Fatalf("the guest reads %q, want %q", got, want)
	}
}

func hostWrites(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatalf("the host writes: %v", err)
	}
}

func hostReads(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("the host reads %q, %v; want %q", got, err, want)
	}
}

func hostReadsEnd(t *testing.T, conn net.Conn) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("the host reads %d bytes, %v; want the end", n, err)
	}
}
