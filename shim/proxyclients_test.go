package shim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
)

// snippets are the clients in other languages, which know nothing but PROTOCOL.md.
var snippets = []struct{ program, script string }{
	{"python3", "../examples/python/agentos_call.py"},
	{"node", "../examples/node/agentos-call.mjs"},
}

// withSnippets runs a test for each client whose language is here. The test gets a
// function that calls a tool with it, over the socket.
func withSnippets(t *testing.T, test func(t *testing.T, call func(socket, input string, words ...string) output)) {
	for _, snippet := range snippets {
		t.Run(snippet.program, func(t *testing.T) {
			program, err := exec.LookPath(snippet.program)
			if err != nil {
				t.Skipf("%s is not tested: %v", snippet.script, err)
			}
			test(t, func(socket, input string, words ...string) output {
				t.Helper()
				args := append([]string{snippet.script, socket}, words...)
				return execute(t, input, exec.Command(program, append(args, "-")...))
			})
		})
	}
}

// execute runs a program to its end.
func execute(t *testing.T, stdin string, cmd *exec.Cmd) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	timeout := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timeout.Stop()
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func TestSnippets_AreShort(t *testing.T) {
	for _, snippet := range snippets {
		text, err := os.ReadFile(snippet.script)
		if lines := bytes.Count(text, []byte("\n")); err != nil || lines > 100 {
			t.Errorf("%s has %d lines, %v, want at most 100", snippet.script, lines, err)
		}
	}
}

// A call over a proxy prints what the tool's own command prints, and exits alike.
func TestSnippets_CallAsTheCommandsDo(t *testing.T) {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	r := newReal(t, append(fixture.Kits(), x)...)
	p := newProxied(t, r.socket)
	tests := []struct{ words, input string }{
		{"math add", `{"a":2,"b":3}`},
		{"weather forecast", `{"city":"Atlantis"}`},
		{"x t", `{"n":9007199254740993, "f":1.500, "s":"\u009b2J\u2028 \"}{\\","o":{"a":1,"b":"exit"}, "xs":["a","]"] }`},
		{"x t", `{}`},
		{"x big", `{"bytes":3000000}`},
		{"x length", `{"s":"` + strings.Repeat(`\\\"é`, 300_000) + `"}`},
		{"x fail", `{"code":"panic"}`},
	}
	withSnippets(t, func(t *testing.T, call func(socket, input string, words ...string) output) {
		for _, test := range tests {
			words := strings.Fields(test.words)
			cmd := exec.Command(r.program("agentos"), append(words, "--json", "-", "--inline-limit", "9999999")...)
			cmd.Env = r.env()
			want := execute(t, test.input, cmd)
			got := call(p.socket, test.input, words...)
			got.stdout, want.stdout = withoutID(got.stdout), withoutID(want.stdout)
			if got != want {
				t.Errorf("%s %.80s\ngot  %.300v\nwant %.300v", test.words, test.input, got, want)
			}
		}
		if got := call(p.socket, `{}`, "nosuch", "tool"); got.exit != 127 || !strings.HasPrefix(got.stdout, `{"ok":false,"error":"TOOLKIT_NOT_FOUND",`) {
			t.Errorf("an unknown toolkit: %+v, want exit 127", got)
		}
		if got := call(p.socket, `{"a":"2"}`, "math", "add"); got.exit != 2 || !strings.HasPrefix(got.stdout, `{"ok":false,"error":"VALIDATION_ERROR",`) {
			t.Errorf("a wrong input: %+v, want exit 2", got)
		}
		if got := call(r.socket, `{"a":2,"b":3}`, "math", "add"); got.stdout != `{"ok":true,"result":{"sum":5}}`+"\n" {
			t.Errorf("over the host's own socket: %+v", got)
		}
	})
}

// withoutID leaves out the id of the call, which each makes for itself.
func withoutID(document string) string {
	return regexp.MustCompile(`"call":"[A-Za-z0-9-]+"`).ReplaceAllString(document, `"call":""`)
}

