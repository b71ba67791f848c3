package host_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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

// pipes is a toolkit "t" whose tools stream.
func pipes() *toolkit.Toolkit {
	type cat struct {
		In  io.Reader `stdin:"" validate:"required"`
		Out io.Writer `stdout:"" validate:"required"`
		Log io.Writer `stderr:"text/plain"`
	}
	type optional struct {
		In  io.Reader `stdin:""`
		Out io.Writer `stdout:""`
		Log io.Writer `stderr:""`
	}
	type pack struct {
		Files []toolkit.File   `json:"files" help:"Files to pack" validate:"required"`
		Into  *toolkit.OutFile `json:"into" help:"Where to"`
	}
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "cat"}, func(_ context.Context, in cat) (int64, error) {
			if in.Log != nil {
				fmt.Fprintln(in.Log, "copying")
			}
			return io.Copy(in.Out, in.In)
		}),
		toolkit.Func(toolkit.Spec{Name: "which"}, func(_ context.Context, in optional) (string, error) {
			return fmt.Sprint(in.In != nil, in.Out != nil, in.Log != nil), nil
		}),
		toolkit.Func(toolkit.Spec{Name: "pack"}, func(_ context.Context, in pack) ([]string, error) {
			var names []string
			for _, f := range in.Files {
				text, err := io.ReadAll(f)
				if err != nil {
					return nil, err
				}
				names = append(names, fmt.Sprintf("%s %d %s %s", f.Name, f.Size, f.MIME, text))
				if in.Into != nil {
					fmt.Fprintf(in.Into, "%s", text)
				}
			}
			return names, nil
		}),
		toolkit.Func(toolkit.Spec{Name: "fail"}, func(_ context.Context, in optional) (toolkit.None, error) {
			fmt.Fprint(in.Out, "half")
			return toolkit.None{}, &toolkit.Error{Code: "BROKEN", Message: "no more"}
		}),
		toolkit.Func(toolkit.Spec{Name: "wait"}, func(ctx context.Context, in optional) (toolkit.None, error) {
			_, err := io.ReadAll(in.In)
			return toolkit.None{}, err
		}),
	}}
}

func streamClient(t *testing.T, dial guest.DialFunc) *guest.Client {
	t.Helper()
	c, err := guest.Dial(t.Context(), &guest.Options{Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestStreamsFlowBothWays(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	text := strings.Repeat("0123456789abcdef", 200_000) // several windows
	var out, log bytes.Buffer
	answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"cat"}, Stdin: strings.NewReader(text), Stdout: &out, Stderr: &log})
	if !answer.OK || string(answer.Result) != fmt.Sprint(len(text)) {
		t.Fatalf("answer = %+v, want %d", answer, len(text))
	}
	if out.String() != text || log.String() != "copying\n" {
		t.Errorf("stdout has %d bytes, stderr %q; want %d and copying", out.Len(), log.String(), len(text))
	}
	again := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"which"}}) // on the same connection
	if string(again.Result) != `"false false false"` {
		t.Errorf("a call without streams: %+v", again)
	}
}

// A handler sees which streams there are: all combinations are a caller's choice.
func TestOptionalStreams(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	for _, out := range []bool{false, true} {
		for _, log := range []bool{false, true} {
			call := &guest.Call{Toolkit: "t", Path: []string{"which"}}
			if out {
				call.Stdout = io.Discard
			}
			if log {
				call.Stderr = io.Discard
			}
			if got, want := string(c.Call(t.Context(), call).Result), fmt.Sprintf(`"false %v %v"`, out, log); got != want {
				t.Errorf("stdout %v, stderr %v: %s, want %s", out, log, got, want)
			}
		}
	}
}

func TestStreamsThatDoNotFit(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes(), echo2()}}).Dialer("g"))
	for says, call := range map[string]*guest.Call{
		"stdin: expected a stream":        {Toolkit: "t", Path: []string{"cat"}, Stdout: io.Discard},
		"stdout: expected a stream":       {Toolkit: "t", Path: []string{"cat"}, Stdin: strings.NewReader("")},
		"does not take it":                {Toolkit: "u", Path: []string{"run"}, Stdin: strings.NewReader("")},
		"files.0: expected the contents":  {Toolkit: "t", Path: []string{"pack"}, Input: json.RawMessage(`{"files":["a"]}`)},
		"/files/1: expected none: t pack": {Toolkit: "t", Path: []string{"pack"}, Input: json.RawMessage(`{"files":["a"]}`), Files: map[string]guest.File{"/files/0": {Reader: strings.NewReader("")}, "/files/1": {Reader: strings.NewReader("")}}},
	} {
		answer := c.Call(t.Context(), call)
		if answer.Code != toolkit.CodeUsageError || !strings.Contains(answer.Message, says) {
			t.Errorf("answer = %+v, want USAGE_ERROR that says %q", answer, says)
		}
	}
}

