package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// side is one end of a call, with a goroutine that receives.
type side struct {
	*Streams
	conn *Conn
	// other counts the messages that are not of slots.
	other int
	// broke is why the goroutine ended.
	broke error
	done  sync.WaitGroup
}

// callSides is the guest and the host of a call with these slots, of which the
// guest sends stdin and /photo.
func callSides(t *testing.T, near, far net.Conn) (guest, host *side) {
	t.Helper()
	guest = newSide(t, near, Stdin, talkNames.Slot("/photo"))
	host = newSide(t, far, Stdout, Stderr, talkNames.Slot("/out"))
	return guest, host
}

func newSide(t *testing.T, nc net.Conn, sends ...Slot) *side {
	t.Helper()
	s := &side{Streams: NewStreams(talkNames, sends), conn: NewConn(nc)}
	if err := s.Bind(s.conn, nil, nil); err != nil {
		t.Fatal(err)
	}
	s.done.Go(s.receive) // the cleanup waits
	t.Cleanup(func() {
		s.conn.Close()
		s.Close(nil)
		s.done.Wait()
	})
	return s
}

func (s *side) receive() {
	for {
		msg, err := s.conn.Receive()
		if err == nil && msg.Type().slotted() {
			err = s.Handle(s.conn, msg)
		} else if err == nil {
			s.other++
		}
		if err != nil {
			s.broke = err
			return
		}
	}
}

// inCall runs the test in a bubble, with a guest and a host that are bound.
func inCall(t *testing.T, f func(t *testing.T, guest, host *side)) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		guest, host := callSides(t, near, far)
		f(t, guest, host)
	})
}

// written is how many bytes of an endless Write the slot has taken, once it waits.
func (s *side) written(slot Slot) int64 {
	synctest.Wait()
	return s.Sent()[talkNames[slot-1]]
}

// pourInto writes to the slot until that fails.
func (s *side) pourInto(slot Slot) {
	s.done.Go(func() { // the cleanup waits
		for {
			if _, err := s.Writer(slot).Write(make([]byte, 10_000)); err != nil {
				return
			}
		}
	})
}

func readFull(t *testing.T, r io.Reader, n int) {
	t.Helper()
	if _, err := io.ReadFull(r, make([]byte, n)); err != nil {
		t.Errorf("read %d bytes: %v", n, err)
	}
}

func TestStreams_Credit(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.pourInto(Stdout)
		for _, step := range []struct{ read, want int }{
			{0, Window},
			{Window/2 - 1, Window}, // too little for a CREDIT
			{1, Window * 3 / 2},
			{Window, Window * 5 / 2},
		} {
			readFull(t, guest.Reader(Stdout), step.read)
			if got := host.written(Stdout); got != int64(step.want) {
				t.Errorf("%d more bytes read: %d written, want %d", step.read, got, step.want)
			}
		}
	})
}

// B072: a reader that stalls holds up its own slot only.
func TestStreams_B072_StalledSlot(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.pourInto(Stdout)
		if got := host.written(Stdout); got != Window {
			t.Fatalf("positive control: stdout took %d bytes, want %d", got, Window)
		}
		start := time.Now()
		host.done.Go(func() { // the cleanup waits
			send(t, host.conn, &Note{Kind: NoteProgress, Text: "half"})
			host.Writer(Stderr).Write(make([]byte, 10*Window))
			host.Writer(Stderr).Close()
		})
		if n, err := io.Copy(io.Discard, guest.Reader(Stderr)); n != 10*Window || err != nil {
			t.Errorf("stderr: %d bytes, %v, want %d", n, err, 10*Window)
		}
		if took := time.Since(start); took != 0 || guest.other != 1 {
			t.Errorf("took %v, %d notes, want no time and 1", took, guest.other)
		}
	})
}

