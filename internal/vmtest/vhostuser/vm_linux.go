package vhostuser

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
)

// The virtqueues (VIRTIO 5.10.2). The third has events for the guest, of which we
// have none.
const (
	receiveQueue  = 0 // to the guest
	transmitQueue = 1 // from the guest
	queues        = 3
)

// maxConnections is how many connections a guest has at most, MAX_CONNECTIONS in
// vsock/unix/mod.rs of Firecracker and Cloud Hypervisor.
const maxConnections = 1023

// maxReplies is how many replies wait for the guest to offer buffers for them.
// When there are more, nothing is taken from the guest, who is thus bounded too
// (VIRTIO 5.10.6.1). It is MUXER_RXQ_SIZE in vsock/unix/mod.rs of
// Firecracker.
const maxReplies = 256

// vm is a VMM's connection, and what it shares with us of its guest.
type vm struct {
	options *Options
	socket  *net.UnixConn
	work    sync.WaitGroup // all goroutines but the one of serve
	done    chan struct{}  // closed when failure is set
	replies chan func()    // what is to be sent for what came from the guest

	mu       sync.Mutex // guards the rest, and the guest's memory from being unmapped
	failure  error      // why this is over
	protocol uint64     // features of the protocol, as far as acknowledged
	memory   memory
	queues   [queues]queue
	conns    map[key]*conn
}

func newVM(socket *net.UnixConn, o *Options) *vm {
	v := &vm{options: o, socket: socket, done: make(chan struct{}), replies: make(chan func(), maxReplies), conns: map[key]*conn{}}
	for i := range v.queues {
		v.queues[i] = queue{ready: sync.NewCond(&v.mu), fill: i != transmitQueue, call: -1}
	}
	return v
}

// serve answers the VMM until it disconnects, which is io.EOF, or something is
// wrong with it or its guest. Then nothing of it is left.
func (v *vm) serve() error {
	v.work.Go(v.fromGuest) // both are joined here
	v.work.Go(v.reply)
	v.fail(v.answerRequests())
	v.mu.Lock()
	for i := range v.queues {
		v.queues[i].stop()
		v.queues[i].setCall(-1)
	}
	v.mu.Unlock()
	v.work.Wait()
	v.memory.unmap()
	return v.failure
}

// fail ends the VMM's connection, for the first reason that it is told.
func (v *vm) fail(reason error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failure != nil {
		return
	}
	v.failure = reason
	close(v.done)
	_ = v.socket.Close()
	for _, c := range v.conns {
		c.end()
		c.forget()
	}
	for i := range v.queues {
		v.queues[i].ready.Broadcast()
	}
}

// watch turns kicks of the guest into signals of the queue.
func (v *vm) watch(q *queue, kick *os.File) {
	var count [8]byte
	for {
		_, err := kick.Read(count[:])
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil {
			v.fail(fmt.Errorf("wait for a kick: %w", unexpected(err)))
			return
		}
		v.mu.Lock()
		q.ready.Signal()
		v.mu.Unlock()
	}
}

// errTooLate says that what waited for the guest is no longer wanted.
var errTooLate = errors.New("the connection is over")

// await waits for a chain, with the lock held, until it is too late for it.
func (v *vm) await(q *queue, tooLate func() bool) (chain, error) {
	for {
		switch {
		case v.failure != nil:
			return chain{}, v.failure
		case tooLate():
			return chain{}, errTooLate
		case q.runs():
			if c, ok, err := q.pop(v.memory); ok || err != nil {
				return c, err
			}
		}
		q.ready.Wait()
	}
}

func never() bool { return false }

// fromGuest takes packets from the guest.
func (v *vm) fromGuest() {
	for {
		h, data, err := v.nextPacket()
		if err != nil {
			v.fail(fmt.Errorf("receive from the guest: %w", err))
			return
		}
		v.receive(&h, data)
	}
}

func (v *vm) nextPacket() (header, []byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	q := &v.queues[transmitQueue]
	c, err := v.await(q, never)
	if err != nil {
		return header{}, nil, err
	}
	h, data, err := readPacket(&c)
	if err == nil {
		q.push(c.head, 0)
	}
	return h, data, err
}

// send waits for the guest to offer a buffer and puts a packet there, which is
// made for the room in it, with the lock held.
func (v *vm) send(tooLate func() bool, packet func(room int) (header, []byte)) error {
	err := v.sendOne(tooLate, packet)
	if err != nil && !errors.Is(err, errTooLate) {
		v.fail(fmt.Errorf("send to the guest: %w", err))
	}
	return err
}

func (v *vm) sendOne(tooLate func() bool, packet func(room int) (header, []byte)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	q := &v.queues[receiveQueue]
	defer q.ready.Signal() // it may be that more wait, and more is there
	c, err := v.await(q, tooLate)
	if err != nil {
		return err
	}
	size := c.size()
	if size < headerSize {
		return fmt.Errorf("a buffer of %d bytes", size)
	}
	h, data := packet(int(min(size-headerSize, bufferSize)))
	h.srcCID, h.dstCID, h.length = hostCID, uint64(v.options.CID), uint32(len(data))
	c.write(h.encode())
	c.write(data)
	q.push(c.head, headerSize+len(data))
	return nil
}

// reply sends what receive leaves to it, as receiving never waits for the guest
// to receive: the guest may do likewise.
func (v *vm) reply() {
	for {
		select {
		case send := <-v.replies:
			send()
		case <-v.done:
			return
		}
	}
}

func (v *vm) later(send func()) {
	select {
	case v.replies <- send:
	case <-v.done:
	}
}
