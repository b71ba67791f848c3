package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/agentos-go/agentos/toolkit"
)

func TestConn_OneCall(t *testing.T) {
	guest, host := pipe(t)
	var wg sync.WaitGroup
	wg.Go(func() { // joined by wg.Wait
		for range 3 {
			msg, err := host.Receive()
			if err != nil {
				t.Errorf("host: %v", err)
				return
			}
			if err := host.Send(answers[msg.Type()]); err != nil {
				t.Errorf("host: %v", err)
			}
		}
	})
	for _, question := range []Message{
		&Open{Versions: Versions(), Toolkit: "weather", Want: WantCommand},
		&Call{ID: callID, Toolkit: "weather", Path: []string{"forecast"}, Input: json.RawMessage(`{"city":"Paris"}`)},
		&Ack{ID: callID},
	} {
		if err := guest.Send(question); err != nil {
			t.Fatal(err)
		}
		got, err := guest.Receive()
		if want := answers[question.Type()]; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("answer to %s: got %+v, %v, want %+v", question.Type(), got, err, want)
		}
	}
	wg.Wait()
}

var answers = map[Type]Message{
	typeOpen: &Present{Version: 1, Definition: forecast},
	typeCall: &Result{Envelope: Success(json.RawMessage(`{"temperature":22}`))},
	typeAck:  &Note{Kind: NoteNotice, Text: "bye"},
}

// A message costs one write to send and, together with those that came with it,
// one read to receive.
func TestConn_SystemCalls(t *testing.T) {
	present := &Present{Version: 1, Definition: forecast, Text: strings.Repeat("x", 7000)}
	link := &script{}
	conn := NewConn(link)
	for _, msg := range []Message{present, &Data{Slot: Stdout, Bytes: make([]byte, MaxData)}} {
		link.writes = 0
		if err := conn.Send(msg); err != nil || link.writes != 1 {
			t.Errorf("Send(%s): %d writes, %v, want 1", msg.Type(), link.writes, err)
		}
	}
	link = &script{peer: bytes.NewReader(said(t, present, &Ack{ID: "a"}, &Ack{ID: "b"}))}
	conn = NewConn(link)
	for _, want := range []Type{typePresent, typeAck, typeAck} {
		if msg, err := conn.Receive(); err != nil || msg.Type() != want || link.reads != 1 {
			t.Errorf("Receive: %v after %d reads, %v, want %s after 1", msg, link.reads, err, want)
		}
	}
}

// long is a result that takes several frames; its text depends on i.
func long(i, size int) *Result {
	text := fmt.Sprintf(`"%s"`, strings.Repeat(string(rune('a'+i)), size))
	return &Result{Envelope: Success(json.RawMessage(text))}
}

func TestConn_LongMessages(t *testing.T) {
	for _, size := range []int{MaxFrame - 100, MaxFrame, 16*MaxFrame - 2} {
		want := long(1, size)
		stream := said(t, want, &Ack{ID: "a"})
		got, err := heard(bytes.NewReader(stream))
		if err != io.EOF || !reflect.DeepEqual(got, []Message{want, &Ack{ID: "a"}}) {
			t.Errorf("%d bytes: got %d messages, %v, want the two that were sent", size, len(got), err)
		}
		if frames := (len(stream) - 20) / MaxFrame; len(frameFlags(t, stream)) < frames {
			t.Errorf("%d bytes: %d frames, want at least %d", size, len(frameFlags(t, stream)), frames)
		}
	}
}

func TestSend_FlagsAllFramesButTheLast(t *testing.T) {
	got := frameFlags(t, said(t, long(0, 2*MaxFrame+1)))
	if want := []Flags{More, More, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("got flags %v, want %v", got, want)
	}
}

func frameFlags(t *testing.T, stream []byte) (flags []Flags) {
	for r := bytes.NewReader(stream); ; {
		frame, err := ReadFrame(r, nil)
		if err == io.EOF {
			return flags
		}
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, frame.Flags)
	}
}

