package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Vet is every mistake in the definition, all at once, in the order in which the
// definition is read. Each names where it is, what it is and what would be right:
//
//	toolkit "x": tool "a b": option "n": …
//
// A definition that passes can be parsed, shown and called. What needs more than
// the one definition is not judged: whether another toolkit bears the name, and
// whether schemas compile.
func Vet(def *toolkit.Definition) []error {
	v := &vetter{}
	v.root(def)
	return v.errs
}

// vetter collects the mistakes of one definition.
type vetter struct{ errs []error }

// site is a place of the definition that mistakes are reported at.
type site struct {
	vetter *vetter
	where  string
}

// report adds a mistake at the site.
func (at site) report(format string, args ...any) {
	at.vetter.errs = append(at.vetter.errs, fmt.Errorf("%s: %s", at.where, fmt.Sprintf(format, args...)))
}

// in is the site of a part, such as option "n".
func (at site) in(kind, name string) site {
	return site{at.vetter, fmt.Sprintf("%s: %s %q", at.where, kind, name)}
}

// reservedToolkit is the one command of agentos whose name no toolkit may bear:
// it is how an agent finds out what else there is.
const reservedToolkit = "list-tools"

func (v *vetter) root(def *toolkit.Definition) {
	at := site{v, fmt.Sprintf("toolkit %q", def.Name)}
	at.name(def.Name)
	if def.Name == reservedToolkit {
		at.report("the name belongs to agentos itself; any other name is valid")
	}
	for _, alias := range def.Aliases {
		at.report("a toolkit has no aliases, but %q is one: tools and groups may have them", alias)
	}
	at.text("version", def.Version, maxSummary)
	v.command(newScope(def), nil, true)
}

// command vets a command and those below it. The parent is the scope above, and
// sound says that what it declares for this one is right.
func (v *vetter) command(s, parent *scope, sound bool) {
	at := v.site(s)
	cmd := s.command()
	at.text("summary", cmd.Summary, maxSummary)
	at.text("description", cmd.Description, maxDescription)
	if parent != nil && cmd.Body == nil && len(cmd.Commands) == 0 {
		at.report("it has neither a body nor commands; one of them makes it of use")
	}
	before := len(v.errs)
	own := s.own(parent)
	at.namespace(s, own)
	doubtful := v.parameters(at, s, own)
	at.body(s)
	switch {
	case !sound:
		at.examples(s, func(json.RawMessage, site) {})
	case len(v.errs) > before:
		sound = false
		at.examples(s, func(input json.RawMessage, at site) { at.members(s, input, doubtful) })
	default:
		at.examples(s, func(input json.RawMessage, at site) { at.input(s, input) })
	}
	at.siblings(cmd.Commands)
	for i := range cmd.Commands {
		v.command(s.below(&cmd.Commands[i]), s, sound)
	}
}

// parameters vets those of one command. It returns the keys that cannot be judged
// by them: those of parameters with mistakes, and those that two have.
func (v *vetter) parameters(at site, s *scope, own []*param) map[string]bool {
	doubtful, seen := map[string]bool{}, map[string]bool{}
	for _, p := range own {
		before := len(v.errs)
		at.in(p.kind.String(), p.wire).parameter(s, p)
		doubtful[p.wire] = doubtful[p.wire] || seen[p.wire] || len(v.errs) > before
		seen[p.wire] = true
	}
	maps.DeleteFunc(doubtful, func(_ string, is bool) bool { return !is })
	return doubtful
}

// site is the place of the scope's command.
func (v *vetter) site(s *scope) site {
	at := site{v, fmt.Sprintf("toolkit %q", s.nodes[0].Name)}
	if len(s.nodes) == 1 {
		return at
	}
	kind := "group"
	if s.body() != nil {
		kind = "tool"
	}
	return at.in(kind, strings.Join(s.names(), " "))
}

// own are the parameters that the command declares itself.
func (s *scope) own(parent *scope) []*param {
	if parent == nil {
		return s.params
	}
	return slices.DeleteFunc(slices.Clone(s.params), func(p *param) bool { return slices.Contains(parent.params, p) })
}

// String is the kind in messages.
func (k paramKind) String() string {
	return [...]string{positional: "positional", tail: "tail", option: "option", flag: "flag"}[k]
}
