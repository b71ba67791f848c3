package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says why a text is not the JSON that this package accepts. Its words
// are made for whoever wrote the text, often a language model.
type Error struct {
	// Offset is the position in the text, in bytes from 0, where the problem
	// was seen.
	Offset int64
	// Path is the names and positions that lead there, joined by dots, as in
	// "os.1.a"; empty for the value itself. Long ones are shortened.
	Path string
	// Reason says what is wrong.
	Reason string
}

// Error is the path, the reason and the offset in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s (byte %d)", e.Reason, e.Offset)
	if e.Path == "" {
		return text
	}
	return e.Path + ": " + text
}

// Parts of a document are shown up to these lengths in bytes: an error is read
// by people and models, and a name may have megabytes.
const (
	maxShownName = 64
	maxShownPath = 256
)

// newSyntaxError says in plain words what the decoder found in the text.
func newSyntaxError(data []byte, err error) *Error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return &Error{Reason: err.Error()}
	}
	pointer := syntax.JSONPointer
	e := &Error{Offset: syntax.ByteOffset}
	rest := data[min(syntax.ByteOffset, int64(len(data))):]
	switch {
	case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		e.Reason = fmt.Sprintf("the name %q is given twice", shorten(pointer.LastToken(), maxShownName))
		pointer = pointer.Parent()
	case errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		e.Reason = "the JSON ends too early"
	case isSurrogate(rest):
		e.Reason = fmt.Sprintf("a lone surrogate %s, which is no character", rest[:6])
	case isTrailingComma(rest):
		e.Reason = "a comma with no value after it"
	default:
		e.Reason = shorten(syntax.Err.Error(), maxShownPath)
	}
	e.Path = dotted(pointer)
	return e
}

// isSurrogate reports whether the text begins with the escape of one half of a
// surrogate pair (RFC 8259 §7), \ud800 to \udfff.
func isSurrogate(text []byte) bool {
	return len(text) >= 6 && bytes.EqualFold(text[:3], []byte(`\ud`)) &&
		bytes.IndexByte([]byte("89abcdefABCDEF"), text[3]) >= 0
}

// isTrailingComma reports whether the text begins with a comma that a closing
// bracket follows.
func isTrailingComma(text []byte) bool {
	rest, comma := bytes.CutPrefix(text, []byte(","))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return comma && len(rest) > 0 && (rest[0] == '}' || rest[0] == ']')
}

// dotted is the pointer in the notation of input errors.
func dotted(pointer jsontext.Pointer) string {
	var path strings.Builder
	for name := range pointer.Tokens() {
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(shorten(name, maxShownName))
		if path.Len() > maxShownPath {
			break
		}
	}
	return shorten(path.String(), maxShownPath)
}

// shorten cuts text over limit bytes at a character's boundary and marks the cut.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
