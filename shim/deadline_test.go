package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// handler is the toolkit "h" with one tool "run", whose handler the test gives.
func handler(limit, toolLimit time.Duration, run func(ctx context.Context) (string, error)) *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "h", Timeout: limit, Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run", Timeout: toolLimit},
		func(ctx context.Context, _ struct{}) (string, error) { return run(ctx) })}}
}

// paths are the ways on which a call with a caller's limit, 0 for none, comes to a
// handler in this process; each answers with the call's envelope and exit status.
var paths = map[string]func(w *world, caller time.Duration) (document string, exit int){
	"the shim's option": func(w *world, caller time.Duration) (string, int) {
		words := []string{"agentos-h", "run"}
		if caller > 0 {
			words = append(words, "--timeout", caller.String())
		}
		got := w.run(words...)
		return got.stdout, got.exit
	},
	"the shim's variable": func(w *world, caller time.Duration) (string, int) {
		if caller > 0 {
			w.env["AGENTOS_TIMEOUT"] = caller.String()
		}
		got := w.run("agentos", "call", "h", "run")
		return got.stdout, got.exit
	},
	"guest.Client": func(w *world, caller time.Duration) (string, int) {
		client, err := guest.Dial(w.t.Context(), &guest.Options{Dial: w.host.Dialer("g")})
		if err != nil {
			w.t.Fatal(err)
		}
		defer client.Close()
		answer := client.Call(w.t.Context(), &guest.Call{Toolkit: "h", Path: []string{"run"}, Timeout: caller})
		return string(answer.Document()), answer.Exit
	},
	"host.Call": func(w *world, caller time.Duration) (string, int) {
		ctx := w.t.Context()
		if caller > 0 {
			bound, cancel := context.WithTimeout(ctx, caller)
			defer cancel()
			ctx = bound
		}
		_, err := w.host.Call(ctx, "g", &toolkit.Invocation{Toolkit: "h", Path: []string{"run"}, Input: json.RawMessage("{}")})
		var failure *toolkit.Error
		if !errors.As(err, &failure) {
			w.t.Fatalf("host.Call = %v, want a *toolkit.Error", err)
		}
		document, err := json.Marshal(map[string]any{"error": failure.Code, "message": failure.Message, "details": failure.Details})
		if err != nil {
			w.t.Fatal(err)
		}
		return string(document), failure.ExitStatus()
	},
}

// TestCase_B086: the least of the limits that are given fires and is named, the same
// on every path; the default counts only where none is given.
func TestCase_B086(t *testing.T) {
	const none, s = 0, time.Second
	for _, test := range []struct {
		caller, tool, toolkit time.Duration
		fires                 string
		after                 time.Duration
	}{
		{none, none, none, "default", 30 * s},
		{none, none, 2 * s, "toolkit", 2 * s},
		{none, none, 90 * s, "toolkit", 90 * s},
		{none, 3 * s, 90 * s, "tool", 3 * s},
		{none, 3 * s, 2 * s, "toolkit", 2 * s},
		{1 * s, 3 * s, 2 * s, "caller", 1 * s},
		{1 * s, none, none, "caller", 1 * s},
		{100 * s, none, none, "caller", 100 * s},
		{100 * s, 3 * s, none, "tool", 3 * s},
		{100 * s, none, 90 * s, "toolkit", 90 * s},
	} {
		for path, call := range paths {
			t.Run(test.fires+" "+test.after.String()+" "+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cancelled := make(chan time.Duration, 1)
					start := time.Now()
					w := newWorld(t, handler(test.toolkit, test.tool, func(ctx context.Context) (string, error) {
						<-ctx.Done()
						cancelled <- time.Since(start)
						return "", ctx.Err()
					}))
					document, exit := call(w, test.caller)
					if took := time.Since(start); took < test.after || took > test.after+50*time.Millisecond {
						t.Errorf("answered after %s, want %s", took, test.after)
					}
					if got := <-cancelled; got < test.after || got > test.after+10*time.Millisecond {
						t.Errorf("the handler's context ended after %s, want %s", got, test.after)
					}
					limit := `"details":[{"limit":"` + test.fires + `"}]`
					if exit != 124 || !strings.Contains(document, `"error":"TIMEOUT"`) || !strings.Contains(document, limit) {
						t.Errorf("exit %d, %s, want 124, TIMEOUT and %s", exit, document, limit)
					}
				})
			})
		}
	}
}

// The host names the limit in words too, for whoever reads only those.
func TestCase_B086_TheMessageNamesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, handler(time.Minute, 2*time.Second, waits))
		w.wantFailure(w.line("agentos-h run"), 124, "TIMEOUT", "h run did not finish within 2s (tool limit) and was cancelled")
		w.wantFailure(w.line("agentos-h run --timeout 500ms"), 124, "TIMEOUT", "within 500ms (caller limit)")
	})
}