func TestFilesStream(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	var into bytes.Buffer
	answer := c.Call(t.Context(), &guest.Call{
		Toolkit: "t", Path: []string{"pack"}, Input: json.RawMessage(`{"files":["/x/a.txt","b.png"],"into":"out.tar"}`),
		Files: map[string]guest.File{
			"/files/0": {Name: "a.txt", Size: 3, MIME: "text/plain", Reader: strings.NewReader("one")},
			"/files/1": {Name: "b.png", Size: -1, Reader: strings.NewReader("two")},
		},
		OutFiles: map[string]io.Writer{"/into": &into},
	})
	if string(answer.Result) != `["a.txt 3 text/plain one","b.png -1  two"]` || into.String() != "onetwo" {
		t.Errorf("answer = %+v, file %q", answer, into.String())
	}
}

// A failed call says so; what it streamed until then has arrived.
func TestAFailedCallsStreams(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	var out bytes.Buffer
	answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"fail"}, Stdout: &out})
	if answer.Code != "BROKEN" || out.String() != "half" {
		t.Errorf("answer = %+v, stdout %q", answer, out.String())
	}
}

// deaf takes no more after some bytes.
type deaf struct{ left int }

func (d *deaf) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("nobody reads")
	}
	return len(p), nil
}

// A reader that goes away ends the handler's writing, and the call is no success.
func TestAReaderThatGoesAway(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	answer := c.Call(t.Context(), &guest.Call{
		Toolkit: "t", Path: []string{"cat"}, Stdin: strings.NewReader(strings.Repeat("a", 4<<20)), Stdout: &deaf{1 << 20},
	})
	if answer.OK {
		t.Errorf("answer = %+v, want a failure", answer)
	}
}

// A call that waits for a stream ends with its limit.
func TestALimitEndsAWaitForAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
		silent, stop := io.Pipe()
		defer stop.Close()
		start := time.Now()
		answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"wait"}, Stdin: silent, Timeout: 2 * time.Second})
		if answer.Code != toolkit.CodeTimeout || time.Since(start) > 3*time.Second {
			t.Errorf("answer = %+v after %v, want TIMEOUT after 2s", answer, time.Since(start))
		}
	})
}

// cutting is a dialer whose connections are cut after so many bytes each way.
type cutting struct {
	dial guest.DialFunc
	mu   sync.Mutex
	left []int // for each connection in turn; those after them live
}

type cutConn struct {
	net.Conn
	mu   sync.Mutex
	left int
}

func (c *cutting) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := c.dial(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || len(c.left) == 0 {
		return conn, err
	}
	cut := &cutConn{Conn: conn, left: c.left[0]}
	c.left = c.left[1:]
	return cut, nil
}

func (c *cutConn) spend(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left -= n; c.left < 0 {
		c.Conn.Close()
	}
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.spend(n)
	return n, err
}

func (c *cutConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.spend(n)
	return n, err
}

// Streams go on where they were when the link was lost, every byte once.
func TestStreamsSurviveTheLink(t *testing.T) {
	text := make([]byte, 3<<20)
	for i := range text {
		text[i] = byte(i * 7 >> 3)
	}
	want := sha256.Sum256(text)
	for _, cuts := range [][]int{{2000}, {500_000}, {1_000_000, 300_000, 70_000}, {2_500_000, 100, 2_000_000}} {
		t.Run(fmt.Sprint(cuts), func(t *testing.T) {
			h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
			c := streamClient(t, (&cutting{dial: h.Dialer("g"), left: cuts}).Dial)
			var out bytes.Buffer
			answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"cat"}, Stdin: bytes.NewReader(text), Stdout: &out})
			if !answer.OK {
				t.Fatalf("answer = %+v, want ok", answer)
			}
			if got := sha256.Sum256(out.Bytes()); got != want {
				t.Errorf("%d bytes, digest %s; want %d, %s", out.Len(), hex.EncodeToString(got[:4]), len(text), hex.EncodeToString(want[:4]))
			}
		})
	}
}

