package wire

import (
	"fmt"
	"io"
	"sync"
)

// SlotWriter sends the bytes of a slot. What the peer has not read yet is kept,
// at most Window bytes, so that it can be sent again on another connection.
// Writes of several goroutines do not mix.
type SlotWriter struct {
	streams *Streams
	slot    Slot
	name    string

	// writing is held during one Write. It is taken before order.
	writing lock
	// order is held while frames are sent, so that they keep their order. It is
	// taken before mu of the Streams, which guards what follows.
	order lock

	changed *sync.Cond // there is credit, a connection, or no use in waiting
	// spool is the bytes that the peer has not told to have read. It holds at
	// most Window bytes; what is missing is the credit.
	spool   spool
	flying  *chunk // is being sent from
	ended   bool   // no bytes follow
	endText string // and why, "" if they are all there
	stopped error  // the peer takes no more

	// What follows is about the present connection.
	sent    int64 // bytes up to this offset are handed to it
	endSent bool
	stops   bool // the peer's END has come
}

func newSlotWriter(s *Streams, slot Slot, name string) *SlotWriter {
	return &SlotWriter{
		streams: s, slot: slot, name: name,
		writing: make(lock, 1), order: make(lock, 1), changed: sync.NewCond(&s.mu),
	}
}

// Write sends the bytes, as far as the peer takes them, and waits for its credit
// and for a connection. When it returns they are handed to the connection, or
// kept for the next one. It fails with io.ErrClosedPipe after Close, with an
// error that wraps it when the peer takes no more, and with the error of
// Streams.Close.
func (w *SlotWriter) Write(p []byte) (n int, err error) {
	w.writing.lock()
	defer w.writing.unlock()
	return w.write(p)
}

// write is Write for who holds writing.
func (w *SlotWriter) write(p []byte) (n int, err error) {
	for {
		m, err := w.keep(p[n:])
		if err != nil {
			return n, err
		}
		w.flush()
		if n += m; n == len(p) {
			return n, nil
		}
	}
}

