package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

// batch runs agentos batch with these lines on stdin.
func (w *world) batch(lines []string, options ...string) output {
	w.t.Helper()
	w.stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	defer func() { w.stdin = nil }()
	return w.run(append([]string{"agentos", "batch"}, options...)...)
}

// A lineCase is a line of a batch and what it is answered with: the whole envelope,
// or words of a failure after its code.
type lineCase struct {
	line string
	want string // without a newline
	says []string
}

// answers runs the lines as one batch, in turn and at once, and checks each answer
// and the exit status.
func (w *world) answers(exit int, cases ...lineCase) {
	w.t.Helper()
	w.answersBy([]string{"1", "8"}, exit, cases...)
}

// answersBy is answers with so many calls at once.
func (w *world) answersBy(parallels []string, exit int, cases ...lineCase) {
	w.t.Helper()
	var lines []string
	for _, c := range cases {
		lines = append(lines, c.line)
	}
	for _, parallel := range parallels {
		got := w.batch(lines, "--parallel", parallel)
		answers := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
		if got.exit != exit || len(answers) != len(cases) {
			w.t.Fatalf("--parallel %s: exit %d, %d lines, want exit %d, %d lines\n%.3000s", parallel, got.exit, len(answers), exit, len(cases), got.stdout)
		}
		for i, c := range cases {
			same := answers[i] == c.want
			if len(c.says) > 0 {
				same = strings.HasPrefix(answers[i], `{"ok":false,"error":"`+c.want+`","message":"`)
			}
			for _, words := range c.says {
				same = same && strings.Contains(answers[i], words)
			}
			if !same {
				w.t.Errorf("--parallel %s: %.300s\nis answered %.500s\nwant %s %q", parallel, c.line, answers[i], c.want, c.says)
			}
		}
	}
}

// ok is the envelope of a result.
func ok(result string) string { return `{"ok":true,"result":` + result + `}` }

