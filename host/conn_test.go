package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// peer is a guest's end of a connection, spoken by hand.
type peer struct {
	t    *testing.T
	raw  net.Conn
	wire *wire.Conn
}

// dial connects and opens the conversation.
func dial(t *testing.T, h *host.Host, guest string) *peer {
	t.Helper()
	p := connect(t, h, guest)
	p.open("t")
	return p
}

// connect connects and says nothing.
func connect(t *testing.T, h *host.Host, guest string) *peer {
	t.Helper()
	conn, err := h.Dialer(guest)(t.Context())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	p := &peer{t: t, raw: conn, wire: wire.NewConn(conn)}
	t.Cleanup(func() { conn.Close() })
	return p
}

func (p *peer) send(m wire.Message) {
	p.t.Helper()
	if err := p.wire.Send(m); err != nil {
		p.t.Fatalf("send %s: %v", m.Type(), err)
	}
}

// open opens toolkit t and returns what is presented.
func (p *peer) open(kit string, words ...string) *wire.Present {
	p.t.Helper()
	p.send(&wire.Open{Versions: wire.Versions(), Toolkit: kit, Words: words, Want: wire.WantCommand})
	return receive[*wire.Present](p)
}

// receive is the next message, which must be of type M.
func receive[M wire.Message](p *peer) M {
	p.t.Helper()
	msg, err := p.wire.Receive()
	if err != nil {
		p.t.Fatalf("receive: %v", err)
	}
	m, ok := msg.(M)
	if !ok {
		p.t.Fatalf("received %s %+v, want %T", msg.Type(), msg, m)
	}
	return m
}

// call sends a CALL of t run.
func (p *peer) call(id, input string) {
	p.t.Helper()
	p.send(&wire.Call{ID: id, Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage(input)})
}

// finish waits for ACCEPTED and RESULT.
func (p *peer) finish() *wire.Result {
	p.t.Helper()
	receive[*wire.Accepted](p)
	return receive[*wire.Result](p)
}

// counter is a toolkit "t" whose tool "run" takes n, waits for release, and
// returns how often it ran.
func counter(release chan struct{}) *toolkit.Toolkit {
	var runs atomic.Int64
	type in struct {
		N int `json:"n"`
	}
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, _ in) (int64, error) {
			n := runs.Add(1)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return n, ctx.Err()
		})}}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestAConnectionServesOneCallAfterAnother(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	p := dial(t, h, "g")
	for _, id := range []string{"a", "b", "c"} {
		p.open("t", "run")
		p.call(id, "{}")
		if r := p.finish(); !r.OK {
			t.Fatalf("result = %+v, want ok", r)
		}
		p.send(&wire.Ack{ID: id})
	}
}

func TestARepeatedIDRepeatsTheAnswerNotTheCall(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	p := dial(t, h, "g")
	p.call("k", `{"n":1}`)
	if r := p.finish(); string(r.Result) != "1" || r.Replayed {
		t.Fatalf("first = %+v, want result 1, not replayed", r)
	}
	p.call("k", `{"n": 1.0}`)
	if r := receive[*wire.Result](p); string(r.Result) != "1" || !r.Replayed {
		t.Errorf("again = %+v, want result 1, replayed", r)
	}
	p.call("k", `{"n":2}`)
	if r := receive[*wire.Result](p); r.Code != toolkit.CodeCallIDConflict || r.Exit != 2 {
		t.Errorf("other input = %+v, want CALL_ID_CONFLICT, exit 2", r)
	}
	other := dial(t, h, "other")
	other.call("k", `{"n":1}`)
	if r := other.finish(); string(r.Result) != "2" {
		t.Errorf("another guest's same id = %+v, want a call of its own", r)
	}
}

