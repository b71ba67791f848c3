package wire

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Timing is what tells a slow peer from a lost one.
type Timing struct {
	// Progress is how long a write may wait without the peer taking a byte.
	// It is counted in periods: the connection is lost after one to two.
	Progress time.Duration
	// Frame is how long a frame may take from its first byte to its last.
	Frame time.Duration
	// Silence is how long nothing may come before Receive sends a PING, and
	// Answer how long after that before the connection is lost.
	Silence time.Duration
	Answer  time.Duration
}

var defaultTiming = Timing{
	Progress: 10 * time.Second,
	Frame:    5 * time.Second,
	Silence:  5 * time.Second,
	Answer:   10 * time.Second,
}

// arrivals is the Conn as the reader of its net.Conn, which minds the time.
type arrivals Conn

// Read waits for bytes and asks for a sign of life in between.
func (a *arrivals) Read(p []byte) (int, error) {
	c := (*Conn)(a)
	due := c.readDue()
	for {
		if err := c.readBy.set(due, c.nc.SetReadDeadline); err != nil {
			return 0, err
		}
		n, err := c.nc.Read(p)
		switch {
		case n > 0:
			c.asked = false
			return n, nil // an error beside bytes comes again
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, err
		case time.Now().Before(due):
			continue
		case c.inFrame:
			return 0, fmt.Errorf("no whole frame within %v: %w", c.Timing.Frame, err)
		case c.asked:
			return 0, fmt.Errorf("silent for %v: %w", c.Timing.Silence+c.Timing.Answer, err)
		}
		c.asked = true
		c.owe(owedPing)
		due = c.readDue()
	}
}

// deadline is one of the deadlines of a net.Conn. Moving it costs as much as a
// short message, so it stays where it is while it is early: who is woken by it
// looks at the clock.
type deadline struct{ at time.Time }

// set has input or output end at the time or before.
func (d *deadline) set(at time.Time, set func(time.Time) error) error {
	if d.at.After(time.Now()) && !d.at.After(at) {
		return nil
	}
	d.at = at
	return set(at)
}

// readDue is until when some bytes must come.
func (c *Conn) readDue() time.Time {
	now := time.Now()
	switch {
	case c.inFrame && c.frameDue.IsZero():
		c.frameDue = now.Add(c.Timing.Frame)
		return c.frameDue
	case c.inFrame:
		return c.frameDue
	case c.asked:
		return now.Add(c.Timing.Answer)
	default:
		return now.Add(c.Timing.Silence)
	}
}

// write writes what is held and one frame. The caller holds writing.
func (c *Conn) write(frame []byte, patience time.Duration) error {
	if len(c.held) > 0 {
		c.holding.Stop()
		frame, c.held = append(c.held, frame...), nil
	}
	due := time.Now().Add(patience)
	for len(frame) > 0 && c.broken == nil {
		c.broken = c.writeBy.set(due, c.nc.SetWriteDeadline)
		if c.broken != nil {
			break
		}
		n, err := c.nc.Write(frame)
		frame = frame[n:]
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case err != nil && !late:
			c.broken = err // Receive stays: the peer may have said why it closed
		case late && n > 0:
			due = time.Now().Add(patience)
		case late && !time.Now().Before(due):
			c.broken = fmt.Errorf("the peer took nothing for %v: %w", patience, err)
			_ = c.Close() // ends Receive; broken is the error to tell
		}
	}
	return c.broken
}

// What Receive owes the peer, as bits.
const (
	owedPing = 1 << iota
	owedPong
)

// Whole frames, since neither has anything to say.
const (
	pingFrame = "\x00\x00\x00\x02\x0d\x00\x00\x00{}"
	pongFrame = "\x00\x00\x00\x02\x0e\x00\x00\x00{}"
)

// owe has a frame sent beside Receive, which must read on: were both ends to
// wait here until the other reads, neither would. One frame of a kind at a time
// is owed, whatever the peer sends.
func (c *Conn) owe(frame uint32) {
	if c.owed.Or(frame) == 0 {
		c.paying.Go(c.pay) // giveUp waits
	}
}

func (c *Conn) pay() {
	c.writing.lock()
	defer c.writing.unlock()
	frames := ""
	owed := c.owed.Swap(0)
	if owed&owedPing != 0 {
		frames += pingFrame
	}
	if owed&owedPong != 0 {
		frames += pongFrame
	}
	_ = c.write([]byte(frames), c.Timing.Progress) // kept in broken for the next sender
}

// lock is a mutex that is held during input and output. It is a channel, not a
// sync.Mutex, so that the clock of testing/synctest runs on while one waits.
type lock chan struct{}

func (l lock) lock()   { l <- struct{}{} }
func (l lock) unlock() { <-l }

// lockWithin reports whether it got the lock in that time.
func (l lock) lockWithin(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case l <- struct{}{}:
		return true
	case <-timer.C:
		return false
	}
}
