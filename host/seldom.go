package host

import (
	"sync"
	"time"
)

// logEvery is how often the log hears of what a guest can make happen at will.
const logEvery = 10 * time.Second

// seldom lets the log hear of something now and then, however often it happens.
type seldom struct {
	mu   sync.Mutex // guards both
	told time.Time
	kept int
}

// tell reports whether the log should hear of it now, and how often it happened since
// the log last did.
func (s *seldom) tell() (times int, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept++
	if t := time.Now(); s.told.IsZero() || t.Sub(s.told) >= logEvery {
		times, s.kept, s.told = s.kept, 0, t
		return times, true
	}
	return 0, false
}
