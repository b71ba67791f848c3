package guest_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHost(t *testing.T, kits ...*toolkit.Toolkit) *host.Host {
	t.Helper()
	h, err := host.New(&host.Options{Toolkits: kits, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func newClient(t *testing.T, dial guest.DialFunc) *guest.Client {
	t.Helper()
	client, err := guest.Dial(t.Context(), &guest.Options{Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

var addCall = guest.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":2,"b":3}`)}

func TestCall(t *testing.T) {
	client := newClient(t, newHost(t, fixture.Kits()...).Dialer("g"))
	answer := client.Call(t.Context(), &addCall)
	if string(answer.Result) != `{"sum":5}` || answer.Exit != 0 {
		t.Errorf("answer = %+v, want the sum 5", answer)
	}
}

// Connect is the bare connection of a Client, for who speaks the protocol otherwise.
func TestConnect(t *testing.T) {
	h := newHost(t, fixture.Kits()...)
	conn, err := guest.Connect(t.Context(), &guest.Options{Dial: h.Dialer("g")})
	if err != nil {
		t.Fatal(err)
	}
	client := newClient(t, func(context.Context) (net.Conn, error) { return conn, nil })
	if answer := client.Call(t.Context(), &addCall); string(answer.Result) != `{"sum":5}` {
		t.Errorf("answer = %+v, want the sum 5", answer)
	}
	for _, o := range []*guest.Options{
		{Addr: "unix://" + filepath.Join(t.TempDir(), "nobody"), DialWait: time.Millisecond},
		{Addr: "nowhere"},
	} {
		conn, err := guest.Connect(t.Context(), o)
		if !errors.Is(err, &toolkit.Error{Code: toolkit.CodeHostUnreachable}) || conn != nil {
			t.Errorf("%s: got %v, %v, want HOST_UNREACHABLE", o.Addr, conn, err)
		}
	}
}

func TestTheTypedCall(t *testing.T) {
	type in struct {
		N int `json:"n" validate:"required"`
	}
	twice := toolkit.Func(toolkit.Spec{Name: "twice"}, func(_ context.Context, in in) (int, error) { return 2 * in.N, nil })
	kits := []*toolkit.Toolkit{{Name: "kit", Tools: []toolkit.Tool{twice}}}
	client, err := guest.Dial(t.Context(), &guest.Options{Dial: newHost(t, kits...).Dialer("g"), Toolkits: kits})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if got, err := twice.Call(t.Context(), client, in{21}); got != 42 || err != nil {
		t.Errorf("Call = %d, %v, want 42", got, err)
	}
}

func TestDefinitionsAndPrompt(t *testing.T) {
	client := newClient(t, newHost(t, fixture.Kits()...).Dialer("g"))
	defs, err := client.Definitions(t.Context(), "")
	if err != nil || len(defs) != 3 || defs[0].Name != "math" {
		t.Errorf("Definitions = %d, %v, want 3 sorted", len(defs), err)
	}
	if _, err := client.Definitions(t.Context(), "nosuch"); !errors.Is(err, &toolkit.Error{Code: toolkit.CodeToolkitNotFound}) {
		t.Errorf("Definitions of an unknown toolkit: %v, want TOOLKIT_NOT_FOUND", err)
	}
	if text, err := client.Prompt(t.Context(), 0); err != nil || !strings.Contains(text, "agentos-math add") {
		t.Errorf("Prompt = %q, %v", text, err)
	}
}

func TestAHostThatIsNotThere(t *testing.T) {
	addr := "unix://" + filepath.Join(t.TempDir(), "no.sock")
	_, err := guest.Dial(t.Context(), &guest.Options{Addr: addr, DialWait: time.Millisecond})
	var got *toolkit.Error
	if !errors.As(err, &got) || got.Code != toolkit.CodeHostUnreachable || got.ExitStatus() != 69 {
		t.Fatalf("Dial = %v, want HOST_UNREACHABLE, exit 69", err)
	}
	for _, want := range []string{addr, "1ms", "agentos doctor"} {
		if !strings.Contains(got.Message+got.Hint, want) {
			t.Errorf("error = %q, hint %q, want %q in it", got.Message, got.Hint, want)
		}
	}
	if _, err := guest.Dial(t.Context(), &guest.Options{Addr: "carrier-pigeon://coop"}); !errors.Is(err, &toolkit.Error{Code: toolkit.CodeHostUnreachable}) {
		t.Errorf("Dial of a bad address = %v, want HOST_UNREACHABLE", err)
	}
}

// What an attempt said is not lost when the time runs out during the next one.
func TestTheReasonIsNotThatTheTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		_, err := guest.Dial(t.Context(), &guest.Options{DialWait: time.Second, Dial: func(ctx context.Context) (net.Conn, error) {
			if attempts++; attempts == 1 {
				return nil, errors.New("no device")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		if err == nil || !strings.Contains(err.Error(), "no device") || attempts != 2 {
			t.Errorf("Dial = %v after %d attempts, want that there is no device", err, attempts)
		}
	})
}

// A guest may start before its host.
func TestDiallingIsPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := newHost(t, fixture.Kits()...).Dialer("g")
		attempts := 0
		late := func(ctx context.Context) (net.Conn, error) {
			if attempts++; attempts < 4 {
				return nil, errors.New("not yet")
			}
			return dial(ctx)
		}
		client := newClient(t, late)
		if answer := client.Call(t.Context(), &addCall); !answer.OK {
			t.Errorf("answer = %+v, want ok", answer)
		}
	})
}

// fragile is a dialer whose connections can all be cut.
type fragile struct {
	dials atomic.Int64

	mu    sync.Mutex // guards the rest
	dial  guest.DialFunc
	conns []net.Conn
}

func (f *fragile) Dial(ctx context.Context) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials.Add(1)
	conn, err := f.dial(ctx)
	if err == nil {
		f.conns = append(f.conns, conn)
	}
	return conn, err
}

// moveTo leads later connections to another host.
func (f *fragile) moveTo(dial guest.DialFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dial = dial
}

func (f *fragile) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		conn.Close()
	}
	f.conns = nil
}

func TestABrokenIdleLinkIsReplaced(t *testing.T) {
	f := &fragile{dial: newHost(t, fixture.Kits()...).Dialer("g")}
	client := newClient(t, f.Dial)
	f.cut()
	if answer := client.Call(t.Context(), &addCall); !answer.OK {
		t.Errorf("call after a cut = %+v, want ok", answer)
	}
	f.cut()
	if _, err := client.Present(t.Context(), "math", nil); err != nil {
		t.Errorf("Present after a cut: %v", err)
	}
}

// A link that died while it was idle took no call with it, whatever host comes next.
func TestAnIdleLinkOfAnEndedHostMeansNothing(t *testing.T) {
	f := &fragile{dial: newHost(t, fixture.Kits()...).Dialer("g")}
	client := newClient(t, f.Dial)
	if answer := client.Call(t.Context(), &addCall); !answer.OK {
		t.Fatalf("answer = %+v, want ok", answer)
	}
	f.moveTo(newHost(t, fixture.Kits()...).Dialer("g"))
	f.cut()
	if answer := client.Call(t.Context(), &addCall); !answer.OK {
		t.Errorf("after a restart = %+v, want ok", answer)
	}
	f.moveTo(nowhere)
	f.cut()
	if answer := client.Call(t.Context(), &addCall); answer.Code != toolkit.CodeHostUnreachable {
		t.Errorf("without a host = %+v, want HOST_UNREACHABLE: nothing was sent", answer)
	}
}

// A call that was read by a definition which has changed since is not run.
func TestACallByAnOldDefinitionIsStale(t *testing.T) {
	client := newClient(t, newHost(t, fixture.Kits()...).Dialer("g"))
	old := addCall
	old.Revision = "old"
	if answer := client.Call(t.Context(), &old); !answer.Stale || answer.Code != toolkit.CodeBusy {
		t.Errorf("answer = %+v, want BUSY and stale", answer)
	}
	shown, err := client.Present(t.Context(), "math", nil)
	if err != nil {
		t.Fatal(err)
	}
	old.Revision = shown.Revision
	if answer := client.Call(t.Context(), &old); answer.Stale || !answer.OK {
		t.Errorf("with the present one = %+v, want ok", answer)
	}
}

// slow is a toolkit "slow" whose tool "run" says when it starts and waits for
// release; it counts its runs.
func slow(started chan<- struct{}, release <-chan struct{}, runs *atomic.Int64) *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "slow", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, _ struct{}) (string, error) {
			runs.Add(1)
			started <- struct{}{}
			select {
			case <-release:
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		})}}
}

