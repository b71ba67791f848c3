package host_test

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// One slow handler delays nobody: a hundred calls of a second take a second.
func TestParity_SlowHandlersDelayNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := tool(toolkit.Spec{}, func(context.Context) (any, error) {
			time.Sleep(time.Second)
			return nil, nil
		})
		client, err := guest.Dial(t.Context(), &guest.Options{Dial: newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}).Dialer("g")})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		start := time.Now()
		done := make(chan *guest.Answer)
		for range 100 {
			go func() { done <- client.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"run"}}) }()
		}
		for range 100 {
			if answer := <-done; !answer.OK {
				t.Errorf("answer = %+v, want ok", answer)
			}
		}
		if took := time.Since(start); took > 1100*time.Millisecond {
			t.Errorf("100 calls of 1s took %v, want about 1s", took)
		}
	})
}

// A handler that fails badly harms its own call alone.
func TestParity_AHandlerThatFailsHarmsItsOwnCallAlone(t *testing.T) {
	bad := tool(toolkit.Spec{}, func(context.Context) (any, error) { panic("bad") })
	h := newHost(t, &host.Options{Toolkits: append(fixture.Kits(), bad)})
	for range 10 {
		_, err := call(h)
		wantCode(t, err, toolkit.CodeHandlerCrashed)
		got, err := h.Call(t.Context(), "g", &toolkit.Invocation{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":1,"b":2}`)})
		if string(got) != `{"sum":3}` || err != nil {
			t.Errorf("the next call = %s, %v, want the sum 3", got, err)
		}
	}
}

// Repeated calls, each over a connection of its own, leave nothing behind.
func TestParity_RepeatedCallsLeaveNothingBehind(t *testing.T) {
	socket := t.TempDir() + "/agentos.sock"
	h := newHost(t, &host.Options{Toolkits: fixture.Kits()})
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Addr: "unix://" + socket}); err != nil {
		t.Fatal(err)
	}
	round := func() {
		for range 200 {
			client, err := guest.Dial(t.Context(), &guest.Options{Addr: "unix://" + socket})
			if err != nil {
				t.Fatal(err)
			}
			if answer := client.Call(t.Context(), &guest.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":1,"b":2}`)}); !answer.OK {
				t.Fatalf("answer = %+v, want ok", answer)
			}
			client.Close()
		}
	}
	round()
	h.Close() // waits for every connection
	h = newHost(t, &host.Options{Toolkits: fixture.Kits()})
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors(t)
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Addr: "unix://" + socket}); err != nil {
		t.Fatal(err)
	}
	round()
	h.Close()
	eventually(t, "goroutines", goroutines, runtime.NumGoroutine)
	eventually(t, "descriptors", descriptors, func() int { return openDescriptors(t) })
}

// eventually waits until a count is back at what it was: what has been closed may
// take a moment to be gone.
func eventually(t *testing.T, what string, want int, count func() int) {
	t.Helper()
	got := count()
	for deadline := time.Now().Add(20 * time.Second); got > want && time.Now().Before(deadline); got = count() {
		runtime.Gosched()
	}
	if got > want {
		t.Errorf("%d %s after 200 more calls, want %d", got, what, want)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("descriptors cannot be counted here: %v", err)
	}
	return len(entries)
}
