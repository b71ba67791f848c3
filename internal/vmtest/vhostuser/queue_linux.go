package vhostuser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Of split virtqueues (VIRTIO 2.7).
const (
	maxQueueSize = 32768

	descriptorSize  = 16 // address, 64 bits, length, 32 bits, flags and next, 16 bits
	ringHeader      = 4  // flags and idx, 16 bits each
	availableSize   = 2  // of an entry: the head of a chain
	usedSize        = 8  // of an entry: the head of a chain and how much was written to it
	descriptorNext  = 1  // VIRTQ_DESC_F_NEXT
	descriptorWrite = 2  // VIRTQ_DESC_F_WRITE
	noInterrupt     = 1  // VIRTQ_AVAIL_F_NO_INTERRUPT
)

// queue is a virtqueue: chains of buffers that the guest offers and gets back
// used. The lock of its VM guards it.
type queue struct {
	// ready is signalled when there may be a chain for one who waits, who passes
	// it on when leaving, as there may be more.
	ready *sync.Cond
	// fill says that the chains are for the device to write to.
	fill bool

	size      uint16
	addresses ringAddresses
	enabled   bool
	kick      *os.File // the guest's signal; nil while the queue is stopped
	call      int      // an eventfd, which interrupts the guest; -1 if there is none

	// The rings while the queue is started, and how far we are in them.
	descriptors, available, used []byte
	taken, returned              uint16
}

// ringAddresses are where the VMM has the rings.
type ringAddresses struct{ descriptors, used, available uint64 }

// resize sets how many descriptors there are (VIRTIO 2.7: a power of 2, at most
// 32768).
func (q *queue) resize(size uint32) error {
	if size == 0 || size > maxQueueSize || size&(size-1) != 0 {
		return fmt.Errorf("a queue of %d", size)
	}
	q.size = uint16(size)
	return nil
}

// place finds the rings in memory. VIRTIO 2.7 lets an available ring begin at any
// even address; we need one to which 32-bit atomics apply, and where drivers put
// it, after the descriptors, is one.
func (q *queue) place(m memory) error {
	a, n := q.addresses, int(q.size)
	if n == 0 || a.descriptors%descriptorSize != 0 || a.used%4 != 0 || a.available%4 != 0 {
		return fmt.Errorf("a queue of %d at %#x, %#x and %#x", n, a.descriptors, a.used, a.available)
	}
	descriptors, err := m.ring(a.descriptors, n*descriptorSize)
	if err != nil {
		return fmt.Errorf("descriptors: %w", err)
	}
	available, err := m.ring(a.available, ringHeader+n*availableSize)
	if err != nil {
		return fmt.Errorf("available ring: %w", err)
	}
	used, err := m.ring(a.used, ringHeader+n*usedSize)
	if err != nil {
		return fmt.Errorf("used ring: %w", err)
	}
	if !aligned(available) || !aligned(used) {
		return errors.New("a ring is at an odd place of its file")
	}
	q.descriptors, q.available, q.used = descriptors, available, used
	return nil
}

// aligned is whether b may be accessed with a 32-bit atomic. It is not implied by
// the VMM's address, as the VMM says where in the file that is.
func aligned(b []byte) bool { return uintptr(unsafe.Pointer(&b[0]))%4 == 0 }

// start has the queue take chains, on a kick or because they are there already.
func (q *queue) start(m memory, kick *os.File) error {
	if err := q.place(m); err != nil {
		return err
	}
	if q.kick != nil {
		_ = q.kick.Close()
	} else {
		_, q.returned = loadRing(q.used)
	}
	q.kick = kick
	q.ready.Signal()
	return nil
}

// stop has the queue take no more chains.
func (q *queue) stop() {
	if q.kick != nil {
		_ = q.kick.Close()
		q.kick = nil
	}
	q.descriptors, q.available, q.used = nil, nil, nil
}

// move follows the rings of a started queue into other memory, or stops it if they
// are not there.
func (q *queue) move(m memory) error {
	if q.kick == nil {
		return nil
	}
	err := q.place(m)
	if err != nil {
		q.stop()
	}
	return err
}

// setCall takes over the descriptor of an eventfd, -1 for none.
func (q *queue) setCall(fd int) {
	if q.call >= 0 {
		_ = syscall.Close(q.call)
	}
	q.call = fd
}