// B072: both ends send more than sockets and windows hold.
func TestStreams_B072_BothSendAtOnce(t *testing.T) {
	near, far := sockets(t)
	for _, nc := range []net.Conn{near, far} {
		_ = nc.(*net.UnixConn).SetWriteBuffer(4 << 10)
		_ = nc.(*net.UnixConn).SetReadBuffer(4 << 10)
	}
	guest, host := callSides(t, near, far)
	data := make([]byte, 10<<20)
	rand.NewChaCha8([32]byte{}).Read(data)
	var wg sync.WaitGroup
	flow := func(w *SlotWriter, r *SlotReader) {
		wg.Go(func() { // joined below
			if n, err := io.Copy(w, iotest.DataErrReader(bytes.NewReader(data))); n != int64(len(data)) || err != nil {
				t.Errorf("%s: wrote %d, %v", w.name, n, err)
			}
			w.Close()
		})
		wg.Go(func() { // joined below
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: read %d bytes, %v, want the %d that were written", r.name, len(got), err, len(data))
			}
		})
	}
	flow(guest.Writer(Stdin), host.Reader(Stdin))
	flow(host.Writer(Stdout), guest.Reader(Stdout))
	flow(host.Writer(Stderr), guest.Reader(Stderr))
	wg.Wait()
}

func TestStreams_End(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"whole", nil, "EOF"},
		{"with an error", errors.New("the file shrank"), "the file shrank"},
		{"with an error that says nothing", errors.New(""), "ended early"},
		{"with a long error", errors.New(strings.Repeat("x", 2*MaxFrame)), strings.Repeat("x", 300) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inCall(t, func(t *testing.T, guest, host *side) {
				w, r := guest.Writer(Stdin), host.Reader(Stdin)
				w.Write([]byte("last words"))
				w.CloseWithError(tt.err)
				w.CloseWithError(errors.New("too late"))
				p := make([]byte, 100)
				if n, err := r.Read(p); string(p[:n]) != "last words" || err != nil {
					t.Errorf("got %q, %v, want the last words", p[:n], err)
				}
				for range 2 {
					if n, err := r.Read(p); n != 0 || err == nil || err.Error() != tt.want {
						t.Errorf("got %d, %v, want %s", n, err, tt.want)
					}
				}
			})
		})
	}
}

func TestSlotWriter_AfterClose(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.pourInto(Stdout) // waits for credit
		synctest.Wait()
		w := host.Writer(Stdout)
		w.Close()
		for _, p := range []string{"", "x"} {
			if n, err := w.Write([]byte(p)); n != 0 || err != io.ErrClosedPipe {
				t.Errorf("Write(%q): got %d, %v, want io.ErrClosedPipe", p, n, err)
			}
		}
		if n, err := w.ReadFrom(strings.NewReader(strings.Repeat("x", MaxData))); n != 0 || err != io.ErrClosedPipe {
			t.Errorf("ReadFrom: got %d, %v, want io.ErrClosedPipe", n, err)
		}
		if n, err := io.Copy(io.Discard, guest.Reader(Stdout)); n != Window || err != nil {
			t.Errorf("read %d bytes, %v, want the %d that were taken", n, err, Window)
		}
	})
}

func TestSlotReader_Close(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "the receiver of stdout takes no more: io: read/write on closed pipe"},
		{errors.New("disk full"), "the receiver of stdout takes no more: disk full (io: read/write on closed pipe)"},
	} {
		inCall(t, func(t *testing.T, guest, host *side) {
			r := guest.Reader(Stdout)
			ended := make(chan error, 2)
			host.done.Go(func() { // the cleanup waits
				_, err := host.Writer(Stdout).Write(make([]byte, 2*Window))
				ended <- err
			})
			guest.done.Go(func() { // the cleanup waits
				_, err := guest.Reader(Stderr).Read(make([]byte, 1))
				ended <- err
			})
			synctest.Wait()
			r.CloseWithError(tt.err)
			if err := <-ended; !errors.Is(err, io.ErrClosedPipe) || err.Error() != tt.want {
				t.Errorf("Write: got %v, want %s", err, tt.want)
			}
			if _, err := r.Read(make([]byte, 1)); err != io.ErrClosedPipe {
				t.Errorf("Read after Close: got %v, want io.ErrClosedPipe", err)
			}
			guest.Reader(Stderr).Close()
			if err := <-ended; err != io.ErrClosedPipe {
				t.Errorf("Read while Close: got %v, want io.ErrClosedPipe", err)
			}
			if err := host.End(nil); err != nil {
				t.Errorf("End: %v", err)
			}
			synctest.Wait()
			if guest.broke != nil || host.broke != nil {
				t.Errorf("broke: %v, %v, want both ends at work", guest.broke, host.broke)
			}
		})
	}
}

