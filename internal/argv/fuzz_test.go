package argv

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// FuzzParse reads lines, their words separated by NUL, with definitions that have
// every construct. Whatever the line: no panic; an input that is accepted is
// accepted by the host too; an error has its code, details and a hint.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"t\x00--n\x00-5\x00--xs\x00[\"a\"]", "t\x00--o.a\x001\x00--json\x00{\"s\":null}", "help\x00t", "oepn\x00--help\x00--json",
		"tail\x00tail\x00--\x00x", "-vvcalways\x00--no-enabled", "--set=x=1\x00--set\x00x=2", "--\x00--", "order\x00ab\x00--lines\x00[{}]",
		"t\x00--agentos:json\x00@f\x00--arg:b\x00false", "tab\x00close\x00-q\x00--id\x00x\x00--timeout\x001e9s", "t\x00--labels.\x00\x00--s-file\x00f",
	} {
		f.Add(uint8(0), seed, "{}")
	}
	for i, group := range vectorGroups {
		for _, row := range group.rows {
			f.Add(uint8(3+i), strings.Join(splitLine(f, row.line), "\x00"), row.env)
		}
	}
	defs := fuzzDefinitions(f)
	codes := []string{toolkit.CodeUsageError, toolkit.CodeValidationError, toolkit.CodeToolNotFound}
	f.Fuzz(func(t *testing.T, pick uint8, text, data string) {
		def := defs[int(pick)%len(defs)]
		line := &Line{
			Program: "agentos-" + def.Name, Args: strings.Split(text, "\x00"),
			Env:      func(string) (string, bool) { return data, true },
			ReadFile: func(string) ([]byte, error) { return []byte(data), nil },
			Stdin:    func(time.Duration) ([]byte, error) { return []byte(data), nil },
		}
		inv, err := Parse(def, line)
		Locate(Skeleton(def), line.Args)
		if pruned := Prune(def, LeadingWords(line.Args)); pruned.Name != def.Name {
			t.Errorf("Prune: got the toolkit %q", pruned.Name)
		}
		var e *toolkit.Error
		switch {
		case err == nil && inv.Input != nil:
			if _, err := Complete(def, inv.Path, inv.Input); err != nil {
				t.Errorf("%q: Complete(%s): %v", line.Args, inv.Input, err)
			}
		case err == nil && !inv.Help && !inv.Version:
			t.Errorf("%q: got neither input nor help nor error", line.Args)
		case err != nil && (!errors.As(err, &e) || !slices.Contains(codes, e.Code) || e.Hint == "" || len(e.Problems()) == 0 || e.Message == ""):
			t.Errorf("%q: got %#v, want code, message, hint and details", line.Args, err)
		}
	})
}

// fuzzDefinitions are the definitions of the other tests.
func fuzzDefinitions(f *testing.F) []*toolkit.Definition {
	f.Helper()
	defs := []*toolkit.Definition{definition(f, fixture), definition(f, browser), definition(f, ordering)}
	for _, group := range vectorGroups {
		defs = append(defs, definition(f, `{"name":"x",`+group.command+`}`))
	}
	return defs
}

// FuzzComplete gives the host inputs that no Parse has made: no panic, and what
// is accepted is canonical and accepted again.
func FuzzComplete(f *testing.F) {
	for _, seed := range []string{`{}`, `{"id":"ab","lines":[{"sku":"x"}],"ship":{}}`, `{"id":"ab","count":5.0}`, `{"id":1e99,"meta":{"a":-0}}`} {
		f.Add(seed)
	}
	def := definition(f, ordering)
	f.Fuzz(func(t *testing.T, input string) {
		full, err := Complete(def, []string{"order"}, json.RawMessage(input))
		if err != nil {
			return
		}
		if _, err := Complete(def, []string{"order"}, full); err != nil {
			t.Errorf("Complete(%q) gives %s, which is refused: %v", input, full, err)
		}
	})
}