// What breaks the protocol's rules is not sent, and the next message is.
func TestSend_Refuses(t *testing.T) {
	tests := []struct {
		msg Message
		err string
	}{
		{&Call{ID: "a b", Input: json.RawMessage("{}")}, `send CALL: id "a b", want 1 to 64 of A-Z a-z 0-9 . _ -`},
		{&Call{ID: "a"}, "send CALL: input is not an object"},
		{&Call{ID: "a", Input: json.RawMessage("{x}")}, "send CALL: input: invalid character 'x' looking for beginning of object key string"},
		{&Data{Slot: Stdout}, "send DATA: a message of 0 bytes, the limits are 1 and 65536"},
		{&Data{Slot: Stdout, Bytes: make([]byte, MaxData+1)}, "send DATA: a message of 65537 bytes, the limits are 1 and 65536"},
		{&Data{Bytes: []byte("x")}, "send DATA: a message for no slot"},
		{&Credit{Bytes: 1}, "send CREDIT: a message for no slot"},
		{&Note{Text: strings.Repeat("x", MaxFrame)}, "send NOTE: a message of 1048597 bytes, the limits are 1 and 1048576"},
		{long(0, 16*MaxFrame-1), "send RESULT: result of 16777217 bytes, the limit is 16777216"},
		{&Present{Text: strings.Repeat("x", MaxMessage)}, "send PRESENT: a message of 16842769 bytes, the limits are 1 and 16842752"},
		{&Fail{}, "send FAIL: neither ok nor an error"},
	}
	link := &script{}
	conn := NewConn(link)
	for _, tt := range tests {
		if err := conn.Send(tt.msg); err == nil || err.Error() != tt.err {
			t.Errorf("got %v\nwant %s", err, tt.err)
		}
	}
	if err := conn.Send(&Ack{ID: "a"}); err != nil || link.writes != 1 {
		t.Errorf("a good message after that: %v, %d writes, want 1", err, link.writes)
	}
}

