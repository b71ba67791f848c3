package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Time in these tests is that of synctest's clock: they take none.

// trickle reads size bytes in one go every pause, n times.
func trickle(t *testing.T, link net.Conn, n, size int, pause time.Duration) {
	for range n {
		time.Sleep(pause)
		if _, err := io.ReadFull(link, make([]byte, size)); err != nil {
			t.Errorf("read: %v", err)
		}
	}
}

func TestSend_SlowReaderIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		go trickle(t, right, 4, 18+HeaderSize, 9*time.Second) // synctest.Test waits
		start := time.Now()
		if err := conn.Send(&Data{Slot: Stdout, Bytes: make([]byte, 4*18+3*HeaderSize)}); err != nil {
			t.Errorf("Send: %v", err)
		}
		if took := time.Since(start); took != 36*time.Second {
			t.Errorf("took %v, want 36s", took)
		}
	})
}

// The answer to a call that is over at once costs one write a frame.
func TestSend_AcceptedLeavesWithTheResult(t *testing.T) {
	for _, tt := range []struct{ size, frames int }{{10, 1}, {2 * MaxFrame, 3}} {
		result := long(0, tt.size)
		synctest.Test(t, func(t *testing.T) {
			link := &script{}
			conn := NewConn(link)
			send(t, conn, &Accepted{ID: "a"})
			send(t, conn, &Accepted{ID: "b"})
			if link.writes != 0 {
				t.Errorf("%d writes, want none yet", link.writes)
			}
			send(t, conn, result)
			if link.writes != tt.frames {
				t.Errorf("%d writes, want %d", link.writes, tt.frames)
			}
			got, err := heard(&link.said)
			want := []Message{&Accepted{ID: "a"}, &Accepted{ID: "b"}, result}
			if err != io.EOF || !reflect.DeepEqual(got, want) {
				t.Errorf("got %d messages, %v, want the three that were sent", len(got), err)
			}
		})
	}
}

func TestSend_AcceptedLeavesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guest, host := pipe(t)
		start := time.Now()
		send(t, host, &Accepted{ID: "a"})
		if took := time.Since(start); took != 0 {
			t.Errorf("Send took %v, want no wait for the peer", took)
		}
		msg, err := guest.Receive()
		if took := time.Since(start); err != nil || msg.Type() != typeAccepted || took != time.Millisecond {
			t.Errorf("after %v: got %v, %v, want ACCEPTED after 1ms", took, msg, err)
		}
		send(t, host, &Accepted{ID: "b"})
		host.Close() // what waits is lost with the connection
		if msg, err := guest.Receive(); err == nil {
			t.Errorf("got %s from a closed connection", msg.Type())
		}
		time.Sleep(2 * time.Millisecond)
		if err := host.Send(&Accepted{ID: "c"}); err == nil {
			t.Error("Send on a closed connection: no error")
		}
	})
}

func TestSec_T10_ReaderThatStopsLosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		go trickle(t, right, 1, 5, 9*time.Second) // synctest.Test waits
		start := time.Now()
		err := conn.Send(&Ack{ID: "a"})
		if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.HasPrefix(err.Error(), "send ACK: the peer took nothing for 10s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("took %v, want two periods of 10s: one with progress, one without", took)
		}
		if again := conn.Send(&Ack{ID: "b"}); again == nil || again.Error() != err.Error() {
			t.Errorf("next Send: got %v, want the same error", again)
		}
		if _, err := right.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the peer reads %v, want io.EOF", err)
		}
	})
}

// A sender that gives up ends the Receive beside it, with the reason.
func TestReceive_TellsWhyASenderGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		defer right.Close()
		conn := NewConn(unixErrors{left})
		go conn.Send(&Ack{ID: "a"}) // synctest.Test waits
		_, err := conn.Receive()
		if want := "the peer took nothing for 10s"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	})
}

// unixErrors is a pipe whose Read after Close says net.ErrClosed, as sockets do.
type unixErrors struct{ net.Conn }

func (u unixErrors) Read(p []byte) (int, error) {
	n, err := u.Conn.Read(p)
	if err == io.ErrClosedPipe {
		err = net.ErrClosed
	}
	return n, err
}

func TestReceive_SilentPeerIsAskedThenLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		start := time.Now()
		go func() { // synctest.Test waits
			frame, err := ReadFrame(right, nil)
			if err != nil || frame.Type != typePing || time.Since(start) != 5*time.Second {
				t.Errorf("after %v: got %s, %v, want PING after 5s", time.Since(start), frame.Type, err)
			}
		}()
		_, err := conn.Receive()
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 15*time.Second {
			t.Errorf("after %v: got %v, want a lost connection after 15s", time.Since(start), err)
		}
	})
}

// Two ends that both wait keep each other alive as long as it takes.
func TestReceive_QuietPeersStayConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		go func() { // synctest.Test waits
			time.Sleep(time.Hour)
			send(t, b, &Note{Kind: NoteNotice, Text: "at last"})
			b.Close()
		}()
		go b.Receive() // synctest.Test waits
		if msg, err := a.Receive(); err != nil || msg.Type() != typeNote {
			t.Errorf("got %v, %v, want NOTE", msg, err)
		}
	})
}

func TestSec_T10_FrameThatDoesNotCome(t *testing.T) {
	whole := raw(typeAck, 0, 0, goodAck)
	for _, part := range []int{1, 3, HeaderSize, HeaderSize + 1, len(whole) - 1} {
		synctest.Test(t, func(t *testing.T) {
			left, right := net.Pipe()
			conn := NewConn(left)
			start := time.Now()
			go io.WriteString(right, whole[:part]) // synctest.Test waits
			_, err := conn.Receive()
			if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 5*time.Second {
				t.Errorf("%d bytes: after %v: got %v, want a lost connection after 5s", part, time.Since(start), err)
			}
		})
	}
}

// The clock of a frame starts with its first byte, and drops do not reset it.
func TestSec_T10_FrameByDrops(t *testing.T) {
	whole := raw(typeAck, 0, 0, goodAck)
	for pause, lost := range map[time.Duration]bool{100 * time.Millisecond: false, time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			left, right := net.Pipe()
			defer right.Close()
			conn := NewConn(left)
			var wg sync.WaitGroup
			defer wg.Wait()
			wg.Go(func() { // joined above
				for i := range len(whole) {
					time.Sleep(pause)
					if _, err := right.Write([]byte{whole[i]}); err != nil {
						return
					}
				}
			})
			if _, err := conn.Receive(); (err != nil) != lost {
				t.Errorf("a byte every %v: got %v, want lost = %v", pause, err, lost)
			}
		})
	}
}

// A peer that breaks the protocol and does not read holds nobody up.
func TestReceive_DoesNotWaitToComplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		start := time.Now()
		go io.WriteString(right, raw(99, 0, 0, "")) // synctest.Test waits
		_, err := conn.Receive()
		if !errors.Is(err, ErrProtocol) || time.Since(start) != time.Second {
			t.Errorf("after %v: got %v, want a protocol error after 1s", time.Since(start), err)
		}
	})
}

func TestTiming_MayBeChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		conn.Timing.Silence, conn.Timing.Answer = time.Minute, time.Minute
		start := time.Now()
		go io.Copy(io.Discard, right) // synctest.Test waits
		if _, err := conn.Receive(); time.Since(start) != 2*time.Minute {
			t.Errorf("after %v: got %v, want a lost connection after 2m", time.Since(start), err)
		}
	})
}

// A deadline that was left from an earlier read ends nothing.
func TestReceive_EarlyDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		go func() { // synctest.Test waits
			if msg, err := conn.Receive(); err != nil || msg.Type() != typeAck {
				t.Errorf("got %v, %v, want ACK", msg, err)
			}
			conn.Receive()
		}()
		start := time.Now()
		time.Sleep(3 * time.Second)
		right.Write(said(t, &Ack{ID: "a"}))
		frame, err := ReadFrame(right, nil)
		if took := time.Since(start); err != nil || frame.Type != typePing || took != 8*time.Second {
			t.Errorf("after %v: got %s, %v, want PING after 8s", took, frame.Type, err)
		}
		right.Close()
	})
}

// Nor does one that was left from an earlier write.
func TestSend_EarlyDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := net.Pipe()
		conn := NewConn(left)
		go ReadFrame(right, nil) // synctest.Test waits
		send(t, conn, &Ack{ID: "a"})
		time.Sleep(9 * time.Second)
		start := time.Now()
		err := conn.Send(&Ack{ID: "b"})
		if took := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || took != conn.Timing.Progress {
			t.Errorf("Send: %v after %v, want a deadline after %v", err, took, conn.Timing.Progress)
		}
	})
}
