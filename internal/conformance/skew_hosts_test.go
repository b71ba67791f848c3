package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
)

// hostScene is a run of today's guest before a host of another release.
type hostScene struct {
	name string
	// line is the shim's command line. Where there is none, ask is what a program does
	// that uses package guest.
	line  string
	ask   func(context.Context, *guest.Client) *guest.Answer
	moves []move
	exit  int
	// stdout is all of it, unless it is a text for people: then shows are parts that
	// it has. stderr is all of it.
	stdout string
	shows  []string
	stderr string
	// written is the file that the tool writes.
	written string
}

// What the shim of today asks, as far as a host of any release needs it.
const (
	asksToEcho = `{"v":"*","toolkit":"skew","words":["echo"],"want":"command"}`
	asksToCopy = `{"v":"*","toolkit":"skew","words":["copy"],"want":"command"}`
	asksToWait = `{"v":"*","toolkit":"skew","words":["wait"],"want":"command"}`
	asksToList = `{"v":"*","want":"list"}`
)

// types writes to the shim's stdin, of which eof is the end. Both wait until they
// are read, or the shim is done.
func types(text string) move {
	return does(func(p *player) { _, _ = io.WriteString(p.stdin, text) }) // what is not read shows elsewhere
}

var (
	eof        = does(func(p *player) { _ = p.stdin.Close() }) // it never fails
	interrupts = does(func(p *player) { p.interrupt() })
)

