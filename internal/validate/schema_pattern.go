package validate

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of the patterns of a schema. A pattern of 20 characters may repeat its
// repetitions until it fills the memory.
const (
	maxPatternBytes = 4 << 10
	maxPatternSize  = 10_000  // steps of its program
	maxPatternsSize = 100_000 // of all patterns together
)

// pattern is a regular expression in RE2's syntax, whose matching takes time in
// proportion to the text: each match pays for that.
type pattern struct {
	*regexp.Regexp
	size  int
	meter *meter
}

// MatchString reports whether the text contains a match.
func (p *pattern) MatchString(text string) bool {
	p.meter.spend(1 + len(text)*p.size/matchedPerStep)
	return p.Regexp.MatchString(text)
}

// matchedPerStep is how many bytes a program of one step matches while the library
// judges one value, about a microsecond.
const matchedPerStep = 100

// patternSet compiles the patterns of one schema.
type patternSet struct {
	meter *meter
	known map[string]*pattern
	size  int
}

// compile is the library's way to make a regular expression. It asks for one and
// the same several times.
func (ps *patternSet) compile(text string) (jsonschema.Regexp, error) {
	if known := ps.known[text]; known != nil {
		return known, nil
	}
	if len(text) > maxPatternBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("it is not in RE2, the syntax of Go's regular expressions: %w", reason(err))
	}
	size := programSize(tree)
	if size > maxPatternSize || ps.size+size > maxPatternsSize {
		return nil, errors.New("its repetitions make it too large")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	ps.size += size
	p := &pattern{compiled, size, ps.meter}
	ps.known[text] = p
	return p, nil
}

// reason is the error without the pattern as a whole, which is shown anyway.
func reason(err error) error {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %q", wrong.Code, wrong.Expr)
	}
	return err
}

// programSize is about how many steps the expression's program has, at most a few
// more than maxPatternSize.
func programSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		size = min(size+programSize(sub), maxPatternSize+1)
	}
	if tree.Op == syntax.OpRepeat {
		size = min(size*max(tree.Min, tree.Max, 1), maxPatternSize+1)
	}
	return size
}