// What a finished call streamed is not kept: who repeats its id is told.
func TestAReplayHasNoStreams(t *testing.T) {
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}}).Dialer("g"))
	call := func() *guest.Answer {
		return c.Call(t.Context(), &guest.Call{ID: "k", Toolkit: "t", Path: []string{"cat"}, Stdin: strings.NewReader("a"), Stdout: io.Discard})
	}
	if answer := call(); !answer.OK {
		t.Fatalf("first = %+v", answer)
	}
	if answer := call(); answer.Code != toolkit.CodeOutputError || !strings.Contains(answer.Message, "made before") {
		t.Errorf("again = %+v, want OUTPUT_ERROR that says why", answer)
	}
}

// A writer that a handler keeps is dead after the call.
func TestAWriterKeptAfterReturn(t *testing.T) {
	var kept io.Writer
	type in struct {
		Out io.Writer `stdout:""`
	}
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(_ context.Context, in in) (toolkit.None, error) {
		kept = in.Out
		return toolkit.None{}, nil
	})}}
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}).Dialer("g"))
	var out bytes.Buffer
	if answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"run"}, Stdout: &out}); !answer.OK {
		t.Fatalf("answer = %+v", answer)
	}
	if _, err := io.WriteString(kept, "late"); err == nil || out.Len() > 0 {
		t.Errorf("a late write: %v, %q arrived", err, out.String())
	}
}

func TestSec_T11_Slots(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}, Limits: &host.Limits{Slots: 1}})
	c := streamClient(t, h.Dialer("g"))
	answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"which"}, Stdout: io.Discard, Stderr: io.Discard})
	wantBusy(t, answer.Error(), "slots")
	if answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"which"}, Stdout: io.Discard}); !answer.OK {
		t.Errorf("within the limit: %+v", answer)
	}
}

// gen is a toolkit "t" whose tool "run" writes n bytes to stdout, half of them once
// released.
func gen(release chan struct{}) *toolkit.Toolkit {
	type in struct {
		N   int       `json:"n"`
		Out io.Writer `stdout:""`
	}
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(ctx context.Context, in in) (toolkit.None, error) {
		for i := range 2 {
			if _, err := in.Out.Write(bytes.Repeat([]byte{'a' + byte(i)}, in.N/2)); err != nil {
				return toolkit.None{}, err
			}
			select {
			case <-release:
			case <-ctx.Done():
				return toolkit.None{}, ctx.Err()
			}
		}
		return toolkit.None{}, nil
	})}}
}

// stream sends a CALL of t run with stdout.
func (p *peer) stream(id string, n int) {
	p.t.Helper()
	p.send(&wire.Call{ID: id, Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), Slots: []string{"stdout"}})
}

// rest reads stdout to its end, gives credit for it, and returns it with the RESULT
// that must follow.
func (p *peer) rest() (text []byte, r *wire.Result) {
	p.t.Helper()
	for ended := false; ; {
		msg, err := p.wire.Receive()
		if err != nil {
			p.t.Fatalf("after %d bytes: %v", len(text), err)
		}
		switch m := msg.(type) {
		case *wire.Accepted:
		case *wire.Data:
			text = append(text, m.Bytes...)
			p.send(&wire.Credit{Slot: wire.Stdout, Bytes: int64(len(m.Bytes))})
		case *wire.End:
			ended = true
		case *wire.Result:
			if !ended {
				p.t.Errorf("RESULT came after %d bytes, before the stream's end", len(text))
			}
			return text, m
		}
	}
}

// Who comes back for a finished call gets the rest of its streams, and then RESULT.
func TestAFinishedCallsStreamsAreAttachedTo(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{gen(closed())}})
	first := dial(t, h, "g")
	first.stream("k", 100_000)
	receive[*wire.Accepted](first)
	for msg, err := first.wire.Receive(); err == nil && msg.Type().String() != "RESULT"; {
		msg, err = first.wire.Receive()
	}
	first.raw.Close()
	again := dial(t, h, "g")
	again.send(&wire.Attach{ID: "k", Have: map[string]int64{"stdout": 0}})
	if text, r := again.rest(); len(text) != 100_000 || !r.OK {
		t.Errorf("%d bytes, %+v; want all of them and ok", len(text), r.Envelope)
	}
	again.send(&wire.Ack{ID: "k"})
	waitUntil(t, "the streams are let go of", func() bool {
		again.send(&wire.Attach{ID: "k", Have: map[string]int64{"stdout": 0}})
		msg, err := again.wire.Receive()
		_, plain := msg.(*wire.Result)
		if err == nil && !plain {
			again.rest()
		}
		return plain
	})
}

