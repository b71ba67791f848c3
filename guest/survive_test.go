package guest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// timed is a toolkit "timed" whose tool "run" takes a while; it counts its runs and
// keeps why the latest one was cancelled.
type timed struct {
	takes time.Duration
	limit time.Duration
	runs  atomic.Int64
	cause chan error
}

func newTimed(takes, limit time.Duration) *timed {
	return &timed{takes: takes, limit: limit, cause: make(chan error, 1)}
}

func (k *timed) kit() *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "timed", Timeout: k.limit, Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, _ struct {
			Text string `json:"text"`
		}) (string, error) {
			k.runs.Add(1)
			select {
			case <-time.After(k.takes):
				return "done", nil
			case <-ctx.Done():
				k.cause <- context.Cause(ctx)
				return "", ctx.Err()
			}
		})}}
}

var timedCall = guest.Call{ID: "k", Toolkit: "timed", Path: []string{"run"}}

// TestCase_B079_TheHostRestartsBetweenTwoCalls: an idle link is of the old life, the
// next call is not.
func TestCase_B079_TheHostRestartsBetweenTwoCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTimed(0, 0)
		before := newHost(t, k.kit())
		f := &fragile{dial: before.Dialer("g")}
		client := newClient(t, f.Dial)
		for life := range int64(3) {
			if answer := client.Call(t.Context(), &guest.Call{Toolkit: "timed", Path: []string{"run"}}); !answer.OK || k.runs.Load() != life+1 {
				t.Errorf("life %d: answer = %+v after %d runs, want ok after %d", life, answer, k.runs.Load(), life+1)
			}
			before.Close()
			before = newHost(t, k.kit())
			f.moveTo(before.Dialer("g"))
			f.cut()
		}
	})
}

// frayed is a link that breaks when so many bytes have passed, in either direction.
type frayed struct {
	net.Conn
	left *atomic.Int64
	snap func() // called when it breaks
}

// allow is how many of n bytes may still pass.
func (f *frayed) allow(n int) int { return int(min(int64(n), max(f.left.Load(), 0))) }

func (f *frayed) Write(p []byte) (int, error) {
	n, err := f.Conn.Write(p[:f.allow(len(p))])
	f.left.Add(-int64(n))
	if err == nil && n < len(p) {
		err = f.cut()
	}
	return n, err
}

func (f *frayed) Read(p []byte) (int, error) {
	n := f.allow(len(p))
	if n == 0 {
		return 0, f.cut()
	}
	n, err := f.Conn.Read(p[:n])
	f.left.Add(-int64(n))
	return n, err
}

func (f *frayed) cut() error {
	f.Conn.Close()
	f.snap()
	return io.ErrUnexpectedEOF
}

// cutAfter makes a call of k over a link that breaks after so many bytes, and is then
// dialled again, to the next host. It reports whether all of the call passed before.
func cutAfter(t *testing.T, k *timed, bytes int64, next func(*host.Host) *host.Host) (answer *guest.Answer, whole bool) {
	h := newHost(t, k.kit())
	var left atomic.Int64
	left.Store(bytes)
	var snapped atomic.Bool
	first := true
	dial := h.Dialer("g")
	client := newClient(t, func(ctx context.Context) (net.Conn, error) {
		if !first {
			return dial(ctx)
		}
		first = false
		conn, err := dial(ctx)
		return &frayed{Conn: conn, left: &left, snap: func() {
			if snapped.CompareAndSwap(false, true) {
				h = next(h)
				dial = h.Dialer("g")
			}
		}}, err
	})
	answer = client.Call(t.Context(), &timedCall)
	return answer, !snapped.Load()
}

