package vhostuser

import (
	"encoding/binary"
	"fmt"
)

// Of packets of a socket device (VIRTIO 5.10.6).
const (
	headerSize = 44
	hostCID    = 2
	typeStream = 1

	opRequest       = 1
	opResponse      = 2
	opReset         = 3
	opShutdown      = 4
	opData          = 5 // VIRTIO_VSOCK_OP_RW
	opCreditUpdate  = 6
	opCreditRequest = 7

	// Flags of opShutdown: its sender will receive, or send, no more.
	shutReceive = 1
	shutSend    = 2
	shutBoth    = shutReceive | shutSend
)

// bufferSize is how much of a connection we hold for the host to read, which the
// guest knows as buf_alloc: CONN_TX_BUF_SIZE in vsock/csm/mod.rs of Firecracker and
// Cloud Hypervisor.
const bufferSize = 64 << 10

// header is struct virtio_vsock_hdr.
type header struct {
	srcCID, dstCID   uint64
	srcPort, dstPort uint32
	length           uint32 // of the payload
	kind, op         uint16
	flags            uint32
	bufAlloc, fwdCnt uint32
}

func (h *header) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, headerSize)
	b = le.AppendUint64(b, h.srcCID)
	b = le.AppendUint64(b, h.dstCID)
	b = le.AppendUint32(b, h.srcPort)
	b = le.AppendUint32(b, h.dstPort)
	b = le.AppendUint32(b, h.length)
	b = le.AppendUint16(b, h.kind)
	b = le.AppendUint16(b, h.op)
	b = le.AppendUint32(b, h.flags)
	b = le.AppendUint32(b, h.bufAlloc)
	return le.AppendUint32(b, h.fwdCnt)
}

func decodeHeader(b *[headerSize]byte) header {
	le := binary.LittleEndian
	return header{
		srcCID: le.Uint64(b[:]), dstCID: le.Uint64(b[8:]),
		srcPort: le.Uint32(b[16:]), dstPort: le.Uint32(b[20:]),
		length: le.Uint32(b[24:]),
		kind:   le.Uint16(b[28:]), op: le.Uint16(b[30:]), flags: le.Uint32(b[32:]),
		bufAlloc: le.Uint32(b[36:]), fwdCnt: le.Uint32(b[40:]),
	}
}

// readPacket copies a packet out of the chain. The data of one that exceeds all
// credit stays where it is.
func readPacket(c *chain) (header, []byte, error) {
	size := c.size()
	if size < headerSize {
		return header{}, nil, fmt.Errorf("a packet of %d bytes", size)
	}
	var b [headerSize]byte
	c.read(b[:])
	h := decodeHeader(&b)
	if uint64(h.length) > size-headerSize {
		return h, nil, fmt.Errorf("a packet of %d bytes says that its data is %d", size, h.length)
	}
	if h.op != opData || h.length > bufferSize {
		return h, nil, nil
	}
	data := make([]byte, h.length)
	c.read(data)
	return h, data, nil
}

// key identifies a connection of a guest.
type key struct{ guest, host uint32 }
