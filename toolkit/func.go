package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// FuncTool is a tool made from a Go function. It is also the tool's typed
// client: see Call.
type FuncTool[In, Out any] struct {
	handler func(context.Context, In) (Out, error)
	command Command
	mistake error
	input   *types
	result  *types
}

// Func makes a tool from a handler. The input struct is the whole contract: the
// type of each field decides its parameter, tags only add; the package
// documentation lists both. Func never panics: what is wrong with the spec or
// the types comes back from Command.
func Func[In, Out any](spec Spec, handler func(context.Context, In) (Out, error)) *FuncTool[In, Out] {
	body, input := readInput(reflect.TypeFor[In]())
	schema, result := resultSchema(reflect.TypeFor[Out]())
	body.Result = schema
	mistakes := append(input.mistakes, prefix("result: ", errors.Join(result.mistakes...)))
	if handler == nil {
		mistakes = append(mistakes, errors.New("the handler is nil"))
	}
	tool := &FuncTool[In, Out]{handler: handler, input: input, result: result}
	command, err := spec.command(body, tool.encodeExample)
	tool.command, tool.mistake = command, errors.Join(append(mistakes, err)...)
	return tool
}

// Command is the tool's definition, globals included: the toolkit takes out
// those that it declares. The error joins all mistakes.
func (t *FuncTool[In, Out]) Command() (Command, error) { return t.command, t.mistake }

// Decode is the input as a *In. The error is an *Error of CodeValidationError:
// a definition cannot express everything that a Go type demands.
func (t *FuncTool[In, Out]) Decode(input json.RawMessage) (any, error) {
	in := new(In)
	if t.input.decode(input, in) == nil {
		return in, nil
	}
	typ := reflect.TypeFor[In]()
	if _, hasTimes := t.input.leaves[timeType]; hasTimes {
		in, input = new(In), t.input.readTimes(typ, input)
		if t.input.decode(input, in) == nil {
			return in, nil
		}
	}
	return nil, t.input.decodeError(typ, input)
}

// Run calls the handler with the value that Decode made.
func (t *FuncTool[In, Out]) Run(ctx context.Context, in any) (any, error) {
	input, ok := in.(*In)
	if !ok {
		return nil, fmt.Errorf("run tool %q: the input is of type %T, not %T", t.command.Name, in, input)
	}
	t.input.bind(reflect.ValueOf(input).Elem(), StreamsFrom(ctx))
	out, err := t.handler(ctx, *input)
	if err != nil {
		return nil, err
	}
	if none, ok := any(out).(None); ok {
		return none, nil
	}
	return result{t.result, reflect.ValueOf(&out).Elem()}, nil
}

// Call calls the tool through the caller. The handler receives the fields of in
// as they are. Absent are nil ones (unless a list or map is required), optional
// zeros without a default, and zeros that omitempty or omitzero leaves out. So
// a plain optional field with a default is always sent, an explicit 0, false or
// "" as well; to ask for the default, make the field a pointer or omitzero. Streams
// and the contents of files are those of the fields too.
func (t *FuncTool[In, Out]) Call(ctx context.Context, caller Caller, in In) (Out, error) {
	var out Out
	input, err := t.input.encode(reflect.ValueOf(&in).Elem(), givenInCall)
	if err != nil {
		return out, fmt.Errorf("encode input: %w", err)
	}
	ctx = WithCallerStreams(ctx, t.input.gather(reflect.ValueOf(&in).Elem()))
	result, err := caller.CallTool(ctx, t, input)
	if err != nil || result == nil {
		return out, err
	}
	if err := decode(result, &out); err != nil {
		return out, fmt.Errorf("decode result: %w", err)
	}
	return out, nil
}

// encodeExample is an example's input: JSON text as it is, or an In without
// what was not given.
func (t *FuncTool[In, Out]) encodeExample(input any) (json.RawMessage, error) {
	switch input := input.(type) {
	case nil:
		return json.RawMessage("{}"), nil
	case json.RawMessage:
		return compactObject(input)
	case In:
		return t.input.encode(reflect.ValueOf(&input).Elem(), givenInExample)
	}
	return nil, fmt.Errorf("the input is of type %T, want %s or json.RawMessage", input, reflect.TypeFor[In]())
}

// compactObject is the text of one JSON object without white space.
func compactObject(text json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	if !bytes.HasPrefix(out.Bytes(), []byte{'{'}) {
		return nil, errors.New("the input is not a JSON object")
	}
	return out.Bytes(), nil
}

// command is the command with the body, described by the spec.
func (s Spec) command(body *Body, encode func(input any) (json.RawMessage, error)) (Command, error) {
	var mistakes []error
	cmd := Command{Name: s.Name, Aliases: s.Aliases, Summary: s.Summary, Description: s.Description, Body: body}
	for i, example := range s.Examples {
		input, err := encode(example.Input)
		mistakes = append(mistakes, prefix(fmt.Sprintf("example %d: ", i+1), err))
		cmd.Examples = append(cmd.Examples, ExampleCase{Summary: example.Summary, Input: input})
	}
	for i, declared := range s.Errors {
		if declared == nil {
			mistakes = append(mistakes, fmt.Errorf("error %d is nil", i+1))
			continue
		}
		errorCase, err := declared.errorCase()
		mistakes = append(mistakes, prefix(fmt.Sprintf("error %s: ", declared.Code), err))
		body.Errors = append(body.Errors, errorCase)
	}
	body.Constraints = s.Constraints
	body.Annotations = Annotations{
		ReadOnly: s.ReadOnly, Destructive: s.Destructive, Idempotent: s.Idempotent, OpenWorld: s.OpenWorld,
	}
	if s.ReadOnly && s.Destructive != nil && *s.Destructive {
		mistakes = append(mistakes, errors.New("a read-only tool cannot be destructive"))
	}
	if s.Timeout < 0 {
		mistakes = append(mistakes, fmt.Errorf("the timeout %s is negative", s.Timeout))
	}
	if s.IdleTimeout < 0 {
		mistakes = append(mistakes, fmt.Errorf("the idle timeout %s is negative", s.IdleTimeout))
	}
	// Rounded up, so that no limit becomes none.
	body.TimeoutMS, body.IdleTimeoutMS = milliseconds(s.Timeout), milliseconds(s.IdleTimeout)
	return cmd, errors.Join(mistakes...)
}

// errorCase is the declared error as data.
func (e *Error) errorCase() (ErrorCase, error) {
	c := ErrorCase{Name: e.Code, Summary: e.summary, Kind: e.kind, Exit: e.Exit}
	if e.summary == "" {
		c.Summary = e.Message
	}
	if e.payload == nil {
		return c, nil
	}
	schema, ts := resultSchema(e.payload)
	c.Payload = schema
	return c, prefix("payload: ", errors.Join(ts.mistakes...))
}

// prefix is the error with each of its joined parts prefixed.
func prefix(text string, err error) error {
	all := split(err)
	for i, one := range all {
		all[i] = fmt.Errorf("%s%w", text, one)
	}
	return errors.Join(all...)
}

// milliseconds rounds up, so that a short limit does not become none.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
