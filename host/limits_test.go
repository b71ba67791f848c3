package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// echo is a toolkit "t" whose tool "run" returns at once.
func echo() *toolkit.Toolkit {
	type in struct {
		Text string `json:"text,omitempty"`
	}
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(_ context.Context, in in) (int, error) { return len(in.Text), nil })}}
}

// wantBusy checks an answer over a limit: its code, its exit status and the name
// of the limit in its details.
func wantBusy(t *testing.T, err error, limit string) {
	t.Helper()
	var e *toolkit.Error
	if !errors.As(err, &e) || e.Code != toolkit.CodeBusy || e.ExitStatus() != 75 {
		t.Fatalf("error = %v, want BUSY, exit 75", err)
	}
	details, err := json.Marshal(e.Details)
	if want := fmt.Sprintf(`[{"limit":%q}]`, limit); err != nil || string(details) != want {
		t.Errorf("details = %s, want %s", details, want)
	}
	if !strings.Contains(e.Message, "nothing ran") || e.Hint == "" {
		t.Errorf("error = %+v, want it to say that nothing ran, and what to do", e)
	}
}

// refused is how often the guest was refused for the limit, by Stats.
func refused(h *host.Host, guest, limit string) uint64 {
	for _, s := range h.Stats() {
		if s.Guest.ID == guest {
			return s.Refused[limit]
		}
	}
	return 0
}

// runAs calls t run as the guest.
func runAs(t *testing.T, h *host.Host, guest string) error {
	_, err := h.Call(t.Context(), guest, &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage("{}")})
	return err
}

func TestSec_T11_Connections(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{Connections: 3}})
	open := []*peer{dial(t, h, "g"), dial(t, h, "g"), dial(t, h, "g")}
	_, err := connect(t, h, "g").wire.Receive()
	wantBusy(t, err, "connections")
	dial(t, h, "other") // the control: another guest's are not counted
	open[0].raw.Close()
	eventually(t, "connections", 2, func() int { return h.Stats()[0].Connections })
	dial(t, h, "g")
	if n := refused(h, "g", "connections"); n != 1 {
		t.Errorf("counted %d refusals, want 1", n)
	}
}

func TestSec_T11_ConnectRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{ConnectRate: host.Rate{PerSecond: 2, Burst: 3}}})
		for range 3 {
			dial(t, h, "g").raw.Close()
		}
		_, err := connect(t, h, "g").wire.Receive()
		wantBusy(t, err, "connect_rate")
		dial(t, h, "other")
		time.Sleep(500 * time.Millisecond)
		dial(t, h, "g")
	})
}

// Beyond a few peers that are told why, the others are closed without a word.
func TestSec_T11_AFloodOfConnectionsIsOnlyClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{ConnectRate: host.Rate{PerSecond: 1, Burst: 1}}})
		dial(t, h, "g")
		told := 0
		var flood []*peer
		for range 100 {
			flood = append(flood, connect(t, h, "g"))
		}
		for _, p := range flood {
			if _, err := p.wire.Receive(); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				wantBusy(t, err, "connect_rate")
				told++
			}
		}
		if told == 0 || told > 20 {
			t.Errorf("%d of 100 were told why, want a few", told)
		}
		if n := refused(h, "g", "connect_rate"); n != 100 {
			t.Errorf("counted %d refusals, want 100", n)
		}
	})
}

func TestSec_T11_Calls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}, Limits: &host.Limits{Calls: 2, Queued: -1}})
		for i := range 2 {
			p := dial(t, h, "g")
			p.call(strconv.Itoa(i), "{}")
			receive[*wire.Accepted](p)
		}
		p := dial(t, h, "g")
		p.call("over", "{}")
		wantBusy(t, receive[*wire.Result](p).Error(), "calls")
		close(release)
		synctest.Wait()
		p.call("over", "{}") // the id was not used up
		if r := p.finish(); !r.OK || r.Replayed {
			t.Errorf("again = %+v, want a call of its own", r)
		}
	})
}

