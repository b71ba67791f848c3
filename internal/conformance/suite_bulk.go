package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
)

// testFrames sends and receives a text that takes several frames.
func testFrames(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	text := fill(bridge.Bulk)
	want := 1 + (len(text)+2)/wire.MaxFrame
	r.call("there", "digest", textInput{text})
	r.accepted("there")
	if got := r.text(); got != digest(text) {
		t.Errorf("an input of %d bytes: digest %s, want %s", len(text), got, digest(text))
	}
	r.call("back", "fill", bytesInput{len(text)})
	r.accepted("back")
	var o outcome
	if frames := r.Want(TypeResult, &o); frames != want || string(o.Result) != string(quote(text)) {
		t.Errorf("a result of %d bytes: %d bytes in %d frames, want %d", len(text), len(o.Result), frames, want)
	}
	r.call("both", "echo", textInput{text})
	r.accepted("both")
	if got := r.text(); got != text {
		t.Errorf("an echo of %d bytes: %d bytes, another text", len(text), len(got))
	}
}

// testBothWays has long texts on their way in both directions, on two connections
// of the same guest.
func testBothWays(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	c := client(t, b.dial)
	text := fill(bridge.Bulk)
	var calls sync.WaitGroup
	calls.Go(func() {
		if got := say(c, t, "digest", textInput{text}); got != digest(text) {
			t.Errorf("digest of a long input: %.100q", got)
		}
	})
	calls.Go(func() {
		if got := say(c, t, "fill", bytesInput{len(text)}); got != text {
			t.Errorf("a long result: %d bytes, want the %d", len(got), len(text))
		}
	})
	calls.Wait()
}

// say calls a tool whose result is a text. What fails is the text.
func say(c *guest.Client, t testing.TB, tool string, input any) string {
	answer := c.Call(t.Context(), &guest.Call{Toolkit: "suite", Path: []string{tool}, Input: encoded(input)})
	var text string
	if err := errors.Join(asError(answer), json.Unmarshal(answer.Result, &text)); err != nil {
		return err.Error()
	}
	return text
}

func asError(answer *guest.Answer) error {
	if err := answer.Error(); err != nil {
		return err
	}
	return nil
}

// encoded is an input of the suite's tools as JSON.
func encoded(input any) json.RawMessage {
	out, err := json.Marshal(input)
	if err != nil {
		panic(err) // none of them does that
	}
	return out
}

// testConcurrent makes calls at the same time, whose arguments must not mix.
func testConcurrent(t *testing.T, bridge Bridge) {
	concurrent(t, bridge, 50, 50, min(20_000, bridge.Bulk))
}

// concurrent makes so many calls, width of them at a time, with arguments of so
// many bytes. Each must answer the digest of its own.
func concurrent(t *testing.T, bridge Bridge, width, total, size int) {
	b := newBed(t, bridge)
	c := client(t, b.dial)
	warm(t, b, c, width)
	text := fill(size)
	next := make(chan int)
	var calls sync.WaitGroup
	for range width {
		calls.Go(func() {
			for i := range next {
				mine := fmt.Sprintf("%d %s", i, text)
				if got := say(c, t, "digest", textInput{mine}); got != digest(mine) {
					t.Errorf("call %d: %.200q, want the digest of its input", i, got)
				}
			}
		})
	}
	for i := range total {
		next <- i
	}
	close(next)
	calls.Wait()
}

// warm has the client open as many connections as it will use at a time, so that
// no handshake waits until this machine has computed many digests.
func warm(t *testing.T, b *bed, c *guest.Client, width int) {
	t.Helper()
	var calls sync.WaitGroup
	for range width {
		calls.Go(func() {
			if got := say(c, t, "gate", notesInput{}); got != "released" {
				t.Errorf("one of %d calls at a time: %.200q", width, got)
			}
		})
	}
	for range width {
		<-b.kit.started
	}
	b.kit.release()
	calls.Wait()
}

// testStalled has a guest that does not read its long result. Another call of
// the same guest is answered meanwhile, and the result is not lost.
func testStalled(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	stalled := b.raw(t)
	text := fill(bridge.Bulk)
	stalled.call("stalled", "fill", bytesInput{len(text)})
	c := client(t, b.dial)
	for b.kit.ran("stalled") == 0 { // each call is a turn of waiting
		if got := say(c, t, "echo", textInput{"a"}); got != "a" {
			t.Fatalf("a call beside one that stalls: %.200q", got)
		}
	}
	for range 10 {
		if got := say(c, t, "echo", textInput{"b"}); got != "b" {
			t.Fatalf("a call beside a result that nobody reads: %.200q", got)
		}
	}
	stalled.accepted("stalled")
	if got := stalled.text(); got != text {
		t.Errorf("the result in the end: %d bytes, want the %d", len(got), len(text))
	}
}
