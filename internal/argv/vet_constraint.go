package argv

import (
	"github.com/agentos-go/agentos/toolkit"
)

// constraints vets the rules over several parameters.
func (at site) constraints(s *scope) {
	for i := range s.body().Constraints {
		c := &s.body().Constraints[i]
		at := at.in("constraint", string(c.Kind))
		switch c.Kind {
		case toolkit.KindRequiresAll, toolkit.KindRequiresAny, toolkit.KindAllOrNone:
			at.terms(s, c.Terms)
		case toolkit.KindMutex:
			at.groups(s, c.Groups)
		case toolkit.KindImplies, toolkit.KindForbids:
			at.clause(s, "if", c.If)
			at.clause(s, "then", c.Then)
		default:
			at.report("there is no such kind: requires-all, requires-any, all-or-none, mutex, implies and forbids are valid")
		}
	}
}

func (at site) groups(s *scope, groups [][]toolkit.Term) {
	if len(groups) < 2 {
		at.report("it has %d groups; two or more can exclude each other", len(groups))
	}
	for _, group := range groups {
		at.terms(s, group)
	}
}

func (at site) clause(s *scope, side string, c *toolkit.Clause) {
	if c == nil {
		at.report("the side %q is missing; it needs a parameter", side)
		return
	}
	at.terms(s, c.Terms)
}

func (at site) terms(s *scope, terms []toolkit.Term) {
	if len(terms) == 0 {
		at.report("it has an empty group; a group needs a parameter")
	}
	for _, t := range terms {
		at.term(s, t)
	}
}

// term vets that the name is a parameter's and that its value can be given.
func (at site) term(s *scope, t toolkit.Term) {
	p := s.find(t.Name)
	if p == nil {
		at.unknownTerm(s, t.Name)
		return
	}
	if len(t.Value) > 0 {
		// Of a list the term means one occurrence.
		at.in(p.kind.String(), p.wire).fits(s, "value", s.element(p), t.Value)
	}
}

func (at site) unknownTerm(s *scope, name string) {
	if len(name) == 1 && s.byShort(name[0]) != nil {
		p := s.byShort(name[0])
		at.report("%s is a short; constraints name parameters in full, here %q", quotedWord(name), p.wire)
		return
	}
	var names []string
	for _, p := range s.params {
		names = append(names, p.wire)
	}
	at.report("the command has no parameter %s: %s are valid", quotedWord(name), capped(names, maxNamesTold))
}
