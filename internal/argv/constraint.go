package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// constraints judges the rules over several parameters. What counts is what was
// given, not what a default adds.
func (c *checker) constraints(s *scope, given *strictjson.Value) {
	body := s.body()
	if body == nil || c.partial {
		return
	}
	for i := range body.Constraints {
		rule := &body.Constraints[i]
		j := judgement{s, given, c.bad, false}
		if j.holds(rule) || j.unknown {
			continue
		}
		f := &fault{got: j.gotText(rule), expected: ruleText(s, rule, s.label)}
		f.clause = "got " + f.got + ", but " + f.expected
		c.problems.add("", "", f)
	}
}

// judgement evaluates one constraint.
type judgement struct {
	scope *scope
	given *strictjson.Value
	bad   map[string]bool
	// unknown says that the outcome hangs on a value that could not be read.
	unknown bool
}

// holds reports whether the input keeps the rule.
func (j *judgement) holds(rule *toolkit.Constraint) bool {
	n := j.count(rule.Terms)
	switch rule.Kind {
	case toolkit.KindRequiresAll:
		return n == len(rule.Terms)
	case toolkit.KindRequiresAny:
		return n > 0
	case toolkit.KindAllOrNone:
		return n == 0 || n == len(rule.Terms)
	case toolkit.KindMutex:
		groups := 0
		for _, group := range rule.Groups {
			if j.count(group) > 0 {
				groups++
			}
		}
		return groups <= 1
	case toolkit.KindImplies:
		return !j.clause(rule.If) || j.clause(rule.Then)
	case toolkit.KindForbids:
		return !j.clause(rule.If) || !j.clause(rule.Then)
	}
	return true
}

func (j *judgement) clause(clause *toolkit.Clause) bool {
	if clause == nil {
		return false
	}
	n := j.count(clause.Terms)
	return n == len(clause.Terms) || clause.Any && n > 0
}

// count is how many of the terms hold.
func (j *judgement) count(terms []toolkit.Term) int {
	n := 0
	for i := range terms {
		if j.term(&terms[i]) {
			n++
		}
	}
	return n
}

// term reports whether the parameter was given and, where the term has a value,
// is it. One equal element of a list is enough.
func (j *judgement) term(term *toolkit.Term) bool {
	p := j.scope.find(term.Name)
	if p == nil {
		return false
	}
	if j.bad[p.wire] {
		j.unknown = j.unknown || len(term.Value) > 0
		return true
	}
	value := j.given.Get(p.wire)
	if value == nil || len(term.Value) == 0 {
		return value != nil
	}
	want, err := strictjson.Parse(term.Value)
	if err != nil {
		return false
	}
	return equal(value, want) || value.Kind == strictjson.Array &&
		slices.ContainsFunc(value.Elems, func(elem *strictjson.Value) bool { return equal(elem, want) })
}

// gotText names the parameters of the rule that were given.
func (j *judgement) gotText(rule *toolkit.Constraint) string {
	var names []string
	for _, p := range ruleParams(j.scope, rule) {
		if j.bad[p.wire] || j.given.Get(p.wire) != nil {
			names = append(names, j.scope.label(p))
		}
	}
	if len(names) == 0 {
		return "neither"
	}
	return strings.Join(names, " and ")
}

// ruleParams are the parameters that the rule speaks of, each once.
func ruleParams(s *scope, rule *toolkit.Constraint) []*param {
	terms := slices.Concat(rule.Terms, slices.Concat(rule.Groups...))
	for _, clause := range []*toolkit.Clause{rule.If, rule.Then} {
		if clause != nil {
			terms = append(terms, clause.Terms...)
		}
	}
	var params []*param
	for _, term := range terms {
		if p := s.find(term.Name); p != nil && !slices.Contains(params, p) {
			params = append(params, p)
		}
	}
	return params
}

// ruleText is the constraint in words: "--token and --token-file exclude each other",
// with the names that parameters have for the reader.
func ruleText(s *scope, rule *toolkit.Constraint, name func(*param) string) string {
	w := wording{s, name}
	switch rule.Kind {
	case toolkit.KindRequiresAll:
		if len(rule.Terms) == 1 {
			return w.terms(rule.Terms, "and") + " is required"
		}
		return w.terms(rule.Terms, "and") + " are required"
	case toolkit.KindRequiresAny:
		return w.terms(rule.Terms, "or") + " is required"
	case toolkit.KindAllOrNone:
		return w.terms(rule.Terms, "and") + " go together, all or none"
	case toolkit.KindMutex:
		groups := make([]string, len(rule.Groups))
		for i, group := range rule.Groups {
			groups[i] = w.terms(group, "or")
			if len(group) > 1 {
				groups[i] = "(" + groups[i] + ")"
			}
		}
		return enumeration(groups, "and") + " exclude each other"
	case toolkit.KindImplies:
		return w.clause(rule.If) + " requires " + w.clause(rule.Then)
	case toolkit.KindForbids:
		return w.clause(rule.If) + " excludes " + w.clause(rule.Then)
	}
	return string(rule.Kind)
}

// Rules are the constraints of the command at the path in words, for who gives the
// input as JSON: parameters bear the names of their keys. A path that names no
// command, or one without a body, has none.
func Rules(def *toolkit.Definition, path []string) []string {
	s := scopeAt(def, path)
	if s == nil || s.body() == nil {
		return nil
	}
	var rules []string
	for i := range s.body().Constraints {
		rules = append(rules, inline(ruleText(s, &s.body().Constraints[i], func(p *param) string { return p.wire })))
	}
	return rules
}

// wording names what a constraint speaks of.
type wording struct {
	scope *scope
	name  func(*param) string
}

func (w wording) clause(clause *toolkit.Clause) string {
	switch {
	case clause == nil:
		return "nothing"
	case clause.Any:
		return w.terms(clause.Terms, "or")
	}
	return w.terms(clause.Terms, "and")
}

// terms names the parameters, with the values that are meant.
func (w wording) terms(terms []toolkit.Term, conjunction string) string {
	texts := make([]string, len(terms))
	for i, term := range terms {
		texts[i] = term.Name
		if p := w.scope.find(term.Name); p != nil {
			texts[i] = w.name(p)
		}
		if len(term.Value) > 0 {
			texts[i] += "=" + shownValue(term.Value)
		}
	}
	return enumeration(texts, conjunction)
}

// enumeration is "a, b and c".
func enumeration(texts []string, conjunction string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " " + conjunction + " " + texts[last]
}
