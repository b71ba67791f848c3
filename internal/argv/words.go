package argv

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// words reads all words of the line.
func (p *parser) words() {
	for p.next < len(p.args) {
		p.word()
	}
}

// word reads the next word, and with it those that belong to it.
func (p *parser) word() {
	word := p.args[p.next]
	p.next++
	switch {
	case p.startsTail(word):
		p.startTail()
	case p.optionsOff || word == "-" || !strings.HasPrefix(word, "-"):
		p.place(word)
	case word == "--":
		p.optionsOff, p.commandsOff = true, true
	case strings.HasPrefix(word, "--"):
		p.long(word)
	default:
		p.short(word)
	}
}

// startsTail reports whether the word is the separator of a tail that can start.
func (p *parser) startsTail(word string) bool {
	body := p.scope.body()
	return body != nil && body.Tail != nil && body.Tail.Separator != "" && word == body.Tail.Separator &&
		!p.inTail && p.missingPlace() == nil
}

// startTail begins the tail, which is given from here on, be it empty.
func (p *parser) startTail() {
	p.inTail, p.commandsOff = true, true
	p.optionsOff = p.optionsOff || p.scope.body().Tail.Verbatim
	for _, param := range p.scope.params {
		if param.kind == tail {
			p.at(param, param.wire).value = strictjson.NewArray()
		}
	}
}

// missingPlace is the first required positional that has no value yet.
func (p *parser) missingPlace() *param {
	place := 0
	for _, param := range p.scope.params {
		if param.kind != positional {
			continue
		}
		place++
		if place > p.places && param.demanded() && param.given == nil {
			return param
		}
	}
	return nil
}

// demanded reports whether the parameter must be given: a default stands in for
// a required one.
func (p *param) demanded() bool { return p.required && len(p.fallback) == 0 }

// long reads --name in its forms. Names that the command declares come before the
// bridge's, and those before the forms that are only derived from a name.
func (p *parser) long(word string) {
	name, text, attached := strings.Cut(word[2:], "=")
	if argument, ok := strings.CutPrefix(name, "arg:"); ok {
		p.argument(argument, text, attached)
		return
	}
	if t, ok := p.scope.declared(name); ok {
		p.option(t, "--"+name, text, attached)
		return
	}
	if p.bridgeOption(name, text, attached) {
		return
	}
	if t, ok := p.scope.derived(name); ok {
		p.option(t, "--"+name, text, attached)
		return
	}
	p.unknown("--"+name, text, attached)
}

// option reads a declared option or flag in one of its long forms.
func (p *parser) option(t target, label, text string, attached bool) {
	switch {
	case t.param.kind == flag:
		p.flag(t, label, text, attached)
	case t.param.shape.Optional && len(t.path) == 0 && !t.file:
		how := plainForm
		if !attached {
			how = bareForm
		}
		p.occur(t, label, text, how)
	case attached:
		p.occur(t, label, text, plainForm)
	default:
		p.separate(t, label, plainForm)
	}
}

// separate reads the next word as the value.
func (p *parser) separate(t target, label string, how form) {
	if text, ok := p.value(t, label); ok {
		p.occur(t, label, text, how)
	}
}

// flag reads a flag. A boolean takes the next word only if that is exactly true
// or false.
func (p *parser) flag(t target, label, text string, attached bool) {
	switch {
	case t.negated && attached:
		p.negatedValue(t, label, text)
		return
	case attached:
	case t.negated:
		text = "false"
	case t.param.flag.Count:
		text = "1"
		p.flagged, p.flaggedEnd = t.param, p.next
	default:
		text = "true"
		if p.next < len(p.args) && isBoolWord(p.args[p.next]) {
			text = p.args[p.next]
			p.next++
		}
		p.flagged, p.flaggedEnd = t.param, p.next
	}
	p.occur(t, label, text, plainForm)
}

// negatedValue reports a negation that is given a value, which may mean what it
// says or the contrary of that.
func (p *parser) negatedValue(t target, label, text string) {
	p.start(t.param)
	p.at(t.param, label).bad = true
	f := &fault{got: shortened(text), expected: "no value", clause: "takes no value, alone it sets " + t.param.wire + " to false", usage: true}
	p.report(t.param.wire, label, f)
	if negated, ok := boolWord(text); ok {
		p.guess(target{param: t.param}, strconv.FormatBool(!negated))
		return
	}
	p.unsure = true
}

// argument reads --arg:NAME VALUE, the form for every parameter whatever its name.
func (p *parser) argument(name, text string, attached bool) {
	label := "--arg:" + name
	t, known := target{param: p.scope.find(name)}, true
	if t.param == nil {
		t, known = p.scope.derived(name)
	}
	switch {
	case !known || t.negated || t.file:
		p.unknown(label, text, attached)
	case attached:
		p.occur(t, label, text, exactForm)
	default:
		p.separate(t, label, exactForm)
	}
}