func TestReceive_AnswersPing(t *testing.T) {
	link := &script{peer: bytes.NewReader(said(t, &Ping{}, &Pong{}, &Ack{ID: "a"}))}
	conn := NewConn(link)
	if msg, err := conn.Receive(); err != nil || msg.Type() != typeAck {
		t.Errorf("got %v, %v, want ACK", msg, err)
	}
	if _, err := conn.Receive(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	if got, want := link.said.Bytes(), said(t, &Pong{}); !bytes.Equal(got, want) {
		t.Errorf("answered %q, want %q", got, want)
	}
}

// Receive reads on while a sender waits for the peer to read, and a flood of
// PING earns one PONG.
func TestReceive_OwesOnePong(t *testing.T) {
	link := &script{peer: bytes.NewReader(said(t, &Ping{}, &Ping{}, &Ping{}, &Ack{ID: "a"}))}
	conn := NewConn(link)
	conn.writing.lock() // a sender waits
	if msg, err := conn.Receive(); err != nil || msg.Type() != typeAck {
		t.Errorf("got %v, %v, want ACK", msg, err)
	}
	if got := link.said.Len(); got != 0 {
		t.Errorf("%d bytes written beside the sender", got)
	}
	conn.writing.unlock()
	if _, err := conn.Receive(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	if got, want := link.said.Bytes(), said(t, &Pong{}); !bytes.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestReceive_ReturnsFailAsError(t *testing.T) {
	stream := said(t, &Fail{Failure(&toolkit.Error{Code: toolkit.CodeBusy, Message: "full", Details: []int{1}})}, &Ack{ID: "a"})
	conn := NewConn(&script{peer: bytes.NewReader(stream)})
	_, err := conn.Receive()
	var failure *toolkit.Error
	if !errors.As(err, &failure) || failure.Code != toolkit.CodeBusy || errors.Is(err, ErrProtocol) {
		t.Errorf("got %v, want BUSY: full", err)
	}
	if _, again := conn.Receive(); again != err {
		t.Errorf("second Receive: got %v, want the same error", again)
	}
}

// A host that is full says so and closes, perhaps before it was asked anything.
func TestReceive_TellsWhyThePeerClosed(t *testing.T) {
	left, right := sockets(t)
	guest, host := NewConn(left), NewConn(right)
	send(t, host, &Fail{Failure(&toolkit.Error{Code: toolkit.CodeBusy, Message: "full"})})
	host.Close()
	if err := guest.Send(&Open{Versions: Versions(), Want: WantList}); err == nil {
		t.Error("Send to a closed connection: no error")
	}
	_, err := guest.Receive()
	var failure *toolkit.Error
	if !errors.As(err, &failure) || failure.Code != toolkit.CodeBusy {
		t.Errorf("got %v, want BUSY: full", err)
	}
}

// What came with a message waits for the next Receive, however it came.
func TestReceive_KeepsBytesAfterAFrame(t *testing.T) {
	want := []Message{&Present{Version: 1, Text: "x"}, &Data{Slot: Stdout, Bytes: []byte("abc")}, &End{Slot: Stdout}, &Ack{ID: "a"}}
	stream := said(t, want...)
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(stream),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"with the end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		if got, err := heard(r); err != io.EOF || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestClose_EndsReceiveAndSend(t *testing.T) {
	a, _ := pipe(t)
	var wg sync.WaitGroup
	wg.Go(func() { // joined by wg.Wait
		if _, err := a.Receive(); err == nil {
			t.Error("Receive on a closed Conn: no error")
		}
	})
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Errorf("Close twice: %v", err)
	}
	wg.Wait()
	first, second := a.Send(&Ack{ID: "a"}), a.Send(&Ack{ID: "b"})
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("Send on a closed Conn: %v, then %v", first, second)
	}
}

// Frames of concurrent senders never mix: long messages come whole, short ones
// pass between their frames, and the bytes of each slot keep their order.
func TestConn_ConcurrentSenders(t *testing.T) {
	left, right := sockets(t)
	sender, receiver := NewConn(left), NewConn(right)
	const results, chunks = 3, 200
	var senders sync.WaitGroup
	for i := range results {
		senders.Go(func() { send(t, sender, long(i, 2*MaxFrame+i)) }) // joined below
	}
	for _, slot := range []Slot{Stdout, Stderr} {
		senders.Go(func() { // joined below
			for i := range chunks {
				send(t, sender, &Data{Slot: slot, Bytes: bytes.Repeat([]byte{byte(i)}, 1+i*7)})
			}
		})
	}
	got := map[Slot]int{}
	for range results + 2*chunks {
		msg, err := receiver.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch msg := msg.(type) {
		case *Result:
			i := int(msg.Result[1] - 'a')
			if want := long(i, 2*MaxFrame+i); !reflect.DeepEqual(msg, want) {
				t.Errorf("result %d came damaged", i)
			}
		case *Data:
			i := got[msg.Slot]
			if want := bytes.Repeat([]byte{byte(i)}, 1+i*7); !bytes.Equal(msg.Bytes, want) {
				t.Errorf("%s: chunk %d came damaged", msg.Slot, i)
			}
			got[msg.Slot]++
		}
	}
	senders.Wait()
	if got[Stdout] != chunks || got[Stderr] != chunks {
		t.Errorf("got chunks %v, want %d of each slot", got, chunks)
	}
}

func send(t *testing.T, conn *Conn, msg Message) {
	if err := conn.Send(msg); err != nil {
		t.Error(err)
	}
}

// Both ends send more than the sockets hold and PING meanwhile: both read on.
func TestConn_BothSendAtOnce(t *testing.T) {
	left, right := sockets(t)
	var wg sync.WaitGroup
	for _, link := range []net.Conn{left, right} {
		_ = link.(*net.UnixConn).SetWriteBuffer(4 << 10)
		conn := NewConn(link)
		const frames = 160 // 10 MiB
		wg.Go(func() {     // joined by wg.Wait
			for range frames {
				send(t, conn, &Data{Slot: Stdout, Bytes: make([]byte, MaxData)})
				send(t, conn, &Ping{})
			}
		})
		wg.Go(func() { // joined by wg.Wait
			for range frames {
				if _, err := conn.Receive(); err != nil {
					t.Errorf("Receive: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// An idle connection costs its read buffer and little else, whatever it has
// carried before.
func TestConn_IdleMemory(t *testing.T) {
	const conns = 20
	stream := said(t, &Present{Version: 1, Definition: forecast}, &Data{Slot: Stdout, Bytes: make([]byte, MaxData)}, long(0, MaxFrame))
	held := make([]*Conn, conns)
	before := heap()
	for i := range held {
		held[i] = NewConn(&script{peer: bytes.NewReader(stream)})
		for range 3 {
			if _, err := held[i].Receive(); err != nil {
				t.Fatal(err)
			}
		}
		held[i].release() // what the next Receive does first
	}
	if got := (heap() - before) / conns; got > 12<<10 {
		t.Errorf("%d bytes a connection, want at most 12 KiB", got)
	}
	runtime.KeepAlive(held)
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // the second empties the pools
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
