package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Suggestion is a word that may come next on a line.
type Suggestion struct {
	Word string
	// Help is what the word means, in one line; values have none.
	Help string
}

// Suggest is what may follow these words of a line, as far as it begins with the
// word that is being typed. After an option that waits for its value these are
// the values that the definition knows; otherwise commands and the values of the
// next place, the options for a word with a dash or where there is nothing else,
// and, for a word with a dash, the bridge's options last. Nothing that is given
// already is suggested again unless it may be repeated. No suggestion means that
// anything may follow, or nothing. Nothing is read, and nothing is judged.
func Suggest(def *toolkit.Definition, before []string, word string) []Suggestion {
	p := newParser(def, &Line{Args: before})
	last := "" // the word that the line ends in, unless that is a value
	for p.next < len(p.args) {
		last = ""
		if p.next == len(p.args)-1 {
			last = p.args[p.next]
		}
		p.word()
	}
	if p.notFound != nil || p.optionsOff {
		return nil
	}
	c := &completion{parser: p, typed: word}
	c.suggest(last)
	return c.found
}

// completion collects what may follow a line.
type completion struct {
	*parser
	typed string
	found []Suggestion
}

// add suggests a word that continues what is typed. One that cannot be seen
// would not survive the way to the line.
func (c *completion) add(word, help string) {
	if word != "" && strings.HasPrefix(word, c.typed) && isVisible(word) {
		c.found = append(c.found, Suggestion{word, help})
	}
}

func (c *completion) suggest(last string) {
	if l := c.awaiting(last); l.takesNext() {
		c.addValues("", c.choices(l))
		return
	}
	if name, _, attached := strings.Cut(c.typed, "="); attached && strings.HasPrefix(name, "--") {
		c.addValues(name+"=", c.choices(c.named(name[2:])))
		return
	}
	c.addCommands()
	if c.inv.Help {
		return
	}
	c.addPlace()
	dashed := strings.HasPrefix(c.typed, "-")
	if dashed || c.typed == "" && len(c.found) == 0 {
		c.addOptions()
	}
	if dashed {
		c.addBridgeOptions()
	}
}

// addValues suggests values, each behind the same words.
func (c *completion) addValues(before string, values []string) {
	for _, value := range values {
		c.add(before+value, "")
	}
}

func (c *completion) addCommands() {
	if c.commandsOff {
		return
	}
	for _, child := range sortedCommands(c.scope.command()) {
		c.add(child.Name, firstSentence(child.Summary))
	}
}

// addPlace suggests the values of the next place. A flag takes true or false
// after it too, which nobody needs to be told who has not begun to write it.
func (c *completion) addPlace() {
	if c.flagged != nil && !c.flagged.flag.Count && c.flaggedEnd == len(c.args) && c.typed != "" {
		c.addValues("", booleans)
	}
	if place := c.openPlace(); place != nil {
		c.addValues("", c.choices(label{target: target{param: place}}))
	}
}

// addOptions suggests the options and flags that are not given yet.
func (c *completion) addOptions() {
	for _, p := range c.scope.shown() {
		cannotStand := p.kind != option && p.kind != flag || p.secret && !c.scope.isFile(p)
		if cannotStand || p.given != nil && !c.scope.repeats(p) {
			continue
		}
		help := firstSentence(p.text())
		if p.demanded() {
			help = spaced(strings.TrimSuffix(help, "."), "(required)")
		}
		c.add(c.scope.form(p, p.cli), help)
		if no := c.scope.negation(p); no != "" {
			c.add("--"+no, "Not --"+p.cli)
		}
	}
}

// repeats reports whether the option may be given again.
func (s *scope) repeats(p *param) bool {
	if p.kind == flag {
		return p.flag.Count
	}
	return s.isMap(p) || s.isList(p) && (p.shape.Delimiter == "" || p.shape.Repeats)
}