func TestSec_T11_Queued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}, Limits: &host.Limits{Calls: 1, Queued: 1}})
		first, waiting, over := dial(t, h, "g"), dial(t, h, "g"), dial(t, h, "g")
		first.call("first", "{}")
		receive[*wire.Accepted](first)
		waiting.call("waiting", "{}")
		synctest.Wait()
		over.call("over", "{}")
		wantBusy(t, receive[*wire.Result](over).Error(), "queued")
		if s := h.Stats()[0]; s.Calls != 1 || s.Queued != 1 || s.Refused["queued"] != 1 {
			t.Errorf("stats = %+v, want one call, one queued, one refused", s)
		}
		close(release)
		if r := waiting.finish(); string(r.Result) != "2" {
			t.Errorf("the one that waited = %+v, want the second run", r)
		}
	})
}

// The clock of a call does not run while it waits for a place; that wait has a
// limit of its own.
func TestAWaitForAPlaceHasALimitOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(make(chan struct{}))}, Limits: &host.Limits{Calls: 1, QueueWait: 5 * time.Second}})
		first, second := dial(t, h, "g"), dial(t, h, "g")
		send := func(p *peer, id string, timeout time.Duration) {
			p.send(&wire.Call{ID: id, Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage("{}"), TimeoutMS: timeout.Milliseconds()})
		}
		send(first, "first", 4*time.Second)
		receive[*wire.Accepted](first)
		start := time.Now()
		send(second, "second", 2*time.Second)
		receive[*wire.Accepted](second) // after the first has ended
		if waited := time.Since(start); waited < 3*time.Second {
			t.Fatalf("accepted after %v, want it to wait for the first", waited)
		}
		if r := receive[*wire.Result](second); r.Code != toolkit.CodeTimeout || time.Since(start) < 5*time.Second {
			t.Errorf("result = %+v after %v, want TIMEOUT two seconds after its start", r.Envelope, time.Since(start))
		}
		receive[*wire.Result](first)

		send(first, "third", time.Hour)
		receive[*wire.Accepted](first)
		start = time.Now()
		send(second, "fourth", time.Hour)
		wantBusy(t, receive[*wire.Result](second).Error(), "calls")
		if waited := time.Since(start); waited < 5*time.Second || waited > 5200*time.Millisecond {
			t.Errorf("refused after %v, want 5s and a little", waited)
		}
	})
}

// Who waits can be cancelled, and its id is free again.
func TestACallThatWaitsForAPlaceCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}, Limits: &host.Limits{Calls: 1}})
		first, second := dial(t, h, "g"), dial(t, h, "g")
		first.call("first", "{}")
		receive[*wire.Accepted](first)
		second.call("second", "{}")
		synctest.Wait()
		second.send(&wire.Cancel{Reason: "interrupt"})
		if r := receive[*wire.Result](second); r.Code != toolkit.CodeCancelled {
			t.Errorf("result = %+v, want CANCELLED", r.Envelope)
		}
		close(release)
		second.call("second", "{}")
		if r := second.finish(); string(r.Result) != "2" {
			t.Errorf("again = %+v, want the second run", r)
		}
	})
}

func TestSec_T11_CallRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{CallRate: host.Rate{PerSecond: 1, Burst: 2}}})
		for range 2 {
			if err := runAs(t, h, "g"); err != nil {
				t.Fatal(err)
			}
		}
		wantBusy(t, runAs(t, h, "g"), "call_rate")
		if err := runAs(t, h, "other"); err != nil {
			t.Errorf("another guest: %v", err)
		}
		time.Sleep(time.Second)
		if err := runAs(t, h, "g"); err != nil {
			t.Errorf("a second later: %v", err)
		}
	})
}

