package host

import (
	"sync"

	"github.com/agentos-go/agentos/internal/wire"
)

// notes pass a handler's progress on to the caller. A caller that does not listen
// never delays a handler: what it does not take in time is dropped.
type notes struct {
	conn *conn

	mu       sync.Mutex // guards what follows
	waiting  []string   // to be sent, oldest first
	sending  bool       // a goroutine sends them
	finished bool
	idle     sync.Cond // signalled when sending ends
}

// How many notes wait for a slow caller, and how long one may be in bytes.
const (
	mostNotes   = 16
	longestNote = 4 << 10
)

func newNotes(c *conn) *notes {
	n := &notes{conn: c}
	n.idle.L = &n.mu
	return n
}

// add has a note sent, unless the call is over or too many wait.
func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.finished || len(n.waiting) == mostNotes {
		return
	}
	n.waiting = append(n.waiting, clip(text, longestNote))
	if !n.sending {
		n.sending = true
		go n.send() // finish waits for it
	}
}

func (n *notes) send() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.waiting) > 0 {
		text := n.waiting[0]
		n.waiting = n.waiting[1:]
		n.mu.Unlock()
		n.conn.send(&wire.Note{Kind: wire.NoteProgress, Text: text})
		n.mu.Lock()
	}
	n.sending = false
	n.idle.Broadcast()
}

// finish drops later notes and waits until the others are sent: what a handler
// reports after its call is nobody's. The connection is let go of, since the call is
// remembered for longer.
func (n *notes) finish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.finished = true
	for n.sending {
		n.idle.Wait()
	}
	n.conn = nil
}
