package argv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/toolkit"
)

// fault is what is wrong with one value, before it is known whose value it is.
type fault struct {
	below    string // path below the parameter, "" for the parameter itself
	got      string
	expected string
	clause   string // what the message says; made from got and expected when empty
	advice   string // what to do about it, where no corrected line can say it
	usage    bool   // the text cannot be read; else the value breaks a rule
	again    bool   // the text can be read, but another value was given before
}

// problem is a fault with its place.
type problem struct {
	toolkit.Problem
	key    string // the parameter's wire name, or an unknown key
	clause string // of the message, subject included
	advice string
	usage  bool
}

// maxProblems bounds what is reported of an input in which everything is wrong.
const maxProblems = 50

// problems are those of one line or input, in the order in which they were found.
type problems struct {
	list []problem
	more int    // beyond maxProblems
	note string // what else the message says
}

// full counts one more problem, if there are so many that it is not looked at
// closer: what a wrong input costs must not grow with how wrong it is.
func (ps *problems) full() bool {
	if len(ps.list) < maxProblems {
		return false
	}
	ps.more++
	return true
}

// add reports the fault of the parameter or key. The subject is how the message
// names it, as the line does ("--n") or by its path ("os.1.a").
func (ps *problems) add(key, subject string, f *fault) {
	path := shortened(key)
	if f.below != "" {
		path = dotted(path, shortened(f.below))
	}
	ps.addAt(key, path, subject, f)
}

// addAt is add for a fault whose whole path is known.
func (ps *problems) addAt(key, path, subject string, f *fault) {
	if ps.full() {
		return
	}
	clause := f.clause
	if clause == "" {
		clause = "got " + f.got + ", expected " + f.expected
	}
	if subject != "" {
		clause = shortened(subject) + ": " + clause
	}
	clause = escaped(clause)
	ps.list = append(ps.list, problem{
		Problem: toolkit.Problem{Path: path, Got: f.got, Expected: f.expected},
		key:     key, clause: clause, advice: f.advice, usage: f.usage,
	})
}

// wrongWord is the fault of a word that cannot be read.
func wrongWord(word, expected string) *fault {
	return &fault{
		got: shortened(word), expected: expected, usage: true,
		clause: "got " + quotedWord(word) + ", expected " + expected,
	}
}

// count says what the number counts that is expected, where it is a number.
func (f *fault) count(unit string) {
	isNumber := strings.HasPrefix(f.expected, toolkit.TypeInteger) || strings.HasPrefix(f.expected, toolkit.TypeNumber)
	if unit == "" || !isNumber {
		return
	}
	clause, told := strings.CutSuffix(f.clause, f.expected)
	f.expected += " (" + unit + ")"
	if told && f.clause != "" {
		f.clause = clause + f.expected
	}
}

// err is the one error for all problems, nil when there is none. USAGE_ERROR
// outranks VALIDATION_ERROR.
func (ps *problems) err() *toolkit.Error {
	if len(ps.list) == 0 {
		return nil
	}
	e := &toolkit.Error{Code: toolkit.CodeValidationError, Message: clauses(ps.list)}
	details := make([]toolkit.Problem, 0, len(ps.list))
	for _, p := range ps.list {
		if p.usage {
			e.Code = toolkit.CodeUsageError
		}
		details = append(details, p.Problem)
	}
	if ps.more > 0 {
		e.Message += fmt.Sprintf("; and %d more", ps.more)
	}
	if ps.note != "" {
		e.Message += "; " + ps.note
	}
	e.Details = details
	return e
}

// clauses are what the problems say, as one text.
func clauses(list []problem) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].clause
	}
	return strings.Join(texts, "; ")
}

// advice is what the problems advise where no corrected line can.
func (ps *problems) advice() string {
	var all []string
	for _, p := range ps.list {
		if p.advice != "" {
			all = append(all, p.advice)
		}
	}
	return strings.Join(all[:min(len(all), 3)], "; ")
}

// except are the problems of other parameters than these.
func (ps *problems) except(keys map[string]bool) []problem {
	return slices.DeleteFunc(slices.Clone(ps.list), func(p problem) bool { return keys[p.key] })
}

// keys are the parameters that have a problem.
func (ps *problems) keys() map[string]bool {
	keys := map[string]bool{}
	for _, p := range ps.list {
		keys[p.key] = true
	}
	return keys
}

// maxShown is how many bytes of a value an error repeats.
const maxShown = 80

// quotedWord is a word of the line as an error repeats it: quoted, printable, short.
func quotedWord(text string) string { return strconv.Quote(shortened(text)) }

// shortened is valid UTF-8 of at most maxShown bytes and a mark of the cut.
func shortened(text string) string {
	if len(text) > maxShown {
		cut := maxShown
		for cut > maxShown-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// dotted is two parts of a path.
func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// capped is the names separated by commas, at most limit of them.
func capped(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}
