package wire

import (
	"encoding/json"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// exchange is the messages of one call over a connection that is already open:
// what the guest sends and what the host answers.
var exchange = []struct{ question, answer Message }{
	{vectors[0].msg, &Present{Version: 1, Epoch: "17", Revision: "9b2e", Definition: forecast}},
	{
		&Call{ID: callID, Toolkit: "weather", Path: []string{"forecast"}, Input: json.RawMessage(`{"city":"Paris"}`), Revision: "9b2e"},
		&Result{Envelope: Success(json.RawMessage(`{"temperature":22,"condition":"sunny"}`))},
	},
}

// BenchmarkCall is OPEN, PRESENT, CALL and RESULT over a Unix socket. Its
// reference, BenchmarkEcho, moves the same bytes over the same kind of socket
// with nothing but reads and writes.
func BenchmarkCall(b *testing.B) {
	left, right := sockets(b)
	guest, host := NewConn(left), NewConn(right)
	var wg sync.WaitGroup
	wg.Go(func() { // joined by wg.Wait
		for i := 0; ; i++ {
			if _, err := host.Receive(); err != nil {
				return
			}
			if host.Send(exchange[i%len(exchange)].answer) != nil {
				return
			}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range exchange {
			if err := guest.Send(e.question); err != nil {
				b.Fatal(err)
			}
			if _, err := guest.Receive(); err != nil {
				b.Fatal(err)
			}
		}
	}
	guest.Close()
	wg.Wait()
}

func BenchmarkEcho(b *testing.B) {
	left, right := sockets(b)
	var questions, answers [][]byte
	for _, e := range exchange {
		questions = append(questions, said(b, e.question))
		answers = append(answers, said(b, e.answer))
	}
	var wg sync.WaitGroup
	wg.Go(func() { // joined by wg.Wait
		for i := 0; ; i++ {
			if echo(right, questions[i%len(questions)], nil) != nil {
				return
			}
			if _, err := right.Write(answers[i%len(answers)]); err != nil {
				return
			}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		for i := range questions {
			if err := echo(left, answers[i], questions[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	left.Close()
	wg.Wait()
}

// echo writes and then reads as many bytes as are expected.
func echo(link net.Conn, expected, say []byte) error {
	if len(say) > 0 {
		if _, err := link.Write(say); err != nil {
			return err
		}
	}
	var buf [1024]byte
	_, err := io.ReadFull(link, buf[:len(expected)])
	return err
}

// BenchmarkCodec is the part of BenchmarkCall that is not input and output.
func BenchmarkCodec(b *testing.B) {
	for _, v := range vectors {
		switch v.name {
		case "open", "present", "call", "result", "credit":
			stream := said(b, v.msg)
			b.Run("send/"+v.name, func(b *testing.B) {
				b.ReportAllocs()
				conn := NewConn(discard{})
				for b.Loop() {
					_ = conn.Send(v.msg)
				}
			})
			b.Run("receive/"+v.name, func(b *testing.B) {
				b.ReportAllocs()
				source := &loop{data: stream}
				conn := NewConn(&script{peer: source})
				for b.Loop() {
					_, _ = conn.Receive()
				}
			})
		}
	}
}

// BenchmarkData streams through a Unix socket.
func BenchmarkData(b *testing.B) {
	left, right := sockets(b)
	from, to := NewConn(left), NewConn(right)
	var wg sync.WaitGroup
	wg.Go(func() { // joined by wg.Wait
		for {
			if _, err := to.Receive(); err != nil {
				return
			}
		}
	})
	data := &Data{Slot: Stdout, Bytes: make([]byte, MaxData)}
	b.SetBytes(MaxData)
	b.ReportAllocs()
	for b.Loop() {
		if err := from.Send(data); err != nil {
			b.Fatal(err)
		}
	}
	from.Close()
	wg.Wait()
}

// loop reads the same bytes over and over.
type loop struct {
	data []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.data[l.at:])
	l.at = (l.at + n) % len(l.data)
	return n, nil
}

// discard is a connection that takes everything.
type discard struct{ net.Conn }

func (discard) Write(p []byte) (int, error)      { return len(p), nil }
func (discard) SetWriteDeadline(time.Time) error { return nil }