func TestBatch(t *testing.T) {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, append(fixture.Kits(), x)...)
	file := filepath.Join(t.TempDir(), "in.json")
	if err := os.WriteFile(file, []byte(`{"a":4,"b":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.answers(0,
		lineCase{line: `{"toolkit":"math","tool":"add","input":{"a":2,"b":3}}`, want: ok(`{"sum":5}`)},
		lineCase{line: `{"argv":["math","add","--a","2","--b","4"]}`, want: ok(`{"sum":6}`)},
		lineCase{line: `{"argv":["call","math","add","--json","{\"a\":3,\"b\":4}"]}`, want: ok(`{"sum":7}`)},
		lineCase{line: `{"argv":["math","add","--json-file",` + strconv.Quote(file) + `]}`, want: ok(`{"sum":9}`)},
		lineCase{line: ` { "input" : { "b" : 3.0 , "a" : 2 } , "tool" : "add" , "toolkit" : "math" } ` + "\r", want: ok(`{"sum":5}`)},
		lineCase{line: `{"toolkit":"x","tool":"t"}`, want: ok(`{}`)},
		lineCase{line: `{"toolkit":"x","tool":" t ","input":{"n":18446744073709551615,"f":1e400}}`, want: ok(`{"f":1e400,"n":18446744073709551615}`)},
		lineCase{line: `{"argv":["x","t","--s","A\u00e9\ud83d\ude00"]}`, want: ok(`{"s":"Aé😀"}`)},
		lineCase{line: `{"argv":["x","t","--s","--x"]}`, want: ok(`{"s":"--x"}`)},
		lineCase{line: `{"argv":["x","t","--agentos:output","envelope"]}`, want: ok(`{}`)},
		lineCase{line: `{"argv":["x","t","--n","1","--dry-run"]}`, want: `{"ok":true,"dry_run":true}`},
		lineCase{line: `{"argv":["x","write","--dry-run"]}`, want: `{"ok":true,"dry_run":true}`},
	)
	if got := w.batch(nil); got != (output{}) {
		t.Errorf("no lines = %+v, want nothing and exit 0", got)
	}
	got := w.line("agentos batch")
	if got.exit != 0 || got.stdout != "" || !strings.Contains(got.stderr, "stdin") {
		t.Errorf("without stdin = %+v, want a note, exit 0", got)
	}
}

// A line that cannot be read costs its own place and nothing else.
func TestBatchLinesThatAreNone(t *testing.T) {
	w := newX(t)
	usage := func(line string, says ...string) lineCase {
		return lineCase{line, "USAGE_ERROR", append(says, `"hint":"agentos`)}
	}
	good := lineCase{line: `{"toolkit":"x","tool":"t","input":{"n":1}}`, want: ok(`{"n":1}`)}
	w.answers(2,
		usage(`nonsense`, "line 1: "),
		good,
		usage(`{"toolkit":"x","tool":"t","input":{"n":1}`, "line 3: the JSON ends too early (byte 4"),
		usage(`{"toolkit":"x","tool":"t","input":{"n":1,}}`, "comma"),
		usage(`{"toolkit":"x","tool":"t","input":{"n":1,"n":2}}`, `\"n\" is given twice`),
		usage(`{"toolkit":"x","toolkit":"y","tool":"t"}`, `\"toolkit\" is given twice`),
		usage(`{"toolkit":"x","\u0074oolkit":"y","tool":"t"}`, `\"toolkit\" is given twice`),
		usage(`{"\u0074oolkit":"x","tool":"t"}`, "line 8: the member name"),
		usage(`{"toolkit":"x","tool":"t"} {}`, "more text after the JSON value"),
		usage("{\"toolkit\":\"x\",\"tool\":\"t\",\"input\":{\"s\":\"\xff\"}}", "UTF-8"),
		usage("{\"argv\":[\"x\",\"t\",\"--s\",\"\xc3\"]}", "UTF-8"),
		usage(`{"argv":["x","t","--s","\ud800"]}`, "lone surrogate"),
		usage("\ufeff"+good.line, "byte order mark"),
		usage("\u00a0"),
		usage("{\"toolkit\":\"x\"\x00}"),
		usage(`[]`, "an array where an object is expected"),
		usage(`null`, "null where an object is expected"),
		usage(`"x t"`, "a string where an object is expected"),
		usage(`{}`, "toolkit: required", "argv"),
		usage(`{"tool":"t"}`, "toolkit: required"),
		usage(`{"toolkit":"","tool":"t"}`, "toolkit: required"),
		usage(`{"toolkit":7,"tool":"t"}`, "toolkit: a number where a string is expected"),
		usage(`{"toolkit":"x","tool":["t"]}`, "tool: an array where a string is expected"),
		usage(`{"toolkit":"x","tool":"t","input":null}`, "input: null where an object is expected"),
		usage(`{"toolkit":"x","tool":"t","input":[]}`, "input: an array where an object is expected"),
		usage(`{"toolkit":"x","tool":"t","input":"{}"}`, "input: a string where an object is expected"),
		usage(`{"toolkit":"x","tool":"t","inputs":{}}`, "inputs: unknown key, nearest input, expected one of argv, input, tool, toolkit"),
		usage(`{"Toolkit":"x","tool":"t"}`, "Toolkit: unknown key, nearest toolkit"),
		usage(`{"toolkit":"x","tool":"t","call_id":"k"}`, "call_id: unknown key, expected one of"),
		usage(`{"toolkit":"x","tool":"t","timeout":"1s"}`, "timeout: unknown key"),
		usage(`{"argv":["x","t"],"toolkit":"x"}`, "argv: stands alone"),
		usage(`{"argv":["x","t"],"input":{}}`, "argv: stands alone"),
		usage(`{"argv":[]}`, "argv: begins with a toolkit"),
		usage(`{"argv":null}`, "argv: null where an array is expected"),
		usage(`{"argv":"x t"}`, "argv: a string where an array is expected"),
		usage(`{"argv":["x",7]}`, "argv: 1: a number where a string is expected"),
		usage(`{"argv":["--timeout","1s","x","t"]}`, "argv: begins with a toolkit"),
		usage(`{"toolkit":"`+strings.Repeat("x", 2<<20)+`"}`, "at most 63 bytes, this one has 2097152"),
		usage(`{"argv":["`+strings.Repeat("x", 64)+`"]}`, "at most 63 bytes"),
		good,
	)
}