// olderHosts is all that a host of protocol 1 said when its bytes were frozen, and
// what it needs to hear in order to go on.
var olderHosts = []hostScene{
	{name: "list", line: "agentos list-tools", moves: []move{
		hears(TypeOpen, asksToList), says("host1-list-1-present"),
	}, shows: []string{"skew — Tools of yesterday", "copy", "echo  --text <string>   Give the text back", "pack  --files <file>..."}},
	{name: "search", line: "agentos search copy a file", moves: []move{
		hears(TypeOpen, `{"v":"*","want":"search","query":"copy a file"}`), says("host1-search-1-present"),
	}, shows: []string{"agentos-skew pack --files <file>", "agentos-skew copy"}},
	{name: "search as JSON", line: "agentos search copy a file --json", moves: []move{
		hears(TypeOpen, `{"v":"*","want":"search","query":"copy a file"}`), says("host1-search-1-present"),
	}, shows: []string{`{"ok":true,"result":{"total":2,"tools":[{"toolkit":"skew","tool":"pack"`}},
	{name: "prompt", line: "agentos prompt --budget 200", moves: []move{
		hears(TypeOpen, `{"v":"*","want":"prompt","budget":200}`), says("host1-prompt-1-present"),
	}, shows: []string{"## Host tools\n", "agentos-skew"}},
	{name: "calls", line: "agentos calls", moves: []move{
		hears(TypeOpen, `{"v":"*","want":"calls"}`), says("host1-calls-1-present"),
	}, stdout: `{"ok":true,"result":{"calls":[{"id":"skew-echo","toolkit":"skew","tool":"echo","state":"completed"}]}}`},
	{name: "help", line: "agentos-skew echo --help", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-help-1-present"),
	}, shows: []string{"Give the text back", "--text <string>", "(required)"}},
	{name: "describe", line: "agentos describe skew echo", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-help-1-present"),
	}, shows: []string{`"toolkit":"skew","tool":"echo"`, `"properties":{"text":{"type":"string"}}`}},
	{name: "doctor", line: "agentos doctor", moves: []move{
		hears(TypeOpen, asksToList), says("host1-list-1-present"),
	}, shows: []string{"toolkits: 1"}},
	{name: "a toolkit that is not there", line: "agentos-nosuch echo --text hello", moves: []move{
		hears(TypeOpen, `{"v":"*","toolkit":"nosuch","want":"command"}`), says("host1-nosuch-1-present"),
	}, exit: 127, stdout: `{"ok":false,"error":"TOOLKIT_NOT_FOUND","message":"No toolkit \"nosuch\". Available: skew","hint":"agentos list-tools"}`},
	{name: "a call", line: "agentos-skew echo --text hello --call-id skew-echo", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-echo-1-present"),
		hears(TypeCall, `{"id":"skew-echo","toolkit":"skew","path":["echo"],"input":{"text":"hello"},"revision":"`+revision1+`"}`),
		says("host1-echo-2-accepted-note-result"), hears(TypeAck, `{"id":"skew-echo"}`),
	}, stdout: `{"ok":true,"result":"hello"}`, stderr: "agentos: half way\n"},
	{name: "a call that fails", line: "agentos-skew find --name x --call-id skew-find", moves: []move{
		hears(TypeOpen, `{"v":"*","toolkit":"skew","words":["find"],"want":"command"}`), says("host1-find-1-present"),
		hears(TypeCall, `{"id":"skew-find","path":["find"],"input":{"name":"x"}}`),
		says("host1-find-2-accepted-result"), hears(TypeAck, `{"id":"skew-find"}`),
	}, exit: 3, stdout: `{"ok":false,"error":"NOT_FOUND","message":"there is no such thing"}`},
	{name: "a dry run", line: "agentos-skew echo --text hello --call-id skew-dry --dry-run", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-dry-1-present"),
		hears(TypeCall, `{"id":"skew-dry","input":{"text":"hello"},"dry_run":true}`),
		says("host1-dry-2-result"), hears(TypeAck, `{"id":"skew-dry"}`),
	}, stdout: `{"ok":true,"dry_run":true}`},
	{name: "a definition that changes before the call", line: "agentos-skew echo --text hello --call-id skew-stale", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-stale-1-present"),
		hears(TypeCall, `{"id":"skew-stale"}`), says("host1-stale-2-present"),
	}, exit: 75, stdout: `{"ok":false,"error":"BUSY","message":"the definition of skew changed while the command was read; nothing ran, run it again"}`},
	{name: "streams", line: "agentos-skew copy --call-id skew-copy", moves: []move{
		hears(TypeOpen, asksToCopy), says("host1-copy-1-present"),
		hears(TypeCall, `{"id":"skew-copy","path":["copy"],"input":{},"slots":["stdin","stdout","stderr"]}`),
		says("host1-copy-2-accepted-data"), types("some bytes\n"), eof, hears(typeEnd, `{}`), gets(wire.Stdin, "some bytes\n"),
		says("host1-copy-3-data-end-result"), hears(TypeAck, `{"id":"skew-copy"}`),
	}, stdout: "some bytes\n", stderr: "copying\n"},
	{name: "files", line: "agentos-skew pack --files a.txt --into b.txt --call-id skew-pack", moves: []move{
		hears(TypeOpen, `{"v":"*","toolkit":"skew","words":["pack"],"want":"command"}`), says("host1-pack-1-present"),
		hears(TypeCall, `{"id":"skew-pack","input":{"files":["a.txt"],"into":"b.txt"},"slots":["/files/0","/into"],
			"files":[{"slot":"/files/0","name":"a.txt","size":7,"mime":"text/plain"}]}`),
		says("host1-pack-2-accepted"), hears(typeEnd, `{}`), gets(4, "a file\n"),
		says("host1-pack-3-data-end-result"), hears(TypeAck, `{"id":"skew-pack"}`),
	}, stdout: `{"ok":true,"result":["a.txt 7 text/plain a file\n"]}`, written: "a file\n"},
	{name: "stdin that is not taken", line: "agentos-skew greet --call-id skew-greet", moves: []move{
		hears(TypeOpen, `{"v":"*","toolkit":"skew","words":["greet"],"want":"command"}`), says("host1-greet-1-present"),
		hears(TypeCall, `{"id":"skew-greet","slots":["stdin","stdout"]}`),
		says("host1-greet-2-accepted-data-end-result"), hears(TypeAck, `{"id":"skew-greet"}`),
	}, stdout: "hello\n"},
	{name: "credit", line: "agentos-skew count --call-id skew-count", moves: []move{
		hears(TypeOpen, `{"v":"*","toolkit":"skew","words":["count"],"want":"command"}`), says("host1-count-1-present"),
		hears(TypeCall, `{"id":"skew-count","slots":["stdin"]}`),
		says("host1-count-2-accepted"), types(fill(wire.Window)), drains(wire.Stdin, wire.Window),
		says("host1-count-3-credit"), types(fill(300_000)[wire.Window:]), eof,
		hears(typeEnd, `{}`), gets(wire.Stdin, fill(300_000)),
		says("host1-count-4-result"), hears(TypeAck, `{"id":"skew-count"}`),
	}, stdout: `{"ok":true,"result":300000}`},
	{name: "attach after a lost link", line: "agentos-skew wait --call-id skew-attach", moves: []move{
		hears(TypeOpen, asksToWait), says("host1-attach-1-present"),
		hears(TypeCall, `{"id":"skew-attach"}`), says("host1-attach-2-accepted"),
		redials,
		hears(TypeOpen, `{"v":"*"}`), says("host1-attach-3-present"),
		hears(TypeAttach, `{"id":"skew-attach"}`), says("host1-attach-4-accepted"), says("host1-attach-5-result"),
		hears(TypeAck, `{"id":"skew-attach"}`),
	}, stdout: `{"ok":true,"result":"released"}`},
	{name: "streams that go on after a lost link", line: "agentos-skew copy --call-id skew-resume", moves: []move{
		hears(TypeOpen, asksToCopy), says("host1-resume-1-present"),
		hears(TypeCall, `{"id":"skew-resume","slots":["stdin","stdout","stderr"]}`), says("host1-resume-2-accepted-data"),
		types("first half, "), drains(wire.Stdin, 12), says("host1-resume-3-data"),
		redials,
		hears(TypeOpen, `{"v":"*"}`), says("host1-resume-4-present"),
		hears(TypeAttach, `{"id":"skew-resume","have":{"stdout":12,"stderr":8},"sent":{"stdin":12}}`), says("host1-resume-5-accepted"),
		types("second half\n"), drains(wire.Stdin, 24), says("host1-resume-6-data"),
		eof, hears(typeEnd, `{}`), gets(wire.Stdin, "first half, second half\n"),
		says("host1-resume-7-end-result"), hears(TypeAck, `{"id":"skew-resume"}`),
	}, stdout: "first half, second half\n", stderr: "copying\n"},
	{name: "await", line: "agentos await skew-echo", moves: []move{
		hears(TypeOpen, `{"v":"*","want":"calls","query":"skew-echo"}`), says("host1-await-1-present"),
		hears(TypeAttach, `{"id":"skew-echo"}`), says("host1-await-2-result"), hears(TypeAck, `{"id":"skew-echo"}`),
	}, stdout: `{"ok":true,"result":"hello"}`},
	{name: "cancel", line: "agentos-skew wait --call-id skew-cancel", moves: []move{
		hears(TypeOpen, asksToWait), says("host1-cancel-1-present"),
		hears(TypeCall, `{"id":"skew-cancel"}`), says("host1-cancel-2-accepted"),
		interrupts, hears(TypeCancel, `{"reason":"interrupt"}`),
		says("host1-cancel-3-result"), hears(TypeAck, `{"id":"skew-cancel"}`),
	}, exit: 130, stdout: `{"ok":false,"error":"CANCELLED","message":"cancelled by the caller (interrupt)","call":"skew-cancel"}`},
	{name: "signs of life", line: "agentos-skew wait --call-id skew-ping", moves: []move{
		hears(TypeOpen, asksToWait), says("host1-ping-1-present"),
		hears(TypeCall, `{"id":"skew-ping"}`), says("host1-ping-2-accepted"),
		says("host1-ping-3-ping"), hears(TypePong, `{}`),
		hears(TypePing, `{}`), says("host1-ping-4-pong"), // after five silent seconds
		says("host1-ping-5-result"), hears(TypeAck, `{"id":"skew-ping"}`),
	}, stdout: `{"ok":true,"result":"released"}`},
	{name: "over a limit", line: "agentos-skew echo --text hello", moves: []move{
		says("host1-busy-1-fail"), hears(TypeOpen, asksToEcho),
	}, exit: 75, stdout: `{"ok":false,"error":"BUSY","message":"this guest has 1 connections open, more may not be; nothing ran",` +
		`"hint":"run the same command again in a few seconds","details":[{"limit":"connections"}]}`},
	{name: "giving up before the call", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-fail-2-fail"),
	}, exit: 70, stdout: `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: unknown type 200"}`},
	{name: "giving up during the call", line: "agentos-skew echo --text hello --call-id skew-fail", moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-fail-1-present"),
		hears(TypeCall, `{"id":"skew-fail"}`), says("host1-fail-2-fail"),
	}, exit: 76, shows: []string{`"error":"OUTCOME_UNKNOWN"`, "protocol error: unknown type 200", `"call":"skew-fail"`}},
}

