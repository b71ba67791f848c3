package wire

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// Streams are the slots of one call at one of its ends. They live over one
// connection after another: while there is none their readers and writers wait,
// and on the next one they go on where the peer is.
//
//	streams := wire.NewStreams(call.Slots, []wire.Slot{wire.Stdin})
//	defer streams.Close(nil)
//	err := streams.Bind(conn, accepted.Have, nil)
//	...
//	msg, err := conn.Receive()
//	...
//	err = streams.Handle(conn, msg)
//
// Memory is bounded by Window: each slot holds at most the bytes of one.
type Streams struct {
	readers []*SlotReader // of the slots that are received
	writers []*SlotWriter // of the slots that are sent

	// mu guards what follows, and the state of the readers and writers. It is
	// never held during input and output.
	mu sync.Mutex
	// from is the connection whose messages count, nil while unbound.
	from *Conn
	// to is the connection to send on, nil while unbound, until the greeting is
	// sent, and once sending failed.
	to *Conn
	// sending counts the goroutines that use to; idle says that there are none.
	sending int
	idle    *sync.Cond
	// err says why all is over.
	err error
}

// NewStreams is the slots of a call that has these; this end sends the ones
// given, and receives the others.
func NewStreams(names SlotNames, sends []Slot) *Streams {
	s := &Streams{}
	s.idle = sync.NewCond(&s.mu)
	for _, name := range names {
		if slot := names.Slot(name); slices.Contains(sends, slot) {
			s.writers = append(s.writers, newSlotWriter(s, slot, name))
		} else {
			s.readers = append(s.readers, newSlotReader(s, slot, name))
		}
	}
	return s
}

// Reader is where the bytes of the slot come out; nil when this end does not
// receive it.
func (s *Streams) Reader(slot Slot) *SlotReader {
	for _, r := range s.readers {
		if r.slot == slot {
			return r
		}
	}
	return nil
}

// Writer is where the bytes of the slot go in; nil when this end does not send
// it.
func (s *Streams) Writer(slot Slot) *SlotWriter {
	for _, w := range s.writers {
		if w.slot == slot {
			return w
		}
	}
	return nil
}

// Have is, by name of each slot that this end receives, the offset from which
// the peer goes on at the next Bind: the bytes that were read here. What arrived
// beyond comes again and is skipped. It belongs into the ATTACH, or the ACCEPTED
// that answers one, of that Bind; only the first of a call goes without. The
// slots are unbound from here on.
func (s *Streams) Have() map[string]int64 {
	s.Unbind()
	s.mu.Lock()
	defer s.mu.Unlock()
	have := map[string]int64{}
	for _, r := range s.readers {
		r.resume = r.spool.start
		have[r.name] = r.resume
	}
	return have
}

// Sent is, by name of each slot that this end sends, how many bytes it has sent,
// for an ATTACH.
func (s *Streams) Sent() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := map[string]int64{}
	for _, w := range s.writers {
		sent[w.name] = w.spool.end
	}
	return sent
}

// Bind lets the slots go on over the connection. The peer has read the bytes up
// to these offsets: what it told in ATTACH or ACCEPTED, nil for a call that
// begins. The greeting, if there is one, is sent first: the ACCEPTED of a host,
// since the guest may answer it with DATA at once.
//
// What is to be sent again is sent by a goroutine that Unbind and Close wait
// for; Bind does not wait for the peer. The error wraps ErrProtocol when the
// offsets cannot be.
func (s *Streams) Bind(c *Conn, peerHas map[string]int64, greeting Message) error {
	s.Unbind()
	if err := s.rewind(c, peerHas); err != nil {
		return err
	}
	if greeting != nil {
		if err := s.greet(c, greeting); err != nil {
			s.Unbind()
			return err
		}
	}
	s.proceed(c)
	return nil
}

// rewind begins to take the connection's messages.
func (s *Streams) rewind(c *Conn, peerHas map[string]int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if err := s.checkOffsets(peerHas); err != nil {
		return err
	}
	for _, w := range s.writers {
		w.rewind(peerHas[w.name])
	}
	for _, r := range s.readers {
		r.rewind()
	}
	s.from = c
	return nil
}

// Check says whether the peer can have read the bytes up to these offsets, before a
// Bind that would take the slots from another connection.
func (s *Streams) Check(peerHas map[string]int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkOffsets(peerHas)
}

// Leave is Unbind where the slots are on that connection, and nothing elsewhere.
func (s *Streams) Leave(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == c {
		s.unbind()
	}
}