// Offsets that cannot be are refused, and do not disturb the caller that there is.
func TestFalseOffsetsAreRefused(t *testing.T) {
	for name, have := range map[string]map[string]int64{
		"too many": {"stdout": 99_999_999}, "of a slot that is not sent": {"stdin": 3}, "of no slot": {"/x": 0},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{gen(release)}})
			caller := dial(t, h, "g")
			caller.stream("k", 600_000)
			receive[*wire.Accepted](caller)
			liar := dial(t, h, "g")
			liar.send(&wire.Attach{ID: "k", Have: have})
			if _, err := liar.wire.Receive(); err == nil || !strings.Contains(err.Error(), "gave up") {
				t.Errorf("receive = %v, want FAIL", err)
			}
			close(release)
			if text, r := caller.rest(); len(text) != 600_000 || !r.OK {
				t.Errorf("the caller: %d bytes, %+v; want all of them", len(text), r.Envelope)
			}
		})
	}
}

// A second caller of the id waits for the outcome; the streams stay the first one's.
func TestARepeatedCallLeavesTheStreamsAlone(t *testing.T) {
	release := make(chan struct{})
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{gen(release)}, Limits: &host.Limits{Slots: 2}})
	first, second := dial(t, h, "g"), dial(t, h, "g")
	first.stream("k", 600_000)
	receive[*wire.Accepted](first)
	second.stream("k", 600_000)
	if note := receive[*wire.Note](second); !strings.Contains(note.Text, "another caller") {
		t.Errorf("note = %q, want it to say who has the streams", note.Text)
	}
	close(release)
	if text, r := first.rest(); len(text) != 600_000 || !r.OK {
		t.Errorf("first: %d bytes, %+v; want all of them", len(text), r.Envelope)
	}
	if r := receive[*wire.Result](second); !r.OK {
		t.Errorf("second = %+v, want the outcome", r.Envelope)
	}
	first.send(&wire.Ack{ID: "k"})
	first.open("t") // both have given their room back
	first.stream("j", 2)
	if _, r := first.rest(); !r.OK {
		t.Errorf("afterwards = %+v, want ok", r.Envelope)
	}
}

// A handler that returns what its stream told it has said nothing of its own.
func TestACancelledStreamIsCancelled(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
	ctx, cancel := context.WithCancelCause(t.Context())
	silent, stop := io.Pipe()
	defer stop.Close()
	done := make(chan *guest.Answer, 1)
	c := streamClient(t, h.Dialer("g"))
	go func() {
		done <- c.Call(ctx, &guest.Call{Toolkit: "t", Path: []string{"cat"}, Stdin: silent, Stdout: io.Discard})
	}()
	waitUntil(t, "it runs", func() bool { return len(h.Stats()) > 0 && h.Stats()[0].Calls == 1 })
	cancel(errors.New("interrupt"))
	if answer := <-done; answer.Code != toolkit.CodeCancelled || !strings.Contains(answer.Message, "interrupt") {
		t.Errorf("answer = %+v, want CANCELLED", answer)
	}
}

// A reader that a handler keeps is dead after the call, and says nothing on the link.
func TestAReaderKeptAfterReturn(t *testing.T) {
	ended := make(chan error, 1)
	type in struct {
		In io.Reader `stdin:""`
	}
	leak := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(_ context.Context, in in) (toolkit.None, error) {
		go func() { // ends with the call: that is what is tested
			_, err := io.Copy(io.Discard, in.In)
			ended <- err
		}()
		return toolkit.None{}, nil
	})}}
	c := streamClient(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{leak, echo2()}}).Dialer("g"))
	for range 20 {
		endless, stop := io.Pipe()
		go func() { // ends with the pipe
			for {
				if _, err := stop.Write(make([]byte, 1000)); err != nil {
					return
				}
			}
		}()
		if answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"run"}, Stdin: endless}); !answer.OK {
			t.Fatalf("answer = %+v", answer)
		}
		if err := <-ended; err == nil {
			t.Error("the kept reader ended well")
		}
		if answer := c.Call(t.Context(), &guest.Call{Toolkit: "u", Path: []string{"run"}}); !answer.OK {
			t.Fatalf("the next call on the link = %+v", answer)
		}
		endless.Close()
	}
}