// A guest that is faster than its rates is slowed down before it is refused.
func TestSec_T11_FrameRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{FrameRate: host.Rate{PerSecond: 10, Burst: 1}}})
		p := dial(t, h, "g")
		start := time.Now()
		for range 10 {
			p.send(&wire.Open{Versions: wire.Versions(), Toolkit: "t", Want: wire.WantCommand})
			receive[*wire.Present](p)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("10 frames more took %v, want 1s", took)
		}
		peers := make([]*peer, 12)
		for i := range peers {
			peers[i] = connect(t, h, "g")
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		busy := 0
		for _, p := range peers {
			group.Go(func() {
				p.wire.Send(&wire.Open{Versions: wire.Versions(), Toolkit: "t", Want: wire.WantCommand})
				if _, err := p.wire.Receive(); err != nil {
					wantBusy(t, err, "frame_rate")
					mu.Lock()
					defer mu.Unlock()
					busy++
				}
			})
		}
		group.Wait()
		if busy == 0 || busy == len(peers) {
			t.Errorf("%d of %d at once were refused, want some", busy, len(peers))
		}
	})
}

func TestSec_T11_ByteRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{ByteRate: host.Rate{PerSecond: 1 << 10, Burst: 1 << 20}}})
		p := dial(t, h, "g")
		long := json.RawMessage(`{"text":"` + strings.Repeat("a", 1<<19) + `"}`)
		p.send(&wire.Call{ID: "a", Toolkit: "t", Path: []string{"run"}, Input: long})
		if r := p.finish(); !r.OK {
			t.Fatalf("first = %+v, want ok", r.Envelope)
		}
		go p.wire.Send(&wire.Call{ID: "b", Toolkit: "t", Path: []string{"run"}, Input: append(long[:len(long)-2:len(long)-2], long[9:]...)})
		_, err := p.wire.Receive()
		wantBusy(t, err, "byte_rate")
	})
}

// What long inputs take together is bounded, from their first byte to the end of
// their calls.
func TestSec_T11_LongInputs(t *testing.T) {
	release := make(chan struct{})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{holder(release)}, Limits: &host.Limits{InputBytes: 100 << 10}})
	input := json.RawMessage(`{"text":"` + strings.Repeat("a", 40<<10) + `"}`)
	var open []*peer
	for i := range 2 {
		p := dial(t, h, "g")
		p.send(&wire.Call{ID: strconv.Itoa(i), Toolkit: "t", Path: []string{"run"}, Input: input})
		receive[*wire.Accepted](p)
		open = append(open, p)
	}
	over := dial(t, h, "g")
	go over.wire.Send(&wire.Call{ID: "over", Toolkit: "t", Path: []string{"run"}, Input: input})
	_, err := over.wire.Receive()
	wantBusy(t, err, "byte_rate")
	close(release)
	for _, p := range open {
		receive[*wire.Result](p)
	}
	again := dial(t, h, "g") // the control: the room is free again
	again.send(&wire.Call{ID: "over", Toolkit: "t", Path: []string{"run"}, Input: input})
	if r := again.finish(); !r.OK {
		t.Errorf("afterwards = %+v, want ok", r.Envelope)
	}
}

// holder is a toolkit "t" whose tool "run" takes a text and waits for release.
func holder(release chan struct{}) *toolkit.Toolkit {
	type in struct {
		Text string `json:"text,omitempty"`
	}
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, _ in) (toolkit.None, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return toolkit.None{}, ctx.Err()
		})}}
}

// Room that an unfinished message took is given back with its connection.
func TestSec_T10_AnUnfinishedInputTakesNoRoomForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{InputBytes: 1 << 20}})
		p := dial(t, h, "g")
		begun := wire.AppendFrame(nil, wire.Frame{Type: 3, Payload: make([]byte, 900<<10)})
		if _, err := p.raw.Write(begun[:100]); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(p.raw); err != nil { // closed after 5 s without the rest
			t.Fatal(err)
		}
		synctest.Wait()
		again := dial(t, h, "g")
		again.call("k", `{"text":"`+strings.Repeat("a", 900<<10)+`"}`)
		if r := again.finish(); !r.OK {
			t.Errorf("afterwards = %+v, want ok", r.Envelope)
		}
	})
}