// waits honours its context and nothing else.
func waits(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// TestCase_B087: a timeout stops the work, not only the wait for it.
func TestCase_B087(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, ended := time.Now(), make(chan time.Duration, 1)
		w := newWorld(t, handler(time.Hour, 0, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			ended <- time.Since(start)
			return "", ctx.Err()
		}))
		w.wantFailure(w.line("agentos-h run --timeout 1s"), 124, "TIMEOUT", "caller")
		if got := <-ended; got < time.Second || got > time.Second+50*time.Millisecond {
			t.Errorf("the handler was told after %s, want 1s and 50ms at most", got)
		}
		if s := w.host.Stats()[0]; s.Calls != 0 || s.Abandoned != 0 {
			t.Errorf("stats = %+v, want nothing running", s)
		}
	})
}

// TestCase_B087_AHandlerThatIgnoresIt is answered for in time, reported as abandoned
// with its age, and keeps its place; what it says at last is nobody's answer.
func TestCase_B087_AHandlerThatIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var runs atomic.Int64
		release := make(chan struct{})
		w := &world{t: t, env: map[string]string{}}
		var err error
		w.host, err = host.New(&host.Options{
			Toolkits: []*toolkit.Toolkit{handler(time.Hour, 0, func(context.Context) (string, error) {
				if runs.Add(1) == 1 {
					<-release
				}
				return "late", nil
			})},
			Limits: &host.Limits{Calls: 1, QueueWait: 5 * time.Second},
			Log:    slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer w.host.Close()

		start := time.Now()
		w.wantFailure(w.line("agentos-h run --timeout 1s --call-id k"), 124, "TIMEOUT", "caller")
		if took := time.Since(start); took > 1100*time.Millisecond {
			t.Errorf("answered after %s, want 1s and a grace of 50ms", took)
		}
		if s := w.host.Stats()[0]; s.Calls != 1 || s.Abandoned != 1 {
			t.Errorf("stats = %+v, want the abandoned one to run", s)
		}
		if !strings.Contains(log.String(), "abandoned") || !strings.Contains(log.String(), "call=k") {
			t.Errorf("log %q, want it to name the abandoned call", log.String())
		}
		w.wantFailure(w.line("agentos-h run"), 75, "BUSY", `"limit":"calls"`)

		time.Sleep(time.Minute - time.Since(start))
		log.Reset()
		close(release)
		synctest.Wait()
		if !strings.Contains(log.String(), "abandoned handler ended") || !strings.Contains(log.String(), "age=1m0s") {
			t.Errorf("log %q, want the end of the handler with its age", log.String())
		}
		if s := w.host.Stats()[0]; s.Calls != 0 || s.Abandoned != 0 {
			t.Errorf("stats = %+v, want its place back", s)
		}
		w.wantFailure(w.line("agentos-h run --call-id k"), 124, "TIMEOUT", `"replayed":true`)
		w.wantFailure(w.line("agentos await k"), 124, "TIMEOUT", "caller")
		w.want(w.line("agentos-h run"), 0, `{"ok":true,"result":"late"}`+"\n")
		if runs.Load() != 2 {
			t.Errorf("%d runs, want two", runs.Load())
		}
	})
}

// TestCase_B090_Variables: the variable is held to the same rules as the option.
func TestCase_B090_Variables(t *testing.T) {
	w := newWorld(t, handler(0, 0, func(context.Context) (string, error) { return "done", nil }))
	for _, text := range []string{"0", "-1s", "1e99s", "none", "99999999999999999999", "5 s"} {
		w.env["AGENTOS_TIMEOUT"] = text
		w.wantFailure(w.line("agentos-h run"), 2, "USAGE_ERROR", "AGENTOS_TIMEOUT", "duration above zero")
	}
	for _, text := range []string{"5", "1h30m", "9223372036854ms", ""} {
		w.env["AGENTOS_TIMEOUT"] = text
		w.want(w.line("agentos-h run"), 0, `{"ok":true,"result":"done"}`+"\n")
	}
}

// TestCase_B090_HowLongTheyAre: a bare number is seconds, and the longest durations
// are longer than the host's default.
func TestCase_B090_HowLongTheyAre(t *testing.T) {
	const takes = 31 * time.Second
	for text, fires := range map[string]time.Duration{
		"5": 5 * time.Second, "1.5": 1500 * time.Millisecond, "1ns": time.Millisecond,
		"1h30m": 0, "2562047h": 0, "9223372036854ms": 0, "9223372036.854775807": 0,
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := newWorld(t, handler(0, 0, func(ctx context.Context) (string, error) {
					select {
					case <-time.After(takes):
						return "done", nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}))
				got, want := w.line("agentos-h run --timeout "+text), takes
				if fires > 0 {
					w.wantFailure(got, 124, "TIMEOUT", `"limit":"caller"`)
					want = fires
				} else {
					w.want(got, 0, `{"ok":true,"result":"done"}`+"\n")
				}
				if took := time.Since(start); took < want || took > want+50*time.Millisecond {
					t.Errorf("ended after %s, want %s", took, want)
				}
			})
		})
	}
}
