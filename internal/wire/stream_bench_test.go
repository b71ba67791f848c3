package wire

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkStreams moves 64 KiB at a time from a SlotWriter to a SlotReader over
// a Unix socket: copy with ReadFrom and WriteTo, as io.Copy does, calls with Write
// and Read. x-bare is the throughput over that of the reference, which moves the
// same frames over the same kind of socket with nothing but writes and reads. The
// two take turns, so that they share the machine's moods, and the median turn
// counts.
func BenchmarkStreams(b *testing.B) {
	for name, line := range map[string]func(*testing.B) *line{"copy": copyLine, "calls": callLine} {
		b.Run(name, func(b *testing.B) {
			const frames = 512 // a turn: 32 MiB
			slot, bare := line(b), bareLine(b)
			var took, reference []time.Duration
			for b.Loop() {
				took = append(took, slot.turn(b, frames))
				reference = append(reference, bare.turn(b, frames))
			}
			b.ReportMetric(0, "ns/op") // it is that of both
			b.ReportMetric(frames*MaxData/1e6/median(took).Seconds(), "MB/s")
			b.ReportMetric(float64(median(reference))/float64(median(took)), "x-bare")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// line moves frames from one goroutine to another.
type line struct{ write, read func(frames int) error }

// turn is how long the frames take.
func (l *line) turn(b *testing.B, frames int) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	wg.Go(func() { // joined below
		if err := l.write(frames); err != nil {
			b.Error(err)
		}
	})
	if err := l.read(frames); err != nil {
		b.Error(err)
	}
	wg.Wait()
	return time.Since(start)
}

// each calls f with n bytes until the frames are moved.
func each(n int, f func([]byte) (int, error)) func(int) error {
	p := make([]byte, n)
	return func(frames int) error {
		for moved := 0; moved < frames*n; {
			n, err := f(p)
			if err != nil {
				return err
			}
			moved += n
		}
		return nil
	}
}

func bareLine(b *testing.B) *line {
	left, right := sockets(b)
	return &line{
		write: each(HeaderSize+MaxData, left.Write),
		read:  each(HeaderSize+MaxData, func(p []byte) (int, error) { return io.ReadFull(right, p) }),
	}
}

func callLine(b *testing.B) *line {
	w, r := stdout(b)
	return &line{write: each(MaxData, w.Write), read: each(MaxData, r.Read)}
}

func copyLine(b *testing.B) *line {
	w, r := stdout(b)
	return &line{
		write: func(frames int) error {
			_, err := w.ReadFrom(&countdown{left: frames * MaxData})
			return err
		},
		read: func(frames int) error {
			_, err := r.WriteTo(&countdown{left: frames * MaxData})
			if err == io.EOF {
				err = nil
			}
			return err
		},
	}
}

// countdown reads and writes so many bytes, then it returns io.EOF.
type countdown struct{ left int }

func (c *countdown) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), c.left)
	c.left -= n
	return n, nil
}

func (c *countdown) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left == 0 {
		return len(p), io.EOF
	}
	return len(p), nil
}

// stdout is the two ends of a slot over a Unix socket.
func stdout(t testing.TB) (*SlotWriter, *SlotReader) {
	left, right := sockets(t)
	return bound(t, left, []Slot{Stdout}).Writer(Stdout), bound(t, right, nil).Reader(Stdout)
}

// bound is one end of a call with a stdout, bound to a connection that is
// received on.
func bound(t testing.TB, nc net.Conn, sends []Slot) *Streams {
	conn, streams := NewConn(nc), NewStreams(SlotNames{"stdout"}, sends)
	if err := streams.Bind(conn, nil, nil); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { // joined by the cleanup
		for {
			msg, err := conn.Receive()
			if err != nil {
				return
			}
			if err := streams.Handle(conn, msg); err != nil {
				t.Error(err)
			}
		}
	})
	t.Cleanup(func() {
		conn.Close()
		streams.Close(nil)
		wg.Wait()
	})
	return streams
}
