package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// unknown reports an option that the command does not have. What was likely meant
// as its value is passed over, so that one mistake is one problem, and the option
// is noted as the nearest one for the hint. Its value is never repeated: the name
// may be that of a misspelt secret.
func (p *parser) unknown(label, text string, attached bool) {
	if p.notFound != nil {
		return
	}
	if owners := p.ownersOf(label); len(owners) > 0 {
		p.early(label, owners)
		if !attached {
			p.likelyValue(nil)
		}
		return
	}
	if p.part(label, attached) {
		return
	}
	name := strings.TrimLeft(label, "-")
	f := &fault{got: shortened(label), clause: "unknown option", usage: true}
	near := p.nearOptions(name)
	meant, isPlace := p.meant(name, near)
	switch {
	case isPlace:
		f.clause += ": " + meant.wire + " is given by its place, as a plain word"
	case len(near) > 0:
		f.clause += ", nearest " + strings.Join(p.written(near), ", ")
	}
	p.list(f)
	p.report(shortened(name), shortened(label), f)
	if !attached {
		text, attached = p.likelyValue(meant)
	}
	switch {
	case meant != nil && attached:
		p.guess(target{param: meant}, text)
	case meant != nil && meant.kind == flag:
		p.guess(target{param: meant}, flagText(meant))
	default:
		p.unsure = true
	}
}

// list says which options there are, once for all that the line has wrong.
func (p *parser) list(f *fault) {
	switch known := p.optionNames(); {
	case p.listed:
		f.expected = "an option of this command"
		return
	case len(known) == 0:
		f.expected = "an option of this command, which has none"
	default:
		f.expected = "one of " + capped(known, maxNamesTold)
	}
	f.clause += ", expected " + f.expected
	p.listed = true
}

// part reports a part of a parameter that is given whole, in the dotted form that
// objects have, and says whether the unknown name is one.
func (p *parser) part(label string, attached bool) bool {
	base, rest, dotted := strings.Cut(strings.TrimPrefix(strings.TrimLeft(label, "-"), "arg:"), ".")
	t, ok := p.scope.declared(base)
	if !dotted || !ok || t.param.secret {
		return false
	}
	r := p.scope.refs()
	schema, name := r.plain(t.param.schema), p.scope.label(t.param)
	f := &fault{below: shortened(rest), got: shortened(label), expected: r.expected(schema), usage: true}
	f.clause = "unknown option: " + name
	switch kind := kindOf(schema); {
	case kind == "" && len(alternatives(schema)) > 0:
		f.clause += " is one of several shapes: give it as JSON"
	case kind == "":
		f.clause += " has no parts here: give it as JSON"
	case kind == toolkit.TypeArray:
		f.clause += " is a list: give it as JSON"
	default:
		f.clause += " has no parts"
	}
	p.start(t.param)
	g := p.at(t.param, label)
	if !g.bad {
		f.clause += ", expected " + f.expected
	}
	g.bad = true
	p.report(t.param.wire, shortened(label), f)
	if !attached {
		p.likelyValue(t.param)
	}
	return true
}

// written are the options of these long forms as the line gives them.
func (p *parser) written(forms []string) []string {
	texts := slices.Clone(forms)
	for i, text := range forms {
		if t, ok := p.scope.declared(strings.TrimPrefix(text, "--")); ok {
			texts[i] = p.scope.form(t.param, strings.TrimPrefix(text, "--"))
		}
	}
	return texts
}

// flagText is the text that a flag without a value stands for.
func flagText(param *param) string {
	if param.flag.Count {
		return "1"
	}
	return "true"
}

// meant is the parameter that the unknown name was most likely meant for, and
// whether it is one that is given by its place.
func (p *parser) meant(name string, near []string) (*param, bool) {
	if param := p.scope.find(name); param != nil && param.kind != option && param.kind != flag {
		return param, true
	}
	if len(near) == 0 {
		return nil, false
	}
	t, _ := p.scope.declared(strings.TrimPrefix(near[0], "--"))
	return t.param, false
}

// nearOptions are the known long names near the name.
func (p *parser) nearOptions(name string) []string {
	var names []string
	for _, param := range p.scope.params {
		if param.kind == option || param.kind == flag {
			names = append(append(names, param.cli), param.aliases...)
		}
	}
	for i := range bridgeOptions {
		if name := bridgeOptions[i].name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	near := Nearest(strings.TrimPrefix(strings.TrimPrefix(name, "arg:"), "agentos:"), names)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}

// optionNames are the command's options and flags as an error lists them.
func (p *parser) optionNames() []string {
	var names []string
	for _, param := range p.scope.params {
		if (param.kind == option || param.kind == flag) && (!param.secret || p.scope.isFile(param)) {
			names = append(names, p.scope.label(param))
		}
	}
	return names
}

// likelyValue passes over the next word, if it is likely the value of an unknown
// option: the option meant takes one, or there is nothing else that it could be.
func (p *parser) likelyValue(meant *param) (string, bool) {
	if p.next == len(p.args) {
		return "", false
	}
	word := p.args[p.next]
	isOption := strings.HasPrefix(word, "-") && !looksNegative(word)
	takesValue := meant != nil && meant.kind != flag && !meant.shape.Optional
	isCommand := !p.commandsOff && p.scope.child(word) != nil
	if p.optionsOff || isOption || isCommand || !takesValue && (p.openPlace() != nil || meant != nil) {
		return "", false
	}
	p.next++
	return word, true
}

// ownersOf are the paths of the tools below that have the option, where the line
// has not come to a tool yet.
func (p *parser) ownersOf(label string) [][]string {
	if p.scope.body() != nil {
		return nil
	}
	var paths [][]string
	for _, tool := range tools(p.scope) {
		if tool.has(label) {
			paths = append(paths, tool.names()[len(p.scope.nodes)-1:])
		}
	}
	return paths
}

// has reports whether the command has the option or flag that the label names.
func (s *scope) has(label string) bool {
	if name, long := strings.CutPrefix(label, "--"); long {
		_, ok := s.long(name)
		return ok
	}
	return s.byShort(label[1]) != nil
}

// maxOwnersTold is how many tools an error names as those that have an option.
const maxOwnersTold = 5

// early reports an option that stands before its tool, or in place of it. The
// tool that was left out has all such options of the line.
func (p *parser) early(label string, owners [][]string) {
	names := make([]string, len(owners))
	for i, path := range owners {
		names[i] = strings.Join(path, " ")
	}
	f := &fault{got: shortened(label), expected: "a subcommand before it", usage: true}
	f.clause = "unknown option before a subcommand, it belongs to " + capped(names, maxOwnersTold)
	p.report("", shortened(label), f)
	p.unsure = true
	if p.owners == nil {
		p.owners, p.ownerAt = owners, p.next-1
		return
	}
	p.owners = slices.DeleteFunc(p.owners, func(path []string) bool {
		return !slices.ContainsFunc(owners, func(other []string) bool { return slices.Equal(path, other) })
	})
}
