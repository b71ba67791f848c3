package vhostuser

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// eachMode runs a test with a device like Cloud Hypervisor's and one like
// Firecracker's.
func eachMode(t *testing.T, test func(t *testing.T, firecracker bool)) {
	t.Run("Cloud Hypervisor", func(t *testing.T) { test(t, false) })
	t.Run("Firecracker", func(t *testing.T) { test(t, true) })
}

func TestListen_Refuses(t *testing.T) {
	dir := t.TempDir()
	free, taken := filepath.Join(dir, "free"), filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, socket string
		options      *Options
	}{
		{"no options", free, nil},
		{"the host's CID", free, &Options{CID: 2, Path: dir}},
		{"any CID", free, &Options{CID: 1<<32 - 1, Path: dir}},
		{"no path", free, &Options{CID: 3}},
		{"a file where the socket is to be", taken, &Options{CID: 3, Path: dir}},
	}
	for _, tt := range tests {
		if d, err := Listen(tt.socket, tt.options); err == nil {
			t.Errorf("%s: no error", tt.name)
			d.Close()
		}
	}
	d, err := Listen(free, &Options{CID: 3, Path: dir}) // the control
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func TestConnection_Echo(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		guest, host := b.meet(t, b.bootGuest(t))
		for _, text := range []string{"hello", "again"} {
			guest.write([]byte(text))
			hostReads(t, host, text)
			hostWrites(t, host, text)
			guest.expect(text)
		}
		guest.send(opShutdown, shutBoth, nil)
		guest.awaitReset()
		hostReadsEnd(t, host)
	})
}

func TestConnection_HalfCloseOfTheGuest(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		guest, host := b.meet(t, b.bootGuest(t))
		guest.write([]byte("all"))
		guest.send(opShutdown, shutSend, nil)
		hostReads(t, host, "all")
		if firecracker {
			// Nothing comes: the next that the host reads is the full close.
			host.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			if n, err := host.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the host reads %d bytes, %v; want it to wait", n, err)
			}
			host.SetReadDeadline(time.Now().Add(patience))
		} else {
			hostReadsEnd(t, host)
		}
		hostWrites(t, host, "reply")
		guest.expect("reply")
		guest.send(opShutdown, shutReceive, nil)
		guest.awaitReset()
		hostReadsEnd(t, host)
	})
}

func TestConnection_HalfCloseOfTheHost(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	hostWrites(t, host, "last words")
	host.CloseWrite()
	guest.expect("last words")
	guest.awaitShut(shutSend)
	guest.write([]byte("not too late"))
	hostReads(t, host, "not too late")
	guest.send(opShutdown, shutBoth, nil)
	guest.awaitReset()
	hostReadsEnd(t, host)
}

// Firecracker takes the host's half-close for the end, and forgets the connection
// two seconds later, unless the guest resets it.
func TestConnection_HalfCloseOfTheHost_Firecracker(t *testing.T) {
	b := listen(t, true)
	guest, host := b.meet(t, b.bootGuest(t))
	start := time.Now()
	hostWrites(t, host, "last words")
	host.CloseWrite()
	guest.expect("last words")
	guest.awaitShut(shutBoth)
	guest.send(opData, 0, []byte("too late"))
	guest.send(opShutdown, shutBoth, nil)
	guest.awaitReset()
	if d := time.Since(start); d < grace {
		t.Errorf("it is forgotten after %v, want %v", d, grace)
	}
	hostReadsEnd(t, host)
}

func TestConnection_ResetByTheGuest(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		g := b.bootGuest(t)
		guest, host := b.meet(t, g)
		host.CloseWrite()
		guest.await("shutdown", func() bool { return guest.shut != 0 })
		guest.send(opReset, 0, nil)
		hostReadsEnd(t, host)
		delete(g.conns, guest.key)
		guest.send(opData, 0, []byte("after it")) // the connection is unknown at once
		g.expectStray(opReset)
	})
}

