package argv

import (
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// merge makes the input: JSON first, over it what the line gives, and variables
// for what neither does.
func (p *parser) merge() {
	for i := range p.occurrences {
		p.collect(&p.occurrences[i])
	}
	p.doubt()
	p.input = p.readJSON()
	if p.input == nil {
		p.input = strictjson.NewObject()
	}
	for _, param := range p.scope.params {
		if g := param.given; g != nil {
			p.overlay(g)
		} else if p.input.Get(param.wire) == nil && param.env != "" {
			p.fromVariable(param)
		}
	}
}

// collect adds an occurrence to what the line says of its parameter.
func (p *parser) collect(o *occurrence) {
	g := p.at(o.param, o.label)
	read := *o
	switch {
	case o.form == fileForm && p.blind:
		g.value = strictjson.Text(secretPath)
		return
	case o.form == fileForm:
		var f *fault
		if read.text, f = p.fileText(o); f != nil {
			g.bad = true
			p.report(o.param.wire, o.label, f)
			return
		}
	}
	if f := g.add(p.scope.refs(), &read); f != nil {
		p.surmise(o, f)
		p.report(o.param.wire, o.label, f)
	}
}

// overlay puts what the line gives over the JSON's key. What cannot be read is
// left out, so that its problem is not followed by others.
func (p *parser) overlay(g *given) {
	wire := g.param.wire
	value, f := g.final(p.input.Get(wire))
	if f != nil {
		g.bad = true
		p.report(wire, g.label, f)
	}
	if g.bad || value == nil {
		remove(p.input, wire)
		return
	}
	p.input.Set(wire, value)
}

func remove(object *strictjson.Value, name string) {
	for i, member := range object.Members {
		if member.Name == name {
			object.Members = append(object.Members[:i:i], object.Members[i+1:]...)
			return
		}
	}
}

// fromVariable gives the parameter the value of its variable, if that is set.
func (p *parser) fromVariable(param *param) {
	text := p.variableOf(param)
	if text == "" {
		return
	}
	o := &occurrence{param: param, label: "--" + param.cli + " from variable " + param.env, text: text, form: variableForm}
	g := &given{param: param, label: o.label}
	f := variableWord(o)
	if f == nil {
		f = g.add(p.scope.refs(), o)
	}
	if f != nil {
		p.at(param, o.label).bad = true
		p.report(param.wire, o.label, f)
		return
	}
	p.input.Set(param.wire, g.value)
}

// variableOf is the value of the parameter's variable, "" when it has none. The
// environment is no place for a secret.
func (p *parser) variableOf(param *param) string {
	if param.secret {
		return ""
	}
	return p.variable(param.env)
}

// variableWord reads the words that variables of flags may hold.
func variableWord(o *occurrence) *fault {
	switch {
	case o.param.kind != flag:
		return nil
	case o.param.flag.Count:
		if !isDigits(o.text) {
			return wrongWord(o.text, "a decimal number")
		}
		o.text = strings.TrimLeft(o.text[:len(o.text)-1], "0") + o.text[len(o.text)-1:]
		return nil
	}
	switch strings.ToLower(o.text) {
	case "1", "true", "yes", "on", "y", "t":
		o.text = "true"
	case "0", "false", "no", "off", "n", "f":
		o.text = "false"
	default:
		return wrongWord(o.text, "1, true, yes, on, y, t or 0, false, no, off, n, f")
	}
	return nil
}

// judge checks the merged input by the rules of the command.
func (p *parser) judge() {
	c := &checker{refs: p.scope.refs(), problems: &p.problems, bad: map[string]bool{}}
	for _, param := range p.scope.params {
		if param.given != nil && param.given.bad {
			c.bad[param.wire] = true
		}
	}
	c.partial = p.jsonLost
	c.input(p.scope, p.input)
	c.constraints(p.scope, p.input)
	if c.lacks && p.anyGiven && p.json.label == "" && p.line.Stdin != nil && p.scope.body().Stdin == nil {
		p.problems.note = "stdin was not read, since parameters are on the line: add " + p.scope.bridgeName("json") + " - to read it"
	}
}