// TestCase_B079_ALinkMayBreakAnywhere: wherever the link breaks, the call is made
// again or taken up again, runs once and answers.
func TestCase_B079_ALinkMayBreakAnywhere(t *testing.T) {
	same := func(h *host.Host) *host.Host { return h }
	whole := false
	for bytes := int64(0); !whole; bytes++ {
		synctest.Test(t, func(t *testing.T) {
			k := newTimed(time.Second, 0)
			var answer *guest.Answer
			if answer, whole = cutAfter(t, k, bytes, same); !answer.OK || k.runs.Load() != 1 {
				t.Errorf("cut after %d bytes: %+v after %d runs, want ok after one", bytes, answer, k.runs.Load())
			}
		})
	}
}

// TestCase_B079_TheHostMayRestartAnywhere: a host that restarts before the call was
// sent takes it; afterwards nobody knows, and nothing runs twice.
func TestCase_B079_TheHostMayRestartAnywhere(t *testing.T) {
	outcomes := map[string]int{}
	whole := false
	for bytes := int64(0); !whole; bytes++ {
		synctest.Test(t, func(t *testing.T) {
			k := newTimed(time.Second, 0)
			var answer *guest.Answer
			answer, whole = cutAfter(t, k, bytes, func(h *host.Host) *host.Host {
				h.Close()
				return newHost(t, k.kit())
			})
			outcomes[answer.Code]++
			runs := k.runs.Load()
			isUnknown := answer.Code == toolkit.CodeOutcomeUnknown && answer.Exit == 76 && answer.Call == "k" && answer.Hint == "agentos calls k" && runs <= 1
			if isOK := answer.OK && runs == 1; !isOK && !isUnknown {
				t.Errorf("restarted after %d bytes: %+v after %d runs, want ok after one, or OUTCOME_UNKNOWN with the id after one at most", bytes, answer, runs)
			}
		})
	}
	if outcomes[""] < 2 || outcomes[toolkit.CodeOutcomeUnknown] == 0 || len(outcomes) != 2 {
		t.Errorf("outcomes = %v, want both", outcomes)
	}
}

// strait is a way to the host on which everything stands still while it is shut:
// nothing passes and nothing breaks, as when one side is stopped or a VM is paused.
type strait struct {
	dial  guest.DialFunc
	dials atomic.Int64

	mu   sync.Mutex // guards open
	open chan struct{}
}

// newStrait is open. It is opened again when the test ends.
func newStrait(t *testing.T, dial guest.DialFunc) *strait {
	s := &strait{dial: dial, open: make(chan struct{})}
	close(s.open)
	t.Cleanup(s.reopen)
	return s
}

func (s *strait) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = make(chan struct{})
}

func (s *strait) reopen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.open:
	default:
		close(s.open)
	}
}

func (s *strait) passage() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

func (s *strait) Dial(ctx context.Context) (net.Conn, error) {
	select {
	case <-s.passage():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	far, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	s.dials.Add(1)
	near, middle := net.Pipe()
	go s.carry(far, middle) // ends when either end closes, once the strait is open
	go s.carry(middle, far) // likewise
	return near, nil
}

func (s *strait) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		<-s.passage()
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// frozen makes a call of k over a strait that is shut from its first second on, and
// opened after a while.
func frozen(t *testing.T, k *timed, pause time.Duration) (answer *guest.Answer, s *strait, took time.Duration) {
	s = newStrait(t, newHost(t, k.kit()).Dialer("g"))
	client := newClient(t, s.Dial)
	start := time.Now()
	time.AfterFunc(time.Second, s.shut)
	time.AfterFunc(time.Second+pause, s.reopen)
	answer = client.Call(t.Context(), &timedCall)
	return answer, s, time.Since(start)
}

// TestCase_B079_TheWayIsFrozen: a pause shorter than the keep-alive is no loss, after
// a longer one the call is taken up again; it runs once.
func TestCase_B079_TheWayIsFrozen(t *testing.T) {
	for _, test := range []struct {
		pause time.Duration
		dials int64
	}{
		{3 * time.Second, 1}, {9 * time.Second, 1}, {20 * time.Second, 2}, {45 * time.Second, 2}, {70 * time.Second, 2},
	} {
		t.Run(test.pause.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTimed(100*time.Second, 5*time.Minute)
				answer, s, took := frozen(t, k, test.pause)
				if !answer.OK || k.runs.Load() != 1 || took > 101*time.Second {
					t.Errorf("answer = %+v after %d runs and %s, want ok after one and 100s", answer, k.runs.Load(), took)
				}
				if dials := s.dials.Load(); dials != test.dials {
					t.Errorf("%d dials, want %d", dials, test.dials)
				}
			})
		})
	}
}

