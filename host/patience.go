package host

import (
	"sync"
	"time"
)

// patience closes a connection whose peer is silent for too long where it should
// speak.
type patience struct {
	mu    sync.Mutex // guards what follows
	timer *time.Timer
	// speaking says that the first frame of a long message has come.
	speaking bool
}

// newPatience waits for the first message.
func newPatience(end func()) *patience {
	return &patience{timer: time.AfterFunc(handshakeTimeout, end)}
}

// expect waits for the next message, unless it is on its way already: the peer may
// answer before this side has seen that it was written to.
func (p *patience) expect(within time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.speaking {
		p.timer.Reset(within)
	}
}

// listen gives a message of several frames its time.
func (p *patience) listen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speaking = true
	p.timer.Reset(transferTimeout)
}

// stop waits for nothing: it is this side's turn.
func (p *patience) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speaking = false
	p.timer.Stop()
}
