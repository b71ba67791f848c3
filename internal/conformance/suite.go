package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// Suite runs every behaviour over the bridge, each with a host of its own that
// leaves no descriptor open.
func Suite(t *testing.T, bridge Bridge) {
	t.Run(bridge.Name, func(t *testing.T) {
		for _, b := range []struct {
			name string
			test func(*testing.T, Bridge)
		}{
			{"OPEN of every want", testWants},
			{"a call from OPEN to ACK", testCall},
			{"calls one after another", testReuse},
			{"a call that is refused", testRefusal},
			{"cancel", testCancel},
			{"messages of several frames", testFrames},
			{"both ends send at once", testBothWays},
			{"PING while a call runs", testPing},
			{"unknown frames that are optional", testOptional},
			{"unknown frames that are not", testUnknown},
			{"a link cut at any point", testCuts},
			{"a link cut twice", testCutTwice},
			{"concurrent calls", testConcurrent},
			{"a reader that stalls", testStalled},
		} {
			t.Run(b.name, func(t *testing.T) {
				leavesNoDescriptor(t)
				b.test(t, bridge)
			})
		}
	})
}

// testWants asks for everything that an OPEN can want.
func testWants(t *testing.T, bridge Bridge) {
	r := newBed(t, bridge).raw(t)
	command := r.open(openMessage{Toolkit: "suite", Words: []string{"echo"}, Want: "command"})
	if command.V != 1 || command.Epoch == "" || command.Revision == "" {
		t.Errorf("command: v %d, epoch %q, revision %q; want 1 and both", command.V, command.Epoch, command.Revision)
	}
	holds(t, "command", string(command.Definition), `"name":"echo"`)
	describe := r.open(openMessage{Toolkit: "suite", Words: []string{"echo"}, Want: "describe"})
	holds(t, "describe", string(describe.Definition), `"name":"echo"`, `"type":"string"`)
	list := r.open(openMessage{Want: "list"})
	if len(list.Definitions) != 1 {
		t.Errorf("list: %d definitions, want 1", len(list.Definitions))
	}
	prompt := r.open(openMessage{Want: "prompt"})
	holds(t, "prompt", prompt.Text, "agentos-suite echo")
	search := r.open(openMessage{Want: "search", Query: "digest of a text"})
	holds(t, "search", search.Text+string(search.Found), "digest", `"total"`)
	calls := r.open(openMessage{Want: "calls"})
	holds(t, "calls", string(calls.Found), `"calls":[`)
	if p := r.open(openMessage{Want: "everything"}); p.Error == nil || p.Error.Error != toolkit.CodeUsageError {
		t.Errorf("want everything: error %+v, want USAGE_ERROR", p.Error)
	}
	if p := r.open(openMessage{Toolkit: "nosuch", Want: "command"}); p.Error == nil || p.Error.Error != toolkit.CodeToolkitNotFound {
		t.Errorf("an unknown toolkit: error %+v, want TOOLKIT_NOT_FOUND", p.Error)
	}
	r.call("after", "echo", textInput{"all is well"}) // errors cost no connection
	r.accepted("after")
	if got := r.text(); got != "all is well" {
		t.Errorf("a call after all this: %q", got)
	}
}

// holds wants every part in the text.
func holds(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %q in %.1000s", what, part, text)
		}
	}
}

// testCall is one call, message by message.
func testCall(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	shown := r.open(openMessage{Toolkit: "suite", Words: []string{"gate"}, Want: "command"})
	r.Send(TypeCall, callMessage{
		ID: "one", Toolkit: "suite", Path: []string{"gate"}, Input: notesInput{2}, Revision: shown.Revision,
	})
	r.accepted("one")
	for i := range 2 {
		var note noteMessage
		if r.Want(TypeNote, &note); note.Kind != "progress" || note.Text != fmt.Sprintf("note %d", i) {
			t.Errorf("note %d: %+v", i, note)
		}
	}
	if id := <-b.kit.started; id != "one" {
		t.Errorf("the handler's call id: %q, want one", id)
	}
	b.kit.release()
	if got := r.text(); got != "released" {
		t.Errorf("result %q, want released", got)
	}
	r.Send(TypeAck, idMessage{"one"})
	if got := r.open(openMessage{Want: "list"}); len(got.Definitions) != 1 {
		t.Errorf("OPEN after ACK: %+v, want a list", got)
	}
	if n := b.kit.ran("one"); n != 1 {
		t.Errorf("ran %d times, want once", n)
	}
}

// testReuse makes calls one after another on one connection.
func testReuse(t *testing.T, bridge Bridge) {
	r := newBed(t, bridge).raw(t)
	for i := range 20 {
		id := fmt.Sprintf("n%d", i)
		if i%3 == 0 {
			r.open(openMessage{Toolkit: "suite", Want: "command"})
		}
		r.call(id, "echo", textInput{id})
		r.accepted(id)
		if got := r.text(); got != id {
			t.Fatalf("call %s answered %q", id, got)
		}
		if i%2 == 0 { // a guest may forget its ACK
			r.Send(TypeAck, idMessage{id})
		}
	}
}

