package vhostuser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"time"
)

// Requests of the front end (Front-end message types).
const (
	requestGetFeatures         = 1
	requestSetFeatures         = 2
	requestSetOwner            = 3
	requestSetMemTable         = 5
	requestSetVringNum         = 8
	requestSetVringAddr        = 9
	requestSetVringBase        = 10
	requestGetVringBase        = 11
	requestSetVringKick        = 12
	requestSetVringCall        = 13
	requestSetVringErr         = 14
	requestGetProtocolFeatures = 15
	requestSetProtocolFeatures = 16
	requestSetVringEnable      = 18
	requestGetConfig           = 24
)

const (
	// featureVersion1 is VIRTIO_F_VERSION_1 (VIRTIO 6). Neither indirect
	// descriptors nor used_event are offered, so neither comes.
	featureVersion1 = 1 << 32
	// featureProtocol is VHOST_USER_F_PROTOCOL_FEATURES.
	featureProtocol = 1 << 30
	features        = featureVersion1 | featureProtocol

	// Protocol features: the front end may ask for an answer to anything, and for
	// the device's configuration.
	protocolReplyAck = 1 << 3
	protocolConfig   = 1 << 9
	protocolFeatures = protocolReplyAck | protocolConfig

	// In the payload of a request that comes with an eventfd: which queue it is
	// for, and that it does not come.
	vringIndexMask = 0xff
	vringNoFD      = 1 << 8
)

// request is how one kind of request is answered, with the lock held.
type request struct {
	name   string
	size   int // of the payload, -1 if that varies
	answer func(v *vm, m *message) (reply []byte, err error)
}

var requests = map[uint32]request{
	requestGetFeatures:         {"get features", 0, func(*vm, *message) ([]byte, error) { return number(features), nil }},
	requestSetFeatures:         {"set features", 8, (*vm).setFeatures},
	requestSetOwner:            {"set owner", 0, func(*vm, *message) ([]byte, error) { return nil, nil }},
	requestSetMemTable:         {"set memory table", -1, (*vm).setMemTable},
	requestSetVringNum:         {"set vring num", 8, (*vm).setVringNum},
	requestSetVringAddr:        {"set vring addr", 40, (*vm).setVringAddr},
	requestSetVringBase:        {"set vring base", 8, (*vm).setVringBase},
	requestGetVringBase:        {"get vring base", 8, (*vm).getVringBase},
	requestSetVringKick:        {"set vring kick", 8, (*vm).setVringKick},
	requestSetVringCall:        {"set vring call", 8, (*vm).setVringCall},
	requestSetVringErr:         {"set vring err", 8, (*vm).setVringErr},
	requestGetProtocolFeatures: {"get protocol features", 0, func(*vm, *message) ([]byte, error) { return number(protocolFeatures), nil }},
	requestSetProtocolFeatures: {"set protocol features", 8, (*vm).setProtocolFeatures},
	requestSetVringEnable:      {"set vring enable", 8, (*vm).setVringEnable},
	requestGetConfig:           {"get config", -1, (*vm).getConfig},
}

// answerRequests answers the VMM until something is wrong, or it is gone, which
// is io.EOF.
func (v *vm) answerRequests() error {
	for {
		m, err := readMessage(v.socket)
		if err != nil {
			return err
		}
		err = v.answerRequest(m)
		m.close()
		if err != nil {
			return err
		}
	}
}

func (v *vm) answerRequest(m *message) error {
	r, ok := requests[m.request]
	if !ok {
		return fmt.Errorf("request %d is none that we know", m.request)
	}
	if r.size >= 0 && len(m.payload) != r.size {
		return fmt.Errorf("%s: %d bytes, not %d", r.name, len(m.payload), r.size)
	}
	v.mu.Lock()
	reply, err := r.answer(v, m)
	if err == nil && reply == nil && m.flags&flagNeedReply != 0 && v.protocol&protocolReplyAck != 0 {
		reply = number(0) // success; a failure ends the connection
	}
	v.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if reply == nil {
		return nil
	}
	return m.reply(v.socket, reply)
}

// acknowledge is the features of a payload, which have to be among those offered.
func acknowledge(m *message, offered uint64) (uint64, error) {
	asked := native.Uint64(m.payload)
	if asked&^offered != 0 {
		return 0, fmt.Errorf("%#x, where %#x is offered", asked, offered)
	}
	return asked, nil
}

// setFeatures also says whether the queues are enabled before the VMM says so
// (Ring states).
func (v *vm) setFeatures(m *message) ([]byte, error) {
	asked, err := acknowledge(m, features)
	if err != nil {
		return nil, err
	}
	if asked&featureProtocol == 0 {
		for i := range v.queues {
			v.queues[i].enabled = true
		}
	}
	return nil, nil
}

func (v *vm) setProtocolFeatures(m *message) (_ []byte, err error) {
	v.protocol, err = acknowledge(m, protocolFeatures)
	return nil, err
}

// setMemTable comes again, while the queues run, when the guest's memory changes.
func (v *vm) setMemTable(m *message) ([]byte, error) {
	if len(m.payload) < 8 {
		return nil, errors.New("no number of regions")
	}
	mem, err := mapMemory(m)
	if err != nil {
		return nil, err
	}
	old := v.memory
	v.memory = mem
	for i := range v.queues {
		err = errors.Join(err, v.queues[i].move(mem))
	}
	old.unmap() // no queue is there any more
	return nil, err
}