// No guest can make the host forget what it knows of another's calls.
func TestSec_T13_EachGuestHasAMemoryOfItsOwn(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	victim, other := dial(t, h, "victim"), dial(t, h, "other")
	victim.call("once", "{}")
	if r := victim.finish(); string(r.Result) != "1" {
		t.Fatalf("first = %+v, want result 1", r)
	}
	for i := range 1500 {
		other.call("n"+strconv.Itoa(i), "{}")
		other.finish()
	}
	victim.call("once", "{}")
	if r := receive[*wire.Result](victim); string(r.Result) != "1" || !r.Replayed {
		t.Errorf("again = %+v, want result 1, replayed", r)
	}
	other.call("n0", "{}") // the control: its own oldest calls are forgotten
	if r := other.finish(); r.Replayed {
		t.Errorf("the other's first of 1500 = %+v, want a new call", r)
	}
}

// Answers are kept within a budget; that their calls finished is still known.
func TestAnAnswerThatIsNoLongerKeptIsNotMadeAgain(t *testing.T) {
	var runs atomic.Int64
	kit := tool(toolkit.Spec{}, func(context.Context) (any, error) {
		runs.Add(1)
		return strings.Repeat("a", 3<<20), nil
	})
	p := dial(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), "g")
	for _, id := range []string{"a", "b"} {
		p.call(id, "{}")
		if r := p.finish(); !r.OK {
			t.Fatalf("%s = %+v, want ok", id, r.Envelope)
		}
	}
	p.call("b", "{}")
	if r := receive[*wire.Result](p); !r.OK || !r.Replayed {
		t.Errorf("b again: ok %v, replayed %v, want both", r.OK, r.Replayed)
	}
	p.call("a", "{}")
	if r := receive[*wire.Result](p); r.Code != toolkit.CodeOutcomeUnknown || runs.Load() != 2 {
		t.Errorf("a again = %s after %d runs, want OUTCOME_UNKNOWN after 2", r.Code, runs.Load())
	}
}

// What a handler reports after its call is nobody's.
func TestProgressAfterTheEndIsDropped(t *testing.T) {
	var late func()
	kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
		late = func() { toolkit.Progress(ctx, "late") }
		return nil, nil
	})
	p := dial(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), "g")
	p.call("a", "{}")
	p.finish()
	late()
	p.call("b", "{}")
	p.finish() // fails on a NOTE
}

// An answer that no message can carry is told, not swallowed.
func TestAnErrorOverTheProtocolsLimitIsTold(t *testing.T) {
	kit := tool(toolkit.Spec{}, func(context.Context) (any, error) {
		return nil, &toolkit.Error{Code: "LONG", Message: strings.Repeat("a", 17<<20)}
	})
	p := dial(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), "g")
	p.call("a", "{}")
	if r := p.finish(); r.Code != toolkit.CodeResultTooLarge {
		t.Errorf("result = %.80v, want RESULT_TOO_LARGE", r)
	}
}

func TestARunningIDIsAttachedTo(t *testing.T) {
	release := make(chan struct{})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(release)}})
	first, second := dial(t, h, "g"), dial(t, h, "g")
	first.call("k", "{}")
	receive[*wire.Accepted](first)
	second.call("k", "{}")
	receive[*wire.Accepted](second)
	first.raw.Close()
	close(release)
	if r := receive[*wire.Result](second); string(r.Result) != "1" {
		t.Errorf("attached = %+v, want the running call's result 1", r)
	}
}

func TestCancelEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(make(chan struct{}))}})
		p := dial(t, h, "g")
		p.call("k", "{}")
		receive[*wire.Accepted](p)
		p.send(&wire.Cancel{Reason: "interrupt"})
		if r := receive[*wire.Result](p); r.Code != toolkit.CodeCancelled || !strings.Contains(r.Message, "interrupt") {
			t.Errorf("result = %+v, want CANCELLED with the reason", r)
		}
	})
}

func TestALostCallerIsWaitedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := counter(make(chan struct{}))
		kit.Timeout = time.Hour
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		start := time.Now()
		p := dial(t, h, "g")
		p.call("k", "{}")
		receive[*wire.Accepted](p)
		p.raw.Close()

		time.Sleep(59 * time.Second)
		back := dial(t, h, "g")
		back.call("k", "{}")
		receive[*wire.Accepted](back)
		time.Sleep(time.Minute)
		back.raw.Close()

		time.Sleep(61 * time.Second)
		again := dial(t, h, "g")
		again.call("k", "{}")
		if r := receive[*wire.Result](again); r.Code != toolkit.CodeCancelled || !r.Replayed {
			t.Errorf("after %v: %+v, want CANCELLED since nobody came back", time.Since(start), r)
		}
	})
}

func TestSilentConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: fixture.Kits()})
		start := time.Now()
		p := connect(t, h, "g")
		if _, err := p.raw.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("read = %v, want EOF", err)
		}
		if waited := time.Since(start); waited != 2*time.Second {
			t.Errorf("closed after %v, want 2s", waited)
		}
	})
}

// A peer that speaks is not silent, however long its message takes.
func TestALargeCallMayTakeLongerThanTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
		p := dial(t, h, "g")
		call := []byte(`{"id":"k","toolkit":"t","path":["run"],"input":{"n":1}}`)
		first := wire.AppendFrame(nil, wire.Frame{Type: 3, Flags: wire.More, Payload: call[:20]})
		rest := wire.AppendFrame(nil, wire.Frame{Type: 3, Payload: call[20:]})
		if _, err := p.raw.Write(first); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		if _, err := p.raw.Write(rest); err != nil {
			t.Fatalf("after 4 s: %v", err)
		}
		if r := p.finish(); !r.OK {
			t.Errorf("result = %+v, want ok", r)
		}
	})
}

// What breaks the protocol ends its own connection and nothing else.
func TestGarbageClosesThatConnectionOnly(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(closed())}})
	bystander := connect(t, h, "g")
	bystander.open("t", "run")
	tests := map[string]string{
		"text":                   "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a length over all":      "\xff\xff\xff\xff\x01\x00\x00\x00",
		"an unknown type":        "\x00\x00\x00\x02\xee\x00\x00\x00{}",
		"a CALL that is no JSON": "\x00\x00\x00\x01\x03\x00\x00\x00!",
		"an answer":              "\x00\x00\x00\x0b\x0b\x00\x00\x00{\"ok\":true}",
	}
	for name, garbage := range tests {
		t.Run(name, func(t *testing.T) {
			p := connect(t, h, "g")
			go p.raw.Write([]byte(garbage)) // ends when the host closes
			if rest, err := io.ReadAll(p.raw); err != nil {
				t.Errorf("after %q: %v", rest, err)
			}
		})
	}
	bystander.call("k", "{}")
	if r := bystander.finish(); !r.OK {
		t.Errorf("bystander's call = %+v, want ok", r)
	}
}

func TestOneCallAtATimeOnAConnection(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{counter(make(chan struct{}))}})
	p := dial(t, h, "g")
	p.call("a", "{}")
	receive[*wire.Accepted](p)
	p.call("b", "{}")
	if _, err := p.wire.Receive(); err == nil || !strings.Contains(err.Error(), "CALL while a request is answered") {
		t.Errorf("receive = %v, want the reason why the connection ends", err)
	}
}