// A reader may be closed while what it has read is still being written elsewhere.
func TestSlotReader_CloseWhileWriteTo(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.pourInto(Stdout)
		var got error
		block := make(chan struct{})
		guest.done.Go(func() { // the cleanup waits
			_, got = guest.Reader(Stdout).WriteTo(writerFunc(func(p []byte) (int, error) { <-block; return len(p), nil }))
		})
		synctest.Wait()
		guest.Reader(Stdout).Close()
		close(block)
		synctest.Wait()
		if got != io.ErrClosedPipe || guest.broke != nil || host.broke != nil {
			t.Errorf("got %v, ends %v, %v, want io.ErrClosedPipe", got, guest.broke, host.broke)
		}
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestSlotReader_WriteTo_Fails(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		guest.Writer(Stdin).Write([]byte("0123456789"))
		synctest.Wait()
		full := writerFunc(func([]byte) (int, error) { return 4, io.ErrShortWrite })
		if n, err := host.Reader(Stdin).WriteTo(full); n != 4 || err != io.ErrShortWrite {
			t.Errorf("got %d, %v, want 4, io.ErrShortWrite", n, err)
		}
		guest.Writer(Stdin).Close()
		if got, err := io.ReadAll(host.Reader(Stdin)); string(got) != "456789" || err != nil {
			t.Errorf("the rest: got %q, %v, want 456789", got, err)
		}
	})
}

// data is DATA of n bytes.
func data(slot Slot, n int) Message { return &Data{Slot: slot, Bytes: make([]byte, n)} }

// window is DATA that spends a whole credit.
func window(slot Slot) (msgs []Message) {
	for range Window / MaxData {
		msgs = append(msgs, data(slot, MaxData))
	}
	return msgs
}

// Each row is what a peer sends to a host whose handler has written 1000 bytes
// and reads nothing. An empty error is for the positive controls.
func TestSec_T09_HostileSlots(t *testing.T) {
	photo := talkNames.Slot("/photo")
	for _, tt := range []struct {
		name string
		msgs []Message
		err  string
	}{
		{"all that the credit allows", append(window(Stdin), window(photo)...), ""},
		{"a byte beyond the credit", append(window(Stdin), data(Stdin, 1)), "1 bytes of stdin beyond the credit"},
		{"frame beyond the credit", append(window(photo)[1:], data(photo, 1), data(photo, MaxData)), "1 bytes of /photo beyond the credit"},
		{"data after end", []Message{data(Stdin, 1), &End{Slot: Stdin}, data(Stdin, 1)}, "DATA of stdin after END"},
		{"two ends", []Message{&End{Slot: Stdin}, &End{Slot: Stdin}}, "END of stdin after END"},
		{"data of a slot that the host sends", []Message{data(Stdout, 1)}, "unexpected DATA of stdout"},
		{"credit of a slot that the host receives", []Message{&Credit{Slot: Stdin, Bytes: 1}}, "unexpected CREDIT of stdin"},
		{"data of no slot of the call", []Message{data(9, 1)}, "unexpected DATA of slot 9"},
		{"end of no slot of the call", []Message{&End{Slot: 9}}, "unexpected END of slot 9"},
		{"credit for what was read", []Message{&Credit{Slot: Stdout, Bytes: 400}, &Credit{Slot: Stdout, Bytes: 600}}, ""},
		{"credit for more", []Message{&Credit{Slot: Stdout, Bytes: 400}, &Credit{Slot: Stdout, Bytes: 601}}, "1 bytes of credit too many for stdout"},
		{"credit that overflows", []Message{&Credit{Slot: Stdout, Bytes: maxCredit}}, "bytes of credit too many for stdout"},
		{"no more, please", []Message{&End{Slot: Stdout}}, ""},
		{"no more, twice", []Message{&End{Slot: Stdout}, &End{Slot: Stdout}}, "END of stdout after END"},
		{"credit after no more", []Message{&End{Slot: Stdout}, &Credit{Slot: Stdout, Bytes: 1}}, "CREDIT of stdout after END"},
		{"another message", []Message{&Ack{ID: "a"}}, "unexpected ACK"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := NewConn(&script{})
			host := NewStreams(talkNames, []Slot{Stdout, Stderr})
			if err := host.Bind(conn, nil, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := host.Writer(Stdout).Write(make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			last := len(tt.msgs) - 1
			for i, m := range tt.msgs {
				err := host.Handle(conn, m)
				switch {
				case i < last || tt.err == "":
					if err != nil {
						t.Errorf("message %d: %v", i, err)
					}
				case !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), tt.err):
					t.Errorf("got %v, want a protocol error …%s…", err, tt.err)
				}
			}
		})
	}
}

