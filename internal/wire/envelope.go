package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Envelope is the document that ends a call, in the order of its keys. The host
// makes it, the guest prints it.
type Envelope struct {
	OK bool `json:"ok"`
	// Result is empty for a tool without one; a null result is the text null.
	Result json.RawMessage `json:"result,omitempty"`
	// Code is the error's code; only a failure has one.
	Code    string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Details are the list of problems of an input, or a declared error's payload.
	Details json.RawMessage `json:"details,omitempty"`
	// Call is the call's id, where it says something.
	Call string `json:"call,omitempty"`
	// Replayed says that the outcome was recorded earlier and nothing ran now.
	Replayed bool `json:"replayed,omitempty"`
	DryRun   bool `json:"dry_run,omitempty"`
	// Spill stands in place of a large result. Only guests fill it in.
	Spill *Spill `json:"spill,omitempty"`
}

// Spill says where a guest put a result that was too long to print.
type Spill struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal
	// Head is the beginning of the result, as text.
	Head string `json:"head"`
}

// Success is the envelope of a result; nil is the result of a tool without one.
func Success(result json.RawMessage) Envelope { return Envelope{OK: true, Result: result} }

// Failure is the envelope of an error. Details that say nothing, or that JSON
// cannot express, are left out: the error itself must not be lost for them.
func Failure(err *toolkit.Error) Envelope {
	return Envelope{Code: err.Code, Message: err.Message, Hint: err.Hint, Details: rawDetails(err.Details)}
}

func rawDetails(details any) json.RawMessage {
	raw, err := appendJSON(nil, details)
	if err != nil {
		return nil
	}
	switch string(raw) {
	case "null", "[]", "{}":
		return nil
	}
	return raw
}

// Error is the error that the envelope tells, without its exit status; nil for
// a success. Its Details are a json.RawMessage.
func (e *Envelope) Error() *toolkit.Error {
	if e.OK {
		return nil
	}
	err := &toolkit.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}
	if len(e.Details) > 0 {
		err.Details = e.Details
	}
	return err
}

func (e *Envelope) check() error {
	switch {
	case e.OK && e.Code != "":
		return fmt.Errorf("ok with the error %.80q", e.Code)
	case !e.OK && e.Code == "":
		return errors.New("neither ok nor an error")
	case len(e.Result) > strictjson.MaxBytes:
		return fmt.Errorf("result of %d bytes, the limit is %d", len(e.Result), strictjson.MaxBytes)
	}
	return nil
}

// Document is the envelope as one line of JSON, without a newline, safe to
// print. An envelope whose parts are not JSON says so in their place.
func (e *Envelope) Document() []byte {
	doc, err := appendObject(nil, e.members)
	if err != nil {
		doc = []byte(`{"ok":false,"error":"` + toolkit.CodeInvalidResult + `","message":"the result is not JSON"}`)
	}
	return Printable(doc)
}

// Printable is the JSON text with every character escaped that could do more
// to a terminal than show itself: DEL, the C1 controls (U+009B begins a control
// sequence), the line and paragraph separators; invalid UTF-8 becomes U+FFFD.
// The C0 controls cannot stand in a JSON string. The text means the same as
// before and is returned as it is when nothing is to be escaped.
func Printable(text []byte) []byte {
	var out []byte
	done := 0 // text[:done] is in out
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if needsEscape(r, size) {
			out = append(out, text[done:i]...)
			out = fmt.Appendf(out, `\u%04x`, r)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

func needsEscape(r rune, size int) bool {
	return 0x7f <= r && r <= 0x9f || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1
}
