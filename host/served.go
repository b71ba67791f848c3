package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// served is a tool of the catalog with the schemas that its inputs and results are
// held against.
type served struct {
	toolkit.Tool
	def      *toolkit.Definition
	path     []string
	examples []toolkit.ExampleCase
	input    *validate.Schema
	result   *validate.Schema // nil where none is declared
	declared *toolkit.Schema  // the source of result
}

// newServed compiles the schemas of the tool at the path. The error joins what is
// wrong with them, and with the validation rules of the tool's input type.
func newServed(def *toolkit.Definition, path []string, tool toolkit.Tool) (*served, error) {
	s := &served{Tool: tool, def: def, path: path}
	mistakes := []error{vetInput(tool)}
	_, cmd, err := argv.Resolve(def, path)
	if err != nil || cmd.Body == nil { // the definition's own mistakes say so
		return s, errors.Join(mistakes...)
	}
	s.input, err = validate.Compile(argv.InputSchema(def, path), &validate.Options{
		Completed: !demandsMore(cmd.Body.Input), Secret: secrets(def, path),
	})
	mistakes = append(mistakes, located("input", err), located("input", s.input.VetDefaults()))
	if s.declared = cmd.Body.Result; s.declared != nil {
		s.result, err = validate.Compile(s.declared, &validate.Options{TypesOnly: true})
		mistakes = append(mistakes, located("result", err))
	}
	s.examples = cmd.Examples
	mistakes = append(mistakes, s.vetExamples())
	return s, errors.Join(mistakes...)
}

// vetExamples holds the examples that argv accepts against the rest of the schema.
func (s *served) vetExamples() error {
	if s.input.IsOpen() {
		return nil
	}
	var mistakes []error
	for i, example := range s.examples {
		input, err := argv.Complete(s.def, s.path, example.Input)
		if err != nil {
			continue
		}
		if report := s.input.Validate(input); report != nil {
			mistakes = append(mistakes, fmt.Errorf("example %d: %s", i+1, report.Message()))
		}
	}
	return errors.Join(mistakes...)
}

// addSample puts the input into the definition that help shows where no example is
// declared, if one can be made up and the handler takes it: its own rules and types
// may ask for more than a definition can say.
func (s *served) addSample() {
	_, cmd, err := argv.Resolve(s.def, s.path)
	if err != nil || cmd.Body == nil {
		return
	}
	body := *cmd.Body // which is the tool's own
	input, completed := argv.Sample(s.def, s.path, func(completed json.RawMessage) bool {
		report := s.input.Validate(completed)
		return report == nil || report.More == 0 && s.lacksSecrets(report.Details())
	})
	if body.Sample = input; input != nil && !s.takes(completed) {
		body.Sample = nil
	}
	cmd.Body = &body
}

// takes reports whether the handler takes the input, secrets aside, which it lacks.
// Types may decode themselves, and their code must not end the host.
func (s *served) takes(input json.RawMessage) (taken bool) {
	defer func() {
		if recover() != nil {
			taken = false
		}
	}()
	in, err := s.Decode(input)
	if err != nil {
		return false
	}
	fault := validate.Struct(in, input)
	if fault == nil {
		return true
	}
	problems, _ := fault.Details.([]toolkit.Problem)
	return s.lacksSecrets(problems)
}

// lacksSecrets reports whether there are problems, and all are of secrets.
func (s *served) lacksSecrets(problems []toolkit.Problem) bool {
	names := secrets(s.def, s.path)
	return len(problems) > 0 && !slices.ContainsFunc(problems, func(p toolkit.Problem) bool {
		name, _, _ := strings.Cut(p.Path, ".")
		return !slices.Contains(names, name)
	})
}

// demandsMore reports whether the schema of an input says of the object as a whole
// what argv.Complete does not judge.
func demandsMore(input *toolkit.Schema) bool {
	return input != nil && (len(input.Required) > 0 || len(input.Properties) > 0 || input.MinProperties != nil || input.MaxProperties != nil)
}

// secrets are the names of the command's secret parameters, inherited ones included.
func secrets(def *toolkit.Definition, path []string) []string {
	var names []string
	collect := func(options []toolkit.Option) {
		for i := range options {
			if options[i].Secret {
				names = append(names, options[i].Name)
			}
		}
	}
	collect(def.Globals.Options)
	cmd := &def.Command
	for i := range path {
		_, cmd, _ = argv.Resolve(def, path[:i+1]) // which the whole path did
		collect(cmd.Globals.Options)
	}
	collect(cmd.Body.Options)
	for i := range cmd.Body.Positionals {
		if p := &cmd.Body.Positionals[i]; p.Secret {
			names = append(names, p.Name)
		}
	}
	return names
}

// located names the parameter of each mistake in a schema, or the schema.
func located(schema string, err error) error {
	var all []error
	for _, one := range prefixed("", err) {
		mistake, ok := errors.AsType[*validate.Mistake](one)
		if !ok || schema != "input" || len(mistake.Path) < 2 || mistake.Path[0] != "properties" {
			all = append(all, fmt.Errorf("%s: %w", schema, one))
			continue
		}
		inner := &validate.Mistake{Path: mistake.Path[2:], Reason: mistake.Reason}
		all = append(all, fmt.Errorf("parameter %q: %w", mistake.Path[1], inner))
	}
	return errors.Join(all...)
}

// notes are what the author should know of the schemas, each after the text.
func (s *served) notes(where string) []string {
	var notes []string
	for _, note := range s.input.Notes() {
		notes = append(notes, where+"input: "+note)
	}
	for _, note := range s.result.Notes() {
		notes = append(notes, where+"result: "+note)
	}
	return notes
}

// judge holds a complete input against what argv leaves open: patterns, formats,
// composed schemas. What the rules of a Go input say of it is told with that. Given
// is the input as it came, without defaults.
func (s *served) judge(input, given json.RawMessage) error {
	report := s.input.Validate(input)
	if report == nil {
		return nil
	}
	return s.hinted(report.Fault(s.decoded(input), input), given)
}

// hinted adds the next step to what is wrong with an input, where it has none.
func (s *served) hinted(err error, given json.RawMessage) error {
	wrong, ok := errors.AsType[*toolkit.Error](err)
	if !ok || wrong.Code != toolkit.CodeValidationError || wrong.Hint != "" {
		return err
	}
	hinted := *wrong
	hinted.Hint = argv.Advice(s.def, s.path, given)
	return &hinted
}

// decoded is the input as the handler takes it, or nil. Types may decode themselves,
// and their code must not end the host.
func (s *served) decoded(input json.RawMessage) (in any) {
	defer func() {
		if recover() != nil {
			in = nil
		}
	}()
	in, err := s.Decode(input)
	if err != nil {
		return nil
	}
	return in
}

// fits holds a result against the declared schema. The handler has run: its effects
// stand, whatever the error says.
func (s *served) fits(out any, result json.RawMessage) error {
	if s.result == nil {
		return nil
	}
	// What toolkit.Func makes is written by the schema of its own type.
	if typed, ok := out.(interface{ Schema() *toolkit.Schema }); ok && typed.Schema() == s.declared {
		return nil
	}
	if result == nil {
		return &toolkit.Error{Code: toolkit.CodeInvalidResult, Message: "the tool declares a result and returned none"}
	}
	report := s.result.Validate(result)
	if report == nil {
		return nil
	}
	return &toolkit.Error{
		Code: toolkit.CodeInvalidResult, Message: "the result does not fit the tool's schema: " + report.Message(), Details: report.Details(),
	}
}