// The log hears of a flood once in a while, not of every refusal.
func TestTheLogHearsOfAFloodOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		h := newHost(t, &host.Options{
			Toolkits: []*toolkit.Toolkit{echo()}, Log: slog.New(slog.NewTextHandler(&text, nil)),
			Limits: &host.Limits{CallRate: host.Rate{PerSecond: 0.01, Burst: 1}},
		})
		for range 100 {
			runAs(t, h, "g")
		}
		time.Sleep(11 * time.Second)
		wantBusy(t, runAs(t, h, "g"), "call_rate")
		if n := strings.Count(text.String(), "guest over a limit"); n != 2 || !strings.Contains(text.String(), "refused=100") {
			t.Errorf("the log has %d lines, want 2 with the count:\n%s", n, text.String())
		}
	})
}

// Guests get places in turn: the queue of one is none of another's.
func TestPlacesAreGivenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		step := make(chan struct{})
		kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
			mu.Lock()
			order = append(order, toolkit.CallFrom(ctx).Guest.ID)
			mu.Unlock()
			<-step
			return nil, nil
		})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}, Concurrency: 1})
		var group sync.WaitGroup
		add := func(guest string, n int) {
			for range n {
				group.Go(func() { runAs(t, h, guest) })
				synctest.Wait()
			}
		}
		add("flood", 4)
		add("a", 1)
		add("b", 2)
		for range 7 {
			step <- struct{}{}
			synctest.Wait()
		}
		group.Wait()
		if got, want := strings.Join(order, " "), "flood flood a b flood b flood"; got != want {
			t.Errorf("order = %s, want %s", got, want)
		}
	})
}

// A handler that ignores its cancelled context keeps its place.
func TestCase_B087_AnAbandonedHandlerKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		kit := tool(toolkit.Spec{Timeout: time.Second}, func(context.Context) (any, error) { <-stuck; return nil, nil })
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}, Limits: &host.Limits{Calls: 1, Queued: -1}})
		wantTimeout(t, runAs(t, h, "g"), "tool")
		if s := h.Stats()[0]; s.Abandoned != 1 || s.Calls != 1 {
			t.Errorf("stats = %+v, want one abandoned, in its place", s)
		}
		wantBusy(t, runAs(t, h, "g"), "calls")
		close(stuck)
		synctest.Wait()
		if s := h.Stats()[0]; s.Abandoned != 0 || s.Calls != 0 {
			t.Errorf("stats = %+v, want none when it has returned", s)
		}
	})
}

// Long silences of some connections are nothing to the others of the guest.
func TestCase_B070(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}})
		var silent []*peer
		for range 101 {
			silent = append(silent, connect(t, h, "g"))
		}
		start := time.Now()
		p := dial(t, h, "g")
		p.call("k", "{}")
		if r := p.finish(); !r.OK || time.Since(start) > 10*time.Millisecond {
			t.Errorf("result = %+v after %v, want ok at once", r.Envelope, time.Since(start))
		}
		for _, s := range silent {
			if _, err := s.raw.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("a silent connection: %v, want it closed", err)
			}
		}
		if waited := time.Since(start); waited != 2*time.Second {
			t.Errorf("closed after %v, want 2s", waited)
		}
	})
}

func TestCase_B071(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{Connections: 65}})
		start := time.Now()
		var partial []*peer
		for range 64 {
			p := connect(t, h, "g")
			if _, err := p.raw.Write([]byte{0, 0, 0}); err != nil {
				t.Fatal(err)
			}
			partial = append(partial, p)
		}
		p := dial(t, h, "g")
		p.call("k", "{}")
		if r := p.finish(); !r.OK {
			t.Errorf("result = %+v, want ok", r.Envelope)
		}
		for _, p := range partial {
			io.ReadAll(p.raw)
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("the last was closed after %v, want 5s at most", waited)
		}
	})
}