// What a line asks for is refused as its command would be, or as no call.
func TestBatchLinesThatFail(t *testing.T) {
	w := newX(t)
	failure := func(line, code string, says ...string) lineCase { return lineCase{line, code, append(says, "message")} }
	usage := func(line string, says ...string) lineCase { return failure(line, "USAGE_ERROR", says...) }
	w.answers(3,
		failure(`{"toolkit":"x","tool":"fail","input":{"code":"NOT_FOUND"}}`, "NOT_FOUND", "as asked"),
		failure(`{"toolkit":"x","tool":"r"}`, "VALIDATION_ERROR", "s: required"),
		failure(`{"argv":["x","r"]}`, "VALIDATION_ERROR", "s: required", `"hint":"agentos x r --s hello"`),
		failure(`{"toolkit":"x","tool":"t","input":{"limt":1}}`, "VALIDATION_ERROR", "limt"),
		failure(`{"toolkit":"nosuch","tool":"t"}`, "TOOLKIT_NOT_FOUND", "nosuch"),
		failure(`{"argv":["nosuch","t"]}`, "TOOLKIT_NOT_FOUND", "nosuch"),
		failure(`{"argv":["agentos-x","t"]}`, "TOOLKIT_NOT_FOUND", "Nearest: x"),
		failure(`{"argv":["call","search","t"]}`, "TOOLKIT_NOT_FOUND", "search"),
		failure(`{"toolkit":"x","tool":"writ"}`, "TOOL_NOT_FOUND", "Nearest: write"),
		failure(`{"toolkit":"x","tool":"t t"}`, "TOOL_NOT_FOUND", "t t"),
		failure(`{"toolkit":"x"}`, "TOOL_NOT_FOUND"),
		failure(`{"argv":["x","writ"]}`, "TOOL_NOT_FOUND", "Nearest: write"),
		usage(`{"argv":["x"]}`, "expected a subcommand"),
		usage(`{"argv":["x","t","--nosuch","1"]}`, "--nosuch: unknown option"),
		usage(`{"argv":["x","t","--help"]}`, "help is no call", `"hint":"agentos x t --help"`),
		usage(`{"argv":["x","--help"]}`, "help is no call", `"hint":"agentos x --help"`),
		usage(`{"argv":["x","help","t"]}`, "help is no call", `"hint":"agentos x t --help"`),
		usage(`{"argv":["x","--version"]}`, "--version is no call", `"hint":"agentos x --version"`),
		usage(`{"argv":["x","t","--output","result"]}`, "--output result", "envelope"),
		usage(`{"argv":["x","t","--field","/n"]}`, "--field", "envelope"),
		usage(`{"argv":["x","t","--result-file","/nosuch/file"]}`, "--result-file", "stdout"),
		usage(`{"argv":["x","t","--json","-"]}`, "--json: stdin is the batch"),
		usage(`{"argv":["x","r","--agentos:json=-"]}`, "stdin is the batch"),
		usage(`{"argv":["x","t","--json-file","-"]}`, "--json-file: cannot be read"),
		usage(`{"argv":["x","t","--call-id","a/b"]}`, "--call-id"),
		usage(`{"argv":["list-tools"]}`, "argv: list-tools is a command of agentos itself", `"hint":"agentos list-tools --help"`),
		usage(`{"argv":["ls"]}`, "argv: ls is a command of agentos itself"),
		usage(`{"argv":["batch"]}`, "argv: batch is a command of agentos itself"),
		usage(`{"argv":["help","x"]}`, "argv: help is a command of agentos itself"),
		usage(`{"argv":["call"]}`, "argv: call is a command of agentos itself"),
		usage(`{"argv":["call","--help"]}`, "argv: call is a command of agentos itself"),
		usage(`{"argv":["__complete","agentos",""]}`, "a command of agentos itself"),
		failure(`{"toolkit":"x","tool":"fail","input":{"code":"panic"}}`, "HANDLER_CRASHED", `"call":"`),
	)
}

