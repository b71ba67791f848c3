package validate

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Fault is the VALIDATION_ERROR of an input that its schema refuses. Where the input
// could be decoded all the same, what Struct says of it is in the error too, except
// of what the schema has named already. In may be nil.
func (r *Report) Fault(in any, input json.RawMessage) *toolkit.Error {
	all := &Report{Problems: slices.Clone(r.Problems), More: r.More}
	if c, fault := examine(in, input); fault == nil {
		all = all.with(c)
	}
	return &toolkit.Error{Code: toolkit.CodeValidationError, Message: all.Message(), Details: all.Details()}
}

// with adds the problems of other paths.
func (r *Report) with(c *check) *Report {
	named := map[string]bool{}
	for i := range r.Problems {
		named[r.Problems[i].Path] = true
	}
	problems := r.Problems
	for i, problem := range c.problems {
		if named[problem.Path] {
			continue
		}
		clause := strings.TrimPrefix(c.messages[i], problem.Path+": ")
		problems = append(problems, Problem{Problem: problem, Clause: clause, steps: strings.Split(problem.Path, ".")})
	}
	joined := newReport(problems)
	joined.More += r.More
	return joined
}

// VetDefaults reports the defaults in the schema that do not fit where they stand,
// joined, each a *Mistake. Compile does not: to JSON Schema a default is a note. Those
// of parameters without patterns, formats and compositions are argv's to vet.
func (s *Schema) VetDefaults() error {
	if s == nil || !s.doubtful {
		return nil
	}
	m, err := s.take()
	if err != nil {
		return err
	}
	defer s.put(m)
	var wrong []error
	for _, place := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[place]
		if n.Default == nil {
			continue
		}
		if report := m.defaultReport(n); report != nil {
			wrong = append(wrong, &Mistake{Path: append(pointerPath(place), "default"), Reason: report.Message()})
		}
	}
	return errors.Join(wrong...)
}

// defaultReport is what is wrong with the subschema's default.
func (m *machine) defaultReport(n *subschema) *Report {
	text, err := json.Marshal(*n.Default)
	if err != nil {
		return nil // does not happen: it was JSON
	}
	doc, err := strictjson.Parse(text)
	if err != nil {
		return nil
	}
	if err := m.run(n.Schema, *n.Default, explainSteps); err != nil {
		return m.explain(doc, err)
	}
	return nil
}