// What a peer claims when it comes back is held against what is known of it.
func TestSec_T09_HostileOffsets(t *testing.T) {
	bind := func(has map[string]int64, then ...Message) error {
		first, second := NewConn(&script{}), NewConn(&script{})
		host := NewStreams(talkNames, []Slot{Stdout})
		if err := host.Bind(first, nil, nil); err != nil {
			t.Fatal(err)
		}
		host.Writer(Stdout).Write(make([]byte, 1000))
		for _, m := range []Message{&Credit{Slot: Stdout, Bytes: 400}, data(Stdin, 10), &End{Slot: Stdin}} {
			if err := host.Handle(first, m); err != nil {
				t.Fatal(err)
			}
		}
		host.Have()
		if err := host.Bind(second, has, nil); err != nil {
			return err
		}
		defer host.Unbind()
		if err := host.Handle(first, data(Stdout, 1)); err != nil {
			t.Errorf("what was under way on the lost connection: %v", err)
		}
		for _, m := range then {
			if err := host.Handle(second, m); err != nil {
				return err
			}
		}
		return nil
	}
	for _, tt := range []struct {
		name string
		has  map[string]int64
		then []Message
		err  string
	}{
		{"all", map[string]int64{"stdout": 1000}, nil, ""},
		{"what it took", map[string]int64{"stdout": 400}, nil, ""},
		{"less than it took", map[string]int64{"stdout": 399}, nil, "offset 399 of stdout, it can be 400 to 1000"},
		{"nothing", nil, nil, "offset 0 of stdout, it can be 400 to 1000"},
		{"more than there is", map[string]int64{"stdout": 1001}, nil, "offset 1001 of stdout"},
		{"another slot", map[string]int64{"stdout": 400, "stdin": 0}, nil, "offsets of slots that are not sent here"},
		{"the same end", map[string]int64{"stdout": 400}, []Message{data(Stdin, 10), &End{Slot: Stdin}}, ""},
		{"an earlier end", map[string]int64{"stdout": 400}, []Message{data(Stdin, 9), &End{Slot: Stdin}}, "END of stdin before its earlier end"},
		{"a later end", map[string]int64{"stdout": 400}, []Message{data(Stdin, 11)}, "DATA of stdin beyond its earlier end"},
	} {
		err := bind(tt.has, tt.then...)
		if tt.err == "" && err != nil || tt.err != "" && (!errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: got %v, want …%s…", tt.name, err, tt.err)
		}
	}
}

// A DATA that was announced and does not come costs no chunk.
func TestSec_T09_AnnouncedData(t *testing.T) {
	const rounds = 50
	cost := func(stream []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			_, _ = heard(bytes.NewReader(stream))
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / rounds
	}
	whole := said(t, data(Stdin, MaxData))
	if got := cost(whole[:HeaderSize+firstRead-1]); got > 16<<10 {
		t.Errorf("%d bytes allocated, want at most 16 KiB", got)
	}
	if got := cost(whole); got < MaxData {
		t.Errorf("positive control: a whole DATA: %d bytes allocated, the measure does not work", got)
	}
}

// taker is a script that does not keep what is said.
type taker struct{ script }

func (*taker) Write(p []byte) (int, error) { return len(p), nil }

