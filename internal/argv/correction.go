package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// maxHint is the length in bytes of a line that is still worth showing.
const maxHint = 1000

// correction makes a line that runs from one that does not. It makes up no value
// and drops nothing that was asked for: a model may run the hint as it is.
type correction struct {
	program  string
	scope    *scope
	input    *strictjson.Value // as far as it could be read; nil if not at all
	problems *problems
	guesses  []occurrence
	strays   []string
	unsure   bool     // something is lost, so that the input is not what was meant
	extra    []string // words to keep beside the input
	files    map[*param]string
}

// hint is an advice of the problems, else a corrected line, else the first
// example, else the line for help.
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

// candidates are inputs that may be what was meant, best first.
func (c *correction) candidates() []*strictjson.Value {
	if c.scope.body() == nil {
		return nil
	}
	var all []*strictjson.Value
	if repaired := c.repaired(); repaired != nil {
		all = append(all, repaired)
		constraints := c.scope.body().Constraints
		for i := range constraints {
			for _, p := range ruleParams(c.scope, &constraints[i]) {
				if value := c.known(p); value != nil && repaired.Get(p.wire) == nil {
					completed := clone(repaired)
					completed.Set(p.wire, value)
					all = append(all, completed)
				}
			}
		}
	}
	if examples := c.scope.command().Examples; len(examples) > 0 {
		if example, err := strictjson.Parse(examples[0].Input); err == nil {
			all = append(all, example)
		}
	}
	return all
}

// repaired is the input with the likely value for each that is wrong or missing,
// nil where one has none.
func (c *correction) repaired() *strictjson.Value {
	if c.input == nil || c.unsure {
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

// apply sets what an occurrence gives, if the parameter has no value yet.
func (c *correction) apply(input *strictjson.Value, o *occurrence) bool {
	g := &given{param: o.param}
	if g.add(c.scope.refs(), o) != nil || input.Get(o.param.wire) != nil {
		return false
	}
	value, f := g.final(nil)
	if f == nil {
		input.Set(o.param.wire, value)
	}
	return f == nil
}

// known is a value for the parameter that nobody has to make up: a choice near to
// what was given, that of an example, the default, the first choice.
func (c *correction) known(p *param) *strictjson.Value {
	if p.secret {
		return strictjson.Text("secret:NAME")
	}
	schema := c.scope.refs().plain(p.schema)
	choices := choiceTexts(schema)
	for _, problem := range c.problems.list {
		if near := Nearest(strings.Trim(problem.Got, `"`), choices); problem.Path == p.wire && len(near) > 0 {
			return c.choice(schema, near)
		}
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

// line is the line with that input, if it parses and the input is accepted. A
// secret stands on it as the file that it comes from.
func (c *correction) line(input *strictjson.Value) (string, bool) {
	if input == nil || c.scope.body() == nil {
		return "", false
	}
	if _, problems := complete(c.scope, input.Append(nil)); len(problems.list) > 0 {
		return "", false
	}
	shown := clone(input)
	extra := slices.Clone(c.extra)
	for _, p := range c.scope.params {
		if p.secret && c.scope.refs().takesFile(p) && input.Get(p.wire) != nil {
			remove(shown, p.wire)
			path := c.files[p]
			if path == "" {
				path = "PATH"
			}
			extra = append(extra, "--"+p.cli+"-file", path)
		}
	}
	return c.verified(shown, extra)
}

// verified is the line of the input, with the extra words before those that take
// no option after them, if Parse reads it.
func (c *correction) verified(input *strictjson.Value, extra []string) (string, bool) {
	path := c.scope.names()
	def := &toolkit.Definition{Command: *c.scope.nodes[0]}
	words, err := c.scope.words(input.Append(nil))
	if err != nil {
		return "", false
	}
	words = slices.Insert(words, len(path), extra...)
	check := &Line{Args: words, ReadFile: func(string) ([]byte, error) { return []byte("secret"), nil }}
	if err := newParser(def, check).parse(); err != nil {
		return "", false
	}
	line := c.program
	for _, word := range words {
		line += " " + Quote(word)
	}
	return line, len(line) <= maxHint
}
