package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Limits of what is corrected. A hint is there to be read, and the work on it must
// not grow with the input.
const (
	maxHint   = 1000     // bytes of a line that is still worth showing
	maxMended = 64 << 10 // bytes of an input that may fit on such a line, once its secrets are left out
)

// correction makes a line that runs from one that does not. It makes up no value
// and drops nothing that was asked for: a model may run the hint as it is.
type correction struct {
	program  string
	scope    *scope
	input    *strictjson.Value // as far as it could be read; nil if not at all
	problems *problems
	guesses  []occurrence
	strays   []string
	unsure   bool              // something is lost, so that the input is not what was meant
	bare     bool              // nothing was given at all
	extra    []string          // words to keep beside the input
	files    map[*param]string // parameters that were given by a file, and its path
}

// hint is an advice of the problems, else a corrected line, else the first
// example where that is no danger, else the line for help.
func (c *correction) hint() string {
	if advice := c.problems.advice(); advice != "" {
		return advice
	}
	for _, input := range c.candidates() {
		if line, ok := c.line(input); ok {
			return line
		}
	}
	return c.helpLine()
}

// helpLine is the line that shows the command's help.
func (c *correction) helpLine() string {
	words := append([]string{c.program}, c.scope.names()...)
	return strings.Join(append(words, c.scope.bridgeName("help")), " ")
}

// mayAssume reports whether values that nobody gave may stand in the hint: only
// those of a line without any, or of a tool that changes nothing. Anywhere else
// they would take the place of what was meant, and be acted on.
func (c *correction) mayAssume() bool {
	return c.bare || c.scope.body().Annotations.ReadOnly
}

// candidates are inputs that may be what was meant, best first.
func (c *correction) candidates() []*strictjson.Value {
	if c.scope.body() == nil {
		return nil
	}
	all := c.completed(c.repaired())
	if examples := c.scope.command().Examples; len(examples) > 0 && c.mayAssume() {
		if example, err := strictjson.Parse(examples[0].Input); err == nil {
			all = append(all, example)
		}
	}
	return all
}

// completed are the input itself and the input with one more parameter that a
// constraint may ask for.
func (c *correction) completed(input *strictjson.Value) []*strictjson.Value {
	if input == nil {
		return nil
	}
	all := []*strictjson.Value{input}
	constraints := c.scope.body().Constraints
	for i := range constraints {
		for _, p := range ruleParams(c.scope, &constraints[i]) {
			if value := c.known(p); value != nil && input.Get(p.wire) == nil {
				with := clone(input)
				with.Set(p.wire, value)
				all = append(all, with)
			}
		}
	}
	return all
}

// repaired is the input with the likely value for each that is wrong or missing,
// nil where one has none.
func (c *correction) repaired() *strictjson.Value {
	if c.input == nil || c.unsure || isLonger(c.input, maxMended) {
		return nil
	}
	input := clone(c.input)
	wrong := c.problems.keys()
	for i := range c.problems.list {
		if key := c.problems.list[i].key; key != "" && !c.rename(input, key) {
			return nil
		}
	}
	for i := range c.guesses {
		if !c.apply(input, &c.guesses[i]) {
			return nil
		}
	}
	strays := c.strays
	for _, p := range c.scope.params {
		if !wrong[p.wire] && !p.demanded() || input.Get(p.wire) != nil {
			continue
		}
		if len(strays) > 0 && p.demanded() && c.apply(input, &occurrence{param: p, text: strays[0]}) {
			strays = strays[1:]
		} else if value := c.known(p); value != nil {
			input.Set(p.wire, value)
		} else {
			return nil
		}
	}
	if len(strays) > 0 {
		return nil
	}
	return input
}

// isLonger reports whether the text of the value has more bytes, without making it.
func isLonger(v *strictjson.Value, limit int) bool {
	return spent(v, limit) < 0
}

// spent is what the value's text leaves of a number of bytes, negative when it
// takes more.
func spent(v *strictjson.Value, left int) int {
	left -= len(v.Text) + 1
	for i := 0; i < len(v.Elems) && left >= 0; i++ {
		left = spent(v.Elems[i], left)
	}
	for i := 0; i < len(v.Members) && left >= 0; i++ {
		left = spent(v.Members[i].Value, left-len(v.Members[i].Name))
	}
	return left
}

