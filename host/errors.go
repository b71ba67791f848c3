package host

import (
	"context"
	"errors"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// success is the answer of a call that has a result, or none.
func success(result []byte) *wire.Result { return &wire.Result{Envelope: wire.Success(result)} }

// failure is the answer of a call that has not.
func failure(err error) *wire.Result {
	e := asError(err)
	return &wire.Result{Envelope: wire.Failure(e), Exit: e.ExitStatus()}
}

// asError is the error as a guest may see it. Of an error that is not meant for
// guests nothing passes but its kind: the text may name paths and secrets.
func asError(err error) *toolkit.Error {
	var (
		own     *toolkit.Error
		late    *timedOut
		full    *busy
		handler *handlerError
		crashed *crash
		invalid *invalidResult
	)
	switch {
	case errors.As(err, &crashed):
		return &toolkit.Error{Code: toolkit.CodeHandlerCrashed, Message: "the tool crashed; the host's log has the reason"}
	case errors.As(err, &invalid):
		return invalid.forGuest()
	case errors.As(err, &handler):
		return fromHandler(handler)
	case errors.As(err, &own):
		return own
	case errors.As(err, &late):
		return late.forGuest()
	case errors.As(err, &full):
		return full.forGuest()
	case errors.Is(err, context.Canceled):
		return &toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled by the caller"}
	case errors.Is(err, context.DeadlineExceeded):
		return &toolkit.Error{Code: toolkit.CodeTimeout, Message: "the caller's own deadline passed", Details: limitDetails("caller")}
	}
	return &toolkit.Error{Code: toolkit.CodeInternalError, Message: "the bridge failed; the host's log has the reason"}
}

// fromHandler passes a *toolkit.Error on, unless it bears a code that is the
// bridge's to give.
func fromHandler(e *handlerError) *toolkit.Error {
	if e.forGuest == nil {
		return &toolkit.Error{Code: toolkit.CodeExecutionError, Message: "the tool failed; the host's log has the reason"}
	}
	if _, reserved := toolkit.CodeExit(e.forGuest.Code); reserved || e.forGuest.Code == "" {
		e.forGuest.Code, e.forGuest.Exit = toolkit.CodeExecutionError, 0
	}
	return e.forGuest
}
