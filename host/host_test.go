package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newHost is a host that closes with the test and whose log goes to it.
func newHost(t *testing.T, o *host.Options) *host.Host {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h, err := host.New(o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return h
}

// tool is a toolkit "t" with one tool "run" and no parameters.
func tool(spec toolkit.Spec, run func(context.Context) (any, error)) *toolkit.Toolkit {
	spec.Name = "run"
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{
		toolkit.Func(spec, func(ctx context.Context, _ struct{}) (any, error) { return run(ctx) }),
	}}
}

func call(h *host.Host) (json.RawMessage, error) {
	return h.Call(context.Background(), "g", &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage("{}")})
}

func TestCallReturnsTheResult(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: fixture.Kits()})
	got, err := h.Call(t.Context(), "g", &toolkit.Invocation{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"b":3,"a":2}`)})
	if want := `{"sum":5}`; string(got) != want || err != nil {
		t.Errorf("Call = %s, %v, want %s", got, err, want)
	}
}

func TestNewReportsEveryMistake(t *testing.T) {
	kits := []*toolkit.Toolkit{
		{Name: "../evil"},
		{Name: "a", Summary: strings.Repeat("s", 201), Tools: []toolkit.Tool{
			toolkit.Func(toolkit.Spec{Name: "do it"}, func(context.Context, struct{}) (toolkit.None, error) { return toolkit.None{}, nil }),
			toolkit.Func(toolkit.Spec{Name: "tag"}, func(context.Context, struct {
				N int `json:"n" validate:"nosuchrule=1"`
			}) (toolkit.None, error) {
				return toolkit.None{}, nil
			}),
		}},
		{Name: "twice"}, {Name: "twice"},
		nil,
	}
	_, err := host.New(&host.Options{Toolkits: kits})
	if err == nil {
		t.Fatal("New = nil error, want the mistakes")
	}
	for _, want := range []string{`"../evil"`, "201", `"do it"`, "nosuchrule", `"twice"`, "nil"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("New error lacks %q:\n%v", want, err)
		}
	}
}

func TestParity_ToolkitNames(t *testing.T) {
	for _, name := range []string{"../evil", "My Kit", "", "a/b", ".", "x\x00y", strings.Repeat("a", 300), "list-tools", "café"} {
		if _, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{{Name: name}}}); err == nil {
			t.Errorf("New accepts the toolkit name %q", name)
		}
	}
	for _, name := range []string{"a", "weather", "x-1", strings.Repeat("a", 63)} {
		h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{{Name: name}}})
		if err != nil {
			t.Errorf("New refuses the toolkit name %q: %v", name, err)
			continue
		}
		h.Close()
	}
}

// What a handler does, and all that a guest learns of it.
func TestWhatAGuestLearns(t *testing.T) {
	declared := toolkit.DeclareError("NOT_FOUND", toolkit.Runtime, 3, "not there")
	tests := []struct {
		name    string
		run     func(context.Context) (any, error)
		code    string
		message string
		exit    int
	}{
		{"a declared error as it is", func(context.Context) (any, error) { return nil, declared.Errorf("no row 7") }, "NOT_FOUND", "no row 7", 3},
		{"a wrapped declared error without its wrapping", func(context.Context) (any, error) {
			return nil, fmt.Errorf("open /home/alice: %w", declared.Errorf("no row 7"))
		}, "NOT_FOUND", "no row 7", 3},
		{"an undeclared toolkit.Error as it is", func(context.Context) (any, error) {
			return nil, &toolkit.Error{Code: "ODD", Message: "odd", Exit: 300}
		}, "ODD", "odd", 1},
		{"the bridge's own codes are the bridge's", func(context.Context) (any, error) {
			return nil, &toolkit.Error{Code: toolkit.CodeTimeout, Message: "I say so"}
		}, toolkit.CodeExecutionError, "I say so", 1},
		{"another error not at all", func(context.Context) (any, error) {
			return nil, errors.New("open /home/alice/.aws/x: permission denied")
		}, toolkit.CodeExecutionError, "the tool failed; the host's log has the reason", 1},
		{"an error that says TIMEOUT is no timeout", func(context.Context) (any, error) { return nil, errors.New("TIMEOUT") },
			toolkit.CodeExecutionError, "the tool failed; the host's log has the reason", 1},
		{"a deadline of its own is no timeout", func(context.Context) (any, error) { return nil, context.DeadlineExceeded },
			toolkit.CodeExecutionError, "the tool failed; the host's log has the reason", 1},
		{"a nil error of our type", func(context.Context) (any, error) {
			var none *toolkit.Error
			return nil, none
		}, toolkit.CodeHandlerCrashed, "the tool crashed; the host's log has the reason", 1},
		{"details that panic", func(context.Context) (any, error) {
			return nil, declared.With(explosive{})
		}, toolkit.CodeHandlerCrashed, "the tool crashed; the host's log has the reason", 1},
		{"details that JSON cannot carry", func(context.Context) (any, error) {
			return nil, declared.With(func() {})
		}, "NOT_FOUND", "not there", 3},
		{"a panic", func(context.Context) (any, error) { panic("secret") }, toolkit.CodeHandlerCrashed, "the tool crashed; the host's log has the reason", 1},
		{"an exit of its goroutine", func(context.Context) (any, error) { runtime.Goexit(); return nil, nil }, toolkit.CodeHandlerCrashed, "the tool crashed; the host's log has the reason", 1},
		{"a result that JSON cannot carry", func(context.Context) (any, error) { return math.NaN(), nil }, toolkit.CodeInvalidResult, "the tool returned a number that is not finite; the host's log has the reason", 1},
		{"a result with a key twice", func(context.Context) (any, error) { return json.RawMessage(`{"k":{"a":1,"a":2}}`), nil }, toolkit.CodeInvalidResult, "the tool returned text that is not valid JSON at k; the host's log has the reason", 1},
		{"17 MB", func(context.Context) (any, error) { return strings.Repeat("a", 17<<20), nil }, toolkit.CodeResultTooLarge, "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := call(newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{tool(toolkit.Spec{}, test.run)}}))
			var got *toolkit.Error
			if !errors.As(err, &got) {
				t.Fatalf("error = %v, want a *toolkit.Error", err)
			}
			if got.Code != test.code || test.message != "" && got.Message != test.message || got.ExitStatus() != test.exit {
				t.Errorf("error = %s %q exit %d, want %s %q exit %d", got.Code, got.Message, got.ExitStatus(), test.code, test.message, test.exit)
			}
		})
	}
}

// explosive is a value whose encoding panics.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("encoded") }

func TestALimitCancelsTheHandlerAndIsNamed(t *testing.T) {
	tests := []struct {
		name          string
		tool, toolkit time.Duration
		limit         string
		after         time.Duration
	}{
		{"the host's default when nothing else is given", 0, 0, "default", host.DefaultTimeout},
		{"the tool's", 2 * time.Second, 0, "tool", 2 * time.Second},
		{"the toolkit's", 0, 90 * time.Second, "toolkit", 90 * time.Second},
		{"the least of two", 2 * time.Second, time.Second, "toolkit", time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cancelled := make(chan time.Duration, 1)
				kit := tool(toolkit.Spec{Timeout: test.tool}, func(ctx context.Context) (any, error) {
					start := time.Now()
					<-ctx.Done()
					cancelled <- time.Since(start)
					return nil, ctx.Err()
				})
				kit.Timeout = test.toolkit
				_, err := call(newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}))
				wantTimeout(t, err, test.limit)
				if got := <-cancelled; got != test.after {
					t.Errorf("the handler was cancelled after %v, want %v", got, test.after)
				}
			})
		})
	}
}

func wantTimeout(t *testing.T, err error, limit string) {
	t.Helper()
	var got *toolkit.Error
	if !errors.As(err, &got) || got.Code != toolkit.CodeTimeout {
		t.Fatalf("error = %v, want TIMEOUT", err)
	}
	details, _ := json.Marshal(got.Details)
	if want := `[{"limit":"` + limit + `"}]`; string(details) != want || !strings.Contains(got.Message, "t run") {
		t.Errorf("error = %q, details %s, want the tool's name and %s", got.Message, details, want)
	}
}

func TestAHandlerThatIgnoresItsContextIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		kit := tool(toolkit.Spec{Timeout: time.Second}, func(context.Context) (any, error) {
			<-release
			return "late", nil
		})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		start := time.Now()
		_, err := call(h)
		wantTimeout(t, err, "tool")
		if waited := time.Since(start); waited > 1100*time.Millisecond {
			t.Errorf("answered after %v, want no wait for the handler", waited)
		}
		close(release)
	})
}

func TestCancellingTheContextCancelsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := h.Call(ctx, "g", &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage("{}")})
		wantCode(t, err, toolkit.CodeCancelled)
	})
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if !errors.Is(err, &toolkit.Error{Code: code}) {
		t.Errorf("error = %v, want %s", err, code)
	}
}

func TestCloseCancelsRunningCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		done := make(chan error)
		go func() {
			_, err := call(h)
			done <- err
		}()
		<-started
		h.Close()
		wantCode(t, <-done, toolkit.CodeCancelled)
	})
}

// T02: a guest's own address is nobody else's, so it is none of AF_VSOCK, which every VM
// of the machine reaches.
func TestSec_T02_AnAddressOfOnesOwnIsNotShared(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{whoami()}})
	if err := h.AddGuest(t.Context(), host.Guest{ID: "first", CID: 3}); err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"vsock://:5000", "vsock://:5000?cid=any"} {
		err := h.AddGuest(t.Context(), host.Guest{ID: "g", CID: 4, Addr: addr})
		if err == nil || !strings.Contains(err.Error(), "every VM of this machine reaches it") {
			t.Errorf("add a guest at %s: %v, want a refusal", addr, err)
		}
	}
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", CID: 4, Addr: "unix://" + filepath.Join(t.TempDir(), "s")}); err != nil { // the control
		t.Error(err)
	}
}

// Two sockets of nobody in particular would be one guest's.
func TestSec_T02_ASocketWithoutAGuestIsNotShared(t *testing.T) {
	dir := t.TempDir()
	h := newHost(t, &host.Options{})
	addrs := []string{"unix://" + dir + "/a.sock", "unix://" + dir + "/b.sock"}
	if err := h.ListenAndServe(t.Context(), addrs...); err == nil || !strings.Contains(err.Error(), "?guest=ID") {
		t.Errorf("ListenAndServe on two sockets = %v, want it to ask whose they are", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.ListenAndServe(ctx, addrs[0], addrs[1]+"?guest=b"); err != nil {
		t.Errorf("ListenAndServe with names = %v, want nil", err)
	}
}

func TestTheTypedCall(t *testing.T) {
	type in struct {
		N int `json:"n" validate:"required"`
	}
	twice := toolkit.Func(toolkit.Spec{Name: "twice"}, func(_ context.Context, in in) (int, error) { return 2 * in.N, nil })
	kit := &toolkit.Toolkit{Name: "kit", Groups: []toolkit.Group{{Name: "deep", Tools: []toolkit.Tool{twice}}}}
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	if got, err := twice.Call(t.Context(), h, in{21}); got != 42 || err != nil {
		t.Errorf("Call = %d, %v, want 42", got, err)
	}
	if got, err := twice.Call(t.Context(), h.As("g"), in{21}); got != 42 || err != nil {
		t.Errorf("Call as g = %d, %v, want 42", got, err)
	}
	stranger := toolkit.Func(toolkit.Spec{Name: "twice"}, func(_ context.Context, in in) (int, error) { return 0, nil })
	_, err := stranger.Call(t.Context(), h, in{21})
	wantCode(t, err, toolkit.CodeToolNotFound)
}

func TestTheCallScopeNamesTheGuest(t *testing.T) {
	var scope toolkit.Call
	kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
		scope = toolkit.CallFrom(ctx)
		return nil, nil
	})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Labels: map[string]string{"tenant": "acme"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := call(h); err != nil {
		t.Fatal(err)
	}
	first := scope
	if scope.Guest.ID != "g" || scope.Guest.Labels["tenant"] != "acme" || scope.ID == "" || scope.Toolkit != "t" || scope.Attempt != 1 {
		t.Errorf("scope = %+v, want guest g of tenant acme, an id, attempt 1", scope)
	}
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g"}); err == nil {
		t.Error("AddGuest adds a guest that is there")
	}
	if !h.RemoveGuest("g") || h.RemoveGuest("g") {
		t.Error("RemoveGuest: want true, then false")
	}
	if _, err := call(h); err != nil {
		t.Fatal(err)
	}
	if scope.Guest.Generation == first.Guest.Generation {
		t.Errorf("generation = %d after RemoveGuest, want another than before", scope.Guest.Generation)
	}
}

// A tool that reports progress may take its time between reports only.
func TestTheIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := 5
		kit := tool(toolkit.Spec{IdleTimeout: 2 * time.Second, Timeout: time.Minute}, func(ctx context.Context) (any, error) {
			for i := range reports {
				toolkit.Progress(ctx, strconv.Itoa(i))
				time.Sleep(1500 * time.Millisecond)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		start := time.Now()
		_, err := call(newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}))
		wantTimeout(t, err, "tool")
		if want := "reported no progress for 2s (idle limit of the tool)"; !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want it to say %q", err, want)
		}
		if took := time.Since(start); took != 8*time.Second {
			t.Errorf("ended after %v, want 2 s after the last report at 6 s", took)
		}
	})
}

// The limit of the whole call holds for a tool that reports all the time.
func TestTheTotalLimitOfAToolThatReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := tool(toolkit.Spec{IdleTimeout: 2 * time.Second, Timeout: 5 * time.Second}, func(ctx context.Context) (any, error) {
			for ctx.Err() == nil {
				toolkit.Progress(ctx, "on it")
				time.Sleep(time.Second)
			}
			return nil, ctx.Err()
		})
		start := time.Now()
		_, err := call(newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}))
		wantTimeout(t, err, "tool")
		if took := time.Since(start); took > 5*time.Second+50*time.Millisecond {
			t.Errorf("ended after %v, want 5s and the grace of a handler", took)
		}
	})
}
