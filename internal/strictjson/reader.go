package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
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

// Reader reads a document value by value, in its order, into whatever the
// caller makes of it. Every method reads the next value. Once the document has
// turned out to be wrong the methods do nothing and return zero values, so that
// only Read has an error to return.
//
// The decoder proves the grammar, UTF-8 and the uniqueness of names; the reader
// adds the limits.
type Reader struct {
	dec    jsontext.Decoder
	source bytes.Buffer // the decoder reads a bytes.Buffer in place
	data   []byte
	values int
	err    error
}

// readers keeps decoders, whose tables of names are worth using again.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// maxPooled is the length of the longest document after which a reader is kept;
// the tables of a larger one would be held for nothing.
const maxPooled = 64 << 10

// Read reads exactly one JSON value. What walk leaves unread is proven all the
// same. The error is an *Error, and the Reader of no use after walk.
func Read(data []byte, walk func(*Reader)) error {
	switch {
	case len(data) > MaxBytes:
		return &Error{Reason: fmt.Sprintf("the JSON has %d bytes, at most %d are allowed", len(data), MaxBytes)}
	case bytes.HasPrefix(data, []byte("\ufeff")):
		return &Error{Reason: "the JSON begins with a byte order mark"}
	}
	r := readers.Get().(*Reader)
	r.reset(data)
	r.whole(func() { walk(r) })
	r.end()
	err := r.err
	if len(data) <= maxPooled {
		r.reset(nil)
		readers.Put(r)
	}
	return err
}

// Check accepts and refuses what Parse does, without building the value.
func Check(data []byte) error { return Read(data, (*Reader).Skip) }

func (r *Reader) reset(data []byte) {
	r.data, r.values, r.err = data, 0, nil
	r.source = *bytes.NewBuffer(data)
	r.dec.Reset(&r.source)
}

// end refuses anything but white space after the value.
func (r *Reader) end() {
	rest := bytes.TrimLeft(r.data[r.dec.InputOffset():], " \t\r\n")
	if r.err == nil && len(rest) > 0 {
		r.err = &Error{Offset: int64(len(r.data) - len(rest)), Reason: "more text after the JSON value"}
	}
}

// Kind is the kind of the next value, which is not read yet; Null also when
// there is none.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return Null
	}
	return kindOf(r.dec.PeekKind())
}

// Null reads the value and is true, if it is null.
func (r *Reader) Null() bool {
	if r.err != nil || r.dec.PeekKind() != jsontext.KindNull {
		return false
	}
	r.next()
	return true
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	tok := r.next()
	if tok.Kind() == jsontext.KindFalse {
		return false
	}
	return r.is(tok, True)
}

// Text reads a string, without its escapes.
func (r *Reader) Text() string {
	if tok := r.next(); r.is(tok, String) {
		return tok.String()
	}
	return ""
}

// Number reads a number by its literal text.
func (r *Reader) Number() string {
	if tok := r.next(); r.is(tok, Number) {
		return tok.String()
	}
	return ""
}

// Integer reads a number of so many bits that has neither fraction nor exponent.
func (r *Reader) Integer(bits int) int64 {
	literal := r.Number()
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(literal, 10, bits)
	if err != nil {
		r.fail("%s is not an integer of %d bits", literal, bits)
	}
	return n
}

// Array reads an array and calls element once for each of its elements, to read
// it.
func (r *Reader) Array(element func()) {
	if !r.is(r.next(), Array) {
		return
	}
	for r.more() {
		r.whole(element)
	}
	r.next()
}

// Object reads an object and calls member with each name, to read the value.
func (r *Reader) Object(member func(name string)) {
	if !r.is(r.next(), Object) {
		return
	}
	for r.more() {
		if name := r.next().String(); r.err == nil {
			r.whole(func() { member(name) })
		}
	}
	r.next()
}

// Skip reads any value.
func (r *Reader) Skip() {
	for depth := r.dec.StackDepth(); ; {
		if r.next(); r.err != nil || r.dec.StackDepth() <= depth {
			return
		}
	}
}

// Raw reads any value and is its text in the document, of which it is a part.
func (r *Reader) Raw() []byte {
	start := r.dec.InputOffset()
	r.Skip()
	if r.err != nil {
		return nil
	}
	return bytes.TrimLeft(r.data[start:r.dec.InputOffset()], " \t\r\n,:")
}

// whole reads one value: what f leaves unread is skipped.
func (r *Reader) whole(f func()) {
	depth := r.dec.StackDepth()
	_, before := r.dec.StackIndex(depth)
	f()
	if _, after := r.dec.StackIndex(depth); after == before {
		r.Skip()
	}
}

// more reports whether the object or array goes on.
func (r *Reader) more() bool {
	if r.err != nil {
		return false
	}
	kind := r.dec.PeekKind()
	return kind != jsontext.KindEndObject && kind != jsontext.KindEndArray
}

// is reports whether the token that was read begins a value of the kind, which
// is an error otherwise.
func (r *Reader) is(tok jsontext.Token, kind Kind) bool {
	got := kindOf(tok.Kind())
	if r.err == nil && got != kind {
		r.fail("%s where %s is expected", got, kind)
	}
	return r.err == nil
}

// next reads a token and holds it against the limits.
func (r *Reader) next() jsontext.Token {
	if r.err != nil {
		return jsontext.Token{}
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		r.err = r.syntaxError(err)
		return tok
	}
	depth := r.dec.StackDepth()
	parent, length := r.dec.StackIndex(depth)
	switch kind := tok.Kind(); {
	case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
		return tok
	case parent == jsontext.KindBeginObject && length%2 == 1: // a name
		if length > 2*MaxMembers {
			r.fail("an object has more than %d members", MaxMembers)
		}
		return tok
	case depth > MaxDepth:
		r.fail("objects and arrays are nested deeper than %d levels", MaxDepth)
	case kind == jsontext.KindNumber && len(tok.String()) > MaxNumber:
		r.fail("a number is longer than %d bytes", MaxNumber)
	case r.values == MaxValues:
		r.fail("there are more than %d values", MaxValues)
	}
	r.values++
	return tok
}

// fail is about the token that was read last.
func (r *Reader) fail(format string, args ...any) {
	r.err = &Error{
		Offset: r.dec.InputOffset(),
		Path:   dotted(r.dec.StackPointer()),
		Reason: fmt.Sprintf(format, args...),
	}
}

// syntaxError is the decoder's error in the words of this package.
func (r *Reader) syntaxError(err error) error {
	if errors.Is(err, io.EOF) {
		return &Error{Offset: r.dec.InputOffset(), Reason: "there is no JSON value, the text is empty"}
	}
	return newSyntaxError(r.data, err)
}

func kindOf(kind jsontext.Kind) Kind {
	switch kind {
	case jsontext.KindFalse:
		return False
	case jsontext.KindTrue:
		return True
	case jsontext.KindNumber:
		return Number
	case jsontext.KindString:
		return String
	case jsontext.KindBeginArray:
		return Array
	case jsontext.KindBeginObject:
		return Object
	}
	return Null
}