// A result that came while nothing passed is there afterwards.
func TestCase_B079_TheCallEndsWhileTheWayIsFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTimed(10*time.Second, 5*time.Minute)
		answer, _, took := frozen(t, k, 40*time.Second)
		if !answer.OK || k.runs.Load() != 1 || took > 42*time.Second {
			t.Errorf("answer = %+v after %d runs and %s, want ok after one and 41s", answer, k.runs.Load(), took)
		}
	})
}

// TestCase_B089_TheLinkIsLostForGood: the host cancels the call a minute after the
// loss, or at its deadline if that is sooner; the guest gives it up then.
func TestCase_B089_TheLinkIsLostForGood(t *testing.T) {
	for _, test := range []struct {
		limit, after time.Duration
		says         string
	}{
		{5 * time.Minute, 75 * time.Second, "nobody came back"},
		{30 * time.Second, 30 * time.Second, "toolkit limit"},
		{10 * time.Second, 12 * time.Second, "toolkit limit"},
	} {
		t.Run(test.limit.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTimed(time.Hour, test.limit)
				answer, s, took := frozen(t, k, time.Hour)
				if answer.Code != toolkit.CodeOutcomeUnknown || answer.Exit != 76 || answer.Call != "k" || answer.Hint != "agentos calls k" {
					t.Errorf("answer = %+v, want OUTCOME_UNKNOWN with the id", answer)
				}
				if took < test.after-2*time.Second || took > test.after+3*time.Second {
					t.Errorf("the guest gave up after %s, want about %s", took, test.after)
				}
				if cause := <-k.cause; !strings.Contains(cause.Error(), test.says) || k.runs.Load() != 1 {
					t.Errorf("the handler's cause = %v after %d runs, want %q after one", cause, k.runs.Load(), test.says)
				}
				s.reopen()
				client := newClient(t, s.Dial)
				recorded := client.Await(t.Context(), "k", nil)
				if recorded.Code != toolkit.CodeCancelled && recorded.Code != toolkit.CodeTimeout {
					t.Errorf("the recorded outcome = %+v, want how it ended on the host", recorded)
				}
			})
		})
	}
}

// TestCase_B079_DiallingBacksOff: pauses grow to half a second, and no two guests
// keep step.
func TestCase_B079_DiallingBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rhythm := func() (gaps []time.Duration) {
			last := time.Now()
			_, err := guest.Dial(t.Context(), &guest.Options{DialWait: 30 * time.Second, Dial: func(context.Context) (net.Conn, error) {
				gaps = append(gaps, time.Since(last))
				last = time.Now()
				return nil, errors.New("nobody there")
			}})
			if !errors.Is(err, &toolkit.Error{Code: toolkit.CodeHostUnreachable}) || !strings.Contains(err.Error(), "waited 30s") {
				t.Errorf("Dial = %v, want HOST_UNREACHABLE and the wait", err)
			}
			return gaps
		}
		one, other := rhythm(), rhythm()
		for _, gaps := range [][]time.Duration{one, other} {
			for i, want := 1, 10*time.Millisecond; i < len(gaps); i, want = i+1, min(2*want, 500*time.Millisecond) {
				if gaps[i] < want/2 || gaps[i] > want+time.Millisecond {
					t.Errorf("pause %d = %s, want %s to %s", i, gaps[i], want/2, want)
				}
			}
		}
		if fmt.Sprint(one) == fmt.Sprint(other) {
			t.Errorf("two guests kept step: %v", one)
		}
	})
}

