package argv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// examples vets the examples of the command. Whether they are inputs of it can
// be judged only when what it declares is sound.
func (at site) examples(s *scope, sound bool) {
	for i, example := range s.command().Examples {
		at := at.in("example", fmt.Sprint(i+1))
		at.text("summary", example.Summary, maxSummary)
		if s.body() == nil {
			at.report("the command has no body, so that there is nothing to call; examples belong to tools")
			continue
		}
		if at.noSecrets(s, example.Input) && sound {
			at.input(s, s.withSecrets(example.Input))
		}
	}
}

// noSecrets vets that the input holds no secret, nor a reference to one, which
// would be some deployment's.
func (at site) noSecrets(s *scope, input json.RawMessage) bool {
	value, err := strictjson.Parse(input)
	switch {
	case err != nil:
		at.report("its input is no JSON: %v", err)
		return false
	case value.Kind != strictjson.Object:
		at.report("its input is of type %s; only an object is an input", typeName(value))
		return false
	}
	found := false
	for _, p := range s.params {
		if p.secret && value.Get(p.wire) != nil {
			at.report("it has a value for the secret %q; leave that out", p.wire)
			found = true
		}
	}
	return !found
}

// input vets that the input satisfies the definition, and that the line made from
// it is read back as the same input.
func (at site) input(s *scope, input json.RawMessage) {
	complete, err := Complete(s.definition(), s.names(), input)
	if err != nil {
		at.report("its input does not fit: %s", message(err))
		return
	}
	words, err := s.words(input)
	if err != nil {
		at.report("its command line cannot be written: %s", message(err))
		return
	}
	inv, err := Parse(s.definition(), &Line{Program: "agentos-" + s.toolkit(), Args: words})
	if err != nil {
		at.report("its command line %s is refused: %s", strings.Join(words, " "), message(err))
		return
	}
	again, err := Complete(s.definition(), s.names(), inv.Input)
	if err != nil || !bytes.Equal(again, complete) {
		at.report("its command line %s means another input: %s", strings.Join(words, " "), inv.Input)
	}
}

// message is the error without its code.
func message(err error) string {
	var e *toolkit.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
