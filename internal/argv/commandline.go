package argv

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// CommandLine is a line for a POSIX shell that calls the command at the path
// with the input, a JSON object: once a shell has split the line, Parse gives the
// same input again. The program is written as it is given. The line is printable
// text without line breaks; values with other characters stand in --json, escaped.
// A secret is never on it: --NAME-file PATH stands for it, to be given the file
// that holds it. The error is for a path or input that is none, and for a secret
// that has no such form; an input that breaks the command's rules still has its
// line.
func CommandLine(program string, def *toolkit.Definition, path []string, input json.RawMessage) (string, error) {
	s := scopeAt(def, path)
	if s == nil {
		return "", fmt.Errorf("write command line: no command %q", strings.Join(path, " "))
	}
	return s.commandLine(program, input)
}

// commandLine is the line of the scope's command.
func (s *scope) commandLine(program string, input json.RawMessage) (string, error) {
	words, err := s.words(input)
	if err != nil {
		return "", err
	}
	var line strings.Builder
	line.WriteString(program)
	for _, word := range words {
		line.WriteString(" " + Quote(word))
	}
	return line.String(), nil
}

// words are those of the line after the program.
func (s *scope) words(input json.RawMessage) ([]string, error) {
	value, err := strictjson.Parse(input)
	if err != nil {
		return nil, fmt.Errorf("write command line: %w", err)
	}
	if value.Kind != strictjson.Object {
		return nil, errors.New("write command line: the input is no JSON object")
	}
	return (&spelling{scope: s}).line(value)
}

// spelling is an input on its way to words.
type spelling struct {
	scope *scope
	files map[*param]string // parameters that are given by a file, and its path
	parts map[*param]bool   // objects that are given by the dotted form

	refs    refs
	places  []string // positionals, and the items of a tail without separator
	options []string // options and flags
	tail    []string // separator and items of a tail that has one
	dashed  bool     // a place would be taken for something else before "--"
	closed  bool     // a place was left empty, so that no later one can be given
	missing bool     // a required place was left empty
	// rest is what only JSON can say.
	rest []strictjson.Member
}

// line is the words of the input, the command's own names first.
func (sp *spelling) line(input *strictjson.Value) ([]string, error) {
	sp.refs = sp.scope.refs()
	for _, p := range sp.scope.params {
		value := input.Get(p.wire)
		switch ok := sp.param(p, value); {
		case ok || value == nil:
		case p.secret:
			return nil, fmt.Errorf("write command line: there is no way to give the secret %q", p.wire)
		default:
			sp.rest = append(sp.rest, strictjson.Member{Name: p.wire, Value: value})
		}
	}
	for _, member := range input.Members {
		if sp.scope.byWire(member.Name) == nil {
			sp.rest = append(sp.rest, member)
		}
	}
	return append(sp.scope.names(), sp.words()...), nil
}

// param adds the value to the part of the line that it belongs to, and reports
// whether it has its place there.
func (sp *spelling) param(p *param, value *strictjson.Value) bool {
	if path := sp.files[p]; value != nil && (p.secret || path != "") {
		return sp.file(p, cmp.Or(path, secretPath))
	}
	switch p.kind {
	case positional:
		return sp.place(p, value)
	case tail:
		return sp.trail(p, value)
	case option:
		return sp.option(p, value)
	}
	return sp.flag(p, value)
}

// file adds the file that the value comes from.
func (sp *spelling) file(p *param, path string) bool {
	name := p.cli + "-file"
	t, ok := sp.scope.derived(name)
	if ok = ok && t.file && t.param == p; ok {
		sp.addOption(name, path)
	}
	return ok
}

// words joins the parts. Options follow the places, so that the line reads as
// people write it; with "--" they come first, since it ends them.
func (sp *spelling) words() []string {
	if len(sp.rest) > 0 {
		text := strictjson.NewObject(sp.rest...).Append(nil)
		sp.options = append(sp.options, sp.scope.bridgeName("json"), string(visibleJSON(text)))
	}
	if sp.dashed {
		return slices.Concat(sp.options, []string{"--"}, sp.places, sp.tail)
	}
	return slices.Concat(sp.places, sp.options, sp.tail)
}

// place adds a positional. Once one is left out the later ones cannot be given
// by their place.
func (sp *spelling) place(p *param, value *strictjson.Value) bool {
	word, ok := "", false
	if value != nil && !sp.closed {
		word = sp.word(p.schema, value)
		ok = sp.readsAs(p, value, []string{word})
	}
	// Where nothing required is missing, the separator starts the tail.
	if t := sp.tailOf(); ok && t != nil && t.Separator != "" && t.Separator == word {
		ok = p.demanded()
	}
	if ok = ok && sp.putPlaces(word); !ok {
		sp.closed = true
		sp.missing = sp.missing || p.demanded()
	}
	return ok
}