// ReadFrom sends all that src has, without copying it before. Its error is that
// of src or of Write.
func (w *SlotWriter) ReadFrom(src io.Reader) (n int64, err error) {
	w.writing.lock()
	defer w.writing.unlock()
	for {
		c := takeChunk(MaxData)
		m, err := src.Read(c.buf[c.to:])
		c.to += m
		if sent, err := w.sendChunk(c); err != nil {
			return n + int64(sent), err
		}
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// sendChunk is Write of a chunk, which is kept as it is where that is possible.
func (w *SlotWriter) sendChunk(c *chunk) (n int, err error) {
	p := c.buf[c.from:c.to]
	adopted, err := w.adopt(c)
	if adopted {
		w.flush()
		return len(p), nil
	}
	if err == nil {
		n, err = w.write(p)
	}
	c.recycle()
	return n, err
}

// adopt is keep of a whole chunk. It reports whether it took it: one with few
// bytes, or more than the peer takes, is to be copied.
func (w *SlotWriter) adopt(c *chunk) (bool, error) {
	w.streams.mu.Lock()
	defer w.streams.mu.Unlock()
	n := c.to - c.from
	if n < adoptable {
		return false, nil
	}
	credit, err := w.credit()
	if err != nil || credit < n {
		return false, err
	}
	w.spool.adopt(c)
	return true, nil
}

// keep waits until some of the bytes can be sent and takes them.
func (w *SlotWriter) keep(p []byte) (n int, err error) {
	w.streams.mu.Lock()
	defer w.streams.mu.Unlock()
	if len(p) == 0 {
		return 0, w.refusal()
	}
	credit, err := w.credit()
	if err != nil {
		return 0, err
	}
	p = p[:min(len(p), credit, MaxData)]
	w.spool.append(p)
	return len(p), nil
}

// credit waits until the peer takes bytes and there is a connection, and returns
// how many it takes. The caller holds mu.
func (w *SlotWriter) credit() (int, error) {
	for {
		if err := w.refusal(); err != nil {
			return 0, err
		}
		if n := int(w.spool.start + Window - w.spool.end); n > 0 && w.streams.to != nil {
			return n, nil
		}
		w.changed.Wait()
	}
}

// refusal is why nothing more can be written. The caller holds mu.
func (w *SlotWriter) refusal() error {
	switch {
	case w.ended:
		return io.ErrClosedPipe
	case w.stopped != nil:
		return w.stopped
	}
	return w.streams.err
}

// Close ends the slot. It does not wait for the peer.
func (w *SlotWriter) Close() error { return w.CloseWithError(nil) }

// CloseWithError ends the slot and tells the peer why its bytes are not all
// there; nil says that they are. It always returns nil, and only the first call
// counts.
func (w *SlotWriter) CloseWithError(err error) error {
	w.streams.mu.Lock()
	if !w.ended {
		w.ended, w.endText = true, endText(err)
		w.changed.Broadcast()
	}
	w.streams.mu.Unlock()
	w.flush()
	return nil
}

// drain waits until the end is handed to the connection.
func (w *SlotWriter) drain() error {
	for {
		w.flush()
		if done, err := w.drained(); done || err != nil {
			return err
		}
	}
}

// drained waits until there is a connection to drain to.
func (w *SlotWriter) drained() (bool, error) {
	w.streams.mu.Lock()
	defer w.streams.mu.Unlock()
	for {
		switch {
		case w.streams.err != nil:
			return false, w.streams.err
		case w.streams.to != nil:
			return w.endSent, nil
		}
		w.changed.Wait()
	}
}

// waiting reports whether something is to be sent. The caller holds mu.
func (w *SlotWriter) waiting() bool {
	return w.sent < w.spool.end || w.ended && !w.endSent
}

// flush hands to the connection what is waiting.
func (w *SlotWriter) flush() {
	w.order.lock()
	defer w.order.unlock()
	for {
		c, frame, end := w.next()
		switch {
		case c == nil:
			return
		case end != nil:
			w.streams.leave(c, c.Send(end))
		default:
			w.streams.leave(c, w.sendData(c, frame))
		}
	}
}

// next is what to send next and counts it as sent: bytes with room for a header
// before them, or the slot's end. The connection is nil when there is nothing
// or no connection; otherwise the caller leaves it. The caller holds order.
func (w *SlotWriter) next() (c *Conn, frame []byte, end *End) {
	w.streams.mu.Lock()
	defer w.streams.mu.Unlock()
	w.spool.release(w.flying)
	w.flying = nil
	if !w.waiting() {
		return nil, nil, nil
	}
	if c = w.streams.enter(); c == nil {
		return nil, nil, nil
	}
	if w.sent == w.spool.end {
		w.endSent = true
		return c, nil, &End{Slot: w.slot, Error: w.endText}
	}
	chunk, i := w.spool.at(w.sent)
	w.flying, chunk.inUse = chunk, true
	w.sent += int64(chunk.to - i)
	return c, chunk.buf[i-HeaderSize : chunk.to], nil
}

// sendData sends a frame right from the memory of the spool, in one write. The
// header takes the place of bytes that may have to be sent again, and gives it
// back.
func (w *SlotWriter) sendData(c *Conn, frame []byte) error {
	var before [HeaderSize]byte
	copy(before[:], frame)
	header{length: uint32(len(frame) - HeaderSize), typ: typeData, slot: w.slot}.put(frame)
	err := c.sendFrame(frame, false)
	copy(frame, before[:])
	return err
}

// checkOffset says whether the peer can have read the bytes up to the offset.
// The caller holds mu.
func (w *SlotWriter) checkOffset(offset int64) error {
	if w.stopped == nil && (offset < w.spool.start || offset > w.spool.end) {
		return fmt.Errorf("offset %d of %s, it can be %d to %d", offset, w.name, w.spool.start, w.spool.end)
	}
	return nil
}

// rewind goes on from the offset. Nothing is being sent, and the caller holds mu.
func (w *SlotWriter) rewind(offset int64) {
	if w.stopped == nil {
		w.spool.drop(offset)
	}
	w.sent = w.spool.start
	w.endSent, w.stops = false, false
}

// read takes a CREDIT. Since the peer gives one for bytes that were read, it
// also says how many need not be kept. The caller holds mu.
func (w *SlotWriter) read(n int64) error {
	switch {
	case w.stops:
		return fmt.Errorf("CREDIT of %s after END", w.name)
	case w.stopped != nil: // on an earlier connection
	case n > w.sent-w.spool.start:
		return fmt.Errorf("%d bytes of credit too many for %s", n-(w.sent-w.spool.start), w.name)
	default:
		w.spool.drop(w.spool.start + n)
		w.changed.Broadcast()
	}
	return nil
}

// stop takes the END of a peer that takes no more. The caller holds mu.
func (w *SlotWriter) stop(text string) error {
	if w.stops {
		return fmt.Errorf("END of %s after END", w.name)
	}
	w.stops = true
	if w.stopped == nil {
		w.stopped = stopError(w.name, text)
		w.spool.clear(w.spool.end)
		w.sent = w.spool.end
		w.changed.Broadcast()
	}
	return nil
}

func stopError(name, text string) error {
	if text == "" {
		return fmt.Errorf("the receiver of %s takes no more: %w", name, io.ErrClosedPipe)
	}
	return fmt.Errorf("the receiver of %s takes no more: %s (%w)", name, clip(text), io.ErrClosedPipe)
}
