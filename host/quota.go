package host

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// quota is what a guest takes of the host, measured against its limits.
type quota struct {
	limits                         Limits
	connects, calls, frames, bytes *rate.Limiter
	// surveys holds one value for each answer about many tools that is made or sent.
	surveys chan struct{}

	mu        sync.Mutex // guards what follows
	inputs    int        // bytes of long inputs
	slots     int        // of calls that run or wait
	results   int        // bytes of long results that are being sent
	abandoned int        // handlers that ignore their cancelled context
	refused   map[string]uint64
	refusals  seldom // as the log hears of them
}

// mostSurveys is how many lists, searches and prompt texts a guest gets at once:
// each may be long and take milliseconds to make. Others of the guest wait.
const mostSurveys = 2

func newQuota(l Limits) *quota {
	bucket := func(r Rate) *rate.Limiter { return rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst) }
	return &quota{
		limits:   l,
		connects: bucket(l.ConnectRate), calls: bucket(l.CallRate), frames: bucket(l.FrameRate), bytes: bucket(l.ByteRate),
		surveys: make(chan struct{}, mostSurveys), refused: map[string]uint64{},
	}
}

// over is the error of a guest that is over a limit.
func over(limit, format string, args ...any) error {
	return &busy{limit, fmt.Sprintf(format, args...)}
}

// connect takes a token for a new connection.
func (q *quota) connect() error {
	if q.connects.Allow() {
		return nil
	}
	return over(limitConnectRate, "this guest makes more than %g connections a second", q.limits.ConnectRate.PerSecond)
}

// call takes a token for a call.
func (q *quota) call() error {
	if q.unread() > q.limits.ResultBytes {
		return over(limitByteRate, "this guest has not read more than %d bytes of results", q.limits.ResultBytes)
	}
	if q.calls.Allow() {
		return nil
	}
	return over(limitCallRate, "this guest makes more than %g calls a second", q.limits.CallRate.PerSecond)
}

// longestDelay is how far a guest may be ahead of its rates before it is refused
// what it sends; until then it is slowed down.
const longestDelay = time.Second

// frame takes tokens for a frame of so many bytes, and the time until they are
// there.
func (q *quota) frame(ctx context.Context, bytes int) error {
	now := time.Now()
	frames, volume := q.frames.ReserveN(now, 1), q.bytes.ReserveN(now, bytes)
	wait := max(frames.DelayFrom(now), volume.DelayFrom(now))
	if wait == 0 {
		return nil
	}
	if wait <= longestDelay {
		q.delay(ctx, wait)
		return nil
	}
	slow := volume.DelayFrom(now) > longestDelay
	frames.CancelAt(now)
	volume.CancelAt(now)
	if slow {
		return over(limitByteRate, "this guest sends more than %g bytes a second", q.limits.ByteRate.PerSecond)
	}
	return over(limitFrameRate, "this guest sends more than %g frames a second", q.limits.FrameRate.PerSecond)
}

// delay waits; the end of the context cuts it short.
func (q *quota) delay(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// takeInput takes room for a long input, until giveInput.
func (q *quota) takeInput(bytes int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inputs+bytes > q.limits.InputBytes {
		return over(limitByteRate, "the long inputs of this guest's calls take more than %d bytes together", q.limits.InputBytes)
	}
	q.inputs += bytes
	return nil
}

func (q *quota) giveInput(bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inputs -= bytes
}

// takeSlots takes room for the slots of a call, until giveSlots.
func (q *quota) takeSlots(n int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.slots+n > q.limits.Slots {
		return over(limitSlots, "the calls of this guest have %d streams and files, this one needs %d more, and %d may be", q.slots, n, q.limits.Slots)
	}
	q.slots += n
	return nil
}

func (q *quota) giveSlots(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slots -= n
}

// sendResult counts bytes of a long result until it is sent.
func (q *quota) sendResult(bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.results += bytes
}

func (q *quota) unread() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.results
}

// survey waits for its turn to tell about many tools; false means that the
// context ended. Whoever got it ends it with surveyed.
func (q *quota) survey(ctx context.Context) bool {
	select {
	case q.surveys <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (q *quota) surveyed() { <-q.surveys }

// abandon counts handlers that were left behind.
func (q *quota) abandon(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.abandoned += n
}

// refuse counts a refusal. It reports whether the log should be told, and how
// many of that limit there were.
func (q *quota) refuse(limit string) (count uint64, tell bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused[limit]++
	_, tell = q.refusals.tell()
	return q.refused[limit], tell
}

// counts are the numbers for Stats.
func (q *quota) counts() (abandoned int, refused map[string]uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.abandoned, maps.Clone(q.refused)
}
