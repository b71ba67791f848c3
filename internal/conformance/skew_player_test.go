package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing/synctest"

	"github.com/agentos-go/agentos/internal/wire"
)

// move is one thing that a program of another release does in a conversation with
// one of today, which is the peer. One of its fields is set.
type move struct {
	// say is the vector that the program says. A CALL repeats the revision of the
	// latest PRESENT, so in a current one the recorded revision gives way to the one
	// presented now. Nothing else ever differs from the vector.
	say     string
	current bool
	// hear is a message that the program waits for, and like what it has to say.
	// What flows beside the messages meanwhile (NOTE, DATA, END, CREDIT) is kept.
	hear wire.Type
	like string
	// drain is so many bytes of the slot that the program waits for, since the scene
	// began.
	drain int
	// ends says that the peer closes the link, redials that the program does and that
	// the next one follows.
	ends, redials bool
	// does is anything else.
	does func(*player)
	// slot is one on which the program has received the text, and END.
	slot wire.Slot
	text string
}

func says(vector string) move { return move{say: vector} }

func saysCurrent(vector string) move { return move{say: vector, current: true} }

// hears waits for a message whose members are among others those of like, a JSON
// object in which "*" stands for anything but nothing.
func hears(typ wire.Type, like string) move { return move{hear: typ, like: like} }

func drains(slot wire.Slot, bytes int) move { return move{slot: slot, drain: bytes} }

// gets is all that came on a slot, and that the peer's END was the last of it.
func gets(slot wire.Slot, text string) move { return move{slot: slot, text: text} }

func does(f func(*player)) move { return move{does: f} }

var (
	// redials has the link break and the next one follow.
	redials = move{redials: true}
	// ended waits until the peer closes the link.
	ended = move{ends: true}
)

// The types of frames beside those of raw.go.
const (
	typeData   wire.Type = 6
	typeEnd    wire.Type = 7
	typeCredit wire.Type = 8
)

// player is a program of another release: it says what it said then, whatever it
// hears.
type player struct {
	// link is how the next connection to the peer begins.
	link func(context.Context) (net.Conn, error)
	// edit changes the bytes of a vector, for the controls; may be nil.
	edit func(vector string, data []byte)
	// kit is the toolkit of a host of today; nil where the peer is a guest.
	kit *skewKit
	// stdin is what a guest of today reads, and interrupt cancels what it runs; nil
	// where the peer is a host.
	stdin     *io.PipeWriter
	interrupt func()

	conn     net.Conn
	frames   chan wire.Frame // what the peer says on conn; closed when it ends
	reading  sync.WaitGroup
	revision string // that PRESENT named last
	joined   []byte // the frames so far of a message that spans several
	bytes    map[wire.Slot][]byte
	closed   map[wire.Slot]bool
}