// checkOffsets says whether the peer can have read the bytes up to these. The
// caller holds mu.
func (s *Streams) checkOffsets(peerHas map[string]int64) error {
	known := 0
	for _, w := range s.writers {
		offset, named := peerHas[w.name]
		if named {
			known++
		}
		if err := w.checkOffset(offset); err != nil {
			return fmt.Errorf("%w: %w", ErrProtocol, err)
		}
	}
	if known < len(peerHas) {
		return fmt.Errorf("%w: offsets of slots that are not sent here", ErrProtocol)
	}
	return nil
}

// greet sends the first message. It is not held back for the next one where the
// peer waits for it.
func (s *Streams) greet(c *Conn, greeting Message) error {
	err := c.Send(greeting)
	if len(s.readers) > 0 {
		c.flush()
	}
	return err
}

// proceed lets the slots send on the connection.
func (s *Streams) proceed(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from != c {
		return // it is unbound already
	}
	s.to = c
	s.wake()
	if s.waiting() {
		s.sending++
		go s.resend(c) // Unbind waits
	}
}

// waiting reports whether something is to be sent that no Write or Read sends.
// The caller holds mu.
func (s *Streams) waiting() bool {
	return slices.ContainsFunc(s.writers, (*SlotWriter).waiting) || slices.ContainsFunc(s.readers, (*SlotReader).waiting)
}

// resend sends what is waiting.
func (s *Streams) resend(c *Conn) {
	for _, w := range s.writers {
		w.flush()
	}
	for _, r := range s.readers {
		r.flush()
	}
	s.leave(c, nil)
}

// wake lets all who wait look again. The caller holds mu.
func (s *Streams) wake() {
	for _, w := range s.writers {
		w.changed.Broadcast()
	}
	for _, r := range s.readers {
		r.changed.Broadcast()
	}
}

// enter is the connection to send on, nil while there is none. Who enters
// leaves. The caller holds mu.
func (s *Streams) enter() *Conn {
	if s.to != nil {
		s.sending++
	}
	return s.to
}

// leave ends what enter began, with the error of sending. After one nothing more
// is sent on the connection; who receives on it will see that it is lost.
func (s *Streams) leave(c *Conn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.to == c {
		s.to = nil
	}
	s.sending--
	if s.sending == 0 {
		s.idle.Broadcast()
	}
}

// Unbind takes the slots off their connection: it is lost, or the call is over
// and another one follows on it. When Unbind returns they send nothing more
// there. It waits for frames that are being written: close a lost connection
// first.
func (s *Streams) Unbind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unbind()
}

// unbind is Unbind; the caller holds mu, which is free while it waits.
func (s *Streams) unbind() {
	s.from, s.to = nil, nil
	for s.sending > 0 {
		s.idle.Wait()
	}
}

// Handle takes a Data, End or Credit that the connection's Receive returned,
// before the next Receive. It never waits. Those of a connection that the slots
// are not bound to are ignored: they were under way when the call ended, or the
// connection was replaced. An error wraps ErrProtocol.
func (s *Streams) Handle(c *Conn, m Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c != s.from {
		return nil
	}
	if err := s.handle(m); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return nil
}

func (s *Streams) handle(m Message) error {
	slot := slotOf(m)
	r, w := s.Reader(slot), s.Writer(slot)
	switch m := m.(type) {
	case *Data:
		if r != nil {
			return r.data(m)
		}
	case *End:
		if r != nil {
			return r.end(m.Error)
		}
		if w != nil {
			return w.stop(m.Error)
		}
	case *Credit:
		if w != nil {
			return w.read(m.Bytes)
		}
	}
	return fmt.Errorf("unexpected %s of %s", m.Type(), slot)
}

// End ends each slot that this end sends and that has not ended yet, with the
// error if there is one. It waits until all of the slots' bytes and ends are
// handed to the connection, and meanwhile for the next Bind; so what is sent
// after it comes after them. After another Bind it may be asked again. The error
// is that of Close.
func (s *Streams) End(err error) error {
	for _, w := range s.writers {
		_ = w.CloseWithError(err) // it never fails
	}
	for _, w := range s.writers {
		if err := w.drain(); err != nil {
			return err
		}
	}
	return nil
}

// Close unbinds the slots for good. Every Write returns the error from now on,
// and so does every Read once the bytes that have arrived are read; nil stands
// for io.ErrClosedPipe. Only the first Close counts.
func (s *Streams) Close(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
		if err == nil {
			s.err = io.ErrClosedPipe
		}
	}
	s.wake()
	s.mu.Unlock()
	s.Unbind()
}

// endText is what END says of an error: "" for none, which is no error's text.
func endText(err error) string {
	if err == nil {
		return ""
	}
	if text := clip(err.Error()); text != "" {
		return text
	}
	return "ended early"
}