// runs is whether the queue is started and enabled (Ring states).
func (q *queue) runs() bool { return q.kick != nil && q.enabled }

// chain is a chain of buffers in the guest's memory, where it stays only as long
// as the VM's lock is held.
type chain struct {
	head  uint16
	parts [][]byte
}

// pop takes the next chain that the guest offers, if there is one.
func (q *queue) pop(m memory) (c chain, ok bool, err error) {
	_, offered := loadRing(q.available)
	if offered == q.taken {
		return c, false, nil
	}
	if offered-q.taken > q.size {
		return c, false, fmt.Errorf("%d chains are offered in a queue of %d", offered-q.taken, q.size)
	}
	slot := int(q.taken % q.size)
	c.head = binary.LittleEndian.Uint16(q.available[ringHeader+slot*availableSize:])
	q.taken++
	c.parts, err = q.follow(m, c.head)
	return c, err == nil, err
}

// follow gathers a chain, which is at most as long as the queue (VIRTIO 2.7.5:
// there are no loops).
func (q *queue) follow(m memory, at uint16) (parts [][]byte, err error) {
	for range q.size {
		if at >= q.size {
			return nil, fmt.Errorf("descriptor %d in a queue of %d", at, q.size)
		}
		var d [descriptorSize]byte
		copy(d[:], q.descriptors[int(at)*descriptorSize:])
		flags := binary.LittleEndian.Uint16(d[12:])
		if flags&^(descriptorNext|descriptorWrite) != 0 || flags&descriptorWrite != 0 != q.fill {
			return nil, fmt.Errorf("descriptor %d has the flags %#x", at, flags)
		}
		parts, err = m.appendParts(parts, binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint32(d[8:]))
		if err != nil {
			return nil, fmt.Errorf("descriptor %d: %w", at, err)
		}
		if flags&descriptorNext == 0 {
			return parts, nil
		}
		at = binary.LittleEndian.Uint16(d[14:])
	}
	return nil, errors.New("the descriptors form a loop")
}

// push returns a chain to which n bytes were written, and interrupts the guest if
// it cares.
func (q *queue) push(head uint16, n int) {
	slot := int(q.returned % q.size)
	entry := q.used[ringHeader+slot*usedSize:]
	binary.LittleEndian.PutUint32(entry, uint32(head))
	binary.LittleEndian.PutUint32(entry[4:], uint32(n))
	q.returned++
	storeRing(q.used, q.returned)
	// Whether the guest cares is looked at after it can see the chain, or it may
	// go to sleep in between.
	if flags, _ := loadRing(q.available); flags&noInterrupt == 0 && q.call >= 0 {
		// It cannot block, and where it fails nobody is interrupted.
		_, _ = syscall.Write(q.call, number(1))
	}
}

// loadRing loads the first two fields of a ring before all that is loaded later.
func loadRing(ring []byte) (flags, index uint16) {
	var b [ringHeader]byte
	native.PutUint32(b[:], atomic.LoadUint32((*uint32)(unsafe.Pointer(&ring[0]))))
	return binary.LittleEndian.Uint16(b[:]), binary.LittleEndian.Uint16(b[2:])
}

// storeRing stores the first two fields of a ring, no flag and the index, after
// all that was stored earlier.
func storeRing(ring []byte, index uint16) {
	var b [ringHeader]byte
	binary.LittleEndian.PutUint16(b[2:], index)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&ring[0])), native.Uint32(b[:]))
}

// size is how many bytes there is room for, or that are there to be read.
func (c *chain) size() uint64 {
	var n uint64
	for _, part := range c.parts {
		n += uint64(len(part))
	}
	return n
}

// advance has p copied from or to the front of the chain, which gets shorter by
// that.
func (c *chain) advance(p []byte, copyOne func(part, p []byte) int) {
	for len(p) > 0 && len(c.parts) > 0 {
		n := copyOne(c.parts[0], p)
		p = p[n:]
		if c.parts[0] = c.parts[0][n:]; len(c.parts[0]) == 0 {
			c.parts = c.parts[1:]
		}
	}
}

// read fills p from the chain.
func (c *chain) read(p []byte) { c.advance(p, func(part, p []byte) int { return copy(p, part) }) }

// write puts p into the chain.
func (c *chain) write(p []byte) { c.advance(p, func(part, p []byte) int { return copy(part, p) }) }