func TestSnippets_WithoutAHost(t *testing.T) {
	dir := t.TempDir()
	p := newProxied(t, filepath.Join(dir, "nobody"), "AGENTOS_DIAL_WAIT=20ms")
	withSnippets(t, func(t *testing.T, call func(socket, input string, words ...string) output) {
		for _, socket := range []string{p.socket, filepath.Join(dir, "nobody")} {
			got := call(socket, `{}`, "x", "t")
			if got.exit != 69 || !strings.HasPrefix(got.stdout, `{"ok":false,"error":"HOST_UNREACHABLE","message":"`) {
				t.Errorf("%s: %+v, want exit 69 and HOST_UNREACHABLE", socket, got)
			}
		}
	})
}

// Whatever the protocol allows a host to say, and when, is understood.
func TestSnippets_UnderstandWhatAHostMaySay(t *testing.T) {
	withTalks(t, func(t *testing.T, begin func() *talk) {
		h := begin()
		h.say(typePing, `{}`)
		h.wants(typeOpen, `"toolkit":"kit"`, `"words":["group","tool"]`, `"want":"command"`)
		h.wants(typePong, `{}`)
		h.send(wire.Frame{Type: 99, Flags: wire.Optional, Payload: []byte("from the future")})
		h.say(typePresent, `{"v":1,"epoch":"1","rev`, `ision":"r1","definition":{"n`, `ame":"kit"},"later":[{}]}`)
		h.wants(typeCall, `"revision":"r1"`, `"input":{"a":1.50}`, `"path":["group","tool"]`)
		h.say(typePresent, `{"v":1,"epoch":"1","revision":"r2","definition":{"name":"kit"}}`)
		id := h.wants(typeCall, `"revision":"r2"`)
		h.say(typeAccepted, `{"id":"`+id+`","timeout_ms":30000}`)
		h.say(typeNote, `{"kind":"notice","text":"be \u001b[2J patient"}`)
		h.say(typeResult, `{"ok":false,"error":"MINE","mess`, "age\":\"\u009b said\",\n", `"details":{"exit":9.50}, "exit":`, `7}`)
		h.wants(typeAck, `{"id":"`+id+`"}`)
		got := h.ends()
		if want := `{"ok":false,"error":"MINE","message":"\u009b said","details":{"exit":9.50}}` + "\n"; got.exit != 7 || got.stdout != want {
			t.Errorf("got %+v, want exit 7 and %s", got, want)
		}
		if !strings.Contains(got.stderr, "patient") || strings.Contains(got.stderr, "\x1b") {
			t.Errorf("stderr %q, want the note without what a terminal obeys", got.stderr)
		}
	})
}

