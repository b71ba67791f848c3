package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

// sandbox is a guest that the toolkits were installed for, below a root of its
// own. Its way to a host is dial, which leads nowhere at first.
type sandbox struct {
	t     *testing.T
	root  string
	dial  guest.DialFunc
	env   map[string]string
	stdin io.Reader
}

var errNobody = errors.New("nobody listens")

func nobody(context.Context) (net.Conn, error) { return nil, errNobody }

// install is a sandbox for the toolkits of the world.
func (w *world) install(shared bool) *sandbox {
	w.t.Helper()
	s := &sandbox{t: w.t, root: w.t.TempDir(), dial: nobody, env: map[string]string{"AGENTOS_DIAL_WAIT": "10ms"}}
	_, err := guest.Install(s.root, w.host.Definitions(w.t.Context(), "g"), &guest.InstallOptions{
		Shim: strings.NewReader("the guest binary"), Addr: "vsock://2:5000", Shared: shared, Prompt: w.host.Prompt(w.t.Context(), "g", nil),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (s *sandbox) run(words ...string) output {
	var stdout, stderr bytes.Buffer
	exit := shim.Run(s.t.Context(), &shim.Process{
		Args: words, Stdin: s.stdin, Stdout: &stdout, Stderr: &stderr, ReadFile: os.ReadFile, ReadInstalled: shim.System().ReadInstalled, Root: s.root,
		Env:  func(name string) (string, bool) { value, ok := s.env[name]; return value, ok },
		Dial: s.dial,
	})
	return output{stdout.String(), stderr.String(), exit}
}

func (s *sandbox) line(command string) output { return s.run(strings.Fields(command)...) }

// unreachable checks that a command says nothing but that there is no host.
func (s *sandbox) unreachable(command string) {
	s.t.Helper()
	got := s.line(command)
	if got.exit != 69 || !strings.HasPrefix(got.stdout, `{"ok":false,"error":"HOST_UNREACHABLE"`) || got.stderr != "" {
		s.t.Errorf("%s: exit %d, stdout %s, stderr %s\nwant HOST_UNREACHABLE on stdout, exit 69", command, got.exit, got.stdout, got.stderr)
	}
}

// forms are the ways to ask about toolkits.
var forms = []string{
	"agentos-x --help", "agentos-x -h", "agentos-x help", "agentos-x t --help", "agentos-x t -h", "agentos-x --help t", "agentos-x help t",
	"agentos-x t --agentos:help", "agentos-x r --help", "agentos-x write --help", "agentos-x write -h", "agentos x t --help",
	"agentos x --help", "agentos call x t --help", "agentos call x write -h", "agentos help x", "agentos help x t", "agentos help x write",
	"agentos-x --help --json", "agentos-x t --help --json", "agentos describe x write",
	"agentos list-tools", "agentos tools", "agentos list-tools x", "agentos list-tools --json", "agentos list-tools x --json",
	"agentos prompt",
	"agentos-x --version", "agentos-x t --version", "agentos-x --agentos:version", "agentos x --version", "agentos call x --version",
}

// ownForms need no host.
var ownForms = []string{
	"agentos", "agentos --help", "agentos -h", "agentos help", "agentos help call", "agentos list-tools --help", "agentos list-tools -h",
	"agentos help list-tools", "agentos call --help", "agentos version", "agentos --version",
}

func TestCase_B032(t *testing.T) {
	w := newX(t)
	for _, form := range append(forms, ownForms...) {
		if got := w.line(form); got.exit != 0 || got.stdout == "" || got.stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want text on stdout and exit 0", form, got.exit, got.stdout, got.stderr)
		}
	}
	w.want(w.line("agentos-x write"), 0, `{"ok":true,"result":1}`+"\n") // none of them called it
}

func TestCase_B032_WithoutAHost(t *testing.T) {
	w := newX(t)
	s := w.install(false)
	for _, form := range forms {
		w.same(s, form, 0)
	}
	for _, form := range ownForms {
		if got := s.line(form); got.exit != 0 || got.stdout == "" || got.stderr != "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want text on stdout alone", form, got.exit, got.stdout, got.stderr)
		}
	}
}

