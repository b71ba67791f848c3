package vhostuser

import (
	"encoding/hex"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The bytes of VIRTIO 5.10.6.
func TestHeader_Encoding(t *testing.T) {
	h := header{
		srcCID: 0x0102030405060708, dstCID: 0x1112131415161718, srcPort: 0x21222324, dstPort: 0x31323334,
		length: 0x41424344, kind: 0x5152, op: 0x6162, flags: 0x71727374, bufAlloc: 0x81828384, fwdCnt: 0x91929394,
	}
	const want = "0807060504030201" + "1817161514131211" + "24232221" + "34333231" + "44434241" + "5251" + "6261" + "74737271" + "84838281" + "94939291"
	got := h.encode()
	if hex.EncodeToString(got) != want {
		t.Errorf("got %x, want %s", got, want)
	}
	if back := decodeHeader((*[headerSize]byte)(got)); back != h {
		t.Errorf("got %+v, want %+v", back, h)
	}
}

func TestCredit_Counts(t *testing.T) {
	tests := []struct {
		name                  string
		buffer, sent, forward uint32
		want                  uint32
	}{
		{"nothing sent", 100, 0, 0, 100},
		{"some sent", 100, 30, 0, 70},
		{"some of it forwarded", 100, 30, 10, 80},
		{"all sent", 100, 100, 0, 0},
		{"over the end of the numbers", 100, 10, 1<<32 - 20, 70},
		{"no room at all", 0, 0, 0, 0},
		{"the buffer shrank", 10, 30, 0, 0},
		{"more forwarded than sent", 100, 30, 31, 0},
	}
	for _, tt := range tests {
		c := &conn{peerBuffer: tt.buffer, sent: tt.sent, peerForwarded: tt.forward}
		if got := c.credit(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The guest is interrupted unless it says that it looks by itself.
func TestQueue_Interrupts(t *testing.T) {
	for flags, want := range []uint64{1, 0} {
		call, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			t.Fatal(err)
		}
		q := &queue{size: 1, call: call, available: make([]byte, 6), used: make([]byte, 12)}
		q.available[0] = byte(flags)
		q.push(0, 0)
		b := make([]byte, 8)
		syscall.Read(call, b)
		if got := native.Uint64(b); got != want {
			t.Errorf("flags %d: %d interrupts, want %d", flags, got, want)
		}
		q.setCall(-1)
	}
}

func TestConfig_IsTheCID(t *testing.T) {
	b := listen(t, false)
	v := b.connect(t)
	whole := append(append(state(0, 8), 0, 0, 0, 0), make([]byte, 8)...)
	reply := v.ask(requestGetConfig, 0, whole)
	if got, want := hex.EncodeToString(reply), hex.EncodeToString(whole[:12])+"0300000000000000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Nothing is acknowledged before the VMM says that it can tell.
func TestReplyAck_IsNegotiated(t *testing.T) {
	v := listen(t, false).connect(t)
	if err := v.write(requestSetOwner, flagVersion|flagNeedReply, nil); err != nil {
		t.Fatal(err)
	}
	v.number(requestGetFeatures)
	v.negotiate()
	v.set(requestSetOwner, nil)
}

func TestQueue_StopsAndGoesOn(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	for _, text := range []string{"one", "two", "three"} {
		g.tx.stop()
		g.rx.stop()
		hostWrites(t, host, text)
		g.put(header{op: opData, srcPort: guest.key.guest, dstPort: 52, bufAlloc: guest.buffer, fwdCnt: guest.read}, []byte(text))
		for _, d := range []*driver{g.rx, g.tx} {
			if _, _, ok := d.done(); ok {
				t.Errorf("queue %d goes on", d.index)
			}
			d.start()
		}
		hostReads(t, host, text)
		g.tx.await(&g.quit)
		guest.expect(text)
	}
}

// A queue that is not enabled is not processed; when there are no features of the
// protocol, all are.
func TestQueue_Enabling(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	g.set(requestSetVringEnable, state(transmitQueue, 0))
	g.put(header{op: opData, srcPort: guest.key.guest, dstPort: 52, bufAlloc: guest.buffer}, []byte("later"))
	host.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := host.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the host reads %d bytes, %v; want it to wait", n, err)
	}
	host.SetReadDeadline(time.Now().Add(patience))
	g.set(requestSetVringEnable, state(transmitQueue, 1))
	hostReads(t, host, "later")
	g.tx.await(&g.quit)
	g.socket.Close()

	v := b.connect(t)
	v.negotiate()
	v.set(requestSetFeatures, number(featureVersion1))
	v.set(requestSetMemTable, v.table(), int(v.file.Fd()), int(v.file.Fd()))
	v.rx.start()
	v.tx.start()
	other := newGuest(v)
	other.fill()
	other.request(53, 1).awaitReset()
}

// The guest's memory may change while the queues run, and only the new is kept.
func TestMemory_Changes(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	for range 3 {
		g.move()
		guest.write([]byte("hello"))
		hostReads(t, host, "hello")
		hostWrites(t, host, "hello")
		guest.expect("hello")
	}
}

// move has the VMM share a copy of the guest's memory from now on.
func (v *vmm) move() {
	v.t.Helper()
	old := v.memory
	v.allocate()
	copy(v.memory, old)
	v.set(requestSetMemTable, v.table(), int(v.file.Fd()), int(v.file.Fd()))
	clear(old) // whoever still uses it notices
}

// Interrupts can be taken away and given back, as QEMU does when the guest masks
// them.
func TestQueue_CallChanges(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	g.set(requestSetVringErr, number(transmitQueue|vringNoFD))
	g.set(requestSetVringErr, number(transmitQueue), descriptor(g.tx.call))
	g.set(requestSetVringCall, number(transmitQueue|vringNoFD))
	g.put(header{op: opData, srcPort: guest.key.guest, dstPort: 52, bufAlloc: guest.buffer}, []byte("silent"))
	hostReads(t, host, "silent")
	until(t, "the chain comes back", func() bool { _, _, ok := g.tx.done(); return ok })
	g.set(requestSetVringCall, number(transmitQueue), descriptor(g.tx.call))
	guest.write([]byte("loud"))
	hostReads(t, host, "loud")
}

// Kicks that are replaced while the queue runs do not lose a chain.
func TestQueue_KickChanges(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	g := guest.guest
	for range 10 {
		g.set(requestSetVringKick, number(transmitQueue), descriptor(g.tx.kick))
		guest.write([]byte("hello"))
		hostReads(t, host, "hello")
	}
}

// Many connections at once, each echoed by the host.
func TestConnections_Many(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		g := b.bootGuest(t)
		l := b.host(t, 52)
		var echoes sync.WaitGroup
		var conns []*guestConn
		for range 30 {
			conns = append(conns, g.dial(52))
			host := accept(t, l)
			echoes.Go(func() { echo(host) }) // ends with the guest's close
		}
		text := pattern(50_000)
		for _, c := range conns {
			c.write(text)
		}
		for _, c := range conns {
			c.expect(string(text))
			c.send(opShutdown, shutBoth, nil)
		}
		for _, c := range conns {
			c.awaitReset()
		}
		echoes.Wait()
	})
}

func echo(conn *net.UnixConn) {
	b := make([]byte, 4096)
	for {
		n, err := conn.Read(b)
		if err != nil {
			return
		}
		if _, err := conn.Write(b[:n]); err != nil {
			return
		}
	}
}

// socketPair is both ends of a connection without a name.
func socketPair() (ends [2]*net.UnixConn, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return ends, err
	}
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "end")
		conn, err := net.FileConn(file)
		file.Close()
		if err != nil {
			return ends, err
		}
		ends[i] = conn.(*net.UnixConn)
	}
	return ends, nil
}
