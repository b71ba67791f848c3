package vhostuser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// Of the front end's messages (Message Specification); all numbers are in the
// machine's order of bytes.
const (
	messageHeader = 12 // request, flags and size of the payload, 32 bits each

	flagVersion     = 1      // what the bits of flagVersionMask have to be
	flagVersionMask = 3      // of its place
	flagReply       = 1 << 2 // on what the back end says
	flagNeedReply   = 1 << 3 // the front end waits for an answer, see REPLY_ACK

	// maxRegions is how many regions of memory a message can have, each of which
	// comes with a descriptor. No message has more descriptors.
	maxRegions = 8
	regionSize = 32 // four 64-bit numbers
	// maxPayload is the largest of what we take: a memory table, after the number
	// of its regions and padding.
	maxPayload = 8 + maxRegions*regionSize
)

var native = binary.NativeEndian

// message is a request of the VMM. It owns its descriptors until they are taken.
type message struct {
	request, flags uint32
	payload        []byte
	descriptors    []int
}

// readMessage reads a request, which the caller closes.
func readMessage(socket *net.UnixConn) (*message, error) {
	var header [messageHeader]byte
	oob := make([]byte, syscall.CmsgSpace(maxRegions*4))
	n, oobn, flags, _, err := socket.ReadMsgUnix(header[:], oob)
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err := m.readRest(socket, header[:], n, oob[:oobn], flags); err != nil {
		m.close()
		return nil, fmt.Errorf("read a request: %w", unexpected(err))
	}
	return m, nil
}

// unexpected is the error of an end that is none of the VMM's connection between two
// requests, which is io.EOF.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readRest completes what came with the first bytes of the header.
func (m *message) readRest(socket *net.UnixConn, header []byte, n int, oob []byte, flags int) error {
	if err := m.own(oob); err != nil {
		return err
	}
	if flags&syscall.MSG_CTRUNC != 0 {
		return fmt.Errorf("more than %d descriptors", maxRegions)
	}
	if _, err := io.ReadFull(socket, header[n:]); err != nil {
		return err
	}
	m.request, m.flags = native.Uint32(header), native.Uint32(header[4:])
	if m.flags&flagVersionMask != flagVersion || m.flags&flagReply != 0 {
		return fmt.Errorf("request %d has the flags %#x", m.request, m.flags)
	}
	size := native.Uint32(header[8:])
	if size > maxPayload {
		return fmt.Errorf("request %d has %d bytes", m.request, size)
	}
	m.payload = make([]byte, size)
	_, err := io.ReadFull(socket, m.payload)
	return err
}

// own takes over the descriptors that came; Go has them closed on exec.
func (m *message) own(oob []byte) error {
	if len(oob) == 0 {
		return nil
	}
	controls, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for i := range controls {
		descriptors, parseErr := syscall.ParseUnixRights(&controls[i])
		m.descriptors = append(m.descriptors, descriptors...)
		err = errors.Join(err, parseErr)
	}
	return err
}

// take hands a descriptor to the caller.
func (m *message) take(i int) int {
	fd := m.descriptors[i]
	m.descriptors[i] = -1
	return fd
}

// close closes all descriptors that were not taken.
func (m *message) close() {
	for _, fd := range m.descriptors {
		if fd >= 0 {
			_ = syscall.Close(fd)
		}
	}
	m.descriptors = nil
}

// reply answers the request.
func (m *message) reply(socket *net.UnixConn, payload []byte) error {
	b := make([]byte, 0, messageHeader+len(payload))
	b = native.AppendUint32(b, m.request)
	b = native.AppendUint32(b, flagVersion|flagReply)
	b = native.AppendUint32(b, uint32(len(payload)))
	if _, err := socket.Write(append(b, payload...)); err != nil {
		return fmt.Errorf("reply to request %d: %w", m.request, err)
	}
	return nil
}

func number(n uint64) []byte { return native.AppendUint64(nil, n) }
