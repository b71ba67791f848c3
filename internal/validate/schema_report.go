package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// maxReported is how many problems a report lists.
const maxReported = 50

// Report is what is wrong with a value, in the order of the paths: positions as
// numbers, names by their bytes.
type Report struct {
	Problems []Problem
	// More is how many problems there are beside those listed.
	More int
}

// Problem is a problem with the clause that a message says of it, which does not
// repeat the path.
type Problem struct {
	toolkit.Problem
	Clause string

	steps []string // of the path
}

// Details are the problems as an error carries them.
func (r *Report) Details() []toolkit.Problem {
	details := make([]toolkit.Problem, len(r.Problems))
	for i := range r.Problems {
		details[i] = r.Problems[i].Problem
	}
	return details
}

// Message is all of it in one line: "city: required; days: got 17, expected integer
// from 1 to 16".
func (r *Report) Message() string {
	clauses := make([]string, 0, len(r.Problems)+1)
	for i := range r.Problems {
		clauses = append(clauses, r.Problems[i].String())
	}
	if r.More > 0 {
		clauses = append(clauses, fmt.Sprintf("and %d more", r.More))
	}
	return strings.Join(clauses, "; ")
}

// String is the clause after the path, if there is one.
func (p *Problem) String() string {
	if p.Path == "" {
		return p.Clause
	}
	return p.Path + ": " + p.Clause
}

// newReport sorts the problems, drops those that are said twice and what is beyond
// the limit. It is nil when there are none.
func newReport(problems []Problem) *Report {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(slices.CompareFunc(a.steps, b.steps, compareSteps), cmp.Compare(a.Clause, b.Clause))
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool { return a.Problem == b.Problem && a.Clause == b.Clause })
	listed := problems[:min(len(problems), maxReported)]
	return &Report{Problems: slices.Clip(listed), More: len(problems) - len(listed)}
}

// compareSteps orders positions by number.
func compareSteps(a, b string) int {
	m, errM := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	if errM == nil && errN == nil {
		return cmp.Compare(m, n)
	}
	return cmp.Compare(a, b)
}

// pathOf is the steps joined by dots, each of them shortened.
func pathOf(steps []string) string {
	short := make([]string, len(steps))
	for i, step := range steps {
		short[i] = shorten(step)
	}
	return strings.Join(short, ".")
}

// reject is a report of one problem with the value as a whole, or at the steps.
func reject(steps []string, expected, clause string) *Report {
	return &Report{Problems: []Problem{{
		Problem: toolkit.Problem{Path: pathOf(steps), Expected: expected}, Clause: clause, steps: steps,
	}}}
}
