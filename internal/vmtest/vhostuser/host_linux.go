package vhostuser

import (
	"errors"
	"net"
	"os"
	"strconv"
	"syscall"
)

// receive does what a packet from the guest asks for. It is the event loop of a
// VMM: as long as one connect waits, nothing else is received.
func (v *vm) receive(h *header, data []byte) {
	k := key{guest: h.srcPort, host: h.dstPort}
	switch {
	case h.srcCID != uint64(v.options.CID) || h.dstCID != hostCID:
		// Nobody is there to reset it, and nothing would come of an answer.
		v.options.Log.Debug("a packet goes astray", "from", h.srcCID, "to", h.dstCID)
	case h.kind != typeStream:
		v.refuse(h)
	case h.op == opRequest:
		v.open(k, h)
	default:
		v.pass(k, h, data)
	}
}

// refuse answers with a reset a packet that belongs to no connection (VIRTIO
// 5.10.6.2), but not a reset.
func (v *vm) refuse(h *header) {
	if h.op == opReset {
		return
	}
	r := header{srcPort: h.dstPort, dstPort: h.srcPort, kind: h.kind, op: opReset}
	v.later(func() {
		_ = v.send(never, func(int) (header, []byte) { return r, nil }) // fails with the VM
	})
}

// pass gives a packet to its connection.
func (v *vm) pass(k key, h *header, data []byte) {
	v.mu.Lock()
	c, reply := v.conns[k], uint16(0)
	if c != nil {
		reply = c.receive(h, data)
	}
	v.mu.Unlock()
	switch {
	case c == nil:
		v.refuse(h)
	case reply != 0:
		v.later(func() { _, _ = c.send(reply, 0, nil) }) // fails when there is nobody to be told
	}
}

// open connects the guest to the host's socket, or resets its request. A request
// for a connection that there is resets that: the guest cannot mean it.
func (v *vm) open(k key, h *header) {
	v.mu.Lock()
	c, full := v.conns[k], len(v.conns) >= maxConnections
	v.mu.Unlock()
	switch {
	case c != nil:
		v.later(c.reset)
		return
	case full:
		v.options.Log.Debug("a connection too many is refused", "port", k.host)
		v.refuse(h)
		return
	}
	host, err := v.connect(k.host)
	if err != nil {
		v.options.Log.Debug("a connection is refused", "port", k.host, "err", err)
		v.refuse(h)
		return
	}
	v.carry(newConn(v, k, host, h))
}

// carry starts a connection.
func (v *vm) carry(c *conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failure != nil {
		_ = c.host.Close()
		return
	}
	v.conns[c.key] = c
	v.work.Go(c.toHost) // both are joined by serve
	v.work.Go(c.toGuest)
}

// impatience is how long a connect waits before it looks whether the VM is over.
var impatience = syscall.Timeval{Usec: 100_000}

// connect is a blocking connect(2), like that of the VMMs: unlike Go's it waits
// when the queue of the listener is full.
func (v *vm) connect(port uint32) (*net.UnixConn, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	name := v.options.Path + "_" + strconv.FormatUint(uint64(port), 10)
	file := os.NewFile(uintptr(fd), name)
	defer func() { _ = file.Close() }() // what is returned is a copy
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &impatience); err != nil {
		return nil, os.NewSyscallError("setsockopt", err)
	}
	if err := v.persist(func() error { return syscall.Connect(fd, &syscall.SockaddrUnix{Name: name}) }); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// persist repeats a call that was interrupted or waited too long, while the VM is
// not over.
func (v *vm) persist(call func() error) error {
	for {
		err := call()
		if !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EAGAIN) {
			return err
		}
		select {
		case <-v.done:
			return err
		default:
		}
	}
}
