package toolkittest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
	"github.com/agentos-go/agentos/toolkit/toolkittest"
)

type pipeArgs struct {
	In   io.Reader        `stdin:"" validate:"required"`
	Out  io.Writer        `stdout:"" validate:"required"`
	Log  io.Writer        `stderr:"" validate:"required"`
	From *toolkit.File    `json:"from" help:"File to read first"`
	To   *toolkit.OutFile `json:"to" help:"File to write too"`
	Fail bool             `json:"fail" help:"Fail when all is copied"`
}

// pipe is a toolkit whose one tool streams all that can be streamed.
func pipe() *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "pipe", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(_ context.Context, in pipeArgs) (toolkit.None, error) {
			from, to := in.In, in.Out
			if in.From != nil {
				fmt.Fprintf(in.Log, "%s has %d bytes\n", in.From.Name, in.From.Size)
				from = io.MultiReader(in.From, in.In)
			}
			if in.To != nil {
				to = io.MultiWriter(in.To, in.Out)
			}
			_, err := io.Copy(to, from)
			if in.Fail {
				err = &toolkit.Error{Code: "BROKEN", Message: "as asked"}
			}
			return toolkit.None{}, err
		})}}
}

func TestStreams(t *testing.T) {
	guest := &toolkittest.Guest{Stdin: strings.NewReader("piped\x00\xff"), Files: map[string]string{"dir/a.bin": "kept\n"}}
	got := guest.Run(t, pipe(), "run --from dir/a.bin --to /tmp/b.bin")
	got.OK()
	const all = "kept\npiped\x00\xff"
	if got.Stdout != all || got.Stderr != "a.bin has 5 bytes\n" || !maps.Equal(got.Files, map[string]string{"/tmp/b.bin": all}) {
		t.Errorf("%s, files %q; want all bytes on stdout and in the file", got, got.Files)
	}
}

func TestStreamsOfACallThatFails(t *testing.T) {
	guest := &toolkittest.Guest{Stdin: strings.NewReader("piped"), Files: map[string]string{"a": "kept"}}
	got := guest.Run(t, pipe(), "run --from a --to b --fail")
	if err := got.Error(); err.Code != "BROKEN" || got.Stdout != "keptpiped" || len(got.Files) != 0 {
		t.Errorf("%v; %s, files %q; want BROKEN, the bytes so far and no file", err, got, got.Files)
	}
	got = guest.Run(t, pipe(), "run --from nosuch --to b")
	if err := got.Error(); err.Code != toolkit.CodeUsageError || !strings.Contains(err.Message, "from: nosuch cannot be opened") || len(got.Files) != 0 {
		t.Errorf("a file that is not there: %v, files %q", err, got.Files)
	}
}

// A stdin that breaks off is not one that ends.
func TestAStdinThatBreaks(t *testing.T) {
	broken := &toolkittest.Guest{Stdin: io.MultiReader(strings.NewReader("half"), reader(func([]byte) (int, error) {
		return 0, errors.New("gone")
	}))}
	if got := broken.Run(t, pipe(), "run --to b"); got.Exit == 0 || len(got.Files) != 0 {
		t.Errorf("%s, files %q; want a failure and no file", got, got.Files)
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }

func TestATerminalAtWhichNobodyIs(t *testing.T) {
	got := toolkittest.Run(t, pipe(), "run")
	got.OK()
	if got.Stdout != "" {
		t.Errorf("stdout = %q, want nothing", got.Stdout)
	}
}
