package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// talk is a call whose slots carry these writes, by name, over connections that
// break. Its two ends do what PROTOCOL.md tells guests and hosts to do.
type talk struct {
	guest, host map[string][][]byte // what each end writes
	cuts        []cut               // of one connection after the other; the ones after them last
	reads       int                 // bytes to read at once, 0 for WriteTo
	pause       time.Duration       // before each read
}

// cut is after how many bytes a connection breaks, in each direction; -1 is never.
type cut struct{ toHost, toGuest int }

// cutConn breaks after some bytes were written.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Write(p []byte) (n int, err error) {
	whole := c.left < 0 || len(p) <= c.left
	if !whole {
		p = p[:c.left]
	}
	if len(p) > 0 {
		n, err = c.Conn.Write(p)
	}
	if c.left >= 0 {
		c.left -= n
	}
	if !whole && err == nil {
		c.Conn.Close()
		err = io.ErrClosedPipe
	}
	return n, err
}

// outcome is what the ends of a talk got to read.
type outcome struct {
	mu    sync.Mutex
	bytes map[string][]byte
	errs  []error
	dials int
}

func (o *outcome) fault(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.errs = append(o.errs, err)
}

// names are the slots that a talk may use; the guest sends those of its own map.
var talkNames = SlotNames{"stdin", "stdout", "stderr", "/photo", "/out"}

func slotsOf(writes map[string][][]byte) (slots []Slot) {
	for name := range writes {
		slots = append(slots, talkNames.Slot(name))
	}
	return slots
}

// run has the two ends talk until the guest has the RESULT. It is for a bubble of
// synctest, and its goroutines end with it.
func (k *talk) run() *outcome {
	o := &outcome{bytes: map[string][]byte{}}
	guest := NewStreams(talkNames, slotsOf(k.guest))
	var hostSends []Slot
	for _, name := range talkNames {
		if _, sends := k.guest[name]; !sends {
			hostSends = append(hostSends, talkNames.Slot(name))
		}
	}
	host := &talkHost{talk: k, outcome: o, streams: NewStreams(talkNames, hostSends)}
	patience := time.AfterFunc(time.Hour, func() {
		o.fault(errors.New("nothing moves any more"))
		guest.Close(io.ErrNoProgress)
		host.streams.Close(io.ErrNoProgress)
	})
	defer patience.Stop()
	var work sync.WaitGroup
	k.use(&work, o, guest, k.guest)
	k.call(o, guest, host)
	work.Wait()
	host.handler.Wait()
	guest.Close(nil)
	host.streams.Close(nil)
	host.work.Wait()
	return o
}