// trail adds the items of the tail.
func (sp *spelling) trail(p *param, value *strictjson.Value) bool {
	if value == nil || len(value.Elems) == 0 {
		return false
	}
	words := make([]string, len(value.Elems))
	for i, elem := range value.Elems {
		words[i] = sp.word(p.tail.Item, elem)
	}
	switch {
	case !sp.readsAs(p, value, words):
		return false
	case p.tail.Separator == "":
		return !sp.closed && sp.putPlaces(words...)
	}
	return !sp.missing && sp.putTail(p.tail, words)
}

func (sp *spelling) tailOf() *toolkit.Tail {
	if body := sp.scope.body(); body != nil {
		return body.Tail
	}
	return nil
}

// putPlaces adds words to the places, behind "--" if one of them would be taken
// for something else.
func (sp *spelling) putPlaces(words ...string) bool {
	dash := len(sp.places) == 0 && sp.isCommand(words[0])
	dash = dash || slices.ContainsFunc(words, sp.isOption)
	if dash && !sp.dash() {
		return false
	}
	sp.places = append(sp.places, words...)
	return true
}

// putTail adds the separator and the words after it.
func (sp *spelling) putTail(t *toolkit.Tail, words []string) bool {
	// A flag before the separator "true" would take it for its value.
	dash := isBoolWord(t.Separator)
	dash = dash || !t.Verbatim && slices.ContainsFunc(words, sp.isOption)
	if dash && !sp.dash() {
		return false
	}
	sp.tail = append([]string{t.Separator}, words...)
	return true
}

// dash puts the places behind "--", and reports whether that can be done: where
// it is the tail's separator it would start the tail.
func (sp *spelling) dash() bool {
	if t := sp.tailOf(); t != nil && t.Separator == "--" {
		return false
	}
	sp.dashed = true
	return true
}

// isCommand reports whether the word, as the first place, names a subcommand, or
// asks for help as the first word of all.
func (sp *spelling) isCommand(word string) bool {
	return word == "help" && len(sp.scope.nodes) == 1 || sp.scope.child(word) != nil
}

// isOption reports whether the word, as a place, is taken for an option. A
// negative number is one only if its first digit is some option's short.
func (sp *spelling) isOption(word string) bool {
	if !strings.HasPrefix(word, "-") || word == "-" {
		return false
	}
	return !looksNegative(word) || sp.scope.byShort(word[1]) != nil
}

func isBoolWord(word string) bool { return word == "true" || word == "false" }

// readsAsOption reports whether the text looks like an option and not like a
// negative number. Some such text is refused as an option's next word, so all of
// it is attached.
func readsAsOption(text string) bool {
	return strings.HasPrefix(text, "-") && (len(text) == 1 || !isDigit(text[1]))
}

// option adds an option's occurrences.
func (sp *spelling) option(p *param, value *strictjson.Value) bool {
	if value == nil {
		return false
	}
	if sp.parts[p] && sp.members(p, value) {
		return true
	}
	words := sp.optionWords(p, value)
	for _, word := range words {
		if p.shape.Optional {
			sp.options = append(sp.options, "--"+p.cli+"="+word)
		} else {
			sp.addOption(p.cli, word)
		}
	}
	return len(words) > 0
}

// addOption adds an option's name and value.
func (sp *spelling) addOption(name, word string) {
	if readsAsOption(word) {
		sp.options = append(sp.options, "--"+name+"="+word)
	} else {
		sp.options = append(sp.options, "--"+name, word)
	}
}

// flag adds a flag.
func (sp *spelling) flag(p *param, value *strictjson.Value) bool {
	words := sp.flagWords(p, value)
	sp.options = append(sp.options, words...)
	return len(words) > 0
}

func (sp *spelling) flagWords(p *param, value *strictjson.Value) []string {
	if value == nil {
		return nil
	}
	name := "--" + p.cli
	no := sp.scope.negation(p)
	text := sp.word(p.schema, value)
	switch {
	case p.flag.Count && slices.Contains([]string{"1", "2", "3"}, text):
		times := int(text[0] - '0')
		if p.short != "" {
			return []string{"-" + strings.Repeat(p.short, times)}
		}
		return slices.Repeat([]string{name}, times)
	case value.Kind == strictjson.True && !p.flag.Count:
		return []string{name}
	case value.Kind == strictjson.False && no != "":
		return []string{"--" + no}
	case sp.readsAs(p, value, []string{text}):
		return []string{name + "=" + text}
	}
	return nil
}

// negation is the name that sets a boolean flag to false, "" when it has none.
func (s *scope) negation(p *param) string {
	name := "no-" + p.cli
	if t, ok := s.derived(name); ok && t.negated && t.param == p {
		return name
	}
	return ""
}
