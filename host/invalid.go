package host

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// invalidResult is a result that JSON cannot carry.
type invalidResult struct{ error }

// forGuest says which part of the result it is and what kind of fault it has. The text
// of the error stays here: a type's own encoding may have written it.
func (e *invalidResult) forGuest() *toolkit.Error {
	told := &toolkit.Error{Code: toolkit.CodeInvalidResult, Message: "the tool returned " + e.kind()}
	if path := e.path(); path != "" {
		told.Message += " at " + path
		told.Details = []toolkit.Problem{{Path: path, Expected: "what JSON can carry"}}
	}
	told.Message += "; the host's log has the reason"
	return told
}

// maxResultPath is how many bytes of a path a guest is shown.
const maxResultPath = 256

// path leads to the part of the result, where that is known. The names in it are the
// result's.
func (e *invalidResult) path() string {
	var part interface{ Path() []string }
	var text *strictjson.Error
	switch {
	case errors.As(e.error, &part):
		path := strings.Join(part.Path(), ".")
		if len(path) > maxResultPath {
			path = strings.ToValidUTF8(path[:maxResultPath], "") + "…"
		}
		return path
	case errors.As(e.error, &text):
		return text.Path
	}
	return ""
}

// kind is what is wrong, in the bridge's own words.
func (e *invalidResult) kind() string {
	var value *json.UnsupportedValueError
	var unsupported *json.UnsupportedTypeError
	var syntax *json.SyntaxError
	var text *strictjson.Error
	switch {
	case errors.As(e.error, &value) && strings.HasPrefix(value.Str, "encountered a cycle"):
		return "a value that contains itself or nests too deep"
	case errors.As(e.error, &value):
		return "a number that is not finite"
	case errors.As(e.error, &unsupported):
		return "a value that has no form in JSON"
	case errors.As(e.error, &syntax), errors.As(e.error, &text):
		return "text that is not valid JSON"
	case strings.Contains(e.Error(), "json: invalid number literal"):
		return "a json.Number that is not a number"
	}
	return "what JSON cannot carry"
}
