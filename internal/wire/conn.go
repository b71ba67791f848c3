package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// Conn sends and receives messages over a connection. Any number of goroutines
// may Send, one at a time may Receive. It owns the deadlines of the net.Conn:
// whoever limits a phase, such as a handshake, closes the Conn when it is over.
type Conn struct {
	// Timing may be changed before the first use.
	Timing Timing
	// Begins, when set before the first Receive, is called when the first frame
	// of a message that spans several has come: the rest may take long.
	Begins func()
	// Admit, when set before the first Receive, is asked about each frame before
	// its payload is read, with the bytes of header and payload and whether it passes:
	// it is a slot's, or a sign of life, and no part of a message. It may take its
	// time, which slows the peer down. An error ends the connection, and the peer is
	// told so with a FAIL.
	Admit func(bytes int, passes bool) *toolkit.Error

	nc        net.Conn
	closeOnce sync.Once
	closeErr  error

	// spanning is held while the frames of one message that may span several
	// are sent: two such messages must not mix. It is taken before writing.
	spanning lock
	// writing guards the writing side of nc and what follows. It is held for one
	// frame, so that short messages pass between the frames of a long one.
	writing lock
	broken  error       // why nothing more can be written
	held    []byte      // frames that leave with the next one
	holding *time.Timer // until they leave by themselves
	writeBy deadline    // of nc

	owed atomic.Uint32 // PING and PONG that are to be sent

	// What follows belongs to Receive.
	in       inbox          // over arrivals
	paying   sync.WaitGroup // of those who send what is owed
	asked    bool           // a PING is out and nothing came since
	inFrame  bool           // a frame has begun to arrive
	frameDue time.Time      // when it must be there; zero until more of it is waited for
	readBy   deadline       // of nc
	joined   []byte         // the frames so far of a message that spans several
	joining  Type           // the type of that message
	scratch  *[]byte        // the last payload, or nil
	chunk    *chunk         // that of a long DATA, or nil
	ended    error          // why nothing more can be received
}

// readBuffer takes in a typical message with one system call, and is most of
// what an idle connection costs.
const readBuffer = 8 << 10

// NewConn is a Conn over nc, which it owns from now on.
func NewConn(nc net.Conn) *Conn {
	c := &Conn{Timing: defaultTiming, nc: nc, spanning: make(lock, 1), writing: make(lock, 1)}
	c.in = inbox{from: (*arrivals)(c), buf: make([]byte, readBuffer)}
	return c
}

// Close closes the connection and ends a Send or Receive that waits. Further
// calls return what the first did.
func (c *Conn) Close() error {
	c.closeOnce.Do(func() { c.closeErr = c.nc.Close() })
	return c.closeErr
}

// buffers holds payloads between uses, so that an idle connection keeps none.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, minPooled)) }}

// minPooled is enough for most messages, which growing from nothing would
// allocate anew at every power of two.
const minPooled = 1 << 10

// maxPooled keeps the buffers of rare long messages out of the pool.
const maxPooled = 2 * MaxData

func recycle(buffer *[]byte) {
	if cap(*buffer) <= maxPooled {
		buffers.Put(buffer)
	}
}

// Send sends one message; an Accepted waits a moment for the next one and leaves
// with it. An error before anything was written, for a message
// that breaks the protocol's rules, leaves the connection as it was. After any
// other error nothing more can be sent; Receive may still tell what the peer
// said before it closed.
func (c *Conn) Send(msg Message) error {
	if err := c.send(msg); err != nil {
		return fmt.Errorf("send %s: %w", msg.Type(), err)
	}
	return nil
}

func (c *Conn) send(msg Message) error {
	buffer := buffers.Get().(*[]byte)
	defer recycle(buffer)
	room := append((*buffer)[:0], make([]byte, HeaderSize)...)
	text, err := encode(room, msg)
	*buffer = text
	if err != nil {
		return &Unsendable{err}
	}
	if msg.Type().spans() {
		c.spanning.lock()
		defer c.spanning.unlock()
	}
	return c.sendFrames(header{typ: msg.Type(), slot: slotOf(msg)}, text)
}

