package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// flow is what streams beside a call from a guest: the slots that the guest
// serves, over one link after another.
type flow struct {
	slots *wire.Streams
	// flushed is closed when the slots of the host have ended: only then may the
	// call's RESULT be sent.
	flushed chan struct{}
}

// slotsOf checks the slots that a caller serves against those that the command
// declares, and the files among them against those that the input names.
func slotsOf(c *call, offered []string) error {
	body := c.body
	declared := map[string]*toolkit.Slot{"stdin": body.Stdin, "stdout": body.Stdout, "stderr": body.Stderr}
	files := argv.Files(c.entry.def, c.inv.Path, c.inv.Input)
	var problems []toolkit.Problem
	for _, name := range offered {
		isFile := slices.ContainsFunc(files, func(f argv.FileRef) bool { return f.Pointer == name })
		if declared[name] == nil && !isFile {
			problems = append(problems, toolkit.Problem{Path: name, Got: "a stream", Expected: "none: " + c.name + " does not take it"})
		}
	}
	for _, name := range []string{"stdin", "stdout", "stderr"} {
		if slot := declared[name]; slot != nil && slot.Required && !slices.Contains(offered, name) {
			problems = append(problems, toolkit.Problem{Path: name, Expected: strings.TrimSpace("a stream " + strings.Join(slot.MIME, ", "))})
		}
	}
	for _, f := range files {
		if !slices.Contains(offered, f.Pointer) {
			problems = append(problems, toolkit.Problem{Path: strings.ReplaceAll(f.Pointer[1:], "/", "."), Got: f.Path, Expected: "the contents of the file, or a place for them, beside its path"})
		}
	}
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	return &toolkit.Error{
		Code: toolkit.CodeUsageError, Message: fmt.Sprintf("%s: expected %s", first.Path, first.Expected), Details: problems,
		Hint: argv.Advice(c.entry.def, c.inv.Path, c.inv.Input),
	}
}

// newFlow makes the slots of a CALL, which slotsOf accepts.
func newFlow(c *call, m *wire.Call) *flow {
	files := argv.Files(c.entry.def, c.inv.Path, c.inv.Input)
	sends := []wire.Slot{wire.Stdout, wire.Stderr}
	for _, f := range files {
		if f.Out {
			sends = append(sends, m.Slots.Slot(f.Pointer))
		}
	}
	f := &flow{slots: wire.NewStreams(m.Slots, sends), flushed: make(chan struct{})}
	s := &toolkit.Streams{}
	for _, name := range m.Slots {
		slot := m.Slots.Slot(name)
		switch reader, writer := f.slots.Reader(slot), f.slots.Writer(slot); {
		case slot == wire.Stdin:
			s.Stdin = reader
		case slot == wire.Stdout:
			s.Stdout = writer
		case slot == wire.Stderr:
			s.Stderr = writer
		case writer != nil:
			set[io.Writer](&s.OutFiles, name, writer)
		default:
			set(&s.Files, name, sentFile(m, name, reader))
		}
	}
	c.inv.Streams = s
	return f
}

func set[V any](m *map[string]V, name string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = value
}

// sentFile is a file as its guest describes it.
func sentFile(m *wire.Call, name string, contents *wire.SlotReader) toolkit.File {
	f := toolkit.File{Size: -1, Reader: contents}
	for _, info := range m.Files {
		if info.Slot == name {
			f.Name, f.Size, f.MIME = info.Name, info.Size, info.MIME
		}
	}
	return f
}

// follow ends the slots when the handler's context ends, so that one that waits
// for a stream hears of it.
func (f *flow) follow(ctx context.Context) (stop func() bool) {
	if f == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { f.slots.Close(context.Cause(ctx)) })
}

// errFailed is what the readers of a failed call's streams are told.
var errFailed = errors.New("the call failed")

// finish ends the slots of a call whose outcome is recorded, and waits until
// the guest was sent all of them: while its link is lost, as long as a caller may
// take to come back.
func (f *flow) finish(ok bool) {
	if f == nil {
		return
	}
	patience := time.AfterFunc(orphanGrace, func() { f.slots.Close(errLinkLost) })
	defer patience.Stop()
	var reason error
	if !ok {
		reason = errFailed
	}
	_ = f.slots.End(reason) // its error is that of Close: nobody came back, or the call was cancelled
	close(f.flushed)
}

// drop ends the slots of a call that does not run.
func (f *flow) drop(err error) {
	if f != nil {
		f.slots.Close(err)
		close(f.flushed)
	}
}

// take leads the slots over another link of the guest, on which it holds that
// much of each.
func (f *flow) take(c *wire.Conn, id string, left time.Duration, have map[string]int64) error {
	greeting := &wire.Accepted{ID: id, TimeoutMS: left.Milliseconds(), Have: f.slots.Have()}
	return f.slots.Bind(c, have, greeting)
}