// An input in many small frames takes room as one in few large ones does.
func TestSec_T11_LongInputsInSmallFrames(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{InputBytes: 100 << 10}})
	p := dial(t, h, "g")
	go func() { // ends when the host closes
		for {
			part := wire.AppendFrame(nil, wire.Frame{Type: 3, Flags: wire.More, Payload: bytes.Repeat([]byte{' '}, 10<<10)})
			if _, err := p.raw.Write(part); err != nil {
				return
			}
		}
	}()
	_, err := p.wire.Receive()
	wantBusy(t, err, "byte_rate")
}

// To come back for a call is a call as well, as far as limits go.
func TestSec_T11_Attaches(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{echo()}, Limits: &host.Limits{CallRate: host.Rate{PerSecond: 0.001, Burst: 2}}})
	p := dial(t, h, "g")
	p.call("k", "{}")
	p.finish()
	p.send(&wire.Attach{ID: "k"})
	if r := receive[*wire.Result](p); !r.OK {
		t.Fatalf("the first = %+v", r.Envelope)
	}
	p.send(&wire.Attach{ID: "k"})
	wantBusy(t, receive[*wire.Result](p).Error(), "call_rate")
}

// A typed call serves the streams and files of its input's fields, in this process
// and from a guest.
func TestATypedCallStreams(t *testing.T) {
	type in struct {
		Shot toolkit.File     `json:"shot" validate:"required"`
		To   *toolkit.OutFile `json:"to"`
		In   io.Reader        `stdin:""`
		Out  io.Writer        `stdout:""`
	}
	mix := toolkit.Func(toolkit.Spec{Name: "run"}, func(_ context.Context, in in) (string, error) {
		if _, err := io.Copy(in.Out, in.In); err != nil {
			return "", err
		}
		n, err := io.Copy(in.To, in.Shot)
		return fmt.Sprint(in.Shot.Name, " ", n), err
	})
	kits := []*toolkit.Toolkit{{Name: "t", Tools: []toolkit.Tool{mix}}}
	h := newHost(t, &host.Options{Toolkits: kits})
	client, err := guest.Dial(t.Context(), &guest.Options{Dial: h.Dialer("g"), Toolkits: kits})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for name, caller := range map[string]toolkit.Caller{"host": h.As("g"), "guest": client} {
		var out, to bytes.Buffer
		got, err := mix.Call(t.Context(), caller, in{
			Shot: toolkit.File{Path: "/tmp/a.png", Name: "a.png", Reader: strings.NewReader("pixels")}, To: &toolkit.OutFile{Path: "out", Writer: &to},
			In: strings.NewReader("text"), Out: &out,
		})
		if err != nil || got != "a.png 6" || out.String() != "text" || to.String() != "pixels" {
			t.Errorf("%s: %q, %v, stdout %q, file %q", name, got, err, out.String(), to.String())
		}
	}
}

// What is sent as soon as ACCEPTED is read belongs to the call, also where the CALL
// was sent again because the first ACCEPTED was lost.
func TestDataAtOnceAfterARepeatedCall(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
	for i := range 60 {
		id := fmt.Sprint("k", i)
		cat := &wire.Call{ID: id, Toolkit: "t", Path: []string{"cat"}, Input: json.RawMessage("{}"), Slots: []string{"stdin", "stdout"}}
		lost := dial(t, h, "g")
		lost.send(cat)
		receive[*wire.Accepted](lost)
		lost.raw.Close()
		p := dial(t, h, "g")
		var msg wire.Message = cat
		if i%2 == 1 {
			msg = &wire.Attach{ID: id, Have: map[string]int64{"stdout": 0}, Sent: map[string]int64{"stdin": 0}}
		}
		p.send(msg)
		p.acceptedInTime()
		p.send(&wire.Data{Slot: wire.Stdin, Bytes: []byte("first")})
		p.send(&wire.Data{Slot: wire.Stdin, Bytes: []byte(" second")})
		p.send(&wire.End{Slot: wire.Stdin})
		if text, r := p.rest(); string(text) != "first second" || !r.OK {
			t.Fatalf("%d: %q, %+v; want all of it", i, text, r.Envelope)
		}
		p.send(&wire.Ack{ID: id})
	}
}

// acceptedInTime waits for ACCEPTED, also where the host has not seen at first that
// the other link is lost.
func (p *peer) acceptedInTime() {
	p.t.Helper()
	m, err := p.wire.Receive()
	if _, ok := m.(*wire.Note); ok {
		m, err = p.wire.Receive()
	}
	if _, ok := m.(*wire.Accepted); !ok {
		p.t.Fatalf("%+v, %v; want ACCEPTED", m, err)
	}
}