// A guest that reads no more has the host's writes fail, where half-closes are
// carried.
func TestConnection_GuestReceivesNoMore(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	guest.send(opShutdown, shutReceive, nil)
	for {
		if _, err := host.Write([]byte("unread")); err != nil {
			if !errors.Is(err, syscall.EPIPE) {
				t.Errorf("the host writes: %v, want EPIPE", err)
			}
			break
		}
	}
	guest.write([]byte("still there"))
	hostReads(t, host, "still there")
}

func TestConnection_HostIsGone(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	host.Close()
	guest.awaitShut(shutSend)
	guest.send(opData, 0, []byte("to nobody"))
	guest.awaitReset()
}

func TestConnection_Refused(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		g := b.bootGuest(t)
		g.request(52, 1).awaitReset() // no socket
		l := b.host(t, 53)
		l.SetUnlinkOnClose(false)
		l.Close()
		g.request(53, 1).awaitReset() // nobody listens there
		b.host(t, 54)
		g.dial(54) // the control
	})
}

// What belongs to no connection is reset, but for resets, and what is not between
// this guest and the host is not answered at all.
func TestPackets_WithoutAConnection(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	b.host(t, 52)
	for _, h := range []header{
		{op: opReset}, {op: opReset, kind: 2},
		{op: opRequest, dstPort: 52, dstCID: 1}, {op: opRequest, dstPort: 52, dstCID: hostCID | 1<<32},
		{op: opRequest, dstPort: 52, srcCID: guestCID + 1},
	} {
		g.transmit(h, nil)
	}
	for i, h := range []header{
		{op: opData}, {op: opShutdown}, {op: opResponse}, {op: opCreditRequest}, {op: 0}, {op: 99},
		{op: opRequest, kind: 2}, {op: opData, kind: 99},
	} {
		h.srcPort, h.dstPort = uint32(i), 52
		g.transmit(h, nil)
		if got := g.expectStray(opReset); got.dstPort != h.srcPort || got.srcPort != 52 || got.kind != orElse(h.kind, typeStream) {
			t.Errorf("%+v is answered with %+v", h, got)
		}
	}
}

// A request for a connection that there is, and what no client says, end it.
func TestPackets_ThatEndTheConnection(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	l := b.host(t, 52)
	for _, op := range []uint16{opRequest, opResponse, 0, 99} {
		guest := g.dial(52)
		host := accept(t, l)
		guest.send(op, 0, nil)
		guest.awaitReset()
		hostReadsEnd(t, host)
	}
}

// pattern is bytes that are where they belong.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i>>8) ^ byte(i)*31
	}
	return b
}

const mebibyte = 1 << 20

func TestCredit_MuchToTheHost(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		guest, host := b.meet(t, b.bootGuest(t))
		want := pattern(mebibyte)
		var reading sync.WaitGroup
		reading.Go(func() { // ends with the full close below
			if got, err := io.ReadAll(host); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the host reads %d bytes, %v; want the %d", len(got), err, len(want))
			}
		})
		guest.write(want)
		guest.send(opShutdown, shutBoth, nil)
		guest.awaitReset()
		reading.Wait()
		if guest.updates == 0 {
			t.Error("the guest had credit for all without being told")
		}
	})
}

func TestCredit_MuchToTheGuest(t *testing.T) {
	eachMode(t, func(t *testing.T, firecracker bool) {
		b := listen(t, firecracker)
		guest, host := b.meet(t, b.bootGuest(t))
		want := pattern(mebibyte)
		var writing sync.WaitGroup
		writing.Go(func() { // ends as the guest reads
			if _, err := host.Write(want); err != nil {
				t.Errorf("the host writes: %v", err)
			}
			host.CloseWrite()
		})
		var got []byte
		for len(got) < len(want) {
			guest.await("data", func() bool { return len(guest.data) > 0 })
			got = append(got, guest.consume()...)
		}
		writing.Wait()
		if !bytes.Equal(got, want) {
			t.Errorf("the guest reads %d other bytes than the %d", len(got), len(want))
		}
	})
}

