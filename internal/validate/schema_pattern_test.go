package validate

import (
	"regexp/syntax"
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, pattern := range []string{`^a+$`, `\d{3}`, `^\p{Letter}$`, `[0-9]{2,}`, `a\/b`, `\u0041`} {
		text := `{"pattern":` + quoted(pattern) + `}`
		_, err := syntax.Parse(pattern, syntax.Perl)
		if got := mistakesOf(t, text); (got == "") != (err == nil) {
			t.Errorf("%s: got %q, RE2 says %v", pattern, got, err)
		}
	}
	for pattern, want := range map[string]string{
		`(?!a)`:                                `not in RE2, the syntax of Go's regular expressions: invalid or unsupported Perl syntax: "(?!"`,
		`(a)\1`:                                `not in RE2, the syntax of Go's regular expressions: invalid escape sequence: "\\1"`,
		`a**`:                                  `not in RE2, the syntax of Go's regular expressions: invalid nested repetition operator: "**"`,
		`(`:                                    `not in RE2, the syntax of Go's regular expressions: missing closing ): "("`,
		strings.Repeat("a", maxPatternBytes+1): `it is longer than 4096 bytes`,
	} {
		if got := mistakesOf(t, `{"pattern":`+quoted(pattern)+`}`); !strings.HasPrefix(got, "pattern: the pattern ") || !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", shorten(pattern), got, want)
		}
	}
}

// TestProgramSize: the size of a pattern is known before it takes memory, and it is
// not far from that of the program.
func TestProgramSize(t *testing.T) {
	for _, pattern := range []string{`a`, `abc`, `(a|b)*c`, `a{5}`, `(ab){2,7}`, `((a{1,10}){1,10}b)`, `[a-z]+@[a-z]+`} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if size, real := programSize(tree), len(program.Inst); size*4 < real || size > real*4 {
			t.Errorf("%s: got %d, want about %d", pattern, size, real)
		}
	}
}