// A command line means in a batch what it means in a shell, right or wrong.
func TestBatchReadsCommandLinesAsTheShellDoes(t *testing.T) {
	data, err := os.ReadFile("../internal/argv/testdata/wrong-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, append(fixture.Kits(), x, tickets(t))...)
	var lines []string
	want := ""
	for _, line := range strings.Split(string(data), "\n") {
		command, isCommand := strings.CutPrefix(line, "$ agentos-")
		if !isCommand || strings.Contains(command, "--help") || strings.Contains(command, "--version") || strings.Contains(command, "--output") ||
			strings.Contains(command, "--field") || strings.Contains(command, "--result-file") || strings.Contains(command, "--json -") {
			continue
		}
		args := words(t, command)
		text, err := json.Marshal(map[string][]string{"argv": args})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
		want += w.run(append([]string{"agentos"}, args...)...).stdout
	}
	got := w.batch(lines, "--parallel", "4")
	gotLines, wantLines := strings.Split(got.stdout, "\n"), strings.Split(want, "\n")
	if len(lines) < 80 || len(gotLines) != len(wantLines) {
		t.Fatalf("%d answers to %d lines, want %d, and at least 80 lines", len(gotLines)-1, len(lines), len(wantLines)-1)
	}
	for i := range lines {
		if gotLines[i] != wantLines[i] {
			t.Errorf("%s\nis answered %s\nin a shell %s", lines[i], gotLines[i], wantLines[i])
		}
	}
}

func TestBatchCallIDs(t *testing.T) {
	w := newX(t)
	got := w.batch([]string{`{"argv":["x","write","--call-id","once"]}`, `{"argv":["x","write","--call-id","once"]}`, `{"argv":["x","t","--call-id","once"]}`, `{"toolkit":"x","tool":"write"}`})
	lines := strings.Split(got.stdout, "\n")
	if got.exit != 2 || lines[0] != ok("1") || lines[1] != `{"ok":true,"result":1,"replayed":true}` || !strings.Contains(lines[2], "CALL_ID_CONFLICT") || lines[3] != ok("2") {
		t.Errorf("got %+v, want one run, its replay, a conflict and another run", got)
	}
}

// Variables that set defaults for one command set them for each line, the output's
// form aside, which is fixed.
func TestBatchVariablesAndItsOwnOptions(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "env", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "get"},
		func(_ context.Context, in struct {
			Region string `json:"region,omitempty" env:"REGION"`
		}) (string, error) {
			return in.Region, nil
		})}}
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, kit, x)
	w.env["REGION"], w.env["AGENTOS_OUTPUT"], w.env["XDG_RUNTIME_DIR"] = "north", "text", t.TempDir()
	w.answers(0,
		lineCase{line: `{"argv":["env","get"]}`, want: ok(`"north"`)},
		lineCase{line: `{"argv":["env","get","--region","south"]}`, want: ok(`"south"`)},
		lineCase{line: `{"toolkit":"env","tool":"get"}`, want: ok(`""`)})

	slow, line := `{"toolkit":"x","tool":"slow","input":{"ms":60000}}`, `{"argv":["x","slow","--ms","60000"]}`
	w.env["AGENTOS_TIMEOUT"] = "10ms"
	limit := []string{"caller", "10ms"}
	w.answers(124, lineCase{slow, "TIMEOUT", limit}, lineCase{line, "TIMEOUT", limit},
		lineCase{`{"argv":["x","slow","--ms","60000","--timeout","20ms"]}`, "TIMEOUT", []string{"20ms"}})
	if got := w.batch([]string{slow, line}, "--timeout", "30ms"); strings.Count(got.stdout, "30ms") != 2 || got.exit != 124 {
		t.Errorf("--timeout of the batch: %+v, want it for both lines", got)
	}

	w.env["AGENTOS_TIMEOUT"], w.env["AGENTOS_INLINE_LIMIT"] = "", "1000"
	got := w.batch([]string{`{"toolkit":"x","tool":"big","input":{"bytes":2000}}`, `{"argv":["x","big","--bytes","2000"]}`, `{"argv":["x","big","--bytes","2000","--inline-limit","5000"]}`})
	if got.exit != 0 || strings.Count(got.stdout, `{"ok":true,"spill":{"path":"`) != 2 || strings.Count(got.stdout, "\n") != 3 {
		t.Errorf("with a limit: %+v, want two results in files", got)
	}
	w.env["AGENTOS_INLINE_LIMIT"] = "many"
	w.env["AGENTOS_OUTPUT"] = ""
	w.wantFailure(w.batch([]string{slow}), 2, "USAGE_ERROR", "AGENTOS_INLINE_LIMIT")
}

func TestWhatBatchCannotDo(t *testing.T) {
	w := newX(t)
	for _, options := range [][]string{{"--parallel", "0"}, {"--parallel", "257"}} {
		w.wantFailure(w.batch([]string{"{}"}, options...), 2, "VALIDATION_ERROR", "parallel", "1 to 256")
	}
	w.wantFailure(w.batch([]string{"{}"}, "--json", "-"), 2, "USAGE_ERROR", "stdin")
	w.wantFailure(w.batch([]string{"{}"}, "lines.jsonl"), 2, "USAGE_ERROR", "lines.jsonl")
	w.wantFailure(w.batch([]string{"{}"}, "--call-id", "k"), 2, "USAGE_ERROR", "--call-id")
	for _, output := range []string{"result", "text"} {
		got := w.batch([]string{"{}"}, "--parallel", "2", "--output", output)
		if got.exit != 2 || got.stdout != "" || !strings.Contains(got.stderr, "--output "+output) {
			t.Errorf("--output %s: %+v, want USAGE_ERROR on stderr", output, got)
		}
	}
	w.env["AGENTOS_DIAL_WAIT"] = "soon"
	w.wantFailure(w.batch([]string{"{}"}), 2, "USAGE_ERROR", "AGENTOS_DIAL_WAIT")
}