// queue is the queue of that index.
func (v *vm) queue(index uint32) (*queue, error) {
	if index >= queues {
		return nil, fmt.Errorf("queue %d, where there are %d", index, queues)
	}
	return &v.queues[index], nil
}

// idleQueue is the queue that a payload begins with, which has to be stopped for
// what is asked.
func (v *vm) idleQueue(m *message) (*queue, error) {
	q, err := v.queue(native.Uint32(m.payload))
	if err == nil && q.kick != nil {
		return nil, errors.New("the queue is started")
	}
	return q, err
}

func (v *vm) setVringNum(m *message) ([]byte, error) {
	q, err := v.idleQueue(m)
	if err != nil {
		return nil, err
	}
	return nil, q.resize(native.Uint32(m.payload[4:]))
}

// setVringAddr takes the addresses as they are: whether they are in memory is
// seen when the queue starts.
func (v *vm) setVringAddr(m *message) ([]byte, error) {
	q, err := v.idleQueue(m)
	if err != nil {
		return nil, err
	}
	if flags := native.Uint32(m.payload[4:]); flags != 0 {
		return nil, fmt.Errorf("the flags %#x", flags) // logging for migration, which is not offered
	}
	b := m.payload[8:]
	q.addresses = ringAddresses{descriptors: native.Uint64(b), used: native.Uint64(b[8:]), available: native.Uint64(b[16:])}
	return nil, nil
}

func (v *vm) setVringBase(m *message) ([]byte, error) {
	q, err := v.idleQueue(m)
	if err != nil {
		return nil, err
	}
	base := native.Uint32(m.payload[4:])
	if base > math.MaxUint16 {
		return nil, fmt.Errorf("index %d", base)
	}
	q.taken = uint16(base)
	return nil, nil
}

// getVringBase stops the queue. The connections stay, for the VMM may only have
// paused the guest.
func (v *vm) getVringBase(m *message) ([]byte, error) {
	index := native.Uint32(m.payload)
	q, err := v.queue(index)
	if err != nil {
		return nil, err
	}
	q.stop()
	return native.AppendUint32(native.AppendUint32(nil, index), uint32(q.taken)), nil
}

// eventQueue is the queue that comes with an eventfd, and the descriptor, which
// is -1 where none comes. The caller owns it.
func (v *vm) eventQueue(m *message) (*queue, int, error) {
	n := native.Uint64(m.payload)
	q, err := v.queue(uint32(n & vringIndexMask))
	if err != nil {
		return nil, -1, err
	}
	want := 1
	if n&vringNoFD != 0 {
		want = 0
	}
	if n&^(vringIndexMask|vringNoFD) != 0 || len(m.descriptors) != want {
		return nil, -1, fmt.Errorf("%#x with %d descriptors", n, len(m.descriptors))
	}
	if want == 0 {
		return q, -1, nil
	}
	// It is an eventfd of the VMM, who shares the flag. QEMU has set it already.
	if err := syscall.SetNonblock(m.descriptors[0], true); err != nil {
		return nil, -1, os.NewSyscallError("fcntl", err)
	}
	return q, m.take(0), nil
}

// setVringKick starts the queue: that the first kick would, as the document has
// it, is not what the VMMs rely on.
func (v *vm) setVringKick(m *message) ([]byte, error) {
	q, fd, err := v.eventQueue(m)
	if err != nil {
		return nil, err
	}
	if fd < 0 {
		return nil, errors.New("queues are not polled")
	}
	kick := os.NewFile(uintptr(fd), "kick")
	if err = kick.SetReadDeadline(time.Time{}); err == nil { // or Close would not end a Read
		err = q.start(v.memory, kick)
	}
	if err != nil {
		_ = kick.Close()
		return nil, err
	}
	v.work.Go(func() { v.watch(q, kick) }) // joined by serve
	return nil, nil
}

func (v *vm) setVringCall(m *message) ([]byte, error) {
	q, fd, err := v.eventQueue(m)
	if err != nil {
		return nil, err
	}
	q.setCall(fd)
	return nil, nil
}

// setVringErr is of no use to us: an error ends the VMM's connection.
func (v *vm) setVringErr(m *message) ([]byte, error) {
	_, fd, err := v.eventQueue(m)
	if fd >= 0 {
		_ = syscall.Close(fd)
	}
	return nil, err
}

func (v *vm) setVringEnable(m *message) ([]byte, error) {
	q, err := v.queue(native.Uint32(m.payload))
	if err != nil {
		return nil, err
	}
	state := native.Uint32(m.payload[4:])
	if state > 1 {
		return nil, fmt.Errorf("state %d", state)
	}
	q.enabled = state == 1
	q.ready.Signal()
	return nil, nil
}

// getConfig answers with a part of the configuration of the device, which is the
// guest's CID as a 64-bit number (VIRTIO 5.10.4).
func (v *vm) getConfig(m *message) ([]byte, error) {
	const before = 12 // offset, size and flags, 32 bits each
	if len(m.payload) < before {
		return nil, fmt.Errorf("%d bytes", len(m.payload))
	}
	config := binary.LittleEndian.AppendUint64(nil, uint64(v.options.CID))
	offset, size := uint64(native.Uint32(m.payload)), uint64(native.Uint32(m.payload[4:]))
	if offset+size > uint64(len(config)) || uint64(len(m.payload)) != before+size {
		return nil, fmt.Errorf("%d bytes at %d, in a payload of %d", size, offset, len(m.payload))
	}
	return append(m.payload[:before:before], config[offset:offset+size]...), nil
}
