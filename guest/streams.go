package guest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// File is the contents of a file that a call's input names.
type File struct {
	// Name is the file's own name, Size its length in bytes, -1 where that is not
	// known; MIME is empty where nothing is known.
	Name, MIME string
	Size       int64
	io.Reader
}

// serve gives the call the streams of a typed one.
func (c *Call) serve(s *toolkit.Streams) {
	if s == nil {
		return
	}
	c.Stdin, c.Stdout, c.Stderr, c.OutFiles = s.Stdin, s.Stdout, s.Stderr, s.OutFiles
	c.Files = make(map[string]File, len(s.Files))
	for pointer, f := range s.Files {
		file := File{Name: cmp.Or(f.Name, path.Base(f.Path)), MIME: f.MIME, Size: cmp.Or(f.Size, -1), Reader: f.Reader}
		c.Files[pointer] = file
	}
}

// flow is what streams beside a call, over one link after another.
type flow struct {
	names wire.SlotNames
	files []wire.FileInfo
	slots *wire.Streams
	send  []pump
	take  []pump

	begin    sync.Once
	received sync.WaitGroup

	mu   sync.Mutex // guards err
	err  error      // of the first stream that was not received whole
	what string     // its name
}

// pump is a slot and what it is filled from or emptied into.
type pump struct {
	name string
	slot wire.Slot
	from io.Reader
	into io.Writer
}

// newFlow is the streams of a call, nil for none.
func newFlow(call *Call) *flow {
	f := &flow{}
	add := func(p pump) {
		f.names = append(f.names, p.name)
		p.slot = f.names.Slot(p.name)
		if p.from != nil {
			f.send = append(f.send, p)
		} else {
			f.take = append(f.take, p)
		}
	}
	if call.Stdin != nil {
		add(pump{name: "stdin", from: call.Stdin})
	}
	if call.Stdout != nil {
		add(pump{name: "stdout", into: call.Stdout})
	}
	if call.Stderr != nil {
		add(pump{name: "stderr", into: call.Stderr})
	}
	for _, name := range slices.Sorted(maps.Keys(call.Files)) {
		file := call.Files[name]
		add(pump{name: name, from: file.Reader})
		f.files = append(f.files, wire.FileInfo{Slot: name, Name: file.Name, Size: file.Size, MIME: file.MIME})
	}
	for _, name := range slices.Sorted(maps.Keys(call.OutFiles)) {
		add(pump{name: name, into: call.OutFiles[name]})
	}
	if len(f.names) == 0 {
		return nil
	}
	var sends []wire.Slot
	for _, p := range f.send {
		sends = append(sends, p.slot)
	}
	f.slots = wire.NewStreams(f.names, sends)
	return f
}

// goOn lets the streams go on over a link of a call that was accepted there. The
// host has that much of what is sent.
func (f *flow) goOn(l *link, hostHas map[string]int64) error {
	if f == nil {
		return nil
	}
	if err := f.slots.Bind(l.wire, hostHas, nil); err != nil {
		return err
	}
	f.begin.Do(f.start)
	return nil
}

// start moves the bytes of all streams from now on.
func (f *flow) start() {
	for _, p := range f.send {
		w := f.slots.Writer(p.slot)
		go func() { // ends with the caller's reader, which nobody can interrupt, or with the call
			// A frame at a time, not what a file would make of it.
			_, err := io.CopyBuffer(w, struct{ io.Reader }{p.from}, make([]byte, wire.MaxData))
			_ = w.CloseWithError(err) // it never fails
		}()
	}
	for _, p := range f.take {
		r := f.slots.Reader(p.slot)
		f.received.Go(func() { // finish waits
			if _, err := io.Copy(p.into, r); err != nil {
				f.broke(p.name, err)
				_ = r.CloseWithError(err) // it never fails
			}
		})
	}
}

// broke remembers the first stream that was not received whole.
func (f *flow) broke(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err, f.what = err, name
	}
}

// handle takes a message of a slot.
func (f *flow) handle(l *link, m wire.Message) error {
	if f == nil {
		return fmt.Errorf("%w: unexpected %s", wire.ErrProtocol, m.Type())
	}
	return f.slots.Handle(l.wire, m)
}

// errCut is the error of a stream that did not end before its call did.
var errCut = errors.New("it did not end before the call did")

// errElsewhere is the error of streams that flowed to an earlier caller of the id.
var errElsewhere = errors.New("the call was made before, and what it streams is not kept")

// stop ends the streams; what has arrived can still be read.
func (f *flow) stop() {
	if f != nil {
		f.slots.Close(errCut)
	}
}

// finish waits until everything that was received is where it belongs, and is the
// call's answer: a success whose streams are not whole is none.
func (f *flow) finish(answer *Answer) *Answer {
	if f == nil {
		return answer
	}
	f.stop()
	f.begin.Do(func() { // it never began: another caller had the streams, or nothing ran
		if len(f.take) > 0 && !answer.DryRun {
			f.broke(f.take[0].name, errElsewhere)
		}
	})
	f.received.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	own := f.err != nil && !errors.Is(f.err, errCut) && !errors.Is(f.err, errElsewhere)
	switch {
	case f.err == nil || !answer.OK && !(own && answer.Code == toolkit.CodeExecutionError):
		return answer
	case !answer.OK: // the tool failed because nobody took what it wrote
		return f.broken(answer, fmt.Sprintf("the stream %s could not be written here: %v; the tool ended early", f.what, f.err))
	}
	return f.broken(answer, fmt.Sprintf("the call is done, but its stream %s is not whole: %v", f.what, f.err))
}

// broken is the answer of a call whose streams are not whole.
func (f *flow) broken(answer *Answer, message string) *Answer {
	failed := failure(&toolkit.Error{Code: toolkit.CodeOutputError, Message: message})
	failed.Call = answer.Call
	return failed
}