// A command that needs a stream is refused in either form, one that can do without
// is called.
func TestBatchRefusesRequiredStreams(t *testing.T) {
	for _, stream := range []string{"stdin", "stdout", "stderr"} {
		def, err := toolkit.ParseDefinition([]byte(`{"name":"tape","commands":[
			{"name":"must","body":{"` + stream + `":{"mime":["text/plain"],"required":true}}},
			{"name":"may","body":{"result":{},"` + stream + `":{"mime":["text/plain"]}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		w := newWorld(t, toolkit.FromDefinition(def, func(context.Context, *toolkit.Invocation) (json.RawMessage, error) {
			ran++
			return json.RawMessage("1"), nil
		}))
		got := w.batch([]string{`{"toolkit":"tape","tool":"must"}`, `{"argv":["tape","must"]}`, `{"toolkit":"tape","tool":"may"}`, `{"argv":["tape","may"]}`})
		if got.exit != 2 || strings.Count(got.stdout, `"error":"USAGE_ERROR","message":"the command needs `+stream) != 2 || strings.Count(got.stdout, ok("1")) != 2 || ran != 2 {
			t.Errorf("%s: %+v and %d calls, want two refused and two called", stream, got, ran)
		}
	}
}

// A result or input at the limit of what a call may carry passes, also when its line
// is longer than that; a line that is longer still is passed over.
func TestBatchLongLines(t *testing.T) {
	w := newX(t)
	const most = 16 << 20
	input := `{"s":"` + strings.Repeat("a", most-len(`{"s":""}`)) + `"}`
	line := `{"toolkit":"x","tool":"length","input":` + input + `}`
	tooMuch := `{"toolkit":"x","tool":"length","input":` + strings.Replace(input, "a", "aa", 1) + `}`
	deep := strings.Repeat(`{"o":`, 63) + `{}` + strings.Repeat(`}`, 63)
	w.answersBy([]string{"1"}, 2,
		lineCase{line: line, want: ok(strconv.Itoa(most - len(`{"s":""}`)))},
		lineCase{tooMuch, "USAGE_ERROR", []string{"line 2: input: the JSON has 16777217 bytes"}},
		lineCase{strings.Repeat(" ", 64<<10) + line, "USAGE_ERROR", []string{"line 3: longer than 16842752 bytes"}},
		lineCase{strings.Repeat("x", 3*most), "USAGE_ERROR", []string{"line 4: longer than"}},
		lineCase{`{"toolkit":"x","tool":"t","input":` + deep + `}`, "VALIDATION_ERROR", []string{"o"}},
		lineCase{`{"toolkit":"x","tool":"t","input":{"o":` + deep + `}}`, "USAGE_ERROR", []string{"deeper than 64"}},
		lineCase{line: `{"toolkit":"x","tool":"t"}`, want: ok(`{}`)})
}

// Blank lines have no answer, and the end of stdin ends the last line.
func TestBatchLineEnds(t *testing.T) {
	w := newX(t)
	for _, text := range []string{
		"{\"toolkit\":\"x\",\"tool\":\"t\"}", "\n\n \t\r\n{\"toolkit\":\"x\",\"tool\":\"t\"}\r\n\r\n", "{\"toolkit\":\"x\",\"tool\":\"t\"}\n   ", "\r\n{\"toolkit\":\"x\",\"tool\":\"t\"}\r",
	} {
		w.stdin = strings.NewReader(text)
		w.want(w.line("agentos batch"), 0, ok(`{}`)+"\n")
		w.stdin = nil
	}
	w.stdin = io.MultiReader(strings.NewReader("{\"toolkit\":\"x\",\"tool\":\"t\"}\n\n{\"tool"), brokenReader{})
	got := w.line("agentos batch")
	if got.exit != 2 || !strings.HasPrefix(got.stdout, ok(`{}`)+"\n"+`{"ok":false,"error":"USAGE_ERROR","message":"line 3: stdin cannot be read: the disk is gone"`) {
		t.Errorf("a stdin that breaks: %+v", got)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// relay is a toolkit whose calls n end in the order opposite to that in which they
// began, as far as they are in one group of so many.
func relay(group int) *toolkit.Toolkit {
	type args struct {
		N int `json:"n"`
	}
	ended := make([]chan struct{}, 1000)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	return &toolkit.Toolkit{Name: "relay", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(ctx context.Context, in args) (int, error) {
		if in.N%group != group-1 {
			select {
			case <-ended[in.N+1]:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		close(ended[in.N])
		return in.N, nil
	})}}
}

func TestBatchKeepsTheOrderOfTheLines(t *testing.T) {
	const parallel, count = 8, 800
	w := newWorld(t, relay(parallel))
	var dials atomic.Int64
	dial := w.host.Dialer("g")
	w.dial = func(ctx context.Context) (net.Conn, error) {
		dials.Add(1)
		return dial(ctx)
	}
	var lines []string
	want := ""
	for n := range count {
		lines = append(lines, fmt.Sprintf(`{"toolkit":"relay","tool":"run","input":{"n":%d}}`, n))
		want += ok(strconv.Itoa(n)) + "\n"
	}
	w.want(w.batch(lines, "--parallel", strconv.Itoa(parallel)), 0, want)
	if n := dials.Load(); n > parallel {
		t.Errorf("%d connections, want at most %d", n, parallel)
	}
}

// The exit status is that of the first failed line, not of the first failure.
func TestBatchExitStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		got := w.batch([]string{
			`{"argv":["x","slow","--ms","1"]}`, `{"argv":["x","slow","--ms","60000","--timeout","3s"]}`, `{"argv":["x","fail","--code","NOT_FOUND"]}`, `nonsense`,
		}, "--parallel", "4")
		if got.exit != 124 || strings.Count(got.stdout, "\n") != 4 {
			t.Errorf("got %+v, want four lines, exit 124", got)
		}
	})
}

