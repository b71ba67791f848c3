package wire

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// SlotReader receives the bytes of a slot. It buffers up to Window bytes, and
// lets the peer send more as they are read.
type SlotReader struct {
	streams *Streams
	slot    Slot
	name    string

	// reading is held during one Read or WriteTo. It is taken before order.
	reading lock
	// order is held while frames are sent, so that they keep their order. It is
	// taken before mu of the Streams, which guards what follows.
	order lock

	changed *sync.Cond // there are bytes, credit is due, or there is no use in waiting
	spool   spool      // the bytes that have arrived and are not read
	resume  int64      // from where the peer goes on at the next Bind
	ended   error      // what Read returns after the last byte, once that is known
	closed  bool       // nobody reads any more
	reason  string     // and why, "" for no reason

	// What follows is about the present connection.
	arrived  int64 // the offset that its bytes have come to
	granted  int64 // the peer may send Window bytes from this offset on
	endCame  bool
	stopSent bool // the peer is told that nobody reads any more
}

func newSlotReader(s *Streams, slot Slot, name string) *SlotReader {
	return &SlotReader{
		streams: s, slot: slot, name: name,
		reading: make(lock, 1), order: make(lock, 1), changed: sync.NewCond(&s.mu),
	}
}

// Read waits for bytes. Its error is io.EOF after the last one, or what the peer
// said of why they are not all there; io.ErrClosedPipe after Close of the
// reader; the error of Streams.Close.
func (r *SlotReader) Read(p []byte) (int, error) {
	r.reading.lock()
	defer r.reading.unlock()
	if len(p) == 0 {
		return 0, nil
	}
	some, offset, err := r.next()
	n := copy(p, some)
	r.took(offset + int64(n))
	return n, err
}

// WriteTo writes all bytes of the slot to dst, without copying them before.
func (r *SlotReader) WriteTo(dst io.Writer) (n int64, err error) {
	r.reading.lock()
	defer r.reading.unlock()
	for {
		some, offset, err := r.next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		m, err := dst.Write(some)
		n += int64(m)
		r.took(offset + int64(m))
		if err != nil {
			return n, err
		}
	}
}

// next waits for bytes and returns some, which begin at the offset. They stay
// until they are taken. The caller holds reading.
func (r *SlotReader) next() (some []byte, offset int64, err error) {
	r.streams.mu.Lock()
	defer r.streams.mu.Unlock()
	for {
		switch {
		case r.closed:
			return nil, 0, io.ErrClosedPipe
		case r.spool.start < r.spool.end:
			c, i := r.spool.at(r.spool.start)
			return c.buf[i:c.to], r.spool.start, nil
		case r.ended != nil:
			return nil, 0, r.ended
		case r.streams.err != nil:
			return nil, 0, r.streams.err
		case r.due() > 0:
			r.streams.mu.Unlock()
			r.flush()
			r.streams.mu.Lock()
			continue
		}
		r.changed.Wait()
	}
}

// took says that the bytes before the offset are read.
func (r *SlotReader) took(offset int64) {
	r.streams.mu.Lock()
	r.spool.drop(offset)
	due := r.due()
	r.streams.mu.Unlock()
	if due > 0 {
		r.flush()
	}
}

// due is the credit to give, 0 while it is too little to be worth a frame. What
// was read on an earlier connection counts when it has come again. The caller
// holds mu.
func (r *SlotReader) due() int64 {
	n := min(r.spool.start, r.arrived) - r.granted
	if n < Window/2 || r.endCame || r.closed || r.streams.to == nil {
		return 0
	}
	return n
}

// Close says that nobody reads any more: what has arrived is dropped, and the
// peer is told to send no more.
func (r *SlotReader) Close() error { return r.CloseWithError(nil) }

// CloseWithError is Close that tells the peer why. It always returns nil, and
// only the first call counts.
func (r *SlotReader) CloseWithError(err error) error {
	r.streams.mu.Lock()
	if !r.closed {
		r.closed, r.reason = true, endText(err)
		r.spool.clear(r.spool.end)
		r.changed.Broadcast()
	}
	r.streams.mu.Unlock()
	r.flush()
	return nil
}

// waiting reports whether the peer is to be told that nobody reads any more. The
// caller holds mu.
func (r *SlotReader) waiting() bool { return r.closed && !r.stopSent && r.ended == nil }

// flush sends the credit that is due, or the END of a reader that was closed.
func (r *SlotReader) flush() {
	r.order.lock()
	defer r.order.unlock()
	if c, msg := r.news(); c != nil {
		r.streams.leave(c, c.Send(msg))
	}
}

// news is what the peer is to be told, and counts it as told. The connection is
// nil when there is nothing or no connection; otherwise the caller leaves it.
// The caller holds order.
func (r *SlotReader) news() (c *Conn, msg Message) {
	r.streams.mu.Lock()
	defer r.streams.mu.Unlock()
	credit := r.due()
	if credit == 0 && !r.waiting() {
		return nil, nil
	}
	if c = r.streams.enter(); c == nil {
		return nil, nil
	}
	if credit == 0 {
		r.stopSent = true
		return c, &End{Slot: r.slot, Error: r.reason}
	}
	r.granted += credit
	return c, &Credit{Slot: r.slot, Bytes: credit}
}

// rewind goes on where Have said. The caller holds mu.
func (r *SlotReader) rewind() {
	r.arrived, r.granted = r.resume, r.resume
	r.endCame, r.stopSent = false, false
}

// data takes a DATA. The caller holds mu.
func (r *SlotReader) data(d *Data) error {
	from, to := r.arrived, r.arrived+int64(len(d.Bytes))
	known := r.spool.end
	switch {
	case r.endCame:
		return fmt.Errorf("DATA of %s after END", r.name)
	case to > r.granted+Window:
		return fmt.Errorf("%d bytes of %s beyond the credit", to-r.granted-Window, r.name)
	case r.ended != nil && to > known:
		return fmt.Errorf("DATA of %s beyond its earlier end", r.name)
	}
	r.arrived = to
	switch {
	case r.closed:
		r.spool.clear(max(known, to))
	case from == known && len(d.Bytes) >= adoptable && d.lent != nil:
		r.spool.adopt(d.take())
	case to > known:
		r.spool.append(d.Bytes[max(known-from, 0):])
	}
	r.changed.Broadcast()
	return nil
}

// end takes the END of the sender. The caller holds mu.
func (r *SlotReader) end(text string) error {
	switch {
	case r.endCame:
		return fmt.Errorf("END of %s after END", r.name)
	case r.arrived < r.spool.end && !r.closed:
		return fmt.Errorf("END of %s before its earlier end", r.name)
	}
	r.endCame = true
	if r.ended == nil {
		r.ended = io.EOF
		if text != "" {
			r.ended = errors.New(clip(text))
		}
	}
	r.changed.Broadcast()
	return nil
}
