package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"unicode"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// answer prints what a call came to, as the options say, and is the exit status.
// The id is that of the call, if there was one.
func (p *Process) answer(o argv.Options, id string, a *guest.Answer) int {
	if !a.OK && (o.Output != "envelope" || o.HasField) {
		return p.stderr(a)
	}
	document, err := p.document(o, a)
	if err == nil {
		err = p.deliver(o, document)
	}
	if err != nil {
		return p.undelivered(id, err)
	}
	return a.Exit
}

// streamed is answer for a call whose stdout is the tool's: the document goes to
// stderr if it is a failure, and to a file that the line names.
func (p *Process) streamed(o argv.Options, id string, a *guest.Answer) int {
	switch {
	case !a.OK:
		return p.stderr(a)
	case o.ResultFile == "":
		return a.Exit
	}
	return p.answer(o, id, a)
}

// document is what stdout carries for an answer.
func (p *Process) document(o argv.Options, a *guest.Answer) ([]byte, error) {
	if !a.OK {
		return asLine(a.Document()), nil
	}
	result := a.Result
	if o.HasField {
		var err error
		if result, err = field(a.Result, o.Field); err != nil {
			return nil, err
		}
	}
	if o.InlineLimit >= 0 && int64(len(result)) > o.InlineLimit {
		spilled, err := p.spill(result)
		if err != nil {
			return nil, err
		}
		return envelope(wire.Envelope{OK: true, Spill: spilled}), nil
	}
	switch {
	case o.HasField || o.Output == "text":
		return text(result), nil
	case o.Output == "result":
		return asLine(wire.Printable(result)), nil
	}
	return asLine(a.Document()), nil
}

// envelope is the envelope as a line of JSON.
func envelope(e wire.Envelope) []byte { return asLine(e.Document()) }

func asLine(document []byte) []byte { return append(document, '\n') }

// text is a string as it is and anything else as compact JSON, with a newline;
// no result is no text.
func text(result json.RawMessage) []byte {
	if result == nil {
		return nil
	}
	var s string
	if json.Unmarshal(result, &s) == nil && result[0] == '"' {
		return append([]byte(s), '\n')
	}
	return asLine(wire.Printable(result))
}

// deliver writes the document to stdout, or to the file that the caller named.
func (p *Process) deliver(o argv.Options, document []byte) error {
	if o.ResultFile != "" {
		return replaceFile(o.ResultFile, document)
	}
	_, err := p.Stdout.Write(document)
	if errors.Is(err, syscall.EPIPE) && p.brokenPipe != nil {
		p.brokenPipe(p.Stdout)
	}
	return err
}

// undelivered tells on stderr of output that could not be written.
func (p *Process) undelivered(id string, err error) int { return p.stderr(undeliverable(id, err)) }

// undeliverable is the answer when output could not be written: the call, if there
// was one, is done all the same.
func undeliverable(id string, err error) *guest.Answer {
	failure := &toolkit.Error{Code: toolkit.CodeOutputError, Message: fmt.Sprintf("the output could not be written: %v", err)}
	if id != "" {
		failure.Message = fmt.Sprintf("the call is done, but its output could not be written: %v", err)
	}
	var own *toolkit.Error
	if errors.As(err, &own) {
		failure = own
	}
	if id != "" {
		failure.Message += fmt.Sprintf("; the same command with --call-id %s answers again and runs nothing", id)
	}
	return failed(failure, id)
}

// failed is an error as the answer of the call of that id, if there was one.
func failed(err *toolkit.Error, id string) *guest.Answer {
	e := wire.Failure(err)
	return &guest.Answer{Code: e.Code, Message: e.Message, Hint: e.Hint, Details: e.Details, Call: id, Exit: err.ExitStatus()}
}

// stderr prints a failure where stdout is not for it.
func (p *Process) stderr(a *guest.Answer) int {
	_, _ = p.Stderr.Write(asLine(a.Document())) // there is nowhere else to tell
	return a.Exit
}

// print writes text to stdout, as lists and help do.
func (p *Process) print(text string) int {
	// A text may be the host's: no escape of a terminal goes through.
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	if _, err := io.WriteString(p.Stdout, text); err != nil {
		return p.undelivered("", err)
	}
	return 0
}

// note passes a notice of the host on.
func (p *Process) note(text string) { fmt.Fprintf(p.Stderr, "agentos: %s\n", argv.Inline(text)) }

// debug writes a diagnostic when AGENTOS_LOG asks for them.
func (p *Process) debug(format string, args ...any) {
	if level, _ := p.Env("AGENTOS_LOG"); level == "debug" {
		p.note(fmt.Sprintf(format, args...))
	}
}

// asError is any error as one with a code.
func asError(err error) *toolkit.Error {
	var own *toolkit.Error
	if errors.As(err, &own) {
		return own
	}
	return &toolkit.Error{Code: toolkit.CodeInternalError, Message: err.Error()}
}