// A client that is refused a connection says which limit, as the host does.
func TestAClientTellsTheLimit(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{Connections: 1}})
	dial(t, h, "g")
	client, err := guest.Dial(t.Context(), &guest.Options{Dial: h.Dialer("g")})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	wantBusy(t, client.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"run"}}).Error(), "connections")
}

// A guest that does not read its results gets no more of them.
func TestSec_T10_ResultsThatNobodyReads(t *testing.T) {
	kit := tool(toolkit.Spec{}, func(context.Context) (any, error) { return strings.Repeat("a", 100<<10), nil })
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit, echo2()}, Limits: &host.Limits{ResultBytes: 250 << 10}})
	var deaf []*peer
	for i := range 3 {
		p := dial(t, h, "g")
		p.call(strconv.Itoa(i), "{}")
		receive[*wire.Accepted](p) // and nothing of the result
		deaf = append(deaf, p)
	}
	p := dial(t, h, "g")
	again := func() error {
		p.send(&wire.Call{ID: guest.NewCallID(), Toolkit: "u", Path: []string{"run"}, Input: json.RawMessage("{}")})
		for {
			msg, err := p.wire.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := msg.(*wire.Result); ok && r.OK {
				return nil
			} else if ok {
				return r.Error()
			}
		}
	}
	waitUntil(t, "a call is refused", func() bool { return again() != nil })
	wantBusy(t, again(), "byte_rate")
	for _, p := range deaf { // the control: once they are read, calls begin again
		receive[*wire.Result](p)
	}
	waitUntil(t, "a call succeeds", func() bool { return again() == nil })
}

// waitUntil waits for a condition, which makes its own progress.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s until %s", what)
		}
	}
}

// echo2 is echo as toolkit "u".
func echo2() *toolkit.Toolkit {
	kit := echo()
	kit.Name = "u"
	return kit
}

// Lists and prompt texts are made a few at a time, however many connections ask.
func TestSec_T10_ListsThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}})
		var deaf []*peer
		for range 3 {
			p := connect(t, h, "g")
			p.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantList})
			deaf = append(deaf, p)
		}
		synctest.Wait()
		p := dial(t, h, "g") // a command is presented all the same
		p.call("k", "{}")
		if r := p.finish(); !r.OK {
			t.Errorf("result = %+v, want ok", r.Envelope)
		}
		other := connect(t, h, "other")
		other.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantList})
		receive[*wire.Present](other)
		var heard sync.WaitGroup
		for _, p := range deaf { // at once: each has its turn, in an order of the host's
			heard.Go(func() {
				if msg, err := p.wire.Receive(); err != nil || msg.Type().String() != "PRESENT" {
					t.Errorf("a list in the end: %v, %v", msg, err)
				}
			})
		}
		heard.Wait()
	})
}

// Signs of life are no part of a message, however many come while a call runs.
func TestPingsAreNoLongInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}, Limits: &host.Limits{InputBytes: 17 << 10, FrameRate: host.Rate{PerSecond: 1e6, Burst: 1e6}}})
		p := dial(t, h, "g")
		p.send(catCall)
		receive[*wire.Accepted](p)
		const pings = 4000
		answered := make(chan int, 1)
		go func() { // received below
			n := 0
			for n < pings {
				if frame, err := wire.ReadFrame(p.raw, nil); err != nil || frame.Type != (*wire.Pong)(nil).Type() {
					break
				}
				n++
			}
			answered <- n
		}()
		ping := wire.AppendFrame(nil, wire.Frame{Type: (*wire.Ping)(nil).Type(), Payload: []byte("{}")})
		for range pings {
			if _, err := p.raw.Write(ping); err != nil {
				t.Error(err)
				break
			}
		}
		p.raw.SetReadDeadline(time.Now().Add(time.Second)) // several PINGs may have one PONG
		<-answered
		p.raw.SetReadDeadline(time.Time{})
		p.send(&wire.End{Slot: wire.Stdin})
		if _, r := p.rest(); !r.OK {
			t.Errorf("%+v, want ok", r.Envelope)
		}
	})
}