// play makes the moves, one after the other. Whatever the peer says beside them is
// an error, which names the move. It runs in a bubble of testing/synctest.
func (p *player) play(ctx context.Context, moves []move) error {
	p.bytes, p.closed = map[wire.Slot][]byte{}, map[wire.Slot]bool{}
	defer p.hangUp()
	if err := p.next(ctx); err != nil {
		return err
	}
	for i, m := range moves {
		if err := p.make(ctx, m); err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	synctest.Wait() // for what should not follow
	select {
	case f, open := <-p.frames:
		if open {
			return fmt.Errorf("then came %s %.300s", f.Type, f.Payload)
		}
	default:
	}
	return nil
}

func (p *player) make(ctx context.Context, m move) error {
	switch {
	case m.say != "":
		return p.say(m)
	case m.hear != 0:
		return p.hear(m)
	case m.drain > 0:
		return p.drain(m)
	case m.redials:
		synctest.Wait() // nothing is under way
		p.hangUp()
		return p.next(ctx)
	case m.ends:
		return p.waitForEnd()
	case m.does != nil:
		m.does(p)
		return nil
	}
	if got := string(p.bytes[m.slot]); got != m.text || !p.closed[m.slot] {
		return fmt.Errorf("%s: %q, ended %v; want %q and its END", m.slot, got, p.closed[m.slot], m.text)
	}
	return nil
}

// next begins a connection, and reads it until it ends.
func (p *player) next(ctx context.Context) error {
	conn, err := p.link(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	frames := make(chan wire.Frame, 1<<10)
	p.conn, p.frames, p.joined = conn, frames, nil
	p.reading.Go(func() { // hangUp waits
		defer close(frames)
		for in := bufio.NewReader(conn); ; {
			f, err := wire.ReadFrame(in, nil)
			if err != nil {
				return
			}
			frames <- f
		}
	})
	return nil
}

func (p *player) hangUp() {
	if p.conn != nil {
		p.conn.Close()
		p.reading.Wait()
	}
}

// say writes a vector.
func (p *player) say(m move) error {
	data, err := readVector(m.say)
	if err != nil {
		return err
	}
	if m.current {
		if data, err = withRevision(data, p.revision); err != nil {
			return fmt.Errorf("%s: %w", m.say, err)
		}
	}
	if p.edit != nil {
		p.edit(m.say, data)
	}
	if _, err := p.conn.Write(data); err != nil {
		return fmt.Errorf("say %s: %w", m.say, err)
	}
	return nil
}

// withRevision is a CALL that names the revision in place of its own.
func withRevision(frame []byte, revision string) ([]byte, error) {
	var call struct {
		Revision string `json:"revision"`
	}
	f, err := wire.ReadFrame(bytes.NewReader(frame), nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(f.Payload, &call); err != nil {
		return nil, err
	}
	f.Payload = bytes.Replace(f.Payload, quote(call.Revision), quote(revision), 1)
	return wire.AppendFrame(nil, f), nil
}

// frame is the next frame that the peer says.
func (p *player) frame(waitsFor any) (wire.Frame, error) {
	f, open := <-p.frames
	if !open {
		return wire.Frame{}, fmt.Errorf("the link ended, want %v", waitsFor)
	}
	return f, nil
}

// hear waits for a message.
func (p *player) hear(m move) error {
	for {
		f, err := p.frame(m.hear)
		if err != nil {
			return err
		}
		switch {
		case f.Flags&wire.More != 0:
			p.joined = append(p.joined, f.Payload...)
		case f.Type == m.hear:
			f.Payload = append(p.joined, f.Payload...)
			p.joined = nil
			p.keep(f)
			return p.understand(f, m.like)
		case !p.keep(f):
			return fmt.Errorf("%s %.300s, want %s", f.Type, f.Payload, m.hear)
		}
	}
}

// keep remembers what a frame of a slot says. It is false for frames that are not to
// come before what is waited for.
func (p *player) keep(f wire.Frame) bool {
	switch f.Type {
	case typeData:
		p.bytes[f.Slot] = append(p.bytes[f.Slot], f.Payload...)
	case typeEnd:
		p.closed[f.Slot] = true
	case typeCredit, TypeNote:
	default:
		return false
	}
	return true
}

// drain waits for bytes of a slot.
func (p *player) drain(m move) error {
	for len(p.bytes[m.slot]) < m.drain {
		f, err := p.frame(m.slot)
		if err != nil {
			return err
		}
		if !p.keep(f) {
			return fmt.Errorf("%s %.300s after %d bytes of %s, want %d", f.Type, f.Payload, len(p.bytes[m.slot]), m.slot, m.drain)
		}
	}
	return nil
}

func (p *player) waitForEnd() error {
	for f := range p.frames {
		if !p.keep(f) {
			return fmt.Errorf("%s %.300s, want the end of the link", f.Type, f.Payload)
		}
	}
	return nil
}

// understand wants a message to be like what is given.
func (p *player) understand(f wire.Frame, like string) error {
	if f.Type == typeData {
		return nil
	}
	var got map[string]any
	if err := json.Unmarshal(f.Payload, &got); err != nil {
		return fmt.Errorf("%s: %w in %.300s", f.Type, err, f.Payload)
	}
	if revision, ok := got["revision"].(string); ok && f.Type == TypePresent {
		p.revision = revision
	}
	var want any
	if err := json.Unmarshal([]byte(like), &want); err != nil {
		return fmt.Errorf("%s: %w", like, err)
	}
	if !isLike(got, want) {
		return fmt.Errorf("%s\n got %.2000s\nwant %s", f.Type, f.Payload, like)
	}
	return nil
}

// isLike reports whether the value has everything that is wanted. It may have more
// members, and a "*" is anything but nothing.
func isLike(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for name, value := range want {
			ok = ok && isLike(object[name], value)
		}
		return ok
	case []any:
		array, ok := got.([]any)
		ok = ok && len(array) == len(want)
		for i := range want {
			ok = ok && isLike(array[i], want[i])
		}
		return ok
	case string:
		if want == "*" {
			return got != nil && !reflect.ValueOf(got).IsZero()
		}
	}
	return reflect.DeepEqual(got, want)
}

// skewVectors is where the vectors are.
const skewVectors = "testdata/skew"

// readVector is the bytes of a vector.
func readVector(name string) ([]byte, error) {
	dump, err := os.ReadFile(filepath.Join(skewVectors, name+".hex"))
	if err != nil {
		return nil, err
	}
	var data []byte
	for line := range strings.Lines(string(dump)) {
		digits, _, _ := strings.Cut(line[min(8, len(line)):], "|")
		row, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", name, line, err)
		}
		data = append(data, row...)
	}
	return data, nil
}