// Whoever repeats a call while its first caller seems to live sends nothing until that
// one is lost, and then all.
func TestARepeatedCallInheritsTheStreams(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}})
	first := dial(t, h, "g")
	first.send(&wire.Call{ID: "k", Toolkit: "t", Path: []string{"cat"}, Input: json.RawMessage("{}"), Slots: []string{"stdin", "stdout"}})
	receive[*wire.Accepted](first)
	var out bytes.Buffer
	answer := streamClient(t, h.Dialer("g")).Call(t.Context(), &guest.Call{
		ID: "k", Toolkit: "t", Path: []string{"cat"}, Stdin: strings.NewReader("all of it"), Stdout: &out,
		Note: func(string) { first.raw.Close() },
	})
	if !answer.OK || out.String() != "all of it" {
		t.Errorf("answer = %+v, stdout %q; want all of it", answer, out.String())
	}
}

// Whoever waits for a queued call does not keep it from running: its streams are its
// first caller's, or those of one that came back.
func TestAQueuedCallWithTwoCallers(t *testing.T) {
	for name, row := range map[string]struct {
		second     wire.Message
		lost, goes bool // the first link is lost; the second has the streams
	}{
		"repeated": {second: catCall}, "back": {second: catBack, goes: true}, "lost": {second: catCall, lost: true, goes: true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 30 { // the callers are woken in any order
				synctest.Test(t, func(t *testing.T) { queuedWithTwoCallers(t, row.second, row.lost, row.goes) })
			}
		})
	}
}

func queuedWithTwoCallers(t *testing.T, second wire.Message, lost, goes bool) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{pipes()}, Limits: &host.Limits{Calls: 1}})
	blocker, streamer, other := dial(t, h, "g"), dial(t, h, "g"), dial(t, h, "g")
	blocker.send(&wire.Call{ID: "b", Toolkit: "t", Path: []string{"wait"}, Input: json.RawMessage("{}"), Slots: []string{"stdin"}})
	receive[*wire.Accepted](blocker)
	streamer.send(catCall)
	synctest.Wait()
	other.send(second)
	synctest.Wait()
	if lost {
		streamer.raw.Close()
		synctest.Wait()
	}
	if goes {
		streamer, other = other, streamer
	}
	go func() { // ends with the host
		for err := error(nil); err == nil; {
			_, err = other.wire.Receive()
		}
	}()
	blocker.send(&wire.End{Slot: wire.Stdin})
	streamer.acceptedInTime()
	streamer.send(&wire.Data{Slot: wire.Stdin, Bytes: []byte("text")})
	streamer.send(&wire.End{Slot: wire.Stdin})
	if text, r := streamer.rest(); string(text) != "text" || !r.OK {
		t.Errorf("%q, %+v; want the text and ok", text, r.Envelope)
	}
}

// A caller that came back and is lost again is noticed at once, and counts no longer.
func TestAnAttachedCallerThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kit := counter(make(chan struct{}))
		kit.Timeout = time.Hour
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
		first := dial(t, h, "g")
		first.call("k", "{}")
		receive[*wire.Accepted](first)
		first.raw.Close()
		for range 5 {
			p := dial(t, h, "g")
			p.send(&wire.Attach{ID: "k"})
			receive[*wire.Accepted](p)
			p.raw.Close()
		}
		time.Sleep(time.Second)
		if s := h.Stats()[0]; s.Calls != 1 || s.Connections > 1 { // the call's own waits for it
			t.Errorf("stats = %+v, want the call and at most its own connection", s)
		}
		time.Sleep(time.Minute)
		if s := h.Stats()[0]; s.Calls != 0 || s.Connections != 0 {
			t.Errorf("a minute later = %+v, want nothing", s)
		}
	})
}

// A guest that does not read does not hold up the host's end.
func TestCloseWaitsForNoReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{gen(closed())}})
		if err != nil {
			t.Fatal(err)
		}
		p := dial(t, h, "g")
		p.stream("k", 1<<20)
		receive[*wire.Accepted](p) // and nothing more
		synctest.Wait()
		start := time.Now()
		h.Close()
		if took := time.Since(start); took > time.Second {
			t.Errorf("Close took %v, want it soon", took)
		}
	})
}
