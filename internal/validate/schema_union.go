package validate

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// branch is an alternative of a union, and why the value does not fit it.
type branch struct {
	schema *jsonschema.Schema
	error  *jsonschema.ValidationError
	leaves []*jsonschema.ValidationError
}

// union explains why a value fits no alternative of anyOf or oneOf. What was meant
// is told by the value's type, then by the constants of its members: {"kind":"dog"}
// means the alternative where kind is dog. One that is left is explained; of
// several, what they have in common, or else what each asks for.
func (x *explainer) union(err *jsonschema.ValidationError) {
	at := err.InstanceLocation
	branches := x.branches(err)
	meant := without(branches, func(b *branch) bool { return b.wrongType(at) })
	tagged := without(meant, func(b *branch) bool { return b.wrongTag(at) != nil })
	switch {
	case len(meant) == 1:
		x.error(meant[0].error)
		return
	case len(tagged) == 1:
		x.error(tagged[0].error)
		return
	case len(tagged) > 1:
		meant = tagged
	case len(meant) > 0 && x.wrongTags(at, meant):
		return
	case len(meant) == 0:
		meant = branches
	}
	if !x.common(meant) {
		x.add(at, x.got(at), x.alternatives(meant))
	}
}

// branches pairs the alternatives with their errors, of which there is one each.
func (x *explainer) branches(err *jsonschema.ValidationError) []*branch {
	var schemas []*jsonschema.Schema
	if n := x.nodes[err.SchemaURL]; n != nil {
		schemas = n.AnyOf
		if _, isOneOf := err.ErrorKind.(*kind.OneOf); isOneOf {
			schemas = n.OneOf
		}
	}
	all := make([]*branch, len(err.Causes))
	for i, cause := range err.Causes {
		all[i] = &branch{error: cause, leaves: leaves(cause)}
		if i < len(schemas) {
			all[i].schema = schemas[i]
		}
	}
	return all
}

// leaves are the errors that caused an error, and were themselves caused by none
// but other alternatives.
func leaves(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var all []*jsonschema.ValidationError
		for _, cause := range err.Causes {
			all = append(all, leaves(cause)...)
		}
		return all
	}
	return []*jsonschema.ValidationError{err}
}

func without(branches []*branch, unfit func(*branch) bool) []*branch {
	return slices.DeleteFunc(slices.Clone(branches), unfit)
}

// faultOf is what a subschema of ours found, or nil for an error of the library's own.
func faultOf(err *jsonschema.ValidationError) *fault {
	k, ok := err.ErrorKind.(*kind.Format)
	if !ok {
		return nil
	}
	f, _ := errors.AsType[*fault](k.Err)
	return f
}

// wrongType reports whether the value itself is of a type that the branch excludes.
func (b *branch) wrongType(at []string) bool {
	return slices.ContainsFunc(b.leaves, func(leaf *jsonschema.ValidationError) bool {
		f := faultOf(leaf)
		return f != nil && f.keyword == "type" && len(leaf.InstanceLocation) == len(at)
	})
}

// wrongTag is the error of a member that is not the branch's constant, or nil.
func (b *branch) wrongTag(at []string) *jsonschema.ValidationError {
	for _, leaf := range b.leaves {
		f := faultOf(leaf)
		if f != nil && (f.keyword == "const" || f.keyword == "enum") && len(leaf.InstanceLocation) == len(at)+1 {
			return leaf
		}
	}
	return nil
}

// wrongTags reports a member that fits the constant of no branch, if it is the same
// member in all of them.
func (x *explainer) wrongTags(at []string, branches []*branch) bool {
	var choices []any
	var place []string
	for _, b := range branches {
		tag := b.wrongTag(at)
		if place != nil && !slices.Equal(place, tag.InstanceLocation) {
			return false
		}
		place = tag.InstanceLocation
		n := faultOf(tag).node
		if n.literal != nil {
			choices = append(choices, *n.literal)
		}
		choices = append(choices, n.choices...)
	}
	x.add(place, x.got(place), choiceWords(choices))
	return true
}

// common reports the problems that every branch has, if there are such. Where the
// branches expect different things, such as each its own constant, all are named.
func (x *explainer) common(branches []*branch) bool {
	var shared []Problem
	expected := map[string][]string{} // by path
	for i, b := range branches {
		own := &explainer{machine: x.machine, doc: x.doc}
		own.error(b.error)
		for _, p := range own.problems {
			expected[p.Path] = append(expected[p.Path], choicesIn(p.Expected)...)
		}
		if i == 0 {
			shared = own.problems
			continue
		}
		shared = slices.DeleteFunc(shared, func(p Problem) bool {
			return !slices.ContainsFunc(own.problems, func(q Problem) bool { return p.Path == q.Path && p.Clause == q.Clause })
		})
	}
	for _, p := range shared {
		if all := distinctWords(expected[p.Path]); len(all) > 1 {
			p.Expected = oneOf(all)
			p.Clause += ", expected " + p.Expected
		}
		x.problems = append(x.problems, p)
	}
	return len(shared) > 0
}

// choicesIn are the choices that the words of an expectation name, or the words.
func choicesIn(words string) []string {
	if choices, several := strings.CutPrefix(words, "one of "); several {
		return strings.Split(choices, ", ")
	}
	return []string{words}
}

// distinctWords are the texts, each once.
func distinctWords(all []string) []string {
	var once []string
	for _, text := range all {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// oneOf is "a, b or c".
func oneOf(texts []string) string {
	rest := len(texts) - maxNames
	if rest > 0 {
		return strings.Join(texts[:maxNames], ", ") + andMore(rest)
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// alternatives say what each branch asks for.
func (x *explainer) alternatives(branches []*branch) string {
	var all []string
	for _, b := range branches {
		if b.schema != nil {
			all = append(all, x.nested(b.schema, 1))
			continue
		}
		for _, leaf := range b.leaves { // a schema of schemas
			all = append(all, x.wordsOf(nil, leaf.ErrorKind))
		}
	}
	return either(all)
}
