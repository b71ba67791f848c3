package toolkit

import "encoding/json"

// Constraint is a rule over several parameters of one body. Names are wire
// names, CLI names or aliases, never shorts. A parameter is present when it was
// given by option, JSON or variable, whatever its value; a default does not count.
type Constraint struct {
	Kind ConstraintKind `json:"kind"`
	// Terms are those of requires-all, requires-any and all-or-none.
	Terms []Term `json:"terms,omitempty"`
	// Groups are those of mutex: at most one group may have a term that holds.
	Groups [][]Term `json:"groups,omitempty"`
	// If and Then are the two sides of implies and forbids.
	If   *Clause `json:"if,omitempty"`
	Then *Clause `json:"then,omitempty"`
}

// ConstraintKind names one of the six rules.
type ConstraintKind string

// The six rules.
const (
	KindRequiresAll ConstraintKind = "requires-all" // every term holds
	KindRequiresAny ConstraintKind = "requires-any" // at least one term holds
	KindAllOrNone   ConstraintKind = "all-or-none"  // every term holds, or none
	KindMutex       ConstraintKind = "mutex"        // at most one group has a term that holds
	KindImplies     ConstraintKind = "implies"      // if If holds, Then holds
	KindForbids     ConstraintKind = "forbids"      // if If holds, Then does not
)

// Clause is a quantified set of terms: all of them (the zero Any) or any.
type Clause struct {
	Any   bool   `json:"any,omitempty"`
	Terms []Term `json:"terms"`
}

// Term holds when the parameter is present and, with a Value, equal to it. For
// a list one equal occurrence is enough.
type Term struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Present is the term that holds when the parameter was given.
func Present(name string) Term { return Term{Name: name} }

// ValueIs is the term that holds when the parameter was given this value. A
// value that JSON cannot express is reported by the definition checks.
func ValueIs(name string, value any) Term {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = json.RawMessage("!" + err.Error())
	}
	return Term{Name: name, Value: raw}
}

// All is the clause that holds when every term does.
func All(terms ...Term) Clause { return Clause{Terms: terms} }

// Any is the clause that holds when at least one term does.
func Any(terms ...Term) Clause { return Clause{Any: true, Terms: terms} }

// RequiresAll demands every named parameter.
func RequiresAll(names ...string) Constraint {
	return Constraint{Kind: KindRequiresAll, Terms: present(names)}
}

// RequiresAny demands at least one of the named parameters.
func RequiresAny(names ...string) Constraint {
	return Constraint{Kind: KindRequiresAny, Terms: present(names)}
}

// AllOrNone demands the named parameters together or not at all.
func AllOrNone(names ...string) Constraint {
	return Constraint{Kind: KindAllOrNone, Terms: present(names)}
}

// Mutex lets at most one of the named parameters be given. Groups of several
// parameters are written as a Constraint literal.
func Mutex(names ...string) Constraint {
	c := Constraint{Kind: KindMutex}
	for _, term := range present(names) {
		c.Groups = append(c.Groups, []Term{term})
	}
	return c
}

// Implies demands Then whenever If holds.
func Implies(lhs, rhs Clause) Constraint {
	return Constraint{Kind: KindImplies, If: &lhs, Then: &rhs}
}

// Forbids refuses Then whenever If holds.
func Forbids(lhs, rhs Clause) Constraint {
	return Constraint{Kind: KindForbids, If: &lhs, Then: &rhs}
}

func present(names []string) []Term {
	terms := make([]Term, len(names))
	for i, name := range names {
		terms[i] = Present(name)
	}
	return terms
}