// bridgeTexts are what the bridge's options do.
var bridgeTexts = map[string]string{
	"help":         "Show the help of the command",
	"version":      "Show the version of the toolkit",
	"json":         "Give the input as JSON",
	"json-file":    "Give the input as JSON in a file",
	"output":       "Print the envelope, only the result, or text",
	"timeout":      "Limit the call, for example to 30s",
	"field":        "Print only the part of the result at a JSON pointer",
	"result-file":  "Write the output to a file",
	"inline-limit": "Write a result of more bytes to a file",
	"call-id":      "Name the call, so that repeating it runs nothing twice",
	"dry-run":      "Check everything and run nothing",
}

// addBridgeOptions suggests the bridge's options that the line does not have. A
// command that cannot be called has only its help.
func (c *completion) addBridgeOptions() {
	for i := range bridgeOptions {
		name := bridgeOptions[i].name
		_, given := c.bridged[name]
		isInput := strings.HasPrefix(name, "json")
		if given || isInput && c.json.label != "" || c.scope.body() == nil && name != "help" && name != "version" {
			continue
		}
		c.add(c.scope.bridgeName(name), bridgeTexts[name])
	}
}

// label is what the name of an option on the line stands for: a parameter or a
// part of it, or an option of the bridge.
type label struct {
	target
	exact  bool // --arg:NAME, which has a value for flags too
	bridge *bridgeOption
}

// takesNext reports whether the value is the next word.
func (l label) takesNext() bool {
	switch {
	case l.bridge != nil:
		return l.bridge.expected != ""
	case l.param == nil || l.negated:
		return false
	case l.exact || l.file || len(l.path) > 0:
		return true
	}
	return l.param.kind == option && !l.param.shape.Optional
}

// awaiting is what the word, which is an option if it is anything, may leave
// without its value.
func (c *completion) awaiting(word string) label {
	switch {
	case strings.Contains(word, "=") || len(word) < 2 || word[0] != '-':
		return label{}
	case strings.HasPrefix(word, "--"):
		return c.named(word[2:])
	}
	// Of shorts in one word an option ends the chain.
	for i := 1; i < len(word); i++ {
		param := c.scope.byShort(word[i])
		if param == nil || param.kind == option && i < len(word)-1 {
			break
		}
		if i == len(word)-1 {
			return label{target: target{param: param}}
		}
	}
	return label{}
}

// named is what a long name stands for, in the order in which it is read.
func (c *completion) named(name string) label {
	if argument, ok := strings.CutPrefix(name, "arg:"); ok {
		t := target{param: c.scope.find(argument)}
		if t.param == nil {
			t = c.derived(argument)
		}
		return label{target: t, exact: true}
	}
	if t, ok := c.scope.declared(name); ok {
		return label{target: t}
	}
	bare := strings.TrimPrefix(name, "agentos:")
	if i := slices.IndexFunc(bridgeOptions[:], func(o bridgeOption) bool { return o.name == bare }); i >= 0 {
		return label{bridge: &bridgeOptions[i]}
	}
	return label{target: c.derived(name)}
}

// derived is what the name stands for as a form of another one, if it is one.
func (c *completion) derived(name string) target {
	t, ok := c.scope.derived(name)
	if !ok {
		return target{}
	}
	return t
}

var booleans = []string{"true", "false"}

// choices are the texts that one value can be, nil where they are not known.
func (c *completion) choices(l label) []string {
	if l.bridge != nil {
		if choices, few := strings.CutPrefix(l.bridge.expected, "one of "); few {
			return strings.Split(choices, ", ")
		}
		return nil
	}
	if l.param == nil || l.negated || l.file || l.param.secret {
		return nil
	}
	r := c.scope.refs()
	_, schema, f := r.descend(l.param.schema, l.path)
	if f != nil {
		return nil
	}
	if kindOf(schema) == toolkit.TypeArray {
		schema = r.plain(schema.Items)
	}
	switch {
	case len(schema.Enum) > 0:
		return choiceTexts(schema)
	case kindOf(schema) == toolkit.TypeBoolean:
		return booleans
	}
	return nil
}
