package guest

import (
	"encoding/json"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// Answer is what a call came to.
type Answer struct {
	OK bool
	// Result is the tool's result as JSON; nil for a tool without one, and for a
	// failure.
	Result json.RawMessage
	// Code, Message, Hint and Details are those of a failure. Details are JSON.
	Code, Message, Hint string
	Details             json.RawMessage
	// Call is the call's id, where it says something.
	Call string
	// Replayed says that the outcome was recorded earlier and nothing ran now,
	// DryRun that nothing was to run.
	Replayed, DryRun bool
	// Stale says that nothing ran because the definition is no longer the one that
	// Call.Revision names: what was read by it is to be read again.
	Stale bool
	// Exit is the exit status that a command ends with, 0 for a success.
	Exit int
}

// Error is the failure, or nil. Its Details are a json.RawMessage.
func (a *Answer) Error() *toolkit.Error {
	e := a.envelope()
	err := e.Error()
	if err != nil {
		err.Exit = a.Exit
	}
	return err
}

// Document is the answer as the JSON document that a command prints: one line,
// without a newline.
func (a *Answer) Document() []byte {
	e := a.envelope()
	return e.Document()
}

func (a *Answer) envelope() wire.Envelope {
	return wire.Envelope{
		OK: a.OK, Result: a.Result, Code: a.Code, Message: a.Message, Hint: a.Hint, Details: a.Details,
		Call: a.Call, Replayed: a.Replayed, DryRun: a.DryRun,
	}
}

// received is an answer of the host.
func received(r *wire.Result) *Answer {
	return &Answer{
		OK: r.OK, Result: r.Result, Code: r.Code, Message: r.Message, Hint: r.Hint, Details: r.Details,
		Call: r.Call, Replayed: r.Replayed, DryRun: r.DryRun, Exit: r.Exit,
	}
}

// failure is an error as an answer.
func failure(err *toolkit.Error) *Answer {
	return received(&wire.Result{Envelope: wire.Failure(err), Exit: err.ExitStatus()})
}