func TestBatchStopOnError(t *testing.T) {
	w := newX(t)
	okay, fails := `{"toolkit":"x","tool":"t"}`, `{"toolkit":"x","tool":"fail","input":{"code":"NOT_FOUND"}}`
	for what, bad := range map[string]string{"a call": fails, "a line": "nonsense", "a toolkit": `{"argv":["nosuch"]}`} {
		got := w.batch([]string{okay, okay, bad, okay, okay}, "--stop-on-error")
		if lines := strings.Split(got.stdout, "\n"); got.exit == 0 || len(lines) != 4 || lines[0] != ok("{}") || lines[1] != ok("{}") {
			t.Errorf("%s: %+v, want three answers", what, got)
		}
	}
	if got := w.batch([]string{okay, fails, okay}); got.exit != 3 || strings.Count(got.stdout, "\n") != 3 {
		t.Errorf("control: without --stop-on-error %+v, want three answers, exit 3", got)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		lines := append([]string{`{"argv":["x","slow","--ms","5000"]}`, `{"argv":["x","slow","--ms","9000"]}`, fails}, slices.Repeat([]string{okay}, 9)...)
		got := w.batch(lines, "--stop-on-error", "--parallel", "3")
		if answers := strings.Split(got.stdout, "\n"); len(answers) != 4 || answers[0] != ok(`"done"`) || answers[1] != ok(`"done"`) || got.exit != 3 {
			t.Errorf("with others running: %+v, want their answers and no more", got)
		}
	})
}

// endless is a stdin that has the same line again and again, and counts them.
type endless struct {
	line string
	read atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for len(p)-n >= len(e.line) {
		n += copy(p[n:], e.line)
		e.read.Add(1)
	}
	return n, nil
}

// Behind a slow line a bounded number of answers waits, and stdin is not read on;
// short ones are bounded by their number, long ones by their bytes.
func TestBatchWaitsForASlowLine(t *testing.T) {
	for name, row := range map[string]struct{ bytes, most int64 }{"short": {1, 2*16 - 1}, "long": {4 << 20, 4}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int64
				release := make(chan struct{})
				kit := &toolkit.Toolkit{Name: "k", Timeout: time.Hour, Tools: []toolkit.Tool{
					toolkit.Func(toolkit.Spec{Name: "slow"}, func(context.Context, struct{}) (int, error) { <-release; return 0, nil }),
					toolkit.Func(toolkit.Spec{Name: "quick"}, func(context.Context, struct{}) (string, error) {
						ran.Add(1)
						return strings.Repeat("a", int(row.bytes)), nil
					}),
				}}
				w := newWorld(t, kit)
				rest := &endless{line: "{\"toolkit\":\"k\",\"tool\":\"quick\"}\n"}
				var stdout bytes.Buffer
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan int)
				go func() {
					done <- shim.Run(ctx, &shim.Process{
						Args:  []string{"agentos", "batch", "--parallel", "2"},
						Stdin: io.MultiReader(strings.NewReader("{\"toolkit\":\"k\",\"tool\":\"slow\"}\n"), rest), Stdout: &stdout, Stderr: io.Discard,
						ReadFile: os.ReadFile, Env: func(string) (string, bool) { return "", false }, Dial: w.host.Dialer("g"),
					})
				}()
				synctest.Wait()
				if n := ran.Load(); n != row.most {
					t.Errorf("%d lines ran, want %d", n, row.most)
				}
				if n := rest.read.Load(); n > row.most+3*64<<10/int64(len(rest.line)) {
					t.Errorf("%d lines were read", n)
				}
				if stdout.Len() > 0 {
					t.Errorf("printed %.300s before the first line's turn", stdout.String())
				}
				cancel()
				close(release)
				<-done
			})
		})
	}
}

