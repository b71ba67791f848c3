package shim_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

// world is a host in memory and the process that runs its commands.
type world struct {
	t    *testing.T
	host *host.Host
	env  map[string]string
	// stdin is nil for a terminal, stdout for a buffer that run returns.
	stdin  io.Reader
	stdout io.Writer
	// dial is nil for the host.
	dial guest.DialFunc
}

// output is what a command left behind.
type output struct {
	stdout, stderr string
	exit           int
}

func newWorld(t *testing.T, kits ...*toolkit.Toolkit) *world {
	t.Helper()
	h, err := host.New(&host.Options{Toolkits: kits, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("host.New: %v", err)
	}
	t.Cleanup(func() { h.Close() })
	return &world{t: t, host: h, env: map[string]string{}}
}

// run runs a command given as its words.
func (w *world) run(words ...string) output {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	var out io.Writer = &stdout
	if w.stdout != nil {
		out = w.stdout
	}
	dial := w.dial
	if dial == nil {
		dial = w.host.Dialer("g")
	}
	exit := shim.Run(w.t.Context(), &shim.Process{
		Args: words, Stdin: w.stdin, Stdout: out, Stderr: &stderr, ReadFile: os.ReadFile, ReadInstalled: shim.System().ReadInstalled, Root: w.t.TempDir(),
		Env:  func(name string) (string, bool) { value, ok := w.env[name]; return value, ok },
		Dial: dial,
	})
	return output{stdout.String(), stderr.String(), exit}
}

// line is run with a command of plain words.
func (w *world) line(command string) output { return w.run(strings.Fields(command)...) }

func (w *world) want(got output, exit int, stdout string) {
	w.t.Helper()
	if got.exit != exit || got.stdout != stdout {
		w.t.Errorf("exit %d, stdout %s, stderr %s\nwant exit %d, stdout %s", got.exit, got.stdout, got.stderr, exit, stdout)
	}
}

// wantFailure checks code, exit status and that stdout says all of it.
func (w *world) wantFailure(got output, exit int, code string, says ...string) {
	w.t.Helper()
	if got.exit != exit || !strings.HasPrefix(got.stdout, `{"ok":false,"error":"`+code+`","message":"`) {
		w.t.Errorf("exit %d, stdout %s, stderr %s\nwant exit %d and %s", got.exit, got.stdout, got.stderr, exit, code)
	}
	for _, want := range says {
		if !strings.Contains(got.stdout, want) {
			w.t.Errorf("stdout %s\nlacks %q", got.stdout, want)
		}
	}
}

func TestParity_Calls(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	file := filepath.Join(t.TempDir(), "in.json")
	if err := os.WriteFile(file, []byte(`{"a":2,"b":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const five = `{"ok":true,"result":{"sum":5}}` + "\n"
	w.want(w.line("agentos-math add --a 2 --b 3"), 0, five)
	w.want(w.line("/usr/local/bin/agentos-math add --a 2 --b 3"), 0, five)
	w.want(w.line(`agentos-math add --json {"a":2,"b":3}`), 0, five)
	w.want(w.line("agentos-math add --json-file "+file), 0, five)
	w.want(w.line("agentos math add --a 2 --b 3"), 0, five)
	w.want(w.line("agentos call math add --a 2 --b 3"), 0, five)
	t.Chdir(filepath.Dir(file))
	w.want(w.line("agentos-math add --json-file in.json"), 0, five)

	w.stdin = strings.NewReader(`{"city":"Paris"}`)
	w.want(w.line("agentos-weather forecast"), 0, `{"ok":true,"result":{"city":"Paris","days":3,"temperature":22}}`+"\n")
}

func TestParity_CallsThatFail(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	w.wantFailure(w.line("agentos whether forecast"), 127, "TOOLKIT_NOT_FOUND", "whether", "math, text, weather")
	w.wantFailure(w.line("agentos list-tool"), 127, "TOOLKIT_NOT_FOUND", `"hint":"agentos list-tools"`)
	w.wantFailure(w.line("agentos agentos-weather forecast"), 127, "TOOLKIT_NOT_FOUND", "Nearest: weather")
	w.wantFailure(w.line("agentos-weather forcast --city Paris"), 2, "TOOL_NOT_FOUND", "forcast", "forecast")
	w.wantFailure(w.line("agentos-math add"), 2, "VALIDATION_ERROR", "a: required", "b: required")
	w.wantFailure(w.line("agentos-weather forecast --city Atlantis"), 3, "NOT_FOUND", "no such city: Atlantis")
	w.wantFailure(w.line("agentos-weather forecast --city Paris --days 17"), 2, "VALIDATION_ERROR", "days", "16", "17")
	w.wantFailure(w.line("agentos-weather forecast --city Paris --json-file /nosuch"), 2, "USAGE_ERROR", "/nosuch")
}

func TestParity_HostUnreachable(t *testing.T) {
	w := newWorld(t)
	run := func(env map[string]string) output {
		var stdout, stderr bytes.Buffer
		exit := shim.Run(t.Context(), &shim.Process{
			Args: []string{"agentos-math", "add"}, Stdout: &stdout, Stderr: &stderr, ReadFile: os.ReadFile, ReadInstalled: shim.System().ReadInstalled, Root: t.TempDir(),
			Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		})
		return output{stdout.String(), stderr.String(), exit}
	}
	w.wantFailure(run(nil), 69, "HOST_UNREACHABLE", "AGENTOS_ADDR", "no default")
	nobody := "unix://" + filepath.Join(t.TempDir(), "nobody.sock")
	w.wantFailure(run(map[string]string{"AGENTOS_ADDR": nobody, "AGENTOS_DIAL_WAIT": "10ms"}), 69, "HOST_UNREACHABLE", nobody, "10ms")
	w.wantFailure(run(map[string]string{"AGENTOS_ADDR": "vsock://:5000"}), 69, "HOST_UNREACHABLE", "vsock://:5000")
	w.wantFailure(run(map[string]string{"AGENTOS_ADDR": nobody, "AGENTOS_DIAL_WAIT": "soon"}), 2, "USAGE_ERROR", "AGENTOS_DIAL_WAIT", "soon")
}

func TestParity_Discovery(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	for _, line := range []string{
		"agentos", "agentos --help", "agentos -h", "agentos help", "agentos list-tools", "agentos tools", "agentos ls", "agentos list-tools text",
		"agentos-math --help", "agentos-text upper --help", "agentos-text --help upper", "agentos-text upper --input x --help",
		"agentos help text upper", "agentos-text help upper", "agentos help list-tools", "agentos list-tools --help",
	} {
		if got := w.line(line); got.exit != 0 || got.stdout == "" || got.stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want text on stdout and exit 0", line, got.exit, got.stdout, got.stderr)
		}
	}
	help := w.line("agentos-text upper --help").stdout
	for _, want := range []string{"--input <string>", "Text to change", "(required)", "--trim", "Remove white space", "--mode", "space", "newline", "none", "default"} {
		if !strings.Contains(help, want) {
			t.Errorf("help lacks %q:\n%s", want, help)
		}
	}
	list := w.line("agentos list-tools").stdout
	for _, want := range []string{"math — Arithmetic\n", "  forecast  --city <string> [--days <integer>]   Get the weather forecast for a city\n"} {
		if !strings.Contains(list, want) {
			t.Errorf("list lacks %q:\n%s", want, list)
		}
	}
}

func TestParity_DiscoveryAsJSON(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	w.want(w.line("agentos list-tools --json"), 0,
		`{"ok":true,"result":{"toolkits":[{"name":"math","description":"Arithmetic","tools":["add"]},{"name":"text","description":"Text tools","tools":["upper"]},{"name":"weather","description":"Weather data tools","tools":["forecast"]}]}}`+"\n")
	const weather = `{"ok":true,"result":{"name":"weather","description":"Weather data tools","tools":{"forecast":{"description":"Get the weather forecast for a city","flags":[{"flag":"--city","type":"string","required":true,"description":"City name"},{"flag":"--days","type":"integer","required":false,"description":"Number of days"}]}}}}` + "\n"
	w.want(w.line("agentos list-tools weather --json"), 0, weather)
	w.want(w.line("agentos-weather --help --json"), 0, weather)
	describe := w.line("agentos describe weather forecast")
	if same := w.line("agentos-weather forecast --help --json"); same != describe || describe.exit != 0 {
		t.Errorf("--help --json = %+v\ndescribe = %+v, want the same, exit 0", same, describe)
	}
	if !strings.HasPrefix(describe.stdout, `{"ok":true,"result":{"toolkit":"weather","tool":"forecast","summary":"Get the weather forecast for a city"`) {
		t.Errorf("describe = %s", describe.stdout)
	}
	w.wantFailure(w.line("agentos list-tools nosuch"), 127, "TOOLKIT_NOT_FOUND", "nosuch")
	w.wantFailure(w.line("agentos describe weather nosuch"), 2, "TOOL_NOT_FOUND", "nosuch", "forecast")
}

func TestParity_Prompt(t *testing.T) {
	if got := newWorld(t).line("agentos prompt"); got.exit != 0 || got.stdout != "" {
		t.Errorf("prompt without toolkits = %+v, want no text", got)
	}
	got := newWorld(t, fixture.Kits()...).line("agentos prompt").stdout
	for _, want := range []string{
		"## Host tools\n", "`agentos list-tools`", "--help", "### agentos-weather — Weather data tools\n",
		"- `agentos-weather forecast --city <string> [--days <integer>]` — Get the weather forecast for a city\n",
		"    3-day forecast for Paris: `agentos-weather forecast --city Paris --days 3`\n",
		"    Keep the spaces: `agentos-text upper --input ' hi ' --no-trim`\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("prompt lacks %q:\n%s", want, got)
		}
	}
}

func TestPromptKeepsItsBudget(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	if got := w.line("agentos prompt --help").stdout; !strings.Contains(got, "\n  agentos prompt --budget 1500\n") {
		t.Errorf("got\n%s\nwant an example of use", got)
	}
	for _, budget := range []int{32, 60, 119, 140, 150, 200, 1500} {
		got := w.line(fmt.Sprintf("agentos prompt --budget %d", budget))
		if got.exit != 0 || !strings.HasPrefix(got.stdout, "## Host tools\n") || len(got.stdout) > 4*budget {
			t.Errorf("within %d tokens: exit %d, %d bytes:\n%s", budget, got.exit, len(got.stdout), got.stdout)
		}
	}
	w.want(w.line("agentos prompt --budget 32"), 0, "## Host tools\nLeft out: 3 tools of 3 toolkits. `agentos search '<words>'` finds them.\n")
}

func TestWhatPromptCannotDo(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	w.wantFailure(w.line("agentos prompt --budget 99999999999999999999"), 2, "VALIDATION_ERROR", "budget", "1000000000")
	for _, budget := range []string{"31", "1", "0", "-1"} {
		w.wantFailure(w.line("agentos prompt --budget="+budget), 2, "VALIDATION_ERROR", "budget", "from 32 to")
	}
	w.wantFailure(w.run("agentos", "prompt", "--into", ""), 2, "VALIDATION_ERROR", "into")
}

func TestField(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	w.want(w.line("agentos-math add --a 1 --b 2 --field /sum"), 0, "3\n")
	w.want(w.line("agentos-weather forecast --city Paris --field /city"), 0, "Paris\n")
	w.want(w.line("agentos-math add --a 1 --b 2 --output result"), 0, `{"sum":3}`+"\n")
	got := w.line("agentos-math add --a 1 --b 2 --field /nosuch")
	if got.exit != 74 || got.stdout != "" || !strings.Contains(got.stderr, `"OUTPUT_ERROR"`) || !strings.Contains(got.stderr, "sum") {
		t.Errorf("a pointer to nothing = %+v, want OUTPUT_ERROR with the keys there, exit 74", got)
	}
	if got := w.line("agentos-math add --a 1 --b 2 --field sum"); got.exit != 2 || got.stdout != "" || !strings.Contains(got.stderr, `"USAGE_ERROR"`) {
		t.Errorf("a pointer without its slash = %+v, want USAGE_ERROR on stderr, exit 2", got)
	}
	if got := w.line("agentos list-tools --field /x"); got.exit != 2 {
		t.Errorf("--field of a list = %+v, want exit 2", got)
	}
}

func TestOutputResultKeepsStdoutEmptyOnFailure(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	for _, line := range []string{"agentos-weather forecast --city Atlantis --output result", "agentos whether forecast --output result", "agentos-math add --output text"} {
		if got := w.line(line); got.exit == 0 || got.stdout != "" || !strings.HasPrefix(got.stderr, `{"ok":false`) {
			t.Errorf("%s = %+v, want the envelope on stderr only", line, got)
		}
	}
}

// A host that is not the one it should be speaks to whoever reads what doctor says, and
// not to the terminal.
func TestSec_M05_Doctor(t *testing.T) {
	near, far := net.Pipe()
	host := wire.NewConn(far)
	go func() { // ends with the connection
		if _, err := host.Receive(); err == nil {
			_ = host.Send(&wire.Present{Version: 1, Error: &wire.Envelope{
				Code: "X", Message: "\x1b]0;owned\x07no\nok    the host answered", Hint: "\x9b2Jtry \x1b[31mthis",
			}})
		}
		_, _ = host.Receive()
	}()
	defer host.Close()
	var out bytes.Buffer
	exit := shim.Run(t.Context(), &shim.Process{
		Args: []string{"agentos", "doctor"}, Stdout: &out, Stderr: &out, Env: func(string) (string, bool) { return "", false },
		Dial: func(context.Context) (net.Conn, error) { return near, nil },
	})
	text := out.String()
	if exit == 0 || !strings.Contains(text, "no ok    the host answered") && !strings.Contains(text, "no ok the host answered") || strings.ContainsAny(text, "\x1b\x07\u009b") {
		t.Errorf("doctor = %d, %q; want what it was told on one line, without escapes", exit, text)
	}
}

func TestDoctor(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	if got := w.line("agentos doctor"); got.exit != 0 || !strings.Contains(got.stdout, "toolkits: 3") {
		t.Errorf("doctor = %+v, want exit 0 and 3 toolkits", got)
	}
	w.host.Close()
	w.env["AGENTOS_DIAL_WAIT"] = "10ms"
	if got := w.line("agentos doctor"); got.exit != 69 || !strings.Contains(got.stdout, "FAIL") {
		t.Errorf("doctor without a host = %+v, want exit 69 and FAIL", got)
	}
}