// revision1 names the definition in the vectors of protocol 1.
const revision1 = "1053cbf7bac3833d"

// newerHosts is what a host may say that speaks more than protocol 1, also to a shim
// that speaks nothing else.
var newerHosts = []hostScene{
	{name: "a call", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new","toolkit":"skew","path":["echo"],"input":{"text":"hello"},"revision":"r2"}`),
		says("host2-accepted"), says("host2-note"), says("host2-result"), hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: `{"ok":true,"result":"hello"}`, stderr: "agentos: still at it\nagentos: half way\n"},
	{name: "help for a definition with more in it", line: "agentos-skew echo --help", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
	}, shows: []string{"Give the text back", "--text <string>", "required"}},
	{name: "the schemas of it", line: "agentos describe skew echo", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
	}, shows: []string{`"toolkit":"skew","tool":"echo"`, `"type":"string"`, `"x-unit":"words"`}},
	{name: "a wrong line", line: "agentos-skew echo --volume 11", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
	}, exit: 2, shows: []string{`"error":"USAGE_ERROR"`, "--volume"}},
	{name: "a failure of another kind", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new"}`), says("host2-accepted"), says("host2-result-error"), hears(TypeAck, `{"id":"skew-new"}`),
	}, exit: 42, stdout: `{"ok":false,"error":"QUOTA_EXCEEDED","message":"ten calls a day, this is the eleventh","hint":"come back tomorrow","details":{"left":0}}`},
	{name: "a PRESENT that refuses for another reason", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present-suspended"),
	}, exit: 1, stdout: `{"ok":false,"error":"GUEST_SUSPENDED","message":"this guest is suspended until noon","hint":"wait"}`},
	{name: "a FAIL for another reason", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-fail"),
	}, exit: 1, stdout: `{"ok":false,"error":"MAINTENANCE","message":"the host is being serviced"}`},
	{name: "list", line: "agentos list-tools", moves: []move{
		hears(TypeOpen, asksToList), says("host2-present-list"),
	}, shows: []string{"skew — Tools of tomorrow\n", "echo  --text <string>   Give the text back\n"}},
	{name: "search", line: "agentos search echo --json", moves: []move{
		hears(TypeOpen, `{"want":"search"}`), says("host2-present-search"),
	}, shows: []string{`{"ok":true,"result":{"total":1,`, `"signature":"--text <string>"`}},
	{name: "prompt", line: "agentos prompt", moves: []move{
		hears(TypeOpen, `{"want":"prompt"}`), says("host2-present-prompt"),
	}, shows: []string{"## Host tools\n"}},
	{name: "calls", line: "agentos calls", moves: []move{
		hears(TypeOpen, `{"want":"calls"}`), says("host2-present-calls"),
	}, stdout: `{"ok":true,"result":{"calls":[{"id":"skew-new","toolkit":"skew","tool":"echo","state":"paused"}]}}`},
	{name: "streams", line: "agentos-skew copy --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToCopy), says("host2-present-copy"),
		hears(TypeCall, `{"id":"skew-new","slots":["stdin","stdout","stderr"]}`), says("host2-accepted"),
		types("some bytes\n"), eof, hears(typeEnd, `{}`), gets(wire.Stdin, "some bytes\n"),
		says("host2-copy-stdout"), hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: "some bytes\n", stderr: "copying\n"},
	{name: "credit", line: "agentos-skew count --call-id skew-new", moves: []move{
		hears(TypeOpen, `{"toolkit":"skew","words":["count"]}`), says("host2-present-count"),
		hears(TypeCall, `{"id":"skew-new","slots":["stdin"]}`), says("host2-accepted"),
		types(fill(wire.Window)), drains(wire.Stdin, wire.Window), says("host2-credit"), types(fill(300_000)[wire.Window:]), eof,
		hears(typeEnd, `{}`), gets(wire.Stdin, fill(300_000)),
		says("host2-result-count"), hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: `{"ok":true,"result":300000}`},
	{name: "optional frames of unknown types", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		says("host2-optional"),
		hears(TypeOpen, asksToEcho), says("host2-present-split"), // also within a PRESENT of two frames
		hears(TypeCall, `{"id":"skew-new","revision":"r2"}`), says("host2-optional"),
		says("host2-accepted"), says("host2-optional"), says("host2-note"), says("host2-optional"),
		says("host2-result"), hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: `{"ok":true,"result":"hello"}`, stderr: "agentos: still at it\nagentos: half way\n"},
	{name: "signs of life", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new"}`), says("host2-accepted"),
		says("host2-ping"), hears(TypePong, `{}`),
		hears(TypePing, `{}`), says("host2-pong"),
		says("host2-result"), hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: `{"ok":true,"result":"hello"}`},
	{name: "a frame of an unknown type that is to be understood", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-unknown"),
		hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: unknown type 16"}`), ended,
	}, exit: 69, shows: []string{`"error":"HOST_UNREACHABLE"`, "protocol error: unknown type 16", `"hint":"agentos doctor"`}},
	{name: "the same during the call", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new"}`), says("host2-accepted"), says("host2-unknown"),
		hears(TypeFail, `{"ok":false,"error":"INTERNAL_ERROR","message":"protocol error: unknown type 16"}`), ended,
	}, exit: 76, shows: []string{`"error":"OUTCOME_UNKNOWN"`, "protocol error: unknown type 16", `"hint":"agentos calls skew-new"`}},
	{name: "no version in common, for a call", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present-refuses"),
	}, exit: 69, stdout: refusalByHost},
	{name: "no version in common, for calls", line: "agentos calls", moves: []move{
		hears(TypeOpen, `{"want":"calls"}`), says("host2-present-refuses"),
	}, exit: 69, stdout: refusalByHost},
	{name: "no version in common, for a list", line: "agentos list-tools", moves: []move{
		hears(TypeOpen, asksToList), says("host2-present-refuses"), // and once more, since no definitions are installed
		redials,
		hears(TypeOpen, asksToList), says("host2-present-refuses"),
	}, exit: 69, stdout: refusalByHost},
	{name: "refuses, and means something else by PRESENT", line: "agentos-skew echo --text hello", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present-refuses-differs"),
	}, exit: 69, stdout: refusalByHost},
	{name: "chooses a version that was not offered", line: "agentos-skew echo --text hello --call-id skew-new", moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present-chooses-other"),
	}, exit: 69, shows: []string{"protocol 98, which this agentos does not speak", "install an agentos for protocol 98"}},
	{name: "no version in common, for the doctor", line: "agentos doctor", moves: []move{
		hears(TypeOpen, asksToList), says("host2-present-refuses"),
	}, exit: 69, shows: []string{"FAIL  the host speaks protocol 98, 99, this agentos speaks 1\n      install an agentos for protocol 99 in this guest\n"}},
}