// Notes name the line that they are about.
func TestBatchNotes(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "k", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(ctx context.Context, _ struct{}) (int, error) {
		toolkit.Progress(ctx, "half\ndone")
		return 1, nil
	})}}
	w := newWorld(t, kit)
	got := w.batch([]string{"", `{"toolkit":"k","tool":"run"}`, `{"argv":["k","run"]}`})
	if want := "agentos: line 2: half done\nagentos: line 3: half done\n"; got.stderr != want || got.exit != 0 {
		t.Errorf("stderr %q, exit %d, want %q", got.stderr, got.exit, want)
	}
	w.env["AGENTOS_LOG"] = "debug"
	if got := w.batch([]string{"", `{"toolkit":"k","tool":"run"}`}, "--parallel", "3"); !strings.Contains(got.stderr, "agentos: line 2: call ") {
		t.Errorf("stderr %q, want the call", got.stderr)
	}
}

// What a host says of its limits is the line's answer.
func TestBatchPrintsBusy(t *testing.T) {
	kit, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}, Limits: &host.Limits{CallRate: host.Rate{PerSecond: 0.001, Burst: 3}}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	w := &world{t: t, host: h, env: map[string]string{}}
	got := w.batch(slices.Repeat([]string{`{"toolkit":"x","tool":"t"}`}, 5))
	lines := strings.Split(got.stdout, "\n")
	if got.exit != 75 || lines[2] != ok("{}") || !strings.HasPrefix(lines[3], `{"ok":false,"error":"BUSY"`) || !strings.Contains(lines[4], "call_rate") {
		t.Errorf("got %+v, want three results and two BUSY", got)
	}
}

// A stdout that takes nothing more stops the batch, and stderr tells of what has run.
func TestBatchOutputErrors(t *testing.T) {
	w := newX(t)
	w.stdout = &fullWriter{room: 1}
	got := w.batch(slices.Repeat([]string{`{"argv":["x","write"]}`}, 9))
	if got.exit != 74 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, `"error":"OUTPUT_ERROR"`) || !strings.Contains(got.stderr, `"call":"`) {
		t.Errorf("got %+v, want one OUTPUT_ERROR with the call on stderr, exit 74", got)
	}
	if again := newX(t).batch([]string{`{"argv":["x","write"]}`}); again.stdout != ok("1")+"\n" {
		t.Errorf("control: %+v", again)
	}
	w.stdout = nil
	if after := w.batch([]string{`{"argv":["x","write"]}`}); after.stdout != ok("3")+"\n" {
		t.Errorf("got %+v, want the third run: two had begun", after)
	}
}

// fullWriter takes so many writes.
type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.room--; w.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// moving is a dialer that leads to one host after another.
type moving struct {
	mu    sync.Mutex // guards the rest
	dial  guest.DialFunc
	conns []net.Conn
}

// Dial connects with the host that is there now.
func (m *moving) Dial(ctx context.Context) (net.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dial == nil {
		return nil, errors.New("nobody there")
	}
	conn, err := m.dial(ctx)
	m.conns = append(m.conns, conn)
	return conn, err
}

// move ends all connections, as a host does that is killed, and leads to another.
func (m *moving) move(dial guest.DialFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dial = dial
	for _, conn := range m.conns {
		conn.Close()
	}
	m.conns = nil
}

// restarting is a toolkit whose tool "run" takes a while and whose tool "restart"
// never ends by itself; its definition is another one in each life.
func restarting(life int, started chan<- struct{}) *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "k", Summary: fmt.Sprintf("Life %d", life), Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "run"}, func(context.Context, struct{}) (int, error) { return life, nil }),
		toolkit.Func(toolkit.Spec{Name: "restart"}, func(ctx context.Context, _ struct{}) (int, error) {
			started <- struct{}{}
			<-ctx.Done()
			return 0, ctx.Err()
		}),
	}}
}

// When the host restarts, what was running is unknown and everything else goes on,
// by the new host's definitions.
func TestBatchGoesOnAfterARestart(t *testing.T) {
	const at = 8 // the line that is running when the host ends
	for _, parallel := range []int{1, 4} {
		started := make(chan struct{})
		first, second := newWorld(t, restarting(1, started)), newWorld(t, restarting(2, started))
		hosts := &moving{dial: first.host.Dialer("g")}
		first.dial = hosts.Dial
		go func() { // ends with started
			<-started
			hosts.move(second.host.Dialer("g"))
		}()
		var lines []string
		for range 50 {
			lines = append(lines, `{"toolkit":"k","tool":"run"}`, `{"argv":["k","run"]}`)
		}
		lines[at] = `{"toolkit":"k","tool":"restart"}`
		got := first.batch(lines, "--parallel", strconv.Itoa(parallel))
		answers := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
		if len(answers) != len(lines) || got.exit != 76 {
			t.Fatalf("--parallel %d: exit %d, %d answers to %d lines\n%s", parallel, got.exit, len(answers), len(lines), got.stdout)
		}
		unknown := 0
		for i, answer := range answers {
			switch {
			case strings.HasPrefix(answer, `{"ok":false,"error":"OUTCOME_UNKNOWN"`):
				unknown++
			case answer != ok("2") && (answer != ok("1") || i > at+windowed(parallel)):
				t.Errorf("--parallel %d: line %d is answered %s", parallel, i+1, answer)
			}
		}
		if unknown < 1 || unknown > parallel || !strings.Contains(answers[at], "OUTCOME_UNKNOWN") || answers[len(answers)-1] != ok("2") {
			t.Errorf("--parallel %d: %d unknown\n%s\nwant what ran, and the second host's answer at the end", parallel, unknown, got.stdout)
		}
	}
}