// same checks that the command says the same without a host, and on stderr where
// it is from.
func (w *world) same(s *sandbox, command string, exit int) {
	w.t.Helper()
	want, got := w.line(command), s.line(command)
	if want.exit != exit || got.exit != exit || got.stdout != want.stdout {
		w.t.Errorf("%s without a host: exit %d, stdout\n%s\nwith one: exit %d, stdout\n%s\nwant the same, exit %d", command, got.exit, got.stdout, want.exit, want.stdout, exit)
	}
	if !strings.HasPrefix(got.stderr, "agentos: the host cannot be reached") || strings.Count(got.stderr, "\n") != 1 {
		w.t.Errorf("%s: stderr %q, want one line that says so", command, got.stderr)
	}
}

// What is wrong with a line that calls nothing does not need a host either.
func TestOfflineMistakes(t *testing.T) {
	w := newWorld(t, paint(t))
	s := w.install(false)
	for _, line := range []string{
		"agentos-paint", "agentos paint", "agentos-paint undo", "agentos paint undo", // a tool is missing
	} {
		w.same(s, line, 2)
	}
}

// What only the host can do is not done without it.
func TestSearchAndBudgetsNeedTheHost(t *testing.T) {
	w := newX(t)
	s := w.install(false)
	for _, line := range []string{"agentos search echo", "agentos search echo --json", "agentos prompt --budget 100"} {
		if got := w.line(line); got.exit != 0 || got.stdout == "" { // the control
			t.Errorf("%s with a host: %+v, want an answer", line, got)
		}
		s.unreachable(line)
	}
}

