package conformance

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// skewKit is the toolkit "skew", which the vectors of testdata/skew call. Its tools
// may learn more, but must go on to understand what is called there:
//
//	echo --text T                  T, after a note of progress
//	find --name N                  an error of its own, NOT_FOUND
//	copy < IN > OUT 2> LOG         OUT is IN, LOG says so; how many bytes
//	count < IN                     how many bytes IN has
//	flood --bytes N > OUT          N bytes
//	greet < IN > OUT               OUT is a greeting; of IN nothing is read
//	pack --files A --into B        B is A; A's name, size, type and contents
//	wait                           it waits until it is released or cancelled
type skewKit struct {
	// waiting gets a value for each wait that has begun.
	waiting  chan struct{}
	released chan struct{}

	mu   sync.Mutex // guards runs
	runs int        // of all tools
}

func newSkewKit() *skewKit {
	return &skewKit{waiting: make(chan struct{}, 8), released: make(chan struct{})}
}

// newSkewHost is a host of today with the kit, which ends with the test.
func newSkewHost(t testing.TB) (*host.Host, *skewKit) {
	t.Helper()
	k := newSkewKit()
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{k.toolkit()}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() }) // which reports nothing
	return h, k
}

func (k *skewKit) toolkit() *toolkit.Toolkit {
	notFound := &toolkit.Error{Code: "NOT_FOUND", Message: "there is no such thing", Exit: 3}
	return &toolkit.Toolkit{Name: "skew", Summary: "Tools of yesterday", Version: "1.0.0", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "echo", Summary: "Give the text back"}, k.echo),
		toolkit.Func(toolkit.Spec{Name: "find", Summary: "Find a thing", Errors: []*toolkit.Error{notFound}},
			func(context.Context, nameInput) (string, error) { k.ran(); return "", notFound }),
		toolkit.Func(toolkit.Spec{Name: "copy", Summary: "Copy a stream"}, k.copyStream),
		toolkit.Func(toolkit.Spec{Name: "count", Summary: "Count the bytes of a stream"}, k.count),
		toolkit.Func(toolkit.Spec{Name: "flood", Summary: "Write many bytes"}, k.flood),
		toolkit.Func(toolkit.Spec{Name: "greet", Summary: "Write a greeting"}, k.greet),
		toolkit.Func(toolkit.Spec{Name: "pack", Summary: "Copy a file"}, k.pack),
		toolkit.Func(toolkit.Spec{Name: "wait", Summary: "Wait until released"}, k.wait),
	}}
}

func (k *skewKit) ran() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runs++
}

type (
	nameInput struct {
		Name string `json:"name" validate:"required"`
	}
	echoInput struct {
		Text string `json:"text" validate:"required"`
	}
	copyInput struct {
		In  io.Reader `stdin:"" validate:"required"`
		Out io.Writer `stdout:"" validate:"required"`
		Log io.Writer `stderr:""`
	}
	countInput struct {
		In io.Reader `stdin:"" validate:"required"`
	}
	floodInput struct {
		Bytes int       `json:"bytes" validate:"required"`
		Out   io.Writer `stdout:"" validate:"required"`
	}
	greetInput struct {
		In  io.Reader `stdin:"" validate:"required"`
		Out io.Writer `stdout:"" validate:"required"`
	}
	packInput struct {
		Files []toolkit.File   `json:"files" validate:"required"`
		Into  *toolkit.OutFile `json:"into"`
	}
)

func (k *skewKit) echo(ctx context.Context, in echoInput) (string, error) {
	k.ran()
	toolkit.Progress(ctx, "half way")
	return in.Text, nil
}

func (k *skewKit) copyStream(_ context.Context, in copyInput) (int64, error) {
	k.ran()
	fmt.Fprintln(in.Log, "copying")
	return io.Copy(in.Out, in.In)
}

func (k *skewKit) count(_ context.Context, in countInput) (int64, error) {
	k.ran()
	return io.Copy(io.Discard, in.In)
}

func (k *skewKit) flood(_ context.Context, in floodInput) (int, error) {
	k.ran()
	return io.WriteString(in.Out, fill(in.Bytes))
}

func (k *skewKit) greet(_ context.Context, in greetInput) (toolkit.None, error) {
	k.ran()
	_, err := io.WriteString(in.Out, "hello\n")
	return toolkit.None{}, err
}

func (k *skewKit) pack(_ context.Context, in packInput) ([]string, error) {
	k.ran()
	var packed []string
	for _, f := range in.Files {
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		packed = append(packed, fmt.Sprintf("%s %d %s %s", f.Name, f.Size, f.MIME, text))
		if in.Into != nil {
			if _, err := in.Into.Write(text); err != nil {
				return nil, err
			}
		}
	}
	return packed, nil
}

func (k *skewKit) wait(ctx context.Context, _ struct{}) (string, error) {
	k.ran()
	k.waiting <- struct{}{}
	select {
	case <-k.released:
		return "released", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// check wants that many runs of handlers.
func (k *skewKit) check(runs int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.runs != runs {
		return fmt.Errorf("%d handlers ran, want %d", k.runs, runs)
	}
	return nil
}
