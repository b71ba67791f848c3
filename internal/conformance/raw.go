package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
)

// The types of frames, by the numbers in PROTOCOL.md.
const (
	TypeOpen     wire.Type = 1
	TypePresent  wire.Type = 2
	TypeCall     wire.Type = 3
	TypeAttach   wire.Type = 4
	TypeAccepted wire.Type = 5
	TypeCancel   wire.Type = 9
	TypeNote     wire.Type = 10
	TypeResult   wire.Type = 11
	TypeAck      wire.Type = 12
	TypePing     wire.Type = 13
	TypePong     wire.Type = 14
	TypeFail     wire.Type = 15
)

// rawPatience ends a test whose peer says nothing.
const rawPatience = 60 * time.Second

// Raw is a guest that speaks frames by hand. Its methods end the test when the
// link breaks or the host says something else.
type Raw struct {
	Conn net.Conn

	t  testing.TB
	in *bufio.Reader
	// joined are the frames so far of a message that spans several.
	joined []byte
	frames int
}

// NewRaw is a guest at that end of a connection, which closes with the test.
func NewRaw(t testing.TB, conn net.Conn) *Raw {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(rawPatience)); err != nil {
		t.Fatal(err)
	}
	return &Raw{Conn: conn, t: t, in: bufio.NewReader(conn)}
}

// Write sends bytes as they are.
func (r *Raw) Write(p []byte) {
	r.t.Helper()
	if _, err := r.Conn.Write(p); err != nil {
		r.t.Fatalf("write: %v", err)
	}
}

// Send sends a message, as many frames as it takes.
func (r *Raw) Send(typ wire.Type, message any) {
	r.t.Helper()
	r.Write(Frames(r.t, typ, message))
}

// Frames are the bytes of a message.
func Frames(t testing.TB, typ wire.Type, message any) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		t.Fatal(err)
	}
	payload := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	var out []byte
	for len(payload) > wire.MaxFrame {
		out = wire.AppendFrame(out, wire.Frame{Type: typ, Flags: wire.More, Payload: payload[:wire.MaxFrame]})
		payload = payload[wire.MaxFrame:]
	}
	return wire.AppendFrame(out, wire.Frame{Type: typ, Payload: payload})
}

// Next is the next message: its type, its payload joined from its frames, and
// how many they were. Messages of one frame may come between those of a longer
// one. PING is answered and not shown.
func (r *Raw) Next() (typ wire.Type, payload []byte, frames int) {
	r.t.Helper()
	for {
		f := r.frame()
		if f.Type != TypePresent && f.Type != TypeResult {
			return f.Type, f.Payload, 1
		}
		r.joined, r.frames = append(r.joined, f.Payload...), r.frames+1
		if f.Flags&wire.More == 0 {
			payload, frames = r.joined, r.frames
			r.joined, r.frames = nil, 0
			return f.Type, payload, frames
		}
	}
}

// frame is the next frame. PING is answered and not shown.
func (r *Raw) frame() wire.Frame {
	r.t.Helper()
	for {
		f, err := wire.ReadFrame(r.in, nil)
		if err != nil {
			r.t.Fatalf("read frame: %v", err)
		}
		if f.Type != TypePing {
			return f
		}
		r.Send(TypePong, struct{}{})
	}
}

// Want reads the next message, which must be of that type, into the value, and
// is how many frames it took.
func (r *Raw) Want(typ wire.Type, into any) int {
	r.t.Helper()
	got, payload, frames := r.Next()
	if got != typ {
		r.t.Fatalf("received %s %.300s, want %s", got, payload, typ)
	}
	if err := json.Unmarshal(payload, into); err != nil {
		r.t.Fatalf("%s: %v in %.300s", typ, err, payload)
	}
	return frames
}

// The messages that Raw sends and receives.
type (
	openMessage struct {
		V       []int    `json:"v"`
		Toolkit string   `json:"toolkit,omitempty"`
		Words   []string `json:"words,omitempty"`
		Want    string   `json:"want"`
		Query   string   `json:"query,omitempty"`
	}
	presentMessage struct {
		V           int               `json:"v"`
		Epoch       string            `json:"epoch"`
		Revision    string            `json:"revision"`
		Definition  json.RawMessage   `json:"definition"`
		Definitions []json.RawMessage `json:"definitions"`
		Text        string            `json:"text"`
		Found       json.RawMessage   `json:"found"`
		Error       *outcome          `json:"error"`
	}
	callMessage struct {
		ID       string   `json:"id"`
		Toolkit  string   `json:"toolkit"`
		Path     []string `json:"path,omitempty"`
		Input    any      `json:"input"`
		Revision string   `json:"revision,omitempty"`
		DryRun   bool     `json:"dry_run,omitempty"`
	}
	idMessage struct {
		ID string `json:"id"`
	}
	noteMessage struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	// outcome is an envelope, in RESULT with the exit status.
	outcome struct {
		OK       bool            `json:"ok"`
		Result   json.RawMessage `json:"result"`
		Error    string          `json:"error"`
		Message  string          `json:"message"`
		Call     string          `json:"call"`
		Replayed bool            `json:"replayed"`
		DryRun   bool            `json:"dry_run"`
		Exit     int             `json:"exit"`
	}
)

// open asks for something and is the PRESENT that answers.
func (r *Raw) open(m openMessage) (p presentMessage) {
	r.t.Helper()
	m.V = []int{1}
	r.Send(TypeOpen, m)
	r.Want(TypePresent, &p)
	return p
}

// call sends a CALL of a tool of the suite's toolkit.
func (r *Raw) call(id, tool string, input any) {
	r.t.Helper()
	r.Send(TypeCall, callMessage{ID: id, Toolkit: "suite", Path: []string{tool}, Input: input})
}

// accepted waits for ACCEPTED of the id.
func (r *Raw) accepted(id string) {
	r.t.Helper()
	var m idMessage
	if r.Want(TypeAccepted, &m); m.ID != id {
		r.t.Fatalf("ACCEPTED %q, want %q", m.ID, id)
	}
}

// result waits for RESULT.
func (r *Raw) result() (o outcome) {
	r.t.Helper()
	r.Want(TypeResult, &o)
	return o
}

// text is the result of a call that ends well, which must be a string.
func (r *Raw) text() (s string) {
	r.t.Helper()
	o := r.result()
	if err := json.Unmarshal(o.Result, &s); err != nil || !o.OK || o.Exit != 0 {
		r.t.Fatalf("RESULT ok %v, exit %d, %s %.300s %.300s; want a string", o.OK, o.Exit, o.Error, o.Message, o.Result)
	}
	return s
}