// use writes and reads the slots of one end, and ends them.
func (k *talk) use(work *sync.WaitGroup, o *outcome, s *Streams, writes map[string][][]byte) {
	for _, w := range s.writers {
		work.Go(func() { // run waits
			for _, p := range writes[w.name] {
				if n, err := w.Write(p); n != len(p) || err != nil {
					o.fault(fmt.Errorf("write %s: %d, %w", w.name, n, err))
				}
			}
			w.Close()
		})
	}
	for _, r := range s.readers {
		work.Go(func() { // run waits
			var got bytes.Buffer
			if err := k.read(&got, r); err != nil {
				o.fault(fmt.Errorf("read %s: %w", r.name, err))
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.bytes[r.name] = got.Bytes()
		})
	}
}

func (k *talk) read(got *bytes.Buffer, r *SlotReader) error {
	if k.reads == 0 {
		_, err := r.WriteTo(writerFunc(func(p []byte) (int, error) {
			time.Sleep(k.pause)
			return got.Write(p)
		}))
		return err
	}
	p := make([]byte, k.reads)
	for {
		time.Sleep(k.pause)
		n, err := r.Read(p)
		got.Write(p[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// call is the guest: it dials until it has the RESULT.
func (k *talk) call(o *outcome, guest *Streams, host *talkHost) {
	var accepted bool
	for try := 0; try < len(k.cuts)+3; try++ {
		o.dials++
		near, far := net.Pipe()
		at := cut{-1, -1}
		if try < len(k.cuts) {
			at = k.cuts[try]
		}
		conn := NewConn(&cutConn{near, at.toHost})
		var serving sync.WaitGroup
		serving.Go(func() { host.serve(NewConn(&cutConn{far, at.toGuest})) }) // joined below
		done := k.attend(o, guest, conn, &accepted)
		conn.Close()
		guest.Unbind()
		serving.Wait()
		if done {
			return
		}
	}
	o.fault(errors.New("no RESULT"))
}

// attend is the guest on one connection. It reports whether the RESULT has come.
func (k *talk) attend(o *outcome, guest *Streams, conn *Conn, accepted *bool) bool {
	var first Message = &Call{ID: callID, Toolkit: "x", Input: json.RawMessage("{}"), Slots: talkNames}
	if *accepted {
		first = &Attach{ID: callID, Have: guest.Have(), Sent: guest.Sent()}
	}
	if conn.Send(first) != nil {
		return false
	}
	for {
		msg, err := conn.Receive()
		switch m := msg.(type) {
		case nil:
			if errors.Is(err, ErrProtocol) {
				o.fault(err)
			}
			return false
		case *Accepted:
			*accepted = true
			err = guest.Bind(conn, m.Have, nil)
		case *Result:
			return true
		default:
			err = guest.Handle(conn, m)
		}
		if err != nil {
			o.fault(fmt.Errorf("guest: %w", err))
			return false
		}
	}
}

// talkHost is the host of a talk, with its one call.
type talkHost struct {
	*talk
	*outcome
	streams *Streams
	begun   bool
	handler sync.WaitGroup
	work    sync.WaitGroup
}

func (h *talkHost) serve(conn *Conn) {
	defer conn.Close()
	for {
		msg, err := conn.Receive()
		switch m := msg.(type) {
		case nil:
			if errors.Is(err, ErrProtocol) {
				h.fault(err)
			}
			h.streams.Unbind()
			return
		case *Call:
			err = h.accept(conn, nil)
		case *Attach:
			err = h.accept(conn, m.Have)
		default:
			err = h.streams.Handle(conn, m)
		}
		if errors.Is(err, ErrProtocol) {
			h.fault(fmt.Errorf("host: %w", err))
			return
		}
	}
}

// accept begins the call, or goes on with it, and sends its RESULT.
func (h *talkHost) accept(conn *Conn, have map[string]int64) error {
	if err := h.streams.Bind(conn, have, &Accepted{ID: callID, Have: h.streams.Have()}); err != nil {
		return err
	}
	if !h.begun {
		h.begun = true
		h.use(&h.handler, h.outcome, h.streams, h.host)
	}
	h.work.Go(func() { // run waits
		h.handler.Wait()
		if h.streams.End(nil) == nil {
			_ = conn.Send(&Result{Envelope: Success(nil)}) // it may be lost: the guest asks again
		}
	})
	return nil
}

// check compares what the ends read with what was written: every byte once.
func (k *talk) check(o *outcome) error {
	errs := o.errs
	for _, name := range talkNames {
		want := bytes.Join(append(k.guest[name], k.host[name]...), nil)
		if got := o.bytes[name]; !bytes.Equal(got, want) {
			errs = append(errs, fmt.Errorf("%s: got %d bytes %.60q, want %d %.60q", name, len(got), got, len(want), want))
		}
	}
	return errors.Join(errs...)
}

// A connection that breaks after any byte costs nothing and doubles nothing.
func TestStreams_ResumeAfterACutAtEveryByte(t *testing.T) {
	words := func(text string) (writes [][]byte) {
		for word := range bytes.FieldsSeq([]byte(text)) {
			writes = append(writes, word)
		}
		return writes
	}
	cutAt := map[string]func(at int) cut{
		"to the host":  func(at int) cut { return cut{at, -1} },
		"to the guest": func(at int) cut { return cut{-1, at} },
	}
	for direction, cutAt := range cutAt {
		for at := 0; ; at++ {
			k := &talk{
				guest: map[string][][]byte{"stdin": words("what the guest says"), "/photo": words("\xff\xd8 \x00\x00")},
				host:  map[string][][]byte{"stdout": words("what the host says"), "stderr": nil, "/out": words("one two")},
				cuts:  []cut{cutAt(at)}, reads: 7, pause: time.Duration(at%2) * time.Minute,
			}
			var o *outcome
			synctest.Test(t, func(*testing.T) { o = k.run() })
			if err := k.check(o); err != nil {
				t.Fatalf("cut %s after %d bytes: %v", direction, at, err)
			}
			if o.dials == 1 {
				if at < 100 {
					t.Errorf("cut %s after %d bytes: the whole talk, want more", direction, at)
				}
				break // the cut is behind the last byte
			}
		}
	}
}

// Long frames, which are kept as they come, resume alike when nothing of them was
// read before the cut, and when they were split otherwise the first time.
func TestStreams_ResumeLongFrames(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef!"), 30_000)
	for at := 1000; at < 300_000; at += 37_000 {
		k := &talk{
			guest: map[string][][]byte{"stdin": {text[:40_000], text[40_000:]}, "/photo": nil},
			host:  map[string][][]byte{"stdout": {text[:1000], text[1000:]}},
			cuts:  []cut{{at, at}, {-1, at}, {at, -1}}, pause: time.Millisecond,
		}
		var o *outcome
		synctest.Test(t, func(*testing.T) { o = k.run() })
		if err := k.check(o); err != nil {
			t.Errorf("cut after %d bytes: %v", at, err)
		}
	}
}

// Whatever is written in whatever pieces, and wherever connections break, every
// byte comes once and in order.
func TestStreams_Resume_Property(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := drawTalk(rt)
		var o *outcome
		synctest.Test(t, func(*testing.T) { o = k.run() })
		if err := k.check(o); err != nil {
			rt.Fatal(err)
		}
	})
}

func drawTalk(t *rapid.T) *talk {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	size := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 5000), rapid.IntRange(30_000, 200_000))
	writes := func(name string) (list [][]byte) {
		for _, n := range rapid.SliceOfN(size, 0, 6).Draw(t, name) {
			p := make([]byte, n)
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			list = append(list, p)
		}
		return list
	}
	at := rapid.OneOf(rapid.Just(-1), rapid.IntRange(0, 1000), rapid.IntRange(0, 800_000))
	k := &talk{
		guest: map[string][][]byte{"stdin": writes("stdin"), "/photo": writes("/photo")},
		host:  map[string][][]byte{"stdout": writes("stdout"), "/out": writes("/out")},
		reads: rapid.SampledFrom([]int{0, 7_000, 40_000, 1 << 20}).Draw(t, "reads"),
	}
	k.pause = rapid.SampledFrom([]time.Duration{0, time.Millisecond}).Draw(t, "pause")
	for range rapid.IntRange(0, 4).Draw(t, "cuts") {
		k.cuts = append(k.cuts, cut{at.Draw(t, "to host"), at.Draw(t, "to guest")})
	}
	return k
}