// Whatever goes wrong ends in an envelope and the exit status of its code.
func TestSnippets_Failures(t *testing.T) {
	opened := func(h *talk) { h.wants(typeOpen) }
	called := func(h *talk) {
		h.wants(typeOpen)
		h.say(typePresent, `{"v":1,"revision":"r"}`)
		h.wants(typeCall)
	}
	for _, test := range []struct {
		name   string
		before func(h *talk)
		last   wire.Frame
		exit   int
		says   string
	}{
		{"FAIL", opened, wire.Frame{Type: typeFail, Payload: []byte(`{"ok":false,"error":"BUSY","message":"full"}`)}, 75, `{"ok":false,"error":"BUSY","message":"full"}`},
		{"FAIL in answer to CALL", called, wire.Frame{Type: typeFail, Payload: []byte(`{"ok":false,"error":"INTERNAL_ERROR","message":"?"}`)}, 70, `{"ok":false,"error":"INTERNAL_ERROR","message":"?"}`},
		{"an error in PRESENT", opened, wire.Frame{Type: typePresent, Payload: []byte(`{"v":1,"error":{"ok":false,"error":"PERMISSION_DENIED","message":"no"}}`)}, 77, `{"ok":false,"error":"PERMISSION_DENIED","message":"no"}`},
		{"an end before CALL", opened, wire.Frame{}, 69, `{"ok":false,"error":"HOST_UNREACHABLE"`},
		{"an end after CALL", called, wire.Frame{}, 76, `{"ok":false,"error":"OUTCOME_UNKNOWN"`},
		{"an unknown type", opened, wire.Frame{Type: 99, Payload: []byte("?")}, 69, `{"ok":false,"error":"HOST_UNREACHABLE","message":"the host sent a message of type 99"`},
		{"a long frame", opened, wire.Frame{Type: typePresent, Payload: make([]byte, wire.MaxFrame+1)}, 69, `{"ok":false,"error":"HOST_UNREACHABLE","message":"the host sent a message that is too long"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			withTalks(t, func(t *testing.T, begin func() *talk) {
				h := begin()
				test.before(h)
				if test.last.Type != 0 {
					h.send(test.last)
				}
				if got := h.ends(); got.exit != test.exit || !strings.HasPrefix(got.stdout, test.says) {
					t.Errorf("got %+v, want exit %d and %s", got, test.exit, test.says)
				}
			})
		})
	}
}

// talk is a connection with a client, where a test says what the host says.
type talk struct {
	t *testing.T
	net.Conn
	ended chan output
}

// withTalks runs a test for each client, with a function that begins a call of
// "kit group tool" through a proxy.
func withTalks(t *testing.T, test func(t *testing.T, begin func() *talk)) {
	h, place := newHold(t)
	p := newProxied(t, place)
	withSnippets(t, func(t *testing.T, call func(socket, input string, words ...string) output) {
		test(t, func() *talk {
			ended := make(chan output, 1)
			go func() { ended <- call(p.socket, `{"a":1.50}`, "kit", "group", "tool") }() // ends with its connection; ends receives
			select {
			case conn := <-h.taken:
				return &talk{t, conn, ended}
			case got := <-ended:
				t.Fatalf("no connection was made: %+v", got)
			}
			return nil
		})
	})
}

// ends closes the connection and is what the client left behind.
func (h *talk) ends() output {
	h.Close()
	return <-h.ended
}

// send sends a frame. The client may be gone before it has taken all of one that is
// too long.
func (h *talk) send(frame wire.Frame) {
	_, _ = h.Write(wire.AppendFrame(nil, frame))
}

// say sends a message in one frame or more, after the first of which comes a PING.
func (h *talk) say(typ wire.Type, parts ...string) {
	h.t.Helper()
	last := len(parts) - 1
	for i, part := range parts[:last] {
		h.send(wire.Frame{Type: typ, Flags: wire.More, Payload: []byte(part)})
		if i == 0 {
			h.say(typePing, `{}`)
			h.wants(typePong, `{}`)
		}
	}
	h.send(wire.Frame{Type: typ, Payload: []byte(parts[last])})
}

// wants receives one frame of this type that says these things, written without
// white space, and returns the "id" in it.
func (h *talk) wants(typ wire.Type, says ...string) (id string) {
	h.t.Helper()
	h.SetReadDeadline(time.Now().Add(time.Minute))
	frame, err := wire.ReadFrame(h, nil)
	if err != nil || frame.Type != typ {
		h.Close() // ends the client
		h.t.Fatalf("got %s %s, %v, want %s", frame.Type, frame.Payload, err, typ)
	}
	var text bytes.Buffer
	var message struct{ ID string }
	if err := errors.Join(json.Compact(&text, frame.Payload), json.Unmarshal(frame.Payload, &message)); err != nil {
		h.t.Errorf("%s %s: %v", typ, frame.Payload, err)
	}
	for _, want := range says {
		if !strings.Contains(text.String(), want) {
			h.t.Errorf("%s says %s, want %s in it", typ, &text, want)
		}
	}
	return message.ID
}