func TestCallsThatCannotBegin(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: fixture.Kits()})
	tests := []struct {
		name    string
		call    wire.Call
		code    string
		message string
	}{
		{"an unknown toolkit", wire.Call{Toolkit: "maths", Path: []string{"add"}}, toolkit.CodeToolkitNotFound, "Nearest: math"},
		{"an unknown tool", wire.Call{Toolkit: "math", Path: []string{"addd"}}, toolkit.CodeToolNotFound, "Nearest: add"},
		{"a parameter that is missing", wire.Call{Toolkit: "math", Path: []string{"add"}}, toolkit.CodeValidationError, "a: required"},
		{"a parameter of another type", wire.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":"1","b":2}`)}, toolkit.CodeValidationError, "a"},
		{"a key that is given twice", wire.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":1,"b":2,"a":3}`)}, "", ""},
		{"a key in another case", wire.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"A":1,"b":2}`)}, toolkit.CodeValidationError, "A"},
		{"a rule of the validator", wire.Call{Toolkit: "weather", Path: []string{"forecast"}, Input: json.RawMessage(`{"city":"Paris","days":17}`)}, toolkit.CodeValidationError, "days"},
		{"another definition", wire.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":1,"b":2}`), Revision: "old"}, "PRESENT", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := dial(t, h, "g")
			if test.call.Input == nil {
				test.call.Input = json.RawMessage("{}")
			}
			test.call.ID = "k"
			p.send(&test.call)
			msg, err := p.wire.Receive()
			switch m := msg.(type) {
			case *wire.Result:
				if m.Code != test.code || !strings.Contains(m.Message, test.message) || m.Exit == 0 {
					t.Errorf("result = %+v, want %s with %q", m, test.code, test.message)
				}
			case *wire.Present:
				if test.code != "PRESENT" {
					t.Errorf("presented again, want %s", test.code)
				}
			default:
				if test.code != "" || err == nil {
					t.Errorf("received %v, %v, want %s", msg, err, test.code)
				}
			}
		})
	}
}

func TestPresent(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: fixture.Kits()})
	p := dial(t, h, "g")
	shown := p.open("math", "add", "7")
	if len(shown.Definition.Commands) != 1 || shown.Revision == "" || shown.Epoch == "" {
		t.Errorf("present = %+v, want one command, a revision and an epoch", shown)
	}
	if shown := p.open("nosuch"); shown.Error == nil || shown.Error.Code != toolkit.CodeToolkitNotFound {
		t.Errorf("present of an unknown toolkit = %+v, want TOOLKIT_NOT_FOUND", shown.Error)
	}
	p.send(&wire.Open{Versions: []int{99}, Want: wire.WantList})
	if shown := receive[*wire.Present](p); shown.Error == nil || !strings.Contains(shown.Error.Message, "99") {
		t.Errorf("present to another version = %+v, want an error that names both", shown.Error)
	}
	p.send(&wire.Open{Versions: wire.Versions(), Want: wire.WantList})
	if shown := receive[*wire.Present](p); len(shown.Definitions) != 3 {
		t.Errorf("list = %d definitions, want 3", len(shown.Definitions))
	}
}

// A toolkit of two hundred tools costs no more than one of two.
func TestALargeToolkitIsPresentedInPart(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "big"}
	for i := range 2000 {
		name := "tool" + strconv.Itoa(i)
		kit.Tools = append(kit.Tools, toolkit.Func(toolkit.Spec{Name: name, Summary: strings.Repeat("word ", 20)},
			func(context.Context, struct{}) (toolkit.None, error) { return toolkit.None{}, nil }))
	}
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	p := dial(t, h, "g")
	skeleton := p.open("big").Definition
	if !skeleton.Skeleton || len(skeleton.Commands) != 2000 {
		t.Fatalf("present = skeleton %v, %d commands, want a skeleton of 2000", skeleton.Skeleton, len(skeleton.Commands))
	}
	one := p.open("big", skeleton.Commands[7].Name)
	data, err := json.Marshal(one)
	if err != nil || len(data) > 4096 || len(one.Definition.Commands) != 1 {
		t.Errorf("one command = %d bytes, %v, want at most 4096", len(data), err)
	}
}

// A caller that does not listen delays no handler that reports.
func TestSec_T10_ProgressWaitsForNobody(t *testing.T) {
	reported := make(chan struct{})
	kit := tool(toolkit.Spec{}, func(ctx context.Context) (any, error) {
		for range 10_000 {
			toolkit.Progress(ctx, strings.Repeat("a", 1000))
		}
		close(reported)
		return nil, nil
	})
	p := dial(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), "g")
	p.call("k", "{}")
	<-reported // although nothing was read
	notes := 0
	for {
		msg, err := p.wire.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := msg.(type) {
		case *wire.Note:
			notes++
		case *wire.Result:
			if !m.OK || notes == 0 || notes > 20 {
				t.Errorf("result %+v after %d notes, want ok after a few", m.Envelope, notes)
			}
			return
		}
	}
}