func TestALinkThatBreaksDuringACallIsReplacedAndTheCallRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan struct{}), make(chan struct{})
		var runs atomic.Int64
		f := &fragile{dial: newHost(t, slow(started, release, &runs)).Dialer("g")}
		client := newClient(t, f.Dial)
		done := make(chan *guest.Answer)
		go func() { done <- client.Call(t.Context(), &guest.Call{Toolkit: "slow", Path: []string{"run"}}) }()
		<-started
		f.cut()
		synctest.Wait()
		close(release)
		if answer := <-done; string(answer.Result) != `"done"` || runs.Load() != 1 || f.dials.Load() != 2 {
			t.Errorf("answer = %+v after %d runs and %d dials, want done, 1 and 2", answer, runs.Load(), f.dials.Load())
		}
	})
}

// A host of another life does not know what the earlier one did.
func TestARestartedHostMeansOutcomeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, release := make(chan struct{}, 1), make(chan struct{})
		var runs atomic.Int64
		kit := slow(started, release, &runs)
		f := &fragile{dial: newHost(t, kit).Dialer("g")}
		client := newClient(t, f.Dial)
		done := make(chan *guest.Answer)
		go func() { done <- client.Call(t.Context(), &guest.Call{ID: "k", Toolkit: "slow", Path: []string{"run"}}) }()
		<-started
		f.moveTo(newHost(t, kit).Dialer("g"))
		f.cut()
		answer := <-done
		if answer.Code != toolkit.CodeOutcomeUnknown || answer.Exit != 76 || answer.Call != "k" || runs.Load() != 1 {
			t.Errorf("answer = %+v after %d runs, want OUTCOME_UNKNOWN, exit 76, the id and one run", answer, runs.Load())
		}
		close(release)
	})
}

func TestCancellingTheContextCancelsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		var runs atomic.Int64
		client := newClient(t, newHost(t, slow(started, nil, &runs)).Dialer("g"))
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan *guest.Answer)
		go func() { done <- client.Call(ctx, &guest.Call{Toolkit: "slow", Path: []string{"run"}}) }()
		<-started
		cancel(errors.New("interrupt"))
		if answer := <-done; answer.Code != toolkit.CodeCancelled || answer.Exit != 130 || !strings.Contains(answer.Message, "interrupt") {
			t.Errorf("answer = %+v, want CANCELLED by interrupt, exit 130", answer)
		}
	})
}

func TestACallOnACancelledContextIsNotSent(t *testing.T) {
	var runs atomic.Int64
	client := newClient(t, newHost(t, slow(nil, nil, &runs)).Dialer("g"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer := client.Call(ctx, &guest.Call{Toolkit: "slow", Path: []string{"run"}})
	if answer.Code != toolkit.CodeCancelled || runs.Load() != 0 {
		t.Errorf("answer = %+v after %d runs, want CANCELLED and none", answer, runs.Load())
	}
}

func TestProgressIsPassedOn(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "p", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, _ struct{}) (toolkit.None, error) {
			toolkit.Progress(ctx, "half way")
			return toolkit.None{}, nil
		})}}
	client := newClient(t, newHost(t, kit).Dialer("g"))
	var notes []string
	answer := client.Call(t.Context(), &guest.Call{Toolkit: "p", Path: []string{"run"}, Note: func(text string) { notes = append(notes, text) }})
	if !answer.OK || answer.Result != nil || len(notes) != 1 || notes[0] != "half way" {
		t.Errorf("answer = %+v, notes %q, want ok without result, and one note", answer, notes)
	}
}
