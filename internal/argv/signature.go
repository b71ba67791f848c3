package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Signature is what the command at the path takes, in one line: its places, then
// its options with the required ones first, what may be left out in brackets.
// Global options are in it when they are required. A path that names no command,
// or one without a body, has the empty signature.
//
//	<from> [<to>] --mode <fast|safe> [--tag <string>...] [:: <command>...]
func Signature(def *toolkit.Definition, path []string) string {
	s := scopeAt(def, path)
	if s == nil || s.body() == nil {
		return ""
	}
	return s.signature("")
}

// signature is the signature with a mark for what is not in it. A tail that a
// separator starts comes last, since nothing but its items can follow.
func (s *scope) signature(mark string) string {
	var parts []string
	last := ""
	for _, p := range s.shown() {
		text := s.usageOf(p)
		if !p.demanded() {
			text = "[" + text + "]"
		}
		switch {
		case p.global && !p.demanded() || text == "[]" || slices.Contains(parts, text):
		case p.kind == tail && p.tail.Separator != "":
			last = text
		default:
			parts = append(parts, text)
		}
	}
	return spaced(append(parts, mark, last)...)
}

// usageOf is the parameter in a signature: how it is written on the line, and for
// a secret that cannot stand there what gives it; nothing if it may be left out.
func (s *scope) usageOf(p *param) string {
	switch {
	case !p.secret || s.isFile(p):
		return s.syntax(p)
	case p.demanded():
		return s.bridgeName("json") + " @PATH"
	}
	return ""
}

// shown are the parameters in the order of help: places, then options and flags
// with the required ones first, then the global ones.
func (s *scope) shown() []*param {
	params := slices.Clone(s.params)
	slices.SortStableFunc(params, func(a, b *param) int { return a.rank() - b.rank() })
	return params
}

// rank is the place of the parameter's group in help.
func (p *param) rank() int {
	rank := 2
	switch {
	case p.kind == positional || p.kind == tail:
		return 0
	case p.demanded():
		rank = 1
	}
	if p.global {
		rank += 2
	}
	return rank
}

// syntax is how the parameter is written on the line.
func (s *scope) syntax(p *param) string {
	value := "<" + s.valueName(p) + ">"
	switch {
	case s.isFile(p):
		return s.label(p) + " <path>"
	case p.kind == positional:
		return value
	case p.kind == tail && p.tail.Separator != "":
		return inline(p.tail.Separator) + " " + value + "..."
	case p.kind == tail:
		return value + "..."
	case p.kind == flag && p.flag.Count:
		return p.dashed() + "..."
	case p.kind == flag && p.demanded() && s.negation(p) != "":
		return p.dashed() + "|--" + inline(s.negation(p))
	case p.kind == flag && p.isOn() && s.negation(p) != "":
		return "--" + inline(s.negation(p))
	case p.kind == flag && p.isOn():
		return p.dashed() + "=false"
	case p.kind == flag:
		return p.dashed()
	case p.shape.Optional:
		return p.dashed() + "[=" + value + "]"
	case p.shape.Delimiter != "":
		return p.dashed() + " " + value + inline(p.shape.Delimiter) + "..."
	case s.isList(p) || s.isMap(p):
		return p.dashed() + " " + value + "..."
	}
	return p.dashed() + " " + value
}

// dashed is the parameter's long form.
func (p *param) dashed() string { return "--" + inline(p.cli) }

// isOn reports whether a flag is true unless the line says otherwise.
func (p *param) isOn() bool { return string(p.fallback) == "true" }

// isFile reports whether the parameter stands on the line as the path of a file
// alone: a secret must not be seen there.
func (s *scope) isFile(p *param) bool { return p.secret && s.refs().takesFile(p) }

// label is how texts name the parameter.
func (s *scope) label(p *param) string {
	if p.kind == positional || p.kind == tail {
		return "<" + inline(p.cli) + ">"
	}
	return s.form(p, p.cli)
}

// form is the long form of an option by one of its names.
func (s *scope) form(p *param, name string) string {
	if s.isFile(p) {
		name += "-file"
	}
	return "--" + inline(name)
}

// valueName is what stands for the value: the declared name, the choices when
// they are few, else the type. A place bears its own name.
func (s *scope) valueName(p *param) string {
	if name := inline(p.valueName); name != "" {
		return name
	}
	if p.kind == positional || p.kind == tail {
		return inline(p.cli)
	}
	schema := s.element(p)
	if choices := shortChoices(schema); choices != "" {
		return choices
	}
	switch kind := kindOf(schema); {
	case s.isMap(p):
		return "key=value"
	case isScalar(kind):
		return kind
	}
	return "json"
}

// element is the schema of one occurrence of the parameter: the item of a list.
func (s *scope) element(p *param) *toolkit.Schema {
	schema := s.plain(p)
	if s.isList(p) {
		return s.refs().plain(schema.Items)
	}
	return schema
}

// plain is what the parameter's schema says of its type.
func (s *scope) plain(p *param) *toolkit.Schema { return s.refs().plain(p.schema) }

func (s *scope) isList(p *param) bool {
	return p.kind == tail || p.kind == option && kindOf(s.plain(p)) == toolkit.TypeArray
}

func (s *scope) isMap(p *param) bool {
	return p.kind == option && isMap(s.plain(p))
}

func isScalar(kind string) bool {
	return kind == toolkit.TypeString || kind == toolkit.TypeBoolean || kind == toolkit.TypeInteger || kind == toolkit.TypeNumber
}

// maxChoices is the length in bytes of choices that stand for the value.
const maxChoices = 48

// shortChoices are the values of an enumeration as a|b|'c d', "" when there are
// none or they are no plain words or too long for it.
func shortChoices(schema *toolkit.Schema) string {
	choices := make([]string, len(schema.Enum))
	for i, value := range schema.Enum {
		choice := shownValue(value)
		if !madeOf(choice, "_.:/+- ") {
			return ""
		}
		choices[i] = Quote(choice)
	}
	if text := strings.Join(choices, "|"); len(text) <= maxChoices {
		return text
	}
	return ""
}