// refusalByHost is what the shim prints of host2-present-refuses.
const refusalByHost = `{"ok":false,"error":"HOST_UNREACHABLE","message":"the host speaks protocol 98, 99, this agentos speaks 1","hint":"install an agentos for protocol 99 in this guest"}`

// clientHosts are hosts of both kinds before a program of today that uses package
// guest.
var clientHosts = []hostScene{
	{name: "an older one, a call", ask: asks("skew-echo", "echo", `{"text":"hello"}`), moves: []move{
		hears(TypeOpen, asksToEcho), says("host1-echo-1-present"),
		hears(TypeCall, `{"id":"skew-echo","toolkit":"skew","path":["echo"],"input":{"text":"hello"}}`),
		says("host1-echo-2-accepted-note-result"), hears(TypeAck, `{"id":"skew-echo"}`),
	}, stdout: `{"ok":true,"result":"hello"}`},
	{name: "an older one, attach after a lost link", ask: asks("skew-attach", "wait", `{}`), moves: []move{
		hears(TypeOpen, asksToWait), says("host1-attach-1-present"),
		hears(TypeCall, `{"id":"skew-attach"}`), says("host1-attach-2-accepted"),
		redials,
		hears(TypeOpen, `{"v":"*"}`), says("host1-attach-3-present"),
		hears(TypeAttach, `{"id":"skew-attach"}`), says("host1-attach-4-accepted"), says("host1-attach-5-result"),
		hears(TypeAck, `{"id":"skew-attach"}`),
	}, stdout: `{"ok":true,"result":"released"}`},
	{name: "a newer one, a call", ask: asks("skew-new", "echo", `{"text":"hello"}`), moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new"}`), says("host2-accepted"), says("host2-note"), says("host2-result"),
		hears(TypeAck, `{"id":"skew-new"}`),
	}, stdout: `{"ok":true,"result":"hello"}`},
	{name: "a newer one, a failure of another kind", ask: asks("skew-new", "echo", `{"text":"hello"}`), moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present"),
		hears(TypeCall, `{"id":"skew-new"}`), says("host2-accepted"), says("host2-result-error"), hears(TypeAck, `{"id":"skew-new"}`),
	}, exit: 42, shows: []string{`"error":"QUOTA_EXCEEDED"`, `"details":{"left":0}`}},
	{name: "no version in common", ask: asks("skew-new", "echo", `{"text":"hello"}`), moves: []move{
		hears(TypeOpen, asksToEcho), says("host2-present-refuses"),
	}, exit: 69, stdout: refusalByHost},
}