// What the guest has no room for is not sent; the guest is asked for room once.
func TestCredit_IsWaitedFor(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	l := b.host(t, 52)
	guest := g.request(52, 1000)
	guest.await("response", func() bool { return guest.connected })
	hostWrites(t, accept(t, l), string(pattern(2500)))
	for _, n := range []int{1000, 1000, 500} {
		guest.await("data", func() bool { return len(guest.data) == n })
		if n == 1000 {
			asked := guest.asked
			guest.await("a request for credit", func() bool { return guest.asked > asked })
		}
		guest.consume()
	}
	if guest.asked != 2 {
		t.Errorf("the guest was asked for credit %d times, want 2", guest.asked)
	}
}

// Credit that contradicts itself is none, and harms nobody.
func TestCredit_Absurd(t *testing.T) {
	b := listen(t, false)
	guest, host := b.meet(t, b.bootGuest(t))
	guest.read = 1 << 31 // more than was ever sent
	guest.send(opCreditUpdate, 0, nil)
	hostWrites(t, host, "hello")
	guest.await("a request for credit", func() bool { return guest.asked == 1 })
	guest.read = 0
	guest.send(opCreditUpdate, 0, nil)
	guest.expect("hello")
}

func TestCredit_OnRequest(t *testing.T) {
	b := listen(t, false)
	guest, _ := b.meet(t, b.bootGuest(t))
	guest.send(opCreditRequest, 0, nil)
	guest.await("credit", func() bool { return guest.updates == 1 })
	if guest.peerBuffer != bufferSize {
		t.Errorf("a buffer of %d, want %d", guest.peerBuffer, bufferSize)
	}
}

// A guest that sends without credit is reset, before we hold much of it.
func TestCredit_Exceeded(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	l := b.host(t, 52)
	g.dial(52).expectResetFor(t, func(c *guestConn) { c.send(opData, 0, make([]byte, bufferSize+1)) })
	accept(t, l)
	g.dial(52).expectResetFor(t, func(c *guestConn) {
		for range 4 * mebibyte / bufferSize { // the sockets hold some
			c.send(opData, 0, make([]byte, bufferSize))
		}
	})
	accept(t, l)
	g.dial(52).expectResetFor(t, func(c *guestConn) {
		c.send(opShutdown, shutSend, nil)
		c.send(opData, 0, []byte("one more thing"))
	})
	accept(t, l)
}

func (c *guestConn) expectResetFor(t *testing.T, deed func(c *guestConn)) {
	t.Helper()
	deed(c)
	c.awaitReset()
}

func TestConnections_Limit(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	b.host(t, 52) // whose queue is long enough
	var last *guestConn
	for range maxConnections {
		last = g.dial(52)
	}
	g.request(52, 1).awaitReset()
	last.send(opShutdown, shutBoth, nil)
	last.awaitReset()
	g.dial(52)
	g.request(52, 1).awaitReset()
}

// shortQueue listens with room for one connection that is not accepted.
func (b *bench) shortQueue(t *testing.T, port uint32) *net.UnixListener {
	t.Helper()
	l := b.host(t, port)
	raw, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if controlErr := raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) }); controlErr != nil || err != nil {
		t.Fatal(controlErr, err)
	}
	return l
}

// A connect waits for a host that does not accept, and all that the guest sends
// waits behind it.
func TestConnections_InOrder(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	l := b.shortQueue(t, 52)
	first := g.dial(52)
	second := g.request(52, 64<<10)
	g.put(header{op: opData, srcPort: 7, dstPort: 7}, nil)
	g.tx.call.SetReadDeadline(time.Now().Add(2 * time.Duration(impatience.Usec) * time.Microsecond)) // it gets impatient, and goes on
	for err := error(nil); err == nil; _, err = g.tx.call.Read(make([]byte, 8)) {
		if _, _, ok := g.tx.done(); ok {
			t.Fatal("something overtakes the connect that waits")
		}
	}
	one := accept(t, l)
	second.await("response", func() bool { return second.connected })
	g.tx.await(&g.quit)
	g.expectStray(opReset)
	first.write([]byte("first"))
	hostReads(t, one, "first")
	second.write([]byte("second"))
	hostReads(t, accept(t, l), "second")
}