// testRefusal is calls that end without ACCEPTED, or with the record.
func testRefusal(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	r.call("bad", "echo", map[string]any{"txet": 1})
	if o := r.result(); o.OK || o.Error != toolkit.CodeValidationError || o.Exit != 2 {
		t.Errorf("an input that is none: %+v, want VALIDATION_ERROR, exit 2", o)
	}
	r.call("none", "nosuch", struct{}{})
	if o := r.result(); o.OK || o.Error != toolkit.CodeToolNotFound || o.Exit != 2 {
		t.Errorf("no such tool: %+v, want TOOL_NOT_FOUND, exit 2", o)
	}
	r.Send(TypeCall, callMessage{ID: "old", Toolkit: "suite", Path: []string{"echo"}, Input: textInput{"a"}, Revision: "of yesterday"})
	var p presentMessage
	if r.Want(TypePresent, &p); p.Revision == "" || p.Error != nil {
		t.Errorf("an old revision: %+v, want a new PRESENT", p)
	}
	r.Send(TypeCall, callMessage{ID: "dry", Toolkit: "suite", Path: []string{"echo"}, Input: textInput{"a"}, DryRun: true})
	if o := r.result(); !o.OK || !o.DryRun {
		t.Errorf("a dry run: %+v, want ok and dry_run", o)
	}
	for _, id := range []string{"bad", "none", "old", "dry"} {
		if n := b.kit.ran(id); n != 0 {
			t.Errorf("%s ran %d times, want never", id, n)
		}
	}
	testRepeats(t, b, r)
}

// testRepeats is a call id that is used again.
func testRepeats(t *testing.T, b *bed, r *Raw) {
	t.Helper()
	r.call("k", "echo", textInput{"a"})
	r.accepted("k")
	r.text()
	r.call("k", "echo", textInput{"a"})
	if o := r.result(); !o.OK || !o.Replayed || string(o.Result) != `"a"` {
		t.Errorf("the same again: %+v, want the answer, replayed", o)
	}
	r.call("k", "echo", textInput{"b"})
	if o := r.result(); o.OK || o.Error != toolkit.CodeCallIDConflict {
		t.Errorf("the id for another input: %+v, want CALL_ID_CONFLICT", o)
	}
	if n := b.kit.ran("k"); n != 1 {
		t.Errorf("k ran %d times, want once", n)
	}
}

// testCancel ends a running call, and then calls again.
func testCancel(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	r.call("long", "gate", notesInput{})
	r.accepted("long")
	<-b.kit.started
	r.Send(TypeCancel, map[string]string{"reason": "interrupt"})
	if o := r.result(); o.OK || o.Error != toolkit.CodeCancelled || o.Exit != 130 || o.Call != "long" {
		t.Errorf("cancelled: %+v, want CANCELLED, exit 130, the id", o)
	}
	b.kit.release()
	r.Send(TypeCancel, map[string]string{"reason": "too late"})
	r.call("next", "gate", notesInput{})
	r.accepted("next")
	if got := r.text(); got != "released" {
		t.Errorf("the next call: %q, want released", got)
	}
}

// testPing sends PING in the middle of a call, which is answered at once.
func testPing(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	r.call("busy", "gate", notesInput{})
	r.accepted("busy")
	for range 3 {
		r.Send(TypePing, struct{}{})
		var pong struct{}
		r.Want(TypePong, &pong)
	}
	b.kit.release()
	r.text()
}

// unknownType is a type of frame that version 1 does not know.
const unknownType wire.Type = 200

// testOptional sends optional frames of an unknown type wherever a frame may be.
func testOptional(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	r := b.raw(t)
	skipped := func(payload string) {
		r.Write(wire.AppendFrame(nil, wire.Frame{Type: unknownType, Slot: 9, Flags: wire.Optional, Payload: []byte(payload)}))
	}
	skipped("")
	r.open(openMessage{Want: "list"})
	skipped(`{"id":"x"}`)
	r.call("a", "gate", notesInput{})
	r.accepted("a")
	skipped(strings.Repeat("\x00", 10<<10))
	b.kit.release()
	if got := r.text(); got != "released" {
		t.Errorf("result %q, want released", got)
	}
	skipped("\xff")
	r.open(openMessage{Want: "list"})
}

// testUnknown sends a frame of an unknown type that must be understood: FAIL.
func testUnknown(t *testing.T, bridge Bridge) {
	b := newBed(t, bridge)
	for name, frame := range map[string]wire.Frame{
		"an unknown type": {Type: unknownType, Payload: []byte("{}")},
		"a host's own":    {Type: TypeResult, Payload: []byte(`{"ok":true,"exit":0}`)},
		"a reserved slot": {Type: TypeOpen, Slot: 4, Payload: []byte(`{"v":[1],"want":"list"}`)},
	} {
		r := b.raw(t)
		r.open(openMessage{Want: "list"})
		r.Write(wire.AppendFrame(nil, frame))
		var o outcome
		if r.Want(TypeFail, &o); o.OK || o.Error != toolkit.CodeInternalError || o.Message == "" {
			t.Errorf("%s: FAIL %+v, want INTERNAL_ERROR with the reason", name, o)
		}
	}
	r := b.raw(t) // a bystander
	r.call("k", "echo", textInput{"a"})
	r.accepted("k")
	r.text()
}

// quote is the text as JSON.
func quote(text string) json.RawMessage {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // no string does that
	}
	return out
}
