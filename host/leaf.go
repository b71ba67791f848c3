package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// leaf runs the handler: decode, validate, run, encode, hold against the schema. It
// is the one place where a panic of a handler is caught.
func (h *Host) leaf(ctx context.Context, inv *toolkit.Invocation) (result json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, &crash{value: v, stack: debug.Stack()}
		}
	}()
	tool, err := h.catalog.tool(inv)
	if err != nil {
		return nil, err
	}
	in, err := tool.Decode(inv.Input)
	if err != nil {
		return nil, fmt.Errorf("decode input: %w", tool.hinted(err, inv.Input))
	}
	if fault := validate.Struct(in, inv.Input); fault != nil {
		return nil, tool.hinted(fault, inv.Input)
	}
	out, err := tool.Run(toolkit.WithStreams(ctx, inv.Streams), in)
	if err != nil {
		return nil, h.handlerError(err)
	}
	if result, err = h.encode(out); err != nil {
		return nil, err
	}
	if err := tool.fits(out, result); err != nil {
		return nil, err
	}
	return result, nil
}

// handlerError is what a handler returned. The details of a *toolkit.Error in it
// are encoded here, since that runs the handler's code.
func (h *Host) handlerError(err error) error {
	var own *toolkit.Error
	if !errors.As(err, &own) {
		return &handlerError{err: err}
	}
	if own == nil {
		panic("the handler returned a nil *toolkit.Error as its error")
	}
	passed := *own
	if own.Details != nil {
		details, err := h.encode(own.Details)
		if err != nil {
			h.log.Error("details of an error are not JSON", "code", own.Code, "error", err)
		}
		passed.Details = details
	}
	return &handlerError{err: err, forGuest: &passed}
}

// encode is the result as JSON, within the host's limit; nil for None.
func (h *Host) encode(out any) (json.RawMessage, error) {
	if _, none := out.(toolkit.None); none {
		return nil, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, &invalidResult{err}
	}
	data := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if len(data) > h.resultLimit {
		return nil, &toolkit.Error{
			Code:    toolkit.CodeResultTooLarge,
			Message: fmt.Sprintf("the result has %d bytes, over the host's limit of %d; ask for less", len(data), h.resultLimit),
		}
	}
	if err := strictjson.Check(data); err != nil { // what the guest's reader would refuse
		return nil, &invalidResult{err}
	}
	return data, nil
}

// handlerError is a handler's own error: for the log, and the part of it that is
// for guests, which may be nil.
type handlerError struct {
	err      error
	forGuest *toolkit.Error
}

// Error is the text of the handler's own error, whatever guests are told.
func (e *handlerError) Error() string { return e.err.Error() }

// crash is a panic of a handler.
type crash struct {
	value any
	stack []byte
}

// Error is the value of the panic and the stack, for the log of the host alone.
func (c *crash) Error() string { return fmt.Sprintf("panic: %v\n%s", c.value, c.stack) }