func TestOfflineVersion(t *testing.T) {
	def, err := toolkit.ParseDefinition([]byte(`{"name": "solo", "version": "1.2.3", "body": {"options": [{"name": "s", "schema": {"type": "string"}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, toolkit.FromDefinition(def, func(context.Context, *toolkit.Invocation) (json.RawMessage, error) {
		t.Error("the tool was called")
		return nil, nil
	}))
	s := w.install(false)
	w.same(s, "agentos-solo --version", 0)
	w.want(s.line("agentos solo --version"), 0, "agentos solo 1.2.3\n")
	// Without a word a toolkit that is a tool itself is called.
	for _, line := range []string{"agentos-solo", "agentos solo", "agentos-solo --s=--version", "agentos-solo -- --version"} {
		s.unreachable(line)
	}
}

// A tool that the definitions do not have is the usual error. A toolkit may have
// come since, so that only the host knows.
func TestOfflineHelpOfWhatIsNotInstalled(t *testing.T) {
	w := newX(t)
	s := w.install(false)
	for _, line := range []string{"agentos-x nosuch --help", "agentos help x nosuch", "agentos describe x nosuch"} {
		got := s.line(line)
		w.wantFailure(got, 2, "TOOL_NOT_FOUND", "nosuch", "Available")
		if !strings.Contains(got.stderr, "cannot be reached") {
			t.Errorf("%s: stderr %q, want it to say where this is from", line, got.stderr)
		}
	}
	for _, line := range []string{"agentos-new t --help", "agentos help new", "agentos describe new t", "agentos list-tools new", "agentos new --help"} {
		s.unreachable(line)
	}
}

// unread is a stdin that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("stdin was read")
	return 0, io.EOF
}

func TestInstalledDefinitionsCallNothing(t *testing.T) {
	s := newX(t).install(false)
	s.stdin = unread{t}
	for _, line := range []string{
		"agentos-x write", "agentos-x r", "agentos-x t --n 1", "agentos call x write", "agentos x write", "agentos-x nosuch", "agentos-new", "agentos-new --version",
		"agentos-x t --json -", "agentos-x t --s -h", "agentos-x t --s=--help", "agentos-x t --n --help", "agentos-x t -- --help", "agentos prompt --into /nowhere",
	} {
		s.unreachable(line)
	}
	if got := s.line("agentos doctor"); got.exit != 69 {
		t.Errorf("doctor: %+v, want exit 69", got)
	}
}

func TestASharedImageHasNoOfflineHelp(t *testing.T) {
	s := newX(t).install(true)
	for _, form := range forms {
		s.unreachable(form)
	}
}

// Whatever is in the file: without definitions there is no help.
func TestInstalledDefinitionsThatCannotBeRead(t *testing.T) {
	s := newX(t).install(false)
	file := filepath.Join(s.root, guest.DefinitionsPath)
	for name, data := range map[string]string{
		"no JSON": "x", "cut": `[{"name":"x"`, "a name twice": `[{"name":"x","name":"x"}]`, "not a list": `{"name":"x"}`,
		"null": `[null]`, "other types": `[{"name":1}]`, "invalid UTF-8": "[{\"name\":\"\xff\"}]", "too long": "[" + strings.Repeat(" ", 16<<20) + "]",
	} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		s.env["AGENTOS_LOG"] = ""
		for _, line := range []string{"agentos-x --help", "agentos-x", "agentos x --version", "agentos list-tools", "agentos help x"} {
			s.unreachable(line)
			if got := s.line(line).stdout; !strings.Contains(got, "; the definitions that are installed here cannot be read either: read /etc/agentos/definitions.json: ") {
				t.Errorf("%s: %s: stdout %s, want why there is no help", name, line, got)
			}
		}
		s.unreachable("agentos-x write")
		if got := s.line("agentos-x write").stdout; strings.Contains(got, "definitions") {
			t.Errorf("%s: a call says %s, which has nothing to do with definitions", name, got)
		}
		s.env["AGENTOS_LOG"] = "debug"
		if got := s.line("agentos list-tools"); !strings.Contains(got.stderr, "no installed definitions: read /etc/agentos/definitions.json: ") {
			t.Errorf("%s: stderr %q, want the reason on request", name, got.stderr)
		}
	}
}

// Help does not wait for a host that is not there, unless it has to; a call does.
func TestOfflineHelpWaitsBriefly(t *testing.T) {
	hanging := func(ctx context.Context) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	closing := func(context.Context) (net.Conn, error) {
		conn, other := net.Pipe()
		other.Close()
		return conn, nil
	}
	silent := func(context.Context) (net.Conn, error) {
		conn, other := net.Pipe()
		go io.Copy(io.Discard, other) // ends when the shim closes the connection
		return conn, nil
	}
	const brief, whole, total = 250 * time.Millisecond, 2 * time.Second, 2250 * time.Millisecond
	for _, row := range []struct {
		name   string
		dial   guest.DialFunc
		shared bool
		line   string
		exit   int
		most   time.Duration
	}{
		{"refused", nobody, false, "agentos-x t --help", 0, brief},
		{"refused", nobody, false, "agentos list-tools", 0, brief},
		{"no answer to a dial", hanging, false, "agentos-x t --help", 0, brief},
		{"refused", nobody, false, "agentos prompt", 0, brief},
		{"refused", nobody, false, "agentos-x --version", 0, brief},
		{"refused", nobody, false, "agentos-x", 2, brief},
		{"closed at once", closing, false, "agentos-x t --help", 0, brief},
		{"closed at once", closing, false, "agentos help x", 0, brief},
		{"no answer to a question", silent, false, "agentos-x t --help", 0, whole},
		{"nothing installed", nobody, true, "agentos-x t --help", 69, total},
		{"nothing installed", nobody, true, "agentos list-tools", 69, total},
		{"nothing installed", nobody, true, "agentos-x", 69, total},
		{"a file to be written", nobody, false, "agentos prompt --into /nowhere", 69, whole},
		{"help that is a value", nobody, false, "agentos-x t --s -h", 69, total},
		{"a call", nobody, false, "agentos-x write", 69, whole},
	} {
		t.Run(row.name+"/"+row.line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newX(t).install(row.shared)
				s.dial, s.env = row.dial, nil
				start := time.Now()
				got := s.line(row.line)
				// The last pause between two attempts is cut by the end of the wait.
				if waited := time.Since(start); got.exit != row.exit || waited > row.most || waited < row.most-time.Second/2 {
					t.Errorf("exit %d after %s, want %d after %s: %+v", got.exit, waited, row.exit, row.most, got)
				}
			})
		})
	}
}

// A host that comes late is better than definitions, where a call or a line
// without installed help waits for it.
func TestALateHostIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		s := w.install(true)
		start, real := time.Now(), w.host.Dialer("g")
		s.env = nil
		s.dial = func(ctx context.Context) (net.Conn, error) {
			if time.Since(start) < time.Second {
				return nil, errNobody
			}
			return real(ctx)
		}
		if got := s.line("agentos-x t --help"); got.exit != 0 || !strings.HasPrefix(got.stdout, "Echo the input\n") || got.stderr != "" {
			t.Errorf("%+v, want the help from the host", got)
		}
	})
}
