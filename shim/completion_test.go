package shim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// paint has values that a shell would read as something else, and must never be
// called.
func paint(t testing.TB) *toolkit.Toolkit {
	t.Helper()
	def, err := toolkit.ParseDefinition([]byte(`{"name": "paint", "summary": "Paint: 'shapes' [and] \"more\"", "commands": [
		{"name": "fill", "summary": "Fill a shape", "body": {
			"positionals": [{"name": "shape", "schema": {"type": "string", "enum": ["circle", "square"]}, "required": true}],
			"options": [
				{"name": "color", "help": "What with", "schema": {"type": "string", "enum": ["red", "dark red", "dark green", "$(touch pwned)", "a:b", "a:c"]}},
				{"name": "layer", "schema": {"type": "string"}}
			],
			"flags": [{"name": "wet", "help": "Do not dry it"}]
		}},
		{"name": "undo", "summary": "Undo the last step", "commands": [{"name": "all", "summary": "Undo all", "body": {}}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	return toolkit.FromDefinition(def, func(context.Context, *toolkit.Invocation) (json.RawMessage, error) {
		t.Error("a tool was called")
		return nil, nil
	})
}

// completions are what is suggested for a line whose last word is typed so far.
func completions(t *testing.T, run func(words ...string) output, line string) string {
	t.Helper()
	got := run(append([]string{"agentos", "__complete"}, strings.Split(line, " ")...)...)
	if got.exit != 0 || got.stderr != "" {
		t.Errorf("%q: exit %d, stderr %q, want neither", line, got.exit, got.stderr)
	}
	var found []string
	for suggestion := range strings.Lines(got.stdout) {
		word, _, _ := strings.Cut(suggestion, "\t")
		found = append(found, word)
	}
	return strings.Join(found, "|")
}

func TestCompletion(t *testing.T) {
	w := newWorld(t, append(fixture.Kits(), paint(t))...)
	for _, row := range []struct{ line, want string }{
		// The words of a toolkit, in each of its forms.
		{"agentos-paint ", "fill|undo"},
		{"agentos-paint f", "fill"},
		{"/usr/local/bin/agentos-paint fill ", "circle|square"},
		{"agentos-paint fill circle --", "--color|--layer|--wet|--no-wet|--help|--version|--json|--json-file|--output|--timeout|--field|--result-file|--inline-limit|--call-id|--dry-run"},
		{"agentos-paint fill --color r", "red"},
		{"agentos-paint fill --color='dark", "--color=dark red|--color=dark green"},
		{"agentos-paint fill --color \"dark", "dark red|dark green"},
		{"agentos-paint undo ", "all"},
		{"agentos paint fill --color r", "red"},
		{"agentos call paint fill --color r", "red"},
		{"agentos-weather forecast --city Paris ", "--days"},
		{"agentos-nosuch ", ""},
		{"agentos nosuch ", ""},
		{"agentos-paint nosuch ", ""},

		// The words of agentos itself.
		{"agentos c", "call|calls|completion"},
		{"agentos m", "math"},
		{"agentos completion ", "bash|zsh|fish"},
		{"agentos completion z", "zsh"},
		{"agentos --", "--help|--version"},
		{"agentos list-tools ", "math|paint|text|weather"},
		{"agentos list-tools --j", "--json|--json-file"},
		{"agentos ls p", "paint"},
		{"agentos list-tools --json w", "weather"},
		{"agentos list-tools weather --j", "--json|--json-file"},
		{"agentos call ", "math|paint|text|weather"},
		{"agentos help p", "prompt|proxy|paint"},
		{"agentos help paint ", "fill|undo"},
		{"agentos help paint undo ", "all"},
		{"agentos describe paint f", "fill"},
		{"agentos describe paint fill ", ""},
		{"agentos prompt --b", "--budget"},
	} {
		if got := completions(t, w.run, row.line); got != row.want {
			t.Errorf("%q\n got %s\nwant %s", row.line, got, row.want)
		}
	}
	for _, line := range []string{"agentos __complete", "agentos __complete agentos-paint"} {
		w.want(w.line(line), 0, "")
	}
	if got := w.line("agentos --help").stdout; strings.Contains(got, "__") {
		t.Errorf("help shows what is for scripts alone:\n%s", got)
	}
}

func TestCompletionSaysWhatWordsMean(t *testing.T) {
	w := newWorld(t, paint(t))
	w.want(w.run("agentos", "__complete", "agentos-paint", "fill", "--w"), 0, "--wet\tDo not dry it\n")
	w.want(w.run("agentos", "__complete", "agentos-paint", "fill", "--color", `dark\ `), 0, "dark red\t\ndark green\t\n")
	w.want(w.run("agentos", "__complete", "agentos", "pa"), 0, "paint\tPaint: 'shapes' [and] \"more\"\n")
}

// A toolkit too large to send whole is completed all the same.
func TestCompletionOfALargeToolkit(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "large"}
	for i := range 300 {
		kit.Tools = append(kit.Tools, toolkit.Func(toolkit.Spec{Name: fmt.Sprintf("tool%03d", i), Description: strings.Repeat("long ", 100)},
			func(_ context.Context, _ struct {
				Mode string `json:"mode" validate:"oneof=fast safe"`
			}) (toolkit.None, error) {
				return toolkit.None{}, nil
			}))
	}
	w := newWorld(t, kit)
	for line, want := range map[string]string{
		"agentos-large tool29":          "tool290|tool291|tool292|tool293|tool294|tool295|tool296|tool297|tool298|tool299",
		"agentos-large tool007 --mode ": "fast|safe",
	} {
		if got := completions(t, w.run, line); got != want {
			t.Errorf("%q\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestCompletionWithoutAHost(t *testing.T) {
	w := newWorld(t, append(fixture.Kits(), paint(t))...)
	s := w.install(false)
	s.env["AGENTOS_LOG"] = "debug" // not on a half-typed line
	for _, line := range []string{"agentos ", "agentos-paint ", "agentos-paint fill --color ", "agentos help paint ", "agentos call p"} {
		if got, want := completions(t, s.run, line), completions(t, w.run, line); got != want || got == "" {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	bare := w.install(true)
	bare.env = map[string]string{"AGENTOS_DIAL_WAIT": "nonsense"}
	for line, want := range map[string]string{"agentos-paint ": "", "agentos ls ": "", "agentos comp": "completion", "agentos help paint ": ""} {
		if got := completions(t, bare.run, line); got != want {
			t.Errorf("%q with nothing installed: got %q, want %q", line, got, want)
		}
	}
}

// Nobody waits for completions, whatever the host does not do.
func TestCompletionTakesTwoSecondsAtMost(t *testing.T) {
	silent := func(context.Context) (net.Conn, error) {
		conn, other := net.Pipe()
		go io.Copy(io.Discard, other) // ends when the shim closes the connection
		return conn, nil
	}
	for _, shared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newWorld(t, paint(t)).install(shared)
			s.dial, s.env = silent, nil
			start := time.Now()
			got := completions(t, s.run, "agentos-paint ")
			if waited := time.Since(start); waited != 2*time.Second || (got == "") != shared {
				t.Errorf("got %q after %s, want the installed commands (%v) after two seconds", got, waited, !shared)
			}
			s.dial = nobody
			start = time.Now()
			completions(t, s.run, "agentos-paint ")
			if waited := time.Since(start); waited > 250*time.Millisecond {
				t.Errorf("without a host: %s, want 250ms at most", waited)
			}
		})
	}
}

func TestCompletionScripts(t *testing.T) {
	w := newWorld(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := w.line("agentos completion " + shell)
		if got.exit != 0 || !strings.HasPrefix(got.stdout, "# Completion of agentos and agentos-NAME in "+shell) || got.stderr != "" {
			t.Errorf("%s: %+v, want a script", shell, got)
		}
	}
	w.wantFailure(w.line("agentos completion tcsh"), 2, "USAGE_ERROR", "tcsh", "bash, zsh, fish")
	w.wantFailure(w.line("agentos completion"), 2, "VALIDATION_ERROR", "shell: required")
}

// FuzzCompletion completes lines of any bytes: no line is an error.
func FuzzCompletion(f *testing.F) {
	for _, seed := range []string{"agentos-paint\x00fill\x00--color\x00'dark", "agentos\x00call\x00paint\x00", "agentos\x00list-tools\x00", "\x00", "agentos-\x00\\", "agentos\x00-\x00"} {
		f.Add(seed)
	}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{paint(f)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { h.Close() })
	f.Fuzz(func(t *testing.T, line string) {
		w := &world{t: t, host: h}
		got := w.run(append([]string{"agentos", "__complete"}, strings.Split(line, "\x00")...)...)
		if got.exit != 0 || got.stderr != "" {
			t.Errorf("%q: %+v, want exit 0 and nothing on stderr", line, got)
		}
		for suggestion := range strings.Lines(got.stdout) {
			if strings.Count(suggestion, "\t") != 1 || strings.HasPrefix(suggestion, "\t") {
				t.Errorf("%q: %q is no word with its meaning", line, suggestion)
			}
		}
	})
}