func TestClose_WhileAConnectWaits(t *testing.T) {
	b := listen(t, false)
	g := b.bootGuest(t)
	b.shortQueue(t, 52)
	g.dial(52)
	g.request(52, 1)
	if err := b.device.Close(); err != nil {
		t.Error(err)
	}
}

// Replies that the guest does not receive are bounded: it cannot send on. None is
// lost.
func TestReplies_Bounded(t *testing.T) {
	b := listen(t, false)
	v := b.connect(t)
	v.boot()
	g := newGuest(v)
	const packets = 3 * maxReplies
	var sending sync.WaitGroup
	sending.Go(func() { // ends as the guest receives, or with the guest
		for i := range uint32(packets) {
			g.transmit(header{op: opData, srcPort: i}, nil)
		}
	})
	vm := b.vm()
	until(t, "the replies fill up", func() bool { return len(vm.replies) == maxReplies })
	g.fill()
	for i := range uint32(packets) {
		if h := g.expectStray(opReset); h.dstPort != i {
			t.Fatalf("reset of port %d, want %d", h.dstPort, i)
		}
	}
	sending.Wait()
}

// Connections whose end the guest does not take note of count, and go with it.
func TestConnections_OfAGuestThatReceivesNothing(t *testing.T) {
	b := listen(t, false)
	v := b.connect(t)
	v.boot()
	g := newGuest(v)
	l := b.host(t, 52)
	for i := range uint32(100) {
		h := header{srcPort: i, dstPort: 52, op: opRequest}
		g.transmit(h, nil)
		accept(t, l).Close()
		h.op = opResponse // which is wrong
		g.transmit(h, nil)
	}
	vm := b.vm()
	until(t, "all connections are over", func() bool {
		vm.mu.Lock()
		defer vm.mu.Unlock()
		for _, c := range vm.conns {
			if !c.over {
				return false
			}
		}
		return len(vm.conns) == 100
	})
	for i := range uint32(100) {
		g.transmit(header{srcPort: i, dstPort: 52, op: opReset}, nil)
	}
	vm.mu.Lock()
	n := len(vm.conns)
	vm.mu.Unlock()
	if n != 0 {
		t.Errorf("%d connections are left that the guest has reset", n)
	}
}

// endings are the ways in which a guest that is in the middle of much is stopped.
var endings = map[string]func(b *bench, g *guest){
	"the VMM disconnects": func(_ *bench, g *guest) { g.socket.Close() },
	"the device closes":   func(b *bench, _ *guest) { b.device.Close() },
}

func TestEnd_MidStream(t *testing.T) {
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			eachMode(t, func(t *testing.T, firecracker bool) {
				b := listen(t, firecracker)
				g := b.bootGuest(t)
				l := b.host(t, 52)
				var hosts sync.WaitGroup
				for range 8 {
					guest := g.dial(52)
					host := accept(t, l)
					hosts.Go(func() { // ends with the connection
						for _, err := host.Write(pattern(mebibyte)); err == nil; _, err = host.Write(pattern(mebibyte)) {
						}
					})
					guest.send(opData, 0, make([]byte, bufferSize))
				}
				full, unread := g.dial(52), accept(t, l)
				full.write(make([]byte, bufferSize))
				unread.CloseWrite()
				end(b, g)
				hosts.Wait()
				if _, err := io.ReadAll(unread); err != nil {
					t.Errorf("the host reads to the end: %v", err)
				}
			})
		})
	}
}

func TestEnd_ThenAnotherVMM(t *testing.T) {
	b := listen(t, false)
	l := b.host(t, 52)
	first := b.bootGuest(t)
	first.dial(52)
	lost := accept(t, l)
	second := newGuest(b.connect(t)) // and waits
	first.socket.Close()
	hostReadsEnd(t, lost)
	second.boot()
	second.fill()
	guest := second.dial(52)
	guest.write([]byte("hello"))
	hostReads(t, accept(t, l), "hello")
}
