package argv

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// examples vets the examples of the command, and has their inputs judged as far as
// that can be done.
func (at site) examples(s *scope, judge func(input json.RawMessage, at site)) {
	for i, example := range s.command().Examples {
		at := at.in("example", fmt.Sprint(i+1))
		at.text("summary", example.Summary, maxSummary)
		if s.body() == nil {
			at.report("the command has no body, so that there is nothing to call; examples belong to tools")
			continue
		}
		if at.noSecrets(s, example.Input) {
			judge(example.Input, at)
		}
	}
}

// noSecrets vets that the input holds no secret.
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

// members vets those of the input whose parameters are sound, where others are not:
// more can be said only when these are.
func (at site) members(s *scope, input json.RawMessage, doubtful map[string]bool) {
	_, found := complete(s, input)
	var wrong []problem
	for _, p := range found.except(s.secrets()) {
		if p.key != "" && !doubtful[p.key] {
			wrong = append(wrong, p)
		}
	}
	if len(wrong) > 0 {
		at.report("its input does not fit: %s", clauses(wrong))
	}
}

// input vets that the input, but for the secrets that it lacks, satisfies the
// definition, and that the line made from it is read back as the same input.
func (at site) input(s *scope, input json.RawMessage) {
	secrets := s.secrets()
	completed, problems := complete(s, input)
	if wrong := problems.except(secrets); len(wrong) > 0 {
		at.report("its input does not fit: %s", clauses(wrong))
		return
	}
	words, err := s.words(input)
	if err != nil {
		at.report("its command line cannot be written: %v", err)
		return
	}
	again := newParser(s.definition(), &Line{Args: words})
	_ = again.parse() // the problems say more than the error
	line := strings.Join(words, " ")
	if wrong := again.problems.except(secrets); len(wrong) > 0 || again.input == nil {
		at.report("its command line %s is refused: %s", line, clauses(wrong))
		return
	}
	read := again.input.Append(nil)
	if value, _ := complete(s, read); value == nil || !equal(value, completed) {
		at.report("its command line %s means another input: %s", line, read)
	}
}