// windowed is how far behind a slow line others may have run.
func windowed(parallel int) int {
	if parallel == 1 {
		return 0
	}
	return 16 * parallel
}

// A host that is not there is waited for once, not for each of the lines, and found
// when it comes.
func TestBatchWithoutAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		hosts := &moving{}
		w.dial = hosts.Dial
		start := time.Now()
		got := w.batch(slices.Repeat([]string{`{"toolkit":"x","tool":"t"}`}, 5000), "--parallel", "3")
		if took := time.Since(start); strings.Count(got.stdout, `{"ok":false,"error":"HOST_UNREACHABLE"`) != 5000 || got.exit != 69 || took > 3*time.Second {
			t.Errorf("exit %d after %s, %.300s, want 5000 times HOST_UNREACHABLE within 3 s", got.exit, took, got.stdout)
		}

		lines, slow := io.Pipe()
		w.stdin = lines
		go func() { // ends with stdin
			line := "{\"toolkit\":\"x\",\"tool\":\"t\"}\n"
			_, _ = io.WriteString(slow, line)
			time.Sleep(10 * time.Second)
			hosts.move(w.host.Dialer("g"))
			_, _ = io.WriteString(slow, line)
			slow.Close()
		}()
		got = w.line("agentos batch")
		if answers := strings.Split(got.stdout, "\n"); len(answers) != 3 || !strings.Contains(answers[0], "HOST_UNREACHABLE") || answers[1] != ok("{}") {
			t.Errorf("got %+v, want the second line answered", got)
		}
	})
}

// Cancelling ends what runs, prints its outcomes in order and begins nothing more.
func TestBatchIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		stdin, write := io.Pipe()
		var stdout bytes.Buffer
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan int)
		go func() {
			done <- shim.Run(ctx, &shim.Process{
				Args: []string{"agentos", "batch", "--parallel", "2"}, Stdin: stdin, Stdout: &stdout, Stderr: io.Discard,
				ReadFile: os.ReadFile, Env: func(string) (string, bool) { return "", false }, Dial: w.host.Dialer("g"),
			})
		}()
		for _, line := range []string{`{"toolkit":"x","tool":"t"}`, `{"argv":["x","slow","--ms","60000"]}`, `{"argv":["x","slow","--ms","60000"]}`, `{"toolkit":"x","tool":"t"}`} {
			_, _ = io.WriteString(write, line+"\n")
		}
		synctest.Wait()
		cancel(errors.New("interrupt"))
		exit := <-done
		write.Close()
		answers := strings.Split(stdout.String(), "\n")
		if exit != 130 || len(answers) != 4 || answers[0] != ok("{}") {
			t.Fatalf("exit %d, %s, want three answers, exit 130", exit, stdout.String())
		}
		for _, answer := range answers[1:3] {
			if !strings.HasPrefix(answer, `{"ok":false,"error":"CANCELLED"`) {
				t.Errorf("got %s, want CANCELLED", answer)
			}
		}
	})
}

// Thousands of lines of a toolkit that is too large to be presented whole ask for
// its commands once each.
func TestBatchOfALargeToolkit(t *testing.T) {
	type args struct {
		N int `json:"n,omitempty" help:"A number"`
	}
	kit := &toolkit.Toolkit{Name: "k"}
	for i := range 400 {
		spec := toolkit.Spec{Name: fmt.Sprintf("tool%d", i), Summary: strings.Repeat("word ", 30), Aliases: nil}
		kit.Tools = append(kit.Tools, toolkit.Func(spec, func(_ context.Context, in args) (int, error) { return in.N, nil }))
	}
	w := newWorld(t, kit)
	var lines []string
	want := ""
	for n := range 200 {
		lines = append(lines, fmt.Sprintf(`{"argv":["k","tool%d","--n","%d"]}`, n%5, n), fmt.Sprintf(`{"toolkit":"k","tool":"tool%d","input":{"n":%d}}`, n%5, n))
		want += strings.Repeat(ok(strconv.Itoa(n))+"\n", 2)
	}
	w.want(w.batch(lines, "--parallel", "4"), 0, want)
}