// occur notes an occurrence. The first one of the body's own parameters starts
// the body: from then on a word is no subcommand.
func (p *parser) occur(t target, label, text string, how form) {
	p.start(t.param)
	p.at(t.param, label)
	if t.file {
		how = fileForm
	}
	p.occurrences = append(p.occurrences, occurrence{t.param, t.path, label, text, how})
}

func (p *parser) start(param *param) { p.commandsOff = p.commandsOff || !param.global }

// value takes the next word, whatever it looks like, as the value of an option.
// Three kinds of words are refused, since there the value was nearly always
// forgotten: "--", the bridge's --help, and another parameter's long form.
func (p *parser) value(t target, label string) (string, bool) {
	if p.next == len(p.args) {
		p.noValue(t, label, "")
		return "", false
	}
	word := p.args[p.next]
	_, ownHelp := p.scope.declared("help")
	switch {
	case word == "--":
		p.noValue(t, label, " before --")
	case word == "--help" && !ownHelp:
		p.next++
		p.helpRefused, p.helpMeant = true, true
		p.noValue(t, label, " (for the text --help write "+label+"=--help)")
	case p.isOther(word, t):
		name, _, _ := strings.Cut(word, "=")
		p.noValue(t, label, " before "+name)
	default:
		p.next++
		return word, true
	}
	return "", false
}

// isOther reports whether the word is the long form of a parameter other than t.
func (p *parser) isOther(word string, t target) bool {
	name, dashed := strings.CutPrefix(word, "--")
	if !dashed {
		return false
	}
	name, _, _ = strings.Cut(name, "=")
	other, ok := p.scope.long(name)
	return ok && (other.param != t.param || other.file != t.file || strings.Join(other.path, ".") != strings.Join(t.path, "."))
}

// guess notes what the line likely meant, for the hint. A word for help is no
// value that a guess may set.
func (p *parser) guess(t target, text string) {
	if isHelpWord(text) {
		p.helpMeant = true
		return
	}
	if t.param != nil && !t.param.secret {
		p.guesses = append(p.guesses, occurrence{param: t.param, path: t.path, label: "--" + t.param.cli, text: text})
	}
}

// isHelpWord reports whether the word asks for help wherever it stands.
func isHelpWord(word string) bool { return word == "help" || word == "--help" || word == "-h" }

func (p *parser) noValue(t target, label, where string) {
	f := &fault{clause: "a value is required" + where, usage: true}
	key := ""
	if t.param != nil {
		p.start(t.param)
		p.at(t.param, label).bad = true
		key = t.param.wire
		f.expected = p.occurrenceText(t)
		f.clause += ", expected " + f.expected
	}
	p.report(key, label, f)
}

// occurrenceText says what one occurrence's value has to be.
func (p *parser) occurrenceText(t target) string {
	r := p.scope.refs()
	if t.file {
		return "the path of a file"
	}
	_, schema, f := r.descend(t.param.schema, t.path)
	if f != nil {
		return f.expected
	}
	if kindOf(schema) == toolkit.TypeArray {
		return r.expected(schema.Items) + ", or '[]' for the empty list"
	}
	return r.expected(schema)
}

// short reads -x: declared shorts, of which flags chain, and an option takes the
// rest of the word or the next one.
func (p *parser) short(word string) {
	first := p.scope.byShort(word[1])
	switch {
	case first != nil:
		p.chain(word[1:])
	case looksNegative(word):
		p.place(word)
	case word == "-h":
		p.askHelp()
	case p.openPlace() != nil && isDashed(word):
		p.dashed(word)
	default:
		_, size := utf8.DecodeRuneInString(word[1:])
		p.unknown(word[:1+size], strings.TrimPrefix(word[1+size:], "="), len(word) > 1+size)
	}
}

// chain reads the shorts of one word.
func (p *parser) chain(names string) {
	for names != "" {
		label := "-" + names[:1]
		param := p.scope.byShort(names[0])
		rest := names[1:]
		switch {
		case param == nil:
			p.unknown(label, "", true)
			return
		case param.kind == flag && rest != "" && rest[0] != '=':
			text := "true"
			if param.flag.Count {
				text = "1"
			}
			p.occur(target{param: param}, label, text, plainForm)
			names = rest
		default:
			p.option(target{param: param}, label, strings.TrimPrefix(rest, "="), rest != "")
			return
		}
	}
}

// place reads a word that is no option: a subcommand, a positional or a part of
// the tail.
func (p *parser) place(word string) {
	if p.notFound != nil || !p.commandsOff && p.enters(word) {
		return
	}
	param := p.openPlace()
	if param == nil {
		p.unexpected(word)
		return
	}
	if param.kind == positional {
		p.places++
	} else {
		p.inTail = true
	}
	p.occur(target{param: param}, param.wire, word, plainForm)
}

// openPlace is the positional or tail that the next word belongs to, or nil.
func (p *parser) openPlace() *param {
	place := 0
	for _, param := range p.scope.params {
		switch {
		case param.kind == positional && !p.inTail:
			if place == p.places {
				return param
			}
			place++
		case param.kind == tail && (p.inTail || param.tail.Separator == ""):
			return param
		}
	}
	return nil
}