// asks makes a call.
func asks(id, tool, input string) func(context.Context, *guest.Client) *guest.Answer {
	return func(ctx context.Context, c *guest.Client) *guest.Answer {
		return c.Call(ctx, &guest.Call{ID: id, Toolkit: "skew", Path: []string{tool}, Input: json.RawMessage(input)})
	}
}

// playHost runs today's guest before a host that makes the scene's moves.
func playHost(t *testing.T, s *hostScene, edit func(string, []byte)) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stdin, typed := io.Pipe()
		board, over := make(switchboard), make(chan struct{})
		p := &player{link: board.answer(over), edit: edit, stdin: typed, interrupt: func() { cancel(errors.New("interrupt")) }}
		played := make(chan error, 1)
		go func() { // joined below
			played <- p.play(t.Context(), s.moves)
			_ = typed.Close() // it never fails
			board.hangUp(over)
		}()
		run := &guestRun{}
		if s.streams() {
			run.stdin = stdin
		}
		run.run(ctx, s, board.Dial)
		close(over)
		_ = stdin.Close() // ends what still waits to be read
		if err = <-played; err == nil {
			err = run.check(s)
		}
	})
	return err
}

// streams reports whether the scene's tool reads stdin.
func (s *hostScene) streams() bool {
	for _, word := range []string{" copy ", " count ", " greet "} {
		if strings.Contains(s.line, "agentos-skew"+word) {
			return true
		}
	}
	return false
}

// A host of another release is understood by the guest of today: exit status and
// output are those that its release meant.
func TestSkew_HostsOfOtherReleases(t *testing.T) {
	for _, set := range []struct {
		name   string
		scenes []hostScene
	}{{"older", olderHosts}, {"newer", newerHosts}, {"client", clientHosts}} {
		for i := range set.scenes {
			s := &set.scenes[i]
			t.Run(set.name+"/"+s.name, func(t *testing.T) {
				if err := playHost(t, s, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