// sendFrames sends what follows the first HeaderSize bytes of text. Each frame's
// header is put right before its payload, over bytes that are already sent: so a
// frame leaves in one write and nothing is copied.
func (c *Conn) sendFrames(h header, text []byte) error {
	for start := HeaderSize; start < len(text); start += MaxFrame {
		end := min(start+MaxFrame, len(text))
		h.length, h.flags = uint32(end-start), 0
		if end < len(text) {
			h.flags = More
		}
		frame := text[start-HeaderSize : end]
		h.put(frame)
		if err := c.sendFrame(frame, h.typ.waits()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) sendFrame(frame []byte, waits bool) error {
	c.writing.lock()
	defer c.writing.unlock()
	if waits {
		return c.hold(frame)
	}
	return c.write(frame, c.Timing.Progress)
}

// holdTime is how long a frame waits for the next one. Most calls are over by
// then: both ends save a system call, and the caller wakes up once, not twice.
const holdTime = time.Millisecond

// hold has the frame leave with the next one, or soon by itself.
func (c *Conn) hold(frame []byte) error {
	c.held = append(c.held, frame...)
	c.holding = time.AfterFunc(holdTime, c.flush)
	return c.broken
}

func (c *Conn) flush() {
	c.writing.lock()
	defer c.writing.unlock()
	_ = c.write(nil, c.Timing.Progress) // kept in broken for the next sender
}

// Receive waits for the next message. PING, PONG and optional messages of types
// unknown here never show. After an error the connection is closed and every
// further Receive returns the same. The error is io.EOF when the peer closed
// between two messages; it wraps ErrProtocol when the peer broke the protocol
// (and was told so), a *toolkit.Error when it sent FAIL, os.ErrDeadlineExceeded
// when it fell silent.
func (c *Conn) Receive() (Message, error) {
	if c.ended != nil {
		return nil, c.ended
	}
	msg, err := c.receive()
	if err != nil {
		c.ended = c.giveUp(err)
	}
	return msg, c.ended
}

// giveUp closes the connection and returns the error that tells most about why.
func (c *Conn) giveUp(err error) error {
	if refusal, ok := errors.AsType[*refusal](err); ok {
		c.fail(refusal.reason)
	} else if errors.Is(err, ErrProtocol) {
		c.fail(&toolkit.Error{Code: toolkit.CodeInternalError, Message: clip(err.Error())})
	}
	_ = c.Close() // err is the one to tell
	c.paying.Wait()
	c.writing.lock() // for a moment: writes fail now
	defer c.writing.unlock()
	if errors.Is(err, net.ErrClosed) && c.broken != nil {
		return c.broken
	}
	return err
}

func (c *Conn) receive() (Message, error) {
	for {
		c.release()
		h, err := c.readHeader()
		if err != nil {
			return nil, err
		}
		msg, err := c.readMessage(h)
		if err != nil {
			return nil, err
		}
		switch msg := msg.(type) {
		case nil, *Pong:
		case *Ping:
			c.owe(owedPong)
		case *Fail:
			return nil, fmt.Errorf("the peer gave up: %w", msg.Error())
		default:
			return msg, nil
		}
	}
}

func (c *Conn) release() {
	if c.scratch != nil {
		recycle(c.scratch)
		c.scratch = nil
	}
	if c.chunk != nil {
		c.chunk.recycle()
		c.chunk = nil
	}
}

// readHeader waits for a frame and reads its header.
func (c *Conn) readHeader() (header, error) {
	c.inFrame = false
	if _, err := c.in.peek(1); err != nil {
		if errors.Is(err, io.EOF) && c.joined == nil {
			return header{}, err
		}
		return header{}, readError(err)
	}
	c.inFrame, c.frameDue = true, time.Time{}
	b, err := c.in.peek(HeaderSize)
	if err != nil {
		return header{}, readError(err)
	}
	h := parseHeader(b)
	return h, c.in.skip(HeaderSize)
}

func readError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read frame: %w", err)
}

// readMessage reads the frame's payload and returns the message that it
// completes; nil when it completes none.
func (c *Conn) readMessage(h header) (Message, error) {
	if err := h.checkLength(); err != nil {
		return nil, err
	}
	if c.Admit != nil {
		if reason := c.Admit(HeaderSize+int(h.length), h.typ.passes()); reason != nil {
			return nil, &refusal{reason}
		}
	}
	if !h.typ.known() {
		return nil, c.skip(h)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if h.typ == typeData && h.length >= adoptable {
		return c.readData(h)
	}
	payload, err := c.readPayload(h)
	if err != nil || payload == nil {
		return nil, err
	}
	return decode(h.typ, h.slot, payload)
}

func (c *Conn) skip(h header) error {
	if h.flags&Optional == 0 {
		return fmt.Errorf("%w: unknown %s", ErrProtocol, h.typ)
	}
	if err := c.in.skip(int(h.length)); err != nil {
		return readError(err)
	}
	return nil
}

// readData reads a long DATA into a chunk, which its slot may keep, and takes the
// beginning of the next frame along. The chunk is there when firstRead bytes are.
func (c *Conn) readData(h header) (Message, error) {
	if _, err := c.in.peek(firstRead); err != nil {
		return nil, readError(err)
	}
	c.chunk = takeChunk(MaxData)
	buf, n := c.chunk.buf[HeaderSize:cap(c.chunk.buf)], int(h.length)
	got, err := c.in.readAhead(buf[:n+aheadSize], n)
	if err != nil {
		return nil, readError(err)
	}
	c.in.unread(buf[n:got])
	c.chunk.to += n
	return &Data{Slot: h.slot, Bytes: buf[:n], lent: &c.chunk}, nil
}

// readPayload reads the frame's payload and returns that of the message it
// completes; nil when more frames are to come.
func (c *Conn) readPayload(h header) ([]byte, error) {
	n := int(h.length)
	if h.typ.spans() && c.joined != nil || h.flags&More != 0 {
		return c.join(h, n)
	}
	c.scratch = buffers.Get().(*[]byte)
	payload, err := appendPayload((*c.scratch)[:0], &c.in, n)
	*c.scratch = payload
	if err != nil {
		return nil, readError(err)
	}
	return payload, nil
}

func (c *Conn) join(h header, n int) ([]byte, error) {
	switch {
	case c.joined == nil:
		c.joining = h.typ
	case c.joining != h.typ:
		return nil, fmt.Errorf("%w: %s frame inside %s", ErrProtocol, h.typ, c.joining)
	case len(c.joined)+n > MaxMessage:
		return nil, fmt.Errorf("%w: %s of over %d bytes", ErrProtocol, h.typ, MaxMessage)
	}
	joined, err := appendPayload(c.joined, &c.in, n)
	if err != nil {
		return nil, readError(err)
	}
	if h.flags&More != 0 {
		if c.joined == nil && c.Begins != nil {
			c.Begins()
		}
		c.joined = joined
		return nil, nil
	}
	c.joined = nil
	return joined, nil
}

// refusal is the end of a connection by its Admit.
type refusal struct{ reason *toolkit.Error }

// Error is for logs.
func (r *refusal) Error() string { return "refused: " + r.reason.Error() }

// fail tells the peer why the connection ends, as far as that is possible at
// once: one that breaks the protocol or floods is not waited for.
func (c *Conn) fail(reason *toolkit.Error) {
	if !c.writing.lockWithin(farewell) {
		return
	}
	defer c.writing.unlock()
	text, err := encode(make([]byte, HeaderSize), &Fail{Failure(reason)})
	if err != nil {
		return
	}
	header{length: uint32(len(text) - HeaderSize), typ: typeFail}.put(text)
	_ = c.write(text, farewell) // nobody is left to be told of an error
}

// farewell is how long a peer that is told of its mistake may take to listen.
const farewell = time.Second

// clip cuts a text that may repeat much of what the peer sent.
func clip(text string) string {
	const limit = 300
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
