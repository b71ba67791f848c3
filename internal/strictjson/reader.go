package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// What a document may hold at most.
const (
	// MaxBytes is the length of a document.
	MaxBytes = 16 << 20
	// MaxDepth is how many objects and arrays may stand inside each other.
	MaxDepth = 64
	// MaxMembers is the number of members of one object.
	MaxMembers = 10_000
	// MaxNumber is the length of a number's text in bytes.
	MaxNumber = 64
	// MaxValues is the number of values in a document, scalars and containers
	// alike. A value in memory takes dozens of times the two bytes that it may
	// take in an array, so the limit of bytes alone would not bound memory.
	MaxValues = 1_000_000
)

// Parse reads exactly one JSON value. The error is an *Error.
func Parse(data []byte) (*Value, error) {
	var value *Value
	err := read(data, func(r *reader) (err error) {
		value, err = r.value()
		return err
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Check accepts and refuses what Parse does, without building the value.
func Check(data []byte) error {
	return read(data, func(r *reader) error {
		for {
			if _, err := r.next(); err != nil || r.dec.StackDepth() == 0 {
				return err
			}
		}
	})
}

// reader is the state of one reading. The decoder proves the grammar, UTF-8 and
// the uniqueness of names; the reader adds the limits.
type reader struct {
	dec    jsontext.Decoder
	source bytes.Buffer // the decoder reads a bytes.Buffer in place
	data   []byte
	values int
	slab   []Value // values not yet handed out, allocated together
}

// readers keeps decoders, whose tables of names are worth using again.
var readers = sync.Pool{New: func() any { return new(reader) }}

// maxPooled is the length of the longest document after which a reader is kept;
// the tables of a larger one would be held for nothing.
const maxPooled = 64 << 10

// read runs walk over the document and refuses what is before and after the value.
func read(data []byte, walk func(*reader) error) error {
	switch {
	case len(data) > MaxBytes:
		return &Error{Reason: fmt.Sprintf("the JSON has %d bytes, at most %d are allowed", len(data), MaxBytes)}
	case bytes.HasPrefix(data, []byte("\ufeff")):
		return &Error{Reason: "the JSON begins with a byte order mark"}
	}
	r := readers.Get().(*reader)
	r.reset(data)
	err := walk(r)
	if err == nil {
		err = r.end()
	}
	if len(data) <= maxPooled {
		r.reset(nil)
		readers.Put(r)
	}
	return err
}

func (r *reader) reset(data []byte) {
	r.data, r.values, r.slab = data, 0, nil
	r.source = *bytes.NewBuffer(data)
	r.dec.Reset(&r.source)
}

// end refuses anything but white space after the value.
func (r *reader) end() error {
	offset := r.dec.InputOffset()
	rest := bytes.TrimLeft(r.data[offset:], " \t\r\n")
	if len(rest) == 0 {
		return nil
	}
	return &Error{Offset: int64(len(r.data) - len(rest)), Reason: "more text after the JSON value"}
}

// next reads a token and holds it against the limits.
func (r *reader) next() (jsontext.Token, error) {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return tok, r.syntaxError(err)
	}
	depth := r.dec.StackDepth()
	parent, length := r.dec.StackIndex(depth)
	switch kind := tok.Kind(); {
	case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
		return tok, nil
	case parent == jsontext.KindBeginObject && length%2 == 1: // a name
		if length > 2*MaxMembers {
			return tok, r.limitError("an object has more than %d members", MaxMembers)
		}
		return tok, nil
	case depth > MaxDepth:
		return tok, r.limitError("objects and arrays are nested deeper than %d levels", MaxDepth)
	case kind == jsontext.KindNumber && len(tok.String()) > MaxNumber:
		return tok, r.limitError("a number is longer than %d bytes", MaxNumber)
	}
	if r.values++; r.values > MaxValues {
		return tok, r.limitError("there are more than %d values", MaxValues)
	}
	return tok, nil
}

// value reads a value; its depth is bounded by next.
func (r *reader) value() (*Value, error) {
	tok, err := r.next()
	if err != nil {
		return nil, err
	}
	v := r.alloc()
	switch tok.Kind() {
	case jsontext.KindFalse:
		v.Kind = False
	case jsontext.KindTrue:
		v.Kind = True
	case jsontext.KindNumber:
		v.Kind, v.Text = Number, tok.String()
	case jsontext.KindString:
		v.Kind, v.Text = String, tok.String()
	case jsontext.KindBeginArray:
		v.Kind, v.Elems = Array, make([]*Value, 0, smallCap)
		err = r.elems(v)
	case jsontext.KindBeginObject:
		v.Kind, v.Members = Object, make([]Member, 0, smallCap)
		err = r.members(v)
	}
	return v, err
}

func (r *reader) elems(v *Value) error {
	for r.dec.PeekKind() != jsontext.KindEndArray {
		elem, err := r.value()
		if err != nil {
			return err
		}
		v.Elems = append(v.Elems, elem)
	}
	_, err := r.next()
	return err
}

func (r *reader) members(v *Value) error {
	for r.dec.PeekKind() != jsontext.KindEndObject {
		tok, err := r.next()
		if err != nil {
			return err
		}
		name := tok.String()
		value, err := r.value()
		if err != nil {
			return err
		}
		v.Members = append(v.Members, Member{Name: name, Value: value})
	}
	_, err := r.next()
	return err
}

// smallCap is the capacity that objects and arrays begin with: most have few
// members, and growing from one costs two allocations more.
const smallCap = 4

// alloc is a new value. Slabs grow with the document, so that a small one
// wastes nothing and a large one makes few allocations.
func (r *reader) alloc() *Value {
	if len(r.slab) == 0 {
		r.slab = make([]Value, min(max(r.values, 4), 256))
	}
	v := &r.slab[0]
	r.slab = r.slab[1:]
	return v
}

// syntaxError is the decoder's error in the words of this package.
func (r *reader) syntaxError(err error) error {
	if errors.Is(err, io.EOF) {
		return &Error{Offset: r.dec.InputOffset(), Reason: "there is no JSON value, the text is empty"}
	}
	return newSyntaxError(r.data, err)
}

// limitError is about the token that was read last.
func (r *reader) limitError(format string, limit int) error {
	return &Error{
		Offset: r.dec.InputOffset(),
		Path:   dotted(r.dec.StackPointer()),
		Reason: fmt.Sprintf(format, limit),
	}
}