// A slot keeps at most its window, however small the pieces are.
func TestSec_T10_MemoryOfASlot(t *testing.T) {
	for _, size := range []int{1, 100, 5_000, adoptable - 1, adoptable, 40_000, MaxData} {
		conn := NewConn(&taker{script{peer: &loop{data: said(t, data(Stdin, size))}}})
		host := NewStreams(talkNames, []Slot{Stdout})
		if err := host.Bind(conn, nil, nil); err != nil {
			t.Fatal(err)
		}
		before := heap()
		for err := error(nil); err == nil; {
			msg, _ := conn.Receive()
			err = host.Handle(conn, msg)
		}
		for written := 0; written+size <= Window; written += size {
			host.Writer(Stdout).Write(make([]byte, size))
		}
		if got := heap() - before; got > 2*2*Window+2*MaxData {
			t.Errorf("pieces of %d bytes: two slots take %d KiB, want at most %d", size, got>>10, (2*2*Window+2*MaxData)>>10)
		}
		runtime.KeepAlive(host)
	}
}

// Close reaches who waits, and lets what has arrived be read.
func TestStreams_Close(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.Writer(Stdout).Write([]byte("before the RESULT"))
		synctest.Wait()
		over := errors.New("the call is over")
		errs := make(chan error, 3)
		wait := func(f func() error) { guest.done.Go(func() { errs <- f() }) } // the cleanup waits
		wait(func() error { _, err := guest.Reader(talkNames.Slot("/out")).Read(make([]byte, 1)); return err })
		wait(func() error { _, err := guest.Writer(Stdin).Write(make([]byte, 2*Window)); return err })
		synctest.Wait()
		host.Unbind()
		wait(func() error { return host.End(nil) })
		synctest.Wait()
		if len(errs) > 0 {
			t.Fatalf("%v before Close, want three that wait", <-errs)
		}
		for _, end := range []*side{guest, host} {
			end.Close(over)
			end.Close(errors.New("again"))
		}
		for range 3 {
			if err := <-errs; err != over {
				t.Errorf("got %v, want %v", err, over)
			}
		}
		if got, err := io.ReadAll(guest.Reader(Stdout)); string(got) != "before the RESULT" || err != over {
			t.Errorf("got %q, %v, want what came before, and the error", got, err)
		}
		if err := guest.Bind(guest.conn, nil, nil); err != over {
			t.Errorf("Bind: got %v, want %v", err, over)
		}
	})
}

// While there is no connection writers wait, and the end too.
func TestStreams_Unbind(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		host.Writer(Stdout).Write([]byte("one "))
		synctest.Wait()
		host.Unbind()
		var steps []string
		host.done.Go(func() { // the cleanup waits
			host.Writer(Stdout).Write([]byte("two"))
			steps = append(steps, "written")
			if err := host.End(nil); err != nil {
				t.Errorf("End: %v", err)
			}
			send(t, host.conn, &Result{Envelope: Success(nil)})
			steps = append(steps, "ended")
		})
		synctest.Wait()
		if len(steps) > 0 {
			t.Errorf("%v without a connection", steps)
		}
		guest.Unbind()
		if err := errors.Join(guest.Bind(guest.conn, host.Have(), nil), host.Bind(host.conn, guest.Have(), nil)); err != nil {
			t.Fatal(err)
		}
		if err := guest.Bind(guest.conn, nil, nil); err != nil { // Have unbound it
			t.Fatal(err)
		}
		if got, err := io.ReadAll(guest.Reader(Stdout)); string(got) != "one two" || err != nil {
			t.Errorf("got %q, %v, want one two", got, err)
		}
		synctest.Wait()
		if want := []string{"written", "ended"}; !reflect.DeepEqual(steps, want) || guest.other != 1 {
			t.Errorf("got %v and %d RESULT, want %v and 1", steps, guest.other, want)
		}
	})
}

