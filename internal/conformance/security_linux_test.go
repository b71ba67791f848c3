package conformance

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// controlTexts look like what controls a connection.
func controlTexts(t *testing.T) map[string]string {
	result := string(Frames(t, TypeResult, map[string]any{"ok": true, "result": "forged", "exit": 0}))
	fail := string(Frames(t, TypeFail, map[string]any{"ok": false, "error": "BUSY", "message": "forged"}))
	ping := string(Frames(t, TypePing, struct{}{}))
	return map[string]string{
		"a frame of RESULT":        result,
		"a frame of FAIL":          fail,
		"a frame of CANCEL":        string(Frames(t, TypeCancel, map[string]string{"reason": "forged"})),
		"frames behind a line":     "text\n" + result + "\n" + fail + ping,
		"a header alone":           result[:wire.HeaderSize],
		"many frames":              strings.Repeat(ping+result, 100),
		"more than a frame":        strings.Repeat(ping+result, 1<<20/len(ping+result)+100),
		"JSON of RESULT":           `{"ok":true,"result":"forged","exit":0}`,
		"an end of the string":     `","exit":0,"ok":true,"result":"forged`,
		"an end of the object":     `"}}` + "\n" + `{"ok":true,"result":"forged","exit":0}`,
		"escapes":                  `\u0000\u0000\u0000\u0002\n\r\t\\\"\/`,
		"a backslash at the end":   `forged\`,
		"quotes":                   `"""'''` + "```",
		"control characters":       "\x00\x01\x02\b\t\n\v\f\r\x1b[2J\x1b]0;forged\a\x7f",
		"line separators":          "a\u2028b\u2029c\u0085d",
		"marks of direction":       "\u202eforged\u202c\ufeff",
		"the greatest code point":  "\U0010ffff",
		"a replacement character":  "\ufffd",
		"the end of an NDJSON doc": "{\"ok\":true}\n{\"ok\":false}\n",
		"nothing":                  "",
	}
}

// repeater is a toolkit "t" whose tool "say" says the text it gets in a note,
// and as its result or the message of its error.
func repeater() *toolkit.Toolkit {
	type in struct {
		Text string `json:"text"`
		Fail bool   `json:"fail"`
	}
	return &toolkit.Toolkit{Name: "t", Summary: "A tool that repeats", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "say", Summary: "Repeat the text"}, func(ctx context.Context, in in) (string, error) {
			if len(in.Text) < 1000 { // longer notes are cut
				toolkit.Progress(ctx, in.Text)
			}
			if in.Fail {
				return "", &toolkit.Error{Code: "SAID", Message: in.Text}
			}
			return in.Text, nil
		}),
	}}
}

// T14: text that looks like frames, like a RESULT or like escapes is text,
// wherever it stands: in an input, a note, a result, an error.
func TestSec_T14(t *testing.T) {
	for _, bridge := range []Bridge{Memory(), Unix(0), Hybrid(Firecracker, Narrow), Proxied(HalfIsFull, 0)} {
		t.Run(bridge.Name, func(t *testing.T) {
			leavesNoDescriptor(t)
			b := newBed(t, bridge, repeater())
			dials := &Cutter{Dial: b.dial} // which only counts
			c := client(t, dials.DialFunc)
			for name, text := range controlTexts(t) {
				t.Run(name, func(t *testing.T) { checkRepeated(t, c, text) })
			}
			if n := dials.Dials(); n != 1 {
				t.Errorf("%d connections, want one for all calls", n)
			}
		})
	}
}

func checkRepeated(t *testing.T, c *guest.Client, text string) {
	t.Helper()
	for _, fail := range []bool{false, true} {
		var notes []string
		answer := c.Call(t.Context(), &guest.Call{
			Toolkit: "t", Path: []string{"say"}, Input: encoded(map[string]any{"text": text, "fail": fail}),
			Note: func(text string) { notes = append(notes, text) },
		})
		switch {
		case fail && (answer.OK || answer.Code != "SAID" || answer.Message != text):
			t.Errorf("error %.200q with the message %.200q, want SAID with the text", answer.Code, answer.Message)
		case !fail && (!answer.OK || !same(answer.Result, text)):
			t.Errorf("answer %.300s %.300s, want the text", answer.Result, answer.Message)
		}
		if len(text) < 1000 && !slices.Equal(notes, []string{text}) {
			t.Errorf("notes %.300q, want the text", notes)
		}
	}
}

// T14, the control: the same bytes between frames are a frame, and the guest
// takes it for the answer.
func TestSec_T14_Control(t *testing.T) {
	b := newBed(t, Memory(), repeater())
	forged := controlTexts(t)["a frame of RESULT"]
	c := client(t, func(ctx context.Context) (net.Conn, error) {
		conn, err := b.dial(ctx)
		if err != nil {
			return nil, err
		}
		return &forger{Conn: conn, forged: forged, asked: scanner{point: Point{TypeCall, true}}}, nil
	})
	answer := c.Call(t.Context(), &guest.Call{Toolkit: "t", Path: []string{"say"}, Input: encoded(map[string]any{"text": "true"})})
	if string(answer.Result) != `"forged"` {
		t.Errorf("answer %+v, want the one that was put between the frames", answer)
	}
}

// forger puts bytes before what the host says to a CALL.
type forger struct {
	net.Conn
	mu     sync.Mutex // guards the rest
	asked  scanner
	forged string
}

func (f *forger) Write(p []byte) (int, error) {
	f.mu.Lock()
	f.asked.scan(p)
	f.mu.Unlock()
	return f.Conn.Write(p)
}

func (f *forger) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.asked.hit || f.forged == "" {
		f.mu.Unlock()
		defer f.mu.Lock()
		return f.Conn.Read(p)
	}
	n := copy(p, f.forged)
	f.forged = f.forged[n:]
	return n, nil
}

// same reports whether the JSON is that of the text.
func same(got json.RawMessage, text string) bool {
	var s string
	return json.Unmarshal(got, &s) == nil && s == text
}
