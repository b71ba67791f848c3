package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// flow is what streams beside a call from a guest: the slots that the guest
// serves, over one link after another. Its methods do nothing on a nil flow.
type flow struct {
	slots   *wire.Streams
	readers []*wire.SlotReader
	// flushed is closed when the slots of the host have ended: only then may the
	// call's RESULT be sent.
	flushed chan struct{}
	// give gives the room of the slots back, once.
	give func()

	mu sync.Mutex // guards conn, also while the slots change to another
	// conn is the connection that has the slots, nil once it is lost; vacant is closed
	// then.
	conn   *wire.Conn
	vacant chan struct{}
	// orphan ends the slots when nobody came back for them in time, whoever else waits
	// for the call's outcome.
	orphan *time.Timer
}

// slotsOf checks the slots that a caller serves against those that the command
// declares, and the files among them against those that the input names, which it
// returns.
func slotsOf(c *call, offered []string) ([]argv.FileRef, error) {
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
		return files, nil
	}
	first := problems[0]
	return nil, &toolkit.Error{
		Code: toolkit.CodeUsageError, Message: fmt.Sprintf("%s: expected %s", first.Path, first.Expected), Details: problems,
		Hint: argv.Advice(c.entry.def, c.inv.Path, c.inv.Input),
	}
}

// newFlow makes the slots of a CALL, which slotsOf accepts with these files. They are
// the link's that it came over, also until they are led there.
func newFlow(c *call, m *wire.Call, files []argv.FileRef, link *wire.Conn) *flow {
	sends := []wire.Slot{wire.Stdout, wire.Stderr}
	for _, f := range files {
		if f.Out {
			sends = append(sends, m.Slots.Slot(f.Pointer))
		}
	}
	f := &flow{slots: wire.NewStreams(m.Slots, sends), flushed: make(chan struct{}), conn: link, vacant: make(chan struct{})}
	f.orphan = time.AfterFunc(orphanGrace, func() { f.slots.Close(errLinkLost) })
	f.orphan.Stop() // somebody has them
	f.give = sync.OnceFunc(func() { c.member.quota.giveSlots(len(m.Slots)) })
	s := &toolkit.Streams{}
	for _, name := range m.Slots {
		slot := m.Slots.Slot(name)
		reader, writer := f.slots.Reader(slot), f.slots.Writer(slot)
		if reader != nil {
			f.readers = append(f.readers, reader)
		}
		switch {
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
	return context.AfterFunc(ctx, func() {
		// Not the cause itself: a handler that returns it has said nothing of its own.
		f.slots.Close(errors.New("the call has ended: " + context.Cause(ctx).Error()))
	})
}

// errFailed is what the readers of a failed call's streams are told.
var errFailed = errors.New("the call failed")

// errOver is what a handler is told that keeps a stream for longer than its call.
var errOver = errors.New("the call is over")

// finish ends the slots of a call whose outcome is recorded, and waits until
// the guest was sent all of them: while its link is lost, as long as a caller may
// take to come back, and the guest lives. It reports whether they were sent.
func (f *flow) finish(life context.Context, ok bool) (sent bool) {
	patience := time.AfterFunc(orphanGrace, func() { f.slots.Close(errLinkLost) })
	defer patience.Stop()
	defer context.AfterFunc(life, func() { f.slots.Close(context.Cause(life)) })()
	for _, r := range f.readers {
		_ = r.CloseWithError(errOver) // it never fails
	}
	err := f.slots.End(ended(ok)) // its error is that of Close: nobody came back, or the call was cancelled
	close(f.flushed)
	return err == nil
}

// ended is what the readers of a call's streams are told.
func ended(ok bool) error {
	if ok {
		return nil
	}
	return errFailed
}

// settle waits until all of the slots are sent to whoever took them over last.
func (f *flow) settle(ctx context.Context, work *sync.WaitGroup) {
	if f == nil {
		return
	}
	select {
	case <-f.flushed:
	case <-ctx.Done():
		return
	}
	sent := make(chan struct{})
	work.Go(func() { // ends when they are sent, or with the flow
		defer close(sent)
		_ = f.slots.End(nil) // which has ended already; its error is that of Close
	})
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// drop ends the slots of a call that does not run.
func (f *flow) drop(err error) {
	if f != nil {
		close(f.flushed)
		f.release(err)
	}
}

// release ends the slots for good: nobody comes back for them.
func (f *flow) release(err error) {
	if f != nil {
		f.orphan.Stop()
		f.slots.Close(err)
		f.give()
	}
}

// take leads the slots over another link of the guest, on which it holds that
// much of each. From a link that seems to live they are taken only by a caller who
// says what it has: its own link has failed, which this side has not noticed. Any
// other is given a channel instead, which is closed when that link is lost.
func (f *flow) take(c *wire.Conn, call *call, have map[string]int64, comesBack bool) (elsewhere <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.slots.Check(have); err != nil {
		return nil, err
	}
	switch {
	case f.conn == nil:
		f.vacant = make(chan struct{})
	case f.conn == c:
	case !comesBack:
		return f.vacant, nil
	default:
		_ = f.conn.Close() // else a write to it would be waited for
	}
	if err := f.slots.Bind(c, have, call.greeting(f.slots.Have())); err != nil {
		f.vacate()
		return nil, err
	}
	f.conn = c
	f.orphan.Stop()
	return nil, nil
}

// leave takes the slots off a connection that is lost, or on which all is said.
func (f *flow) leave(c *wire.Conn) {
	if f == nil {
		return
	}
	f.slots.Leave(c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn == c {
		f.vacate()
	}
}

// vacate says that nobody has the slots; the caller holds mu.
func (f *flow) vacate() {
	f.conn = nil
	close(f.vacant)
	f.orphan.Reset(orphanGrace)
}