// rename takes a wrong key out of the input. The value of an unknown one goes to
// the parameter that it was likely meant for; without one, false is returned.
func (c *correction) rename(input *strictjson.Value, key string) bool {
	value := input.Get(key)
	remove(input, key)
	if value == nil || c.scope.byWire(key) != nil {
		return true
	}
	for _, near := range Nearest(key, c.scope.wireNames()) {
		if p := c.scope.byWire(near); !p.secret && input.Get(near) == nil {
			input.Set(near, value)
			return true
		}
	}
	return false
}

// apply sets what an occurrence gives, if the parameter has no value yet, nor the
// part of it that the occurrence is about.
func (c *correction) apply(input *strictjson.Value, o *occurrence) bool {
	g := &given{param: o.param}
	if g.add(c.scope.refs(), o) != nil {
		return false
	}
	before := input.Get(o.param.wire)
	if before != nil {
		if len(g.parts) == 0 {
			return false
		}
		if there, ok := lookUp(before, g.parts[0].path); there != nil || !ok {
			return false
		}
	}
	value, f := g.final(before)
	if f == nil {
		input.Set(o.param.wire, value)
	}
	return f == nil
}

// known is a value for the parameter that nobody has to make up: a choice near to
// what was given, and where values may be assumed, that of an example, the
// default, the first choice. A secret stands on the line as a file to be named.
func (c *correction) known(p *param) *strictjson.Value {
	switch {
	case c.files[p] != "":
		return nil // what is wrong is in the file
	case p.secret && !c.scope.refs().takesFile(p):
		return nil
	case p.secret:
		return strictjson.Text(secretPath)
	}
	schema := c.scope.refs().plain(p.schema)
	choices := choiceTexts(schema)
	for _, problem := range c.problems.list {
		if near := Nearest(strings.Trim(problem.Got, `"`), choices); problem.Path == p.wire && len(near) > 0 {
			return c.choice(schema, near)
		}
	}
	if !c.mayAssume() {
		return nil
	}
	for _, example := range c.scope.command().Examples {
		if input, err := strictjson.Parse(example.Input); err == nil && input.Get(p.wire) != nil {
			return input.Get(p.wire)
		}
	}
	if fallback, err := strictjson.Parse(p.fallback); err == nil {
		return fallback
	}
	return c.choice(schema, choices)
}

// choice is the first of the choices as a value, nil when there are none.
func (c *correction) choice(schema *toolkit.Schema, choices []string) *strictjson.Value {
	if len(choices) == 0 {
		return nil
	}
	value, _ := c.scope.refs().choice(schema, choices[0])
	return value
}

// line is the line with that input, if the input is accepted and Parse reads the
// line. What a file gives stands on it as the file. The extra words come before
// those that take no option after them.
func (c *correction) line(input *strictjson.Value) (string, bool) {
	if input == nil || c.scope.body() == nil {
		return "", false
	}
	unseen := c.unseen()
	if _, problems := complete(c.scope, input.Append(nil)); len(problems.except(unseen)) > 0 {
		return "", false
	}
	sp := &spelling{scope: c.scope, files: c.files, parts: c.parts()}
	words, err := sp.line(input)
	if err != nil {
		return "", false
	}
	words = slices.Insert(words, len(c.scope.names()), c.extra...)
	check := newParser(c.scope.definition(), &Line{Args: words})
	check.blind = true
	_ = check.parse() // the problems say more than the error
	if check.notFound != nil || len(check.problems.except(unseen)) > 0 {
		return "", false
	}
	return shownLine(c.program, words)
}

// shownLine is the line of the words, if it is short and all of it can be seen.
func shownLine(program string, words []string) (string, bool) {
	line := program
	for _, word := range words {
		line += " " + Quote(word)
	}
	return line, len(line) <= maxHint && isVisible(line)
}

// unseen are the keys of what the line does not show.
func (c *correction) unseen() map[string]bool {
	keys := c.scope.secrets()
	for p := range c.files {
		keys[p.wire] = true
	}
	return keys
}

// parts are the objects that the guesses give by their parts.
func (c *correction) parts() map[*param]bool {
	parts := map[*param]bool{}
	for i := range c.guesses {
		if len(c.guesses[i].path) > 0 {
			parts[c.guesses[i].param] = true
		}
	}
	return parts
}
