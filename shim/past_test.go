package shim_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// background runs a line; the channel has what it left behind.
func (w *world) background(line string) <-chan output {
	done := make(chan output, 1)
	go func() { done <- w.line(line) }() // joined by who reads done
	return done
}

// TestCalls: a call is queued, started and completed, and the latest is the first of
// the list.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		kit := handler(time.Hour, 0, func(context.Context) (string, error) {
			<-release
			return "done", nil
		})
		h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}, Limits: &host.Limits{Calls: 1}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		w := &world{t: t, host: h, env: map[string]string{}}
		w.want(w.line("agentos calls"), 0, `{"ok":true,"result":{"calls":[]}}`+"\n")
		a := w.background("agentos-h run --call-id a")
		synctest.Wait()
		b := w.background("agentos-h run --call-id b")
		synctest.Wait()
		state := func(id, state string) string {
			return fmt.Sprintf(`{"id":%q,"toolkit":"h","tool":"run","state":%q}`, id, state)
		}
		list := func(calls ...string) string {
			return `{"ok":true,"result":{"calls":[` + strings.Join(calls, ",") + `]}}` + "\n"
		}
		w.want(w.line("agentos calls"), 0, list(state("b", "queued"), state("a", "started")))
		w.want(w.line("agentos calls b"), 0, list(state("b", "queued")))
		w.wantFailure(w.line("agentos calls c"), 2, "CALL_NOT_FOUND", `no call \"c\" of this guest`)
		awaited := w.background("agentos await b")
		synctest.Wait()

		close(release)
		for _, done := range []<-chan output{a, b, awaited} {
			w.want(<-done, 0, `{"ok":true,"result":"done"}`+"\n")
		}
		w.want(w.line("agentos calls"), 0, list(state("b", "completed"), state("a", "completed")))
		w.wantFailure(w.line("agentos calls a/b"), 2, "USAGE_ERROR", "id")
		w.wantFailure(w.line("agentos await"), 2, "VALIDATION_ERROR", "id: required")
		w.wantFailure(w.line("agentos await c"), 2, "CALL_NOT_FOUND", `no call \"c\" of this guest`, `"hint":"agentos calls"`)
	})
}

// TestAwaitPrintsWhatTheCommandDid: document, streams and exit status, with options
// of output too.
func TestAwaitPrintsWhatTheCommandDid(t *testing.T) {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, append(fixture.Kits(), x)...)
	for i, test := range []struct{ line, options string }{
		{"agentos-math add --a 2 --b 3", ""},
		{"agentos-math add --a 2 --b 3", " --field /sum"},
		{"agentos-math add --a 2 --b 3", " --output result"},
		{"agentos-math add --a 2 --b 3", " --inline-limit 1000"},
		{"agentos-weather forecast --city Atlantis", ""},
		{"agentos-weather forecast --city Atlantis", " --output text"},
		{"agentos-x fail", ""},
		{"agentos-x fail --code panic", ""},
		{"agentos-x slow --ms 60000 --timeout 10ms", ""},
		{"agentos-x big --bytes 300000", ""},
	} {
		id := fmt.Sprint("call", i)
		own := w.line(test.line + test.options + " --call-id " + id)
		if got := w.line("agentos await " + id + test.options); got != own {
			t.Errorf("%s%s: await gave %.200v\nwant %.200v", test.line, test.options, got, own)
		}
	}
}

// TestAwaitIsOfOneGuest: another one's call is no call.
func TestAwaitIsOfOneGuest(t *testing.T) {
	w := newX(t)
	w.want(w.line("agentos-x write --call-id k"), 0, `{"ok":true,"result":1}`+"\n")
	client, err := guest.Dial(t.Context(), &guest.Options{Dial: w.host.Dialer("other")})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if answer := client.Await(t.Context(), "k", nil); answer.Code != toolkit.CodeCallNotFound {
		t.Errorf("answer = %+v, want CALL_NOT_FOUND", answer)
	}
}

// TestAwaitMayTakeLessThanTheCall: a timeout ends the wait, and says how to go on.
func TestAwaitMayTakeLessThanTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		call := w.background("agentos-x slow --ms 10000 --call-id k")
		synctest.Wait()
		start := time.Now()
		w.wantFailure(w.line("agentos await k --timeout 2s"), 124, "TIMEOUT", "only the wait for it ended", `"hint":"agentos await k"`, `"details":[{"limit":"caller"}]`, `"call":"k"`)
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("waited %s, want 2s", took)
		}
		w.want(w.line("agentos await k"), 0, `{"ok":true,"result":"done"}`+"\n")
		w.want(<-call, 0, `{"ok":true,"result":"done"}`+"\n")
	})
}

// TestAnInterruptedAwait ends the wait and not the call, for which another may wait.
func TestAnInterruptedAwait(t *testing.T) {
	t.Parallel()
	heedSignals(t)
	h := newHostProcess(t, 1)
	h.start()
	until := newFIFO(t, t.TempDir(), "until")
	call := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--until", until, "--call-id", "k"))
	h.whenSaid("began a")
	await := func() *child { return starts(t, h.command(0, "agentos", "await", "k")) }
	interrupted, killed, patient := await(), await(), await()
	for _, c := range []*child{interrupted, killed, patient} {
		c.whenConnected()
	}
	<-hearing()
	interrupted.signal(syscall.SIGINT)
	killed.signal(syscall.SIGKILL)
	wantEnded(t, interrupted.ends(), 130, isUnknown, "only the wait for it ended", `"hint":"agentos await k"`)
	wantEnded(t, killed.ends(), 137, "")
	release(t, until)
	for _, c := range []*child{call, patient} {
		wantEnded(t, c.ends(), 0, `{"ok":true,"result":"a"}`)
	}
	h.kill() // all that it said is heard then
	if n := h.count("finished a"); n != 1 {
		t.Errorf("the call finished %d times, want once", n)
	}
}

// TestAwaitOverARestart: the host that knew the call is gone.
func TestAwaitOverARestart(t *testing.T) {
	t.Parallel()
	h := newHostProcess(t, 1)
	h.start()
	call := starts(t, h.command(0, "agentos-work", "run", "--name", "a", "--ms", "60000", "--call-id", "k"))
	h.whenSaid("began a")
	wait := starts(t, h.command(0, "agentos", "await", "k"))
	wait.whenConnected()
	<-hearing()
	h.kill()
	h.start()
	wantEnded(t, call.ends(), 76, isUnknown, `"call":"k"`)
	wantEnded(t, wait.ends(), 76, isUnknown, `"call":"k"`)
	wantEnded(t, h.run(0, "agentos", "await", "k"), 2, `{"ok":false,"error":"CALL_NOT_FOUND"`)
}
