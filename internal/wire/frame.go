package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The sizes of the protocol, in bytes. They are part of it: PROTOCOL.md states
// them and both ends rely on them.
const (
	// HeaderSize is the length of a frame's header.
	HeaderSize = 8
	// MaxFrame is the longest payload of a control frame.
	MaxFrame = 1 << 20
	// MaxData is the longest payload of a DATA frame.
	MaxData = 64 << 10
	// MaxMessage is the longest message joined from several frames: an input or
	// result of 16 MiB with room for what surrounds it.
	MaxMessage = 16<<20 + 64<<10
	// Window is the credit that each slot starts with, and the most it ever has.
	Window = 256 << 10
)

// ErrProtocol is what Receive and ReadFrame wrap when the peer broke the
// protocol. The connection is of no further use and redialling will not help.
var ErrProtocol = errors.New("protocol error")

// Unsendable is the error of Send for a message that breaks the protocol's rules by
// itself: nothing was sent, and the connection is as it was.
type Unsendable struct{ Err error }

// Error says which rule.
func (u *Unsendable) Error() string { return u.Err.Error() }

// Unwrap is what is wrong.
func (u *Unsendable) Unwrap() error { return u.Err }

// Type is a frame's type, and that of the message in it.
type Type uint8

const (
	typeOpen Type = iota + 1
	typePresent
	typeCall
	typeAttach
	typeAccepted
	typeData
	typeEnd
	typeCredit
	typeCancel
	typeNote
	typeResult
	typeAck
	typePing
	typePong
	typeFail
)

var typeNames = [...]string{
	typeOpen: "OPEN", typePresent: "PRESENT", typeCall: "CALL", typeAttach: "ATTACH", typeAccepted: "ACCEPTED",
	typeData: "DATA", typeEnd: "END", typeCredit: "CREDIT", typeCancel: "CANCEL", typeNote: "NOTE",
	typeResult: "RESULT", typeAck: "ACK", typePing: "PING", typePong: "PONG", typeFail: "FAIL",
}

// String is the type's name in PROTOCOL.md.
func (t Type) String() string {
	if t.known() {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

func (t Type) known() bool { return typeOpen <= t && t <= typeFail }

// spans reports whether a message of the type may take several frames.
func (t Type) spans() bool { return t == typePresent || t == typeCall || t == typeResult }

// waits reports whether a message of the type may wait a moment for the next.
func (t Type) waits() bool { return t == typeAccepted }

// slotted reports whether frames of the type belong to a slot.
func (t Type) slotted() bool { return t == typeData || t == typeEnd || t == typeCredit }

// passes reports whether a frame of the type is done with as it comes, or is bounded by
// its slot's window: it is no part of a message that grows.
func (t Type) passes() bool { return t.slotted() || t == typePing || t == typePong }

func (t Type) maxFrame() int {
	if t == typeData {
		return MaxData
	}
	return MaxFrame
}

func (t Type) maxMessage() int {
	if t.spans() {
		return MaxMessage
	}
	return t.maxFrame()
}

// Flags are a frame's flags. Bits without a name are reserved and 0.
type Flags uint16

// The flags.
const (
	// More says that further frames of the same message follow.
	More Flags = 1 << iota
	// Optional says that who does not know the type skips the frame.
	Optional
)

// Frame is what travels: a header of HeaderSize bytes and the payload.
type Frame struct {
	Type    Type
	Slot    Slot
	Flags   Flags
	Payload []byte
}

// AppendFrame appends the frame's bytes to dst. It judges nothing: tests of
// hostile peers build their frames with it.
func AppendFrame(dst []byte, f Frame) []byte {
	h := header{length: uint32(len(f.Payload)), typ: f.Type, slot: f.Slot, flags: f.Flags}
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	h.put(dst[start:])
	return append(dst, f.Payload...)
}

// ReadFrame reads exactly one frame; its payload is appended to buf[:0]. Of the
// protocol's rules it keeps only the frame's size. The error is io.EOF when
// there is no frame, io.ErrUnexpectedEOF when there is a part of one.
func ReadFrame(r io.Reader, buf []byte) (Frame, error) {
	buf = slices.Grow(buf[:0], HeaderSize)[:HeaderSize]
	if _, err := io.ReadFull(r, buf); err != nil {
		return Frame{}, err
	}
	h := parseHeader(buf)
	if err := h.checkLength(); err != nil {
		return Frame{}, err
	}
	payload, err := appendPayload(buf[:0], r, int(h.length))
	return Frame{Type: h.typ, Slot: h.slot, Flags: h.flags, Payload: payload}, err
}

// header is a frame's first HeaderSize bytes.
type header struct {
	length uint32 // of the payload, in bytes
	typ    Type
	slot   Slot
	flags  Flags
}

func parseHeader(b []byte) header {
	return header{
		length: binary.BigEndian.Uint32(b),
		typ:    Type(b[4]),
		slot:   Slot(b[5]),
		flags:  Flags(binary.BigEndian.Uint16(b[6:])),
	}
}

func (h header) put(b []byte) {
	binary.BigEndian.PutUint32(b, h.length)
	b[4], b[5] = byte(h.typ), byte(h.slot)
	binary.BigEndian.PutUint16(b[6:], uint16(h.flags))
}

// checkLength compares as unsigned numbers, so that no length wraps around.
func (h header) checkLength() error {
	if limit := h.typ.maxFrame(); h.length > uint32(limit) {
		return fmt.Errorf("%w: %s frame of %d bytes, the limit is %d", ErrProtocol, h.typ, h.length, limit)
	}
	return nil
}

// check keeps the rules that a header of a known type shows by itself.
func (h header) check() error {
	switch {
	case h.flags&^(More|Optional) != 0:
		return fmt.Errorf("%w: %s frame with reserved flags %#04x", ErrProtocol, h.typ, uint16(h.flags))
	case h.typ.slotted() && h.slot == 0:
		return fmt.Errorf("%w: %s frame for %s", ErrProtocol, h.typ, h.slot)
	case !h.typ.slotted() && h.slot != 0:
		return fmt.Errorf("%w: %s frame for %s, it belongs to none", ErrProtocol, h.typ, h.slot)
	case h.flags&More != 0 && !h.typ.spans():
		return fmt.Errorf("%w: %s does not span frames", ErrProtocol, h.typ)
	case h.length == 0:
		return fmt.Errorf("%w: empty %s frame", ErrProtocol, h.typ)
	}
	return nil
}

// firstRead is how much memory a payload gets before any of it has come.
const firstRead = 4 << 10

// appendPayload reads n bytes and appends them to dst. What it allocates
// follows what has arrived, not n: a peer that announces a mebibyte and sends
// nothing costs firstRead.
func appendPayload(dst []byte, r io.Reader, n int) ([]byte, error) {
	for n > 0 {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, min(n, max(firstRead, len(dst))))
		}
		part := dst[len(dst):min(cap(dst), len(dst)+n)]
		got, err := io.ReadFull(r, part)
		dst = dst[:len(dst)+got]
		n -= got
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}
