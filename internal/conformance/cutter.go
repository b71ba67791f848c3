package conformance

import (
	"context"
	"encoding/binary"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
)

// Point is a place in the course of a connection: at the first frame of a type,
// before anything of it has passed or after all of it has.
type Point struct {
	Type  wire.Type
	After bool
}

// Cutter dials connections of which the first are cut: the guest's end is closed
// at a point, and what has arrived beyond that is lost.
type Cutter struct {
	// Dial opens the connections.
	Dial guest.DialFunc
	// Cuts has the point for each connection in turn; those after are left alone.
	Cuts []Point
	// OnCut is called at each cut; nil calls nothing.
	OnCut func()

	dials, cuts atomic.Int32
}

// Dials is how many connections were dialled.
func (c *Cutter) Dials() int { return int(c.dials.Load()) }

// Done is how many connections were cut.
func (c *Cutter) Done() int { return int(c.cuts.Load()) }

// DialFunc opens a connection, and cuts it if it is one of the first.
func (c *Cutter) DialFunc(ctx context.Context) (net.Conn, error) {
	conn, err := c.Dial(ctx)
	if err != nil {
		return nil, err
	}
	n := int(c.dials.Add(1))
	if n > len(c.Cuts) {
		return conn, nil
	}
	cut := &cutConn{Conn: conn, onCut: func() {
		c.cuts.Add(1)
		if c.OnCut != nil {
			c.OnCut()
		}
	}}
	cut.in.point, cut.out.point = c.Cuts[n-1], c.Cuts[n-1]
	return cut, nil
}

// cutConn closes itself at a point.
type cutConn struct {
	net.Conn
	onCut   func()
	cutting sync.Once
	in, out scanner // of what is read and written, each by one goroutine at a time
}

func (c *cutConn) cut() {
	c.cutting.Do(func() {
		_ = c.Conn.Close()
		c.onCut()
	})
}

func errCutLink(op string) error {
	return &net.OpError{Op: op, Net: "cut", Err: os.NewSyscallError(op, syscall.ECONNRESET)}
}

// Read passes on what comes before the point.
func (c *cutConn) Read(p []byte) (int, error) {
	if c.in.hit {
		return 0, errCutLink("read")
	}
	n, err := c.Conn.Read(p)
	pass := c.in.scan(p[:n])
	if !c.in.hit {
		return n, err
	}
	c.cut()
	if pass == 0 {
		return 0, errCutLink("read")
	}
	return pass, nil
}

// Write passes on what comes before the point.
func (c *cutConn) Write(p []byte) (int, error) {
	if c.out.hit {
		return 0, errCutLink("write")
	}
	pass := c.out.scan(p)
	n, err := c.Conn.Write(p[:pass])
	if c.out.hit {
		c.cut()
		if err == nil && n < len(p) {
			err = errCutLink("write")
		}
	}
	return n, err
}

// scanner follows the frames in a stream, up to a point.
type scanner struct {
	point  Point
	header []byte // what has come of the next frame's
	body   int    // what is to come of this frame's payload
	due    bool   // this frame is the point's
	hit    bool
}

// scan is how many of the bytes come before the point. A header that turns out
// to be the point's may have passed in part, in an earlier scan.
func (s *scanner) scan(p []byte) int {
	done := 0
	for done < len(p) {
		if s.body > 0 {
			n := min(s.body, len(p)-done)
			s.body -= n
			done += n
		} else {
			n := min(wire.HeaderSize-len(s.header), len(p)-done)
			s.header = append(s.header, p[done:done+n]...)
			if len(s.header) < wire.HeaderSize {
				return done + n
			}
			s.due = wire.Type(s.header[4]) == s.point.Type
			if s.due && !s.point.After {
				s.hit = true
				return done
			}
			s.body = int(binary.BigEndian.Uint32(s.header))
			s.header = s.header[:0]
			done += n
		}
		if s.body == 0 && s.due && s.point.After {
			s.hit = true
			return done
		}
	}
	return done
}