// TestCase_B089_ACancelNeverOvertakesItsCall: a call that is cancelled while it is
// still being sent is cancelled on the host.
func TestCase_B089_ACancelNeverOvertakesItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTimed(20*time.Second, 0)
		s := newStrait(t, newHost(t, k.kit()).Dialer("g"))
		client := newClient(t, s.Dial)
		if answer := client.Call(t.Context(), &guest.Call{Toolkit: "timed", Path: []string{"nosuch"}}); answer.Code != toolkit.CodeToolNotFound {
			t.Fatalf("answer = %+v, want TOOL_NOT_FOUND", answer) // the link is open and idle now
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		long := timedCall
		long.Input, _ = json.Marshal(map[string]string{"text": strings.Repeat("a", 3<<20)})
		done := make(chan *guest.Answer)
		s.shut()
		go func() { done <- client.Call(ctx, &long) }() // joined below
		synctest.Wait()
		cancel(errors.New("interrupt"))
		synctest.Wait()
		s.reopen()
		if answer := <-done; answer.Code != toolkit.CodeCancelled || !strings.Contains(answer.Message, "interrupt") {
			t.Errorf("answer = %+v, want CANCELLED by interrupt", answer)
		}
		if k.runs.Load() == 1 {
			if cause := <-k.cause; !strings.Contains(cause.Error(), "interrupt") {
				t.Errorf("the handler's cause = %v, want interrupt", cause)
			}
		}
	})
}

// hangingUp is a way to a host that takes connections and closes them, as one does
// that is about to end, for a while.
func hangingUp(dial guest.DialFunc, while time.Duration) guest.DialFunc {
	start := time.Now()
	return func(ctx context.Context) (net.Conn, error) {
		if time.Since(start) >= while {
			return dial(ctx)
		}
		near, far := net.Pipe()
		far.Close()
		return near, nil
	}
}

// TestCase_B079_AHostThatHangsUp before it is called is tried again for as long as
// one that is not there.
func TestCase_B079_AHostThatHangsUp(t *testing.T) {
	requests := map[string]func(context.Context, *guest.Client) error{
		"call":    func(ctx context.Context, c *guest.Client) error { return failureOf(c.Call(ctx, &timedCall)) },
		"present": func(ctx context.Context, c *guest.Client) error { _, err := c.Present(ctx, "timed", nil); return err },
		"await": func(ctx context.Context, c *guest.Client) error {
			if err := failureOf(c.Await(ctx, "k", nil)); !errors.Is(err, &toolkit.Error{Code: toolkit.CodeCallNotFound}) {
				return err
			}
			return nil // the host has spoken
		},
	}
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				real := newHost(t, newTimed(0, 0).kit()).Dialer("g")
				if err := request(t.Context(), newClient(t, hangingUp(real, time.Second))); err != nil {
					t.Errorf("after a second: %v, want the host's answer", err)
				}
				start := time.Now()
				err := request(t.Context(), newClient(t, hangingUp(real, time.Hour)))
				took := time.Since(start)
				if !errors.Is(err, &toolkit.Error{Code: toolkit.CodeHostUnreachable}) || !strings.Contains(err.Error(), "waited 2s") {
					t.Errorf("never: %v, want HOST_UNREACHABLE and the wait", err)
				}
				if took != 2*time.Second {
					t.Errorf("gave up after %s, want 2s", took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start = time.Now()
				if err := request(ctx, newClient(t, hangingUp(real, time.Hour))); err == nil || time.Since(start) != time.Second {
					t.Errorf("%v after %s, want the context's end after 1s", err, time.Since(start))
				}
			})
		})
	}
}

// failureOf is an answer's failure as an error, nil for none.
func failureOf(answer *guest.Answer) error {
	if err := answer.Error(); err != nil {
		return err
	}
	return nil
}