// A connection that takes nothing is lost to the slots, too; what was written is
// kept for the next one.
func TestStreams_LostWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe() // nobody reads
		conn := NewConn(near)
		host := NewStreams(talkNames, []Slot{Stdout})
		if err := host.Bind(conn, nil, nil); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		n, err := host.Writer(Stdout).Write([]byte("kept"))
		if took := time.Since(start); n != 4 || err != nil || took != conn.Timing.Progress {
			t.Errorf("Write: %d, %v after %v, want 4 after %v", n, err, took, conn.Timing.Progress)
		}
		var wg sync.WaitGroup
		wg.Go(func() { host.Writer(Stdout).Write([]byte(", and more")) }) // joined below
		synctest.Wait()
		if sent := host.Sent()["stdout"]; sent != 4 {
			t.Errorf("%d bytes written, want the second Write to wait", sent)
		}
		host.Have()
		link := &script{}
		if err := host.Bind(NewConn(link), nil, nil); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		host.End(nil)
		got, err := heard(bytes.NewReader(link.said.Bytes()))
		var text []byte
		for _, m := range got {
			if m, ok := m.(*Data); ok {
				text = append(text, m.Bytes...)
			}
		}
		if string(text) != "kept, and more" || err != io.EOF {
			t.Errorf("sent %q, %v, want both", text, err)
		}
		if err := NewStreams(talkNames, nil).Bind(conn, nil, &Accepted{ID: callID}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Bind to the lost connection: got %v, want what it was lost by", err)
		}
	})
}

// The greeting is the first that the peer sees, before what it did not have.
func TestStreams_Bind_Greeting(t *testing.T) {
	link := &script{}
	host := scripted(t, &script{}, Stdout)
	for _, word := range []string{"one ", "two ", "three"} { // a header goes over the word before
		host.Writer(Stdout).Write([]byte(word))
	}
	accepted := &Accepted{ID: callID, Have: host.Have()}
	if err := host.Bind(NewConn(link), map[string]int64{"stdout": 2}, accepted); err != nil {
		t.Fatal(err)
	}
	if err := host.End(nil); err != nil {
		t.Fatal(err)
	}
	host.Unbind()
	got, err := heard(&link.said)
	want := []Message{accepted, &Data{Slot: Stdout, Bytes: []byte("e two three")}, &End{Slot: Stdout}}
	if err != io.EOF || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// ACCEPTED is not held back when the peer waits for it with bytes of its own.
func TestStreams_Bind_GreetsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			names  SlotNames
			writes int
		}{{SlotNames{"stdout"}, 0}, {SlotNames{"stdin", "stdout"}, 1}} {
			link := &script{}
			if err := NewStreams(tt.names, []Slot{Stdout}).Bind(NewConn(link), nil, &Accepted{ID: callID}); err != nil {
				t.Fatal(err)
			}
			if link.writes != tt.writes {
				t.Errorf("%v: %d writes, want %d", tt.names, link.writes, tt.writes)
			}
		}
	})
}

// scripted is an end that sends the slots, bound to the script.
func scripted(t *testing.T, link net.Conn, sends ...Slot) *Streams {
	t.Helper()
	s := NewStreams(talkNames, sends)
	if err := s.Bind(NewConn(link), nil, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// handle is Handle of messages that come over the present connection.
func handle(t *testing.T, s *Streams, msgs ...Message) {
	t.Helper()
	for _, m := range msgs {
		if err := s.Handle(s.from, m); err != nil {
			t.Fatal(err)
		}
	}
}

// What was read while there was no connection earns credit when it has come again.
func TestSlotReader_CreditAfterBind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guest := scripted(t, &script{}, Stdin)
		handle(t, guest, window(Stdout)...)
		if have := guest.Have(); have["stdout"] != 0 {
			t.Fatalf("have %v, want nothing read", have)
		}
		r := guest.Reader(Stdout)
		readFull(t, r, Window)
		link := &script{}
		if err := guest.Bind(NewConn(link), nil, nil); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { readFull(t, r, 3) }) // joined below
		for i, m := range window(Stdout) {
			synctest.Wait()
			want := []byte(nil)
			if i >= 2 {
				want = said(t, &Credit{Slot: Stdout, Bytes: Window / 2})
			}
			if !bytes.Equal(link.said.Bytes(), want) {
				t.Errorf("after %d DATA: sent %q, want %q", i, link.said.Bytes(), want)
			}
			handle(t, guest, m)
		}
		handle(t, guest, &Data{Slot: Stdout, Bytes: []byte("new")})
		wg.Wait()
	})
}

