package toolkittest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
	"mvdan.cc/sh/v3/shell"
)

// Guest is what a command finds around it. The zero Guest has a terminal for
// stdin, no variables and no files.
type Guest struct {
	// Stdin is what is piped into the command; nil means a terminal at which nobody
	// is. A tool with a stdin slot that is not required goes without it then.
	Stdin io.Reader
	// Env are the variables, by name.
	Env map[string]string
	// Files are the files that a toolkit.File and options such as --json-file can
	// read, by the name that the command line gives them.
	Files map[string]string
	// Labels are the guest's, for handlers that look at them.
	Labels map[string]string
}

// Output is what a command left behind. Bytes that a tool streams are in Stdout
// and Stderr as they are.
type Output struct {
	Stdout string
	Stderr string
	Exit   int
	// Files are the files that the tool wrote by a toolkit.OutFile, by name; none if
	// the command failed.
	Files map[string]string

	t    testing.TB
	line string
}

// Run runs a command of the toolkit in an empty Guest. The line is what follows
// agentos-NAME, quoted as for a shell.
func Run(t testing.TB, kit *toolkit.Toolkit, line string) *Output {
	t.Helper()
	return (&Guest{}).Run(t, kit, line)
}

// Run runs a command of the toolkit in this guest. A toolkit with mistakes in
// its definition fails the test.
func (g *Guest) Run(t testing.TB, kit *toolkit.Toolkit, line string) *Output {
	t.Helper()
	words, err := shell.Fields(line, func(name string) string { return g.Env[name] })
	if err != nil {
		t.Fatalf("split %q: %v", line, err)
	}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatalf("toolkit: %v", err)
	}
	defer h.Close()
	if err := h.AddGuest(t.Context(), host.Guest{ID: "test", Labels: g.Labels}); err != nil {
		t.Fatalf("add guest: %v", err)
	}
	out := &Output{t: t, line: line}
	var stdout, stderr bytes.Buffer
	written := map[string]*bytes.Buffer{}
	out.Exit = shim.Run(t.Context(), &shim.Process{
		Args: append([]string{"agentos-" + kit.Name}, words...), Env: g.lookup, ReadFile: g.readFile,
		CreateFile: func(path string) io.Writer {
			written[path] = &bytes.Buffer{}
			return written[path]
		},
		Stdin: g.Stdin, Stdout: &stdout, Stderr: &stderr, Input: g.input(), Root: "/", Dial: h.Dialer("test"),
	})
	out.Stdout, out.Stderr = stdout.String(), stderr.String()
	if out.Exit == 0 {
		out.Files = contents(written)
	}
	return out
}

// input is stdin also where it is a terminal: one that has ended.
func (g *Guest) input() io.Reader {
	if g.Stdin == nil {
		return strings.NewReader("")
	}
	return g.Stdin
}

// contents are the texts of files.
func contents(files map[string]*bytes.Buffer) map[string]string {
	texts := map[string]string{}
	for name, text := range files {
		texts[name] = text.String()
	}
	return texts
}

func (g *Guest) lookup(name string) (string, bool) {
	value, ok := g.Env[name]
	return value, ok
}

func (g *Guest) readFile(name string) ([]byte, error) {
	text, ok := g.Files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// OK fails the test if the command failed.
func (o *Output) OK() {
	o.t.Helper()
	if o.Exit != 0 {
		o.t.Fatalf("%s: %s", o.line, o)
	}
}

// Result decodes the result of a successful command into v, and fails the test
// if the command failed.
func (o *Output) Result(v any) {
	o.t.Helper()
	var envelope struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
	}
	err := json.Unmarshal([]byte(o.Stdout), &envelope)
	switch {
	case err != nil || !envelope.OK:
		o.t.Fatalf("%s: exit %d, stdout %s, stderr %s", o.line, o.Exit, o.Stdout, o.Stderr)
	case envelope.Result == nil:
		o.t.Fatalf("%s: no result", o.line)
	}
	if err := json.Unmarshal(envelope.Result, v); err != nil {
		o.t.Fatalf("%s: decode %s: %v", o.line, envelope.Result, err)
	}
}

// Error is the error that a failed command printed; it fails the test if the
// command succeeded.
func (o *Output) Error() *toolkit.Error {
	o.t.Helper()
	var envelope struct {
		OK      bool            `json:"ok"`
		Code    string          `json:"error"`
		Message string          `json:"message"`
		Hint    string          `json:"hint"`
		Details json.RawMessage `json:"details"`
	}
	document := o.Stdout
	if !strings.HasPrefix(document, `{"ok":false,`) { // --output result and text, and stdout that is the tool's
		lines := strings.Split(strings.TrimSpace(o.Stderr), "\n")
		document = lines[len(lines)-1]
	}
	if err := json.Unmarshal([]byte(document), &envelope); err != nil || envelope.OK {
		o.t.Fatalf("%s: exit %d, stdout %s, stderr %s, want an error", o.line, o.Exit, o.Stdout, o.Stderr)
	}
	e := &toolkit.Error{Code: envelope.Code, Message: envelope.Message, Hint: envelope.Hint, Exit: o.Exit}
	if envelope.Details != nil {
		e.Details = envelope.Details
	}
	return e
}

// String is the output as one text, for failure messages.
func (o *Output) String() string {
	return fmt.Sprintf("exit %d\nstdout: %s\nstderr: %s", o.Exit, o.Stdout, o.Stderr)
}
