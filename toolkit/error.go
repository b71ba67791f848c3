package toolkit

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Error is the one error that a guest may see. Handlers return declared errors
// (made by DeclareError) or an Error of their own; any other error stays in the
// host's log and reaches the guest as EXECUTION_ERROR with a fixed message.
type Error struct {
	// Code is stable, upper snake case: a declared error's name or one of Codes.
	Code    string
	Message string
	// Hint is the next command to run, or another next step; it may be empty.
	Hint string
	// Exit is the exit status in the guest: 1 or 3–63, and 0 means 1. Codes of
	// the bridge have their own.
	Exit int
	// Details is encoded as JSON: a declared error's payload, or the Problems
	// of an input.
	Details any

	summary string
	kind    ErrorKind
	payload reflect.Type
}

// ErrorKind says whose mistake a declared error is. It never changes the exit status.
type ErrorKind string

// The two kinds of declared errors.
const (
	Usage   ErrorKind = "usage"   // the caller's input
	Runtime ErrorKind = "runtime" // what happened while the tool ran
)

// Problem is one thing wrong with an input. Path is wire names and positions
// joined by dots, as in "os.1.a"; empty for the input as a whole.
type Problem struct {
	Path     string `json:"path"`
	Got      string `json:"got,omitempty"`
	Expected string `json:"expected,omitempty"`
}

// DeclareError makes an error that a tool may list in Spec.Errors. Name is
// upper snake case and none of Codes, exit 1 or 3–63 (0 means 1); host.New
// reports what is wrong with it.
func DeclareError(name string, kind ErrorKind, exit int, summary string) *Error {
	return &Error{Code: name, Message: summary, Exit: exit, summary: summary, kind: kind}
}

// WithPayload is the declaration of the same error with a typed payload: its
// Details are of the sample's type.
func (e *Error) WithPayload(sample any) *Error {
	declared := *e
	declared.payload = reflect.TypeOf(sample)
	return &declared
}

// Errorf is an occurrence of the declared error with a message of its own.
func (e *Error) Errorf(format string, args ...any) *Error {
	occurred := *e
	occurred.Message = fmt.Sprintf(format, args...)
	return &occurred
}

// With is an occurrence of the error with these details.
func (e *Error) With(details any) *Error {
	occurred := *e
	occurred.Details = details
	return &occurred
}

// Error is "CODE: message".
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Is reports whether the target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// ExitStatus is the exit status of the error in the guest.
func (e *Error) ExitStatus() int {
	if exit, ok := CodeExit(e.Code); ok {
		return exit
	}
	if e.Exit == 1 || e.Exit >= 3 && e.Exit <= 63 {
		return e.Exit
	}
	return 1
}

// Problems are the details of an input error; nil for other errors.
func (e *Error) Problems() []Problem {
	switch details := e.Details.(type) {
	case []Problem:
		return details
	case json.RawMessage:
		var problems []Problem
		if json.Unmarshal(details, &problems) == nil {
			return problems
		}
	}
	return nil
}