func TestSlotReader_NoCreditAfterEnd(t *testing.T) {
	link := &script{}
	guest := scripted(t, link, Stdin)
	handle(t, guest, append(window(Stdout), &End{Slot: Stdout})...)
	if n, err := io.Copy(io.Discard, guest.Reader(Stdout)); n != Window || err != nil {
		t.Errorf("read %d, %v, want %d", n, err, Window)
	}
	if guest.Reader(Stdout).Close(); link.writes > 0 {
		t.Errorf("sent %q, want nothing", link.said.Bytes())
	}
}

// A reader that was closed says so on each connection.
func TestSlotReader_StaysClosed(t *testing.T) {
	inCall(t, func(t *testing.T, guest, host *side) {
		guest.Reader(Stdout).Close()
		synctest.Wait()
		have := guest.Have()
		if err := errors.Join(host.Bind(host.conn, have, nil), guest.Bind(guest.conn, nil, nil)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !host.Writer(Stdout).stops || guest.broke != nil || host.broke != nil {
			t.Errorf("told again: %v, ends %v, %v, want true and both at work", host.Writer(Stdout).stops, guest.broke, host.broke)
		}
	})
}

// After Unbind nothing is sent, so it waits for what is being sent.
func TestStreams_Unbind_WaitsForWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe() // nobody reads
		host := scripted(t, near, Stdout)
		var wg sync.WaitGroup
		wg.Go(func() { host.Writer(Stdout).Write([]byte("x")) }) // joined below
		synctest.Wait()
		unbound := false
		wg.Go(func() { host.Unbind(); unbound = true }) // joined below
		synctest.Wait()
		if unbound {
			t.Error("unbound while a frame is being sent")
		}
		near.Close()
		wg.Wait()
	})
}

// A chunk that is dropped while it is in use is not used for something else.
func TestSpool_DropInUse(t *testing.T) {
	var s spool
	s.append([]byte("abc"))
	c, _ := s.at(1)
	c.inUse = true
	s.drop(3)
	s.append([]byte("next"))
	if other, _ := s.at(3); other == c || !c.dropped {
		t.Errorf("used again: %v, marked: %v, want false and true", other == c, c.dropped)
	}
	s.release(c)
}

// A DATA costs one write, whatever is in it.
func TestStreams_SystemCalls(t *testing.T) {
	link := &script{}
	host := NewStreams(talkNames, []Slot{Stdout})
	if err := host.Bind(NewConn(link), nil, nil); err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{1, 32 << 10, 31 << 10, MaxData, 2} {
		link.writes = 0
		n, err := host.Writer(Stdout).Write(bytes.Repeat([]byte{byte(i)}, n))
		if link.writes > 2 || err != nil {
			t.Errorf("%d bytes: %d writes, %v, want 1, or 2 across chunks", n, link.writes, err)
		}
	}
}

func TestSlotNames(t *testing.T) {
	names := SlotNames{"/photo", "stderr", "/a/0", "stdin"}
	for name, want := range map[string]Slot{"/photo": 4, "/a/0": 5, "stdin": Stdin, "stderr": Stderr, "stdout": 0, "/b": 0, "": 0} {
		if got := names.Slot(name); got != want {
			t.Errorf("Slot(%q) = %d, want %d", name, got, want)
		}
	}
	for _, name := range []string{"", "no slot", "stdIn", "3", "photo", "/a~", "/~2", "/" + strings.Repeat("a", MaxSlotName)} {
		if err := (SlotNames{name}).check(); err == nil {
			t.Errorf("%.20q: no error", name)
		}
	}
	for _, name := range []string{"stdin", "stdout", "stderr", "/", "/a~0~1", "/a/0/b", "/" + strings.Repeat("a", MaxSlotName-1)} {
		if err := (SlotNames{name}).check(); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	s := NewStreams(names, []Slot{4})
	if s.Writer(4) == nil || s.Reader(4) != nil || s.Reader(5) == nil || s.Writer(Stdin) != nil || s.Reader(Stdout) != nil {
		t.Error("readers and writers are not those of the slots")
	}
	if got := Slot(7).String(); got != "slot 7" {
		t.Errorf("got %q, want slot 7", got)
	}
}
