package validate

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// report is what is wrong with the document, which is so many bytes long.
func (m *machine) report(doc *strictjson.Value, size int) *Report {
	c := &converter{limit: maxValues}
	value, wrong := c.convert(doc)
	if wrong != nil {
		return reject(wrong.place(), wrong.expected, wrong.Error())
	}
	fits, err := m.holds(value, c.values+size/bytesPerValue)
	switch {
	case err != nil:
		return reject(nil, "a value that takes fewer steps", "the value cannot be judged by its schema: "+err.Error())
	case fits:
		return nil
	}
	return m.explain(doc, m.run(m.root, value, explainSteps))
}

// bytesPerValue is how long a value is that counts for one more, as patterns match.
const bytesPerValue = 16

// explain puts the library's error into our words.
func (m *machine) explain(doc *strictjson.Value, err error) *Report {
	expected := m.words(m.root)
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return reject(nil, expected, "the value does not fit its schema and is too large to say where, expected "+expected)
	}
	x := &explainer{machine: m, doc: doc}
	x.error(broken)
	if len(x.problems) == 0 {
		x.problems = innermost(x.unevaluated)
	}
	if report := newReport(x.problems); report != nil {
		return report
	}
	// Without words of our own a wrong value is wrong all the same.
	return reject(nil, expected, "the value does not fit its schema, expected "+expected)
}

// innermost are the problems of places that no other problem is inside of.
func innermost(problems []Problem) []Problem {
	key := func(steps []string) string { return fmt.Sprintf("%q", steps) }
	outer := map[string]bool{}
	for i := range problems {
		for n := range problems[i].steps {
			outer[key(problems[i].steps[:n])] = true
		}
	}
	return slices.DeleteFunc(problems, func(p Problem) bool { return outer[key(p.steps)] })
}

// explainer gathers the problems of one value.
type explainer struct {
	*machine
	doc      *strictjson.Value
	problems []Problem
	// unevaluated are members and items that no schema has looked at. They count
	// only by themselves: a schema that finds a problem has looked at nothing.
	unevaluated []Problem
}

// error explains an error and those that caused it.
func (x *explainer) error(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range err.Causes {
			x.error(cause)
		}
	case *kind.PropertyNames: // in a schema of schemas, where the library judges names
		for _, leaf := range leaves(&jsonschema.ValidationError{ErrorKind: &kind.Group{}, Causes: err.Causes}) {
			leaf.InstanceLocation = slices.Concat(err.InstanceLocation, []string{k.Property})
			x.error(leaf)
		}
	case *kind.AnyOf:
		x.union(err)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			x.union(err)
			return
		}
		x.say(err.InstanceLocation, "a value that fits only one of the alternatives",
			fmt.Sprintf("fits the alternatives %d and %d, expected only one of them", k.Subschemas[0]+1, k.Subschemas[1]+1))
	default:
		x.leaf(err, x.nodes[err.SchemaURL])
	}
}

// leaf explains an error without causes. The node is nil for schemas of schemas.
func (x *explainer) leaf(err *jsonschema.ValidationError, n *subschema) {
	at := err.InstanceLocation
	switch k := err.ErrorKind.(type) {
	case *kind.Format:
		x.format(at, k)
	case *kind.FalseSchema:
		x.forbidden(at, err.SchemaURL)
	case *kind.Required:
		x.missing(at, n, k.Missing, "")
	case *kind.Dependency:
		x.missing(at, n, k.Missing, " with "+shorten(k.Prop))
	case *kind.DependentRequired:
		x.missing(at, n, k.Missing, " with "+shorten(k.Prop))
	case *kind.AdditionalProperties:
		x.unknown(at, n, k.Properties)
	case *kind.MinLength, *kind.MaxLength, *kind.MinItems, *kind.MaxItems, *kind.MinProperties, *kind.MaxProperties, *kind.AdditionalItems:
		x.size(at, n, k)
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		x.add(at, "", x.containsWords(n))
	case *kind.Not:
		x.add(at, x.got(at), x.notWords(n))
	case *kind.MultipleOf:
		x.add(at, x.got(at), "a multiple of "+decimalText(k.Want))
	case *kind.RefCycle:
		x.say(at, "nothing: the schema applies itself without end", "its schema applies itself without end")
	default:
		x.add(at, x.got(at), x.wordsOf(n, k))
	}
}

// format explains what a node of ours found, or the library in a schema.
func (x *explainer) format(at []string, k *kind.Format) {
	f, ours := errors.AsType[*fault](k.Err)
	switch {
	case !ours:
		x.say(at, k.Want, fmt.Sprintf("the %s %s is not valid: %v", patternNoun(k.Want), quote(fmt.Sprint(k.Got)), k.Err))
	case f.keyword == "uniqueItems":
		x.say(at, "items that all differ", fmt.Sprintf("items %d and %d are equal", f.first, f.second))
	case f.keyword == "propertyNames":
		expected := x.words(f.node.names)
		x.say(slices.Concat(at, []string{f.name}), expected, "the name is not valid, expected "+expected)
	default:
		x.add(at, x.got(at), x.words(f.node.Schema))
	}
}

// forbidden reports a value where none may be.
func (x *explainer) forbidden(at []string, place string) {
	x.say(at, "nothing here", "not allowed")
	last := len(x.problems) - 1
	if strings.HasSuffix(place, "/unevaluatedProperties") || strings.HasSuffix(place, "/unevaluatedItems") {
		x.unevaluated = append(x.unevaluated, x.problems[last])
		x.problems = x.problems[:last]
	}
}

// patternNoun is what the format regex is about.
func patternNoun(format string) string {
	if format == "regex" {
		return "pattern"
	}
	return format
}

// missing reports properties that have to be given.
func (x *explainer) missing(at []string, n *subschema, names []string, why string) {
	for _, name := range names {
		expected := "a value"
		if n != nil && n.Properties[name] != nil {
			expected = x.words(n.Properties[name])
		}
		x.say(slices.Concat(at, []string{name}), expected, "required"+why)
	}
}

// maxNames is how many names a problem lists.
const maxNames = 40

// unknown reports properties that may not be given.
func (x *explainer) unknown(at []string, n *subschema, names []string) {
	expected := "no more properties"
	if n != nil && len(n.Properties) > 0 {
		known := slices.Sorted(maps.Keys(n.Properties))
		expected = "one of " + capped(known, maxNames)
	}
	for _, name := range names {
		x.say(slices.Concat(at, []string{name}), expected, "unknown key, expected "+expected)
	}
}

// size reports a number of characters, items or properties.
func (x *explainer) size(at []string, n *subschema, k jsonschema.ErrorKind) {
	var got int
	var low, high *int
	unit := "item"
	switch k := k.(type) {
	case *kind.MinLength:
		got, low, unit = k.Got, &k.Want, "character"
	case *kind.MaxLength:
		got, high, unit = k.Got, &k.Want, "character"
	case *kind.MinItems:
		got, low = k.Got, &k.Want
	case *kind.MaxItems:
		got, high = k.Got, &k.Want
	case *kind.MinProperties:
		got, low, unit = k.Got, &k.Want, "key"
	case *kind.MaxProperties:
		got, high, unit = k.Got, &k.Want, "key"
	case *kind.AdditionalItems:
		most := len(asSchemas(n.Items))
		got, high = most+k.Count, &most
	}
	if n != nil {
		low, high = n.bounds(unit, low, high)
	}
	x.add(at, plural(got, unit), countWords(low, high, unit))
}

// bounds are both bounds of the size, of which one is broken.
func (n *subschema) bounds(unit string, low, high *int) (*int, *int) {
	switch {
	case unit == "character":
		return n.MinLength, n.MaxLength
	case unit == "key":
		return n.MinProperties, n.MaxProperties
	case n.MinItems != nil || n.MaxItems != nil:
		return n.MinItems, n.MaxItems
	}
	return low, high
}

// got is the value as an error shows it.
func (x *explainer) got(at []string) string {
	v := x.doc
	for _, step := range at {
		v = child(v, step)
	}
	switch {
	case v == nil:
		return ""
	case x.options.TypesOnly:
		value, _ := (&converter{limit: maxValues}).convert(v)
		return typeName(value)
	case len(at) == 0 && len(v.Members) > 0: // the whole input says nothing, and there may be secrets in it
		return ""
	}
	return shorten(string(v.Append(nil)))
}

// child is the value's member or element, or nil.
func child(v *strictjson.Value, step string) *strictjson.Value {
	if v == nil || v.Kind != strictjson.Array {
		if v == nil {
			return nil
		}
		return v.Get(step)
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(v.Elems) {
		return nil
	}
	return v.Elems[i]
}

// add reports a value, got and expected being all there is to say.
func (x *explainer) add(at []string, got, expected string) {
	if x.isSecret(at) {
		got = ""
	}
	clause := "expected " + expected
	if got != "" {
		clause = "got " + got + ", " + clause
	}
	x.problems = append(x.problems, Problem{
		Problem: toolkit.Problem{Path: pathOf(at), Got: got, Expected: expected}, Clause: clause, steps: at,
	})
}

// say reports a value in words of its own.
func (x *explainer) say(at []string, expected, clause string) {
	x.problems = append(x.problems, Problem{
		Problem: toolkit.Problem{Path: pathOf(at), Expected: expected}, Clause: clause, steps: at,
	})
}

func (x *explainer) isSecret(at []string) bool {
	return len(at) > 0 && slices.Contains(x.options.Secret, at[0])
}

// decimalText is the number as JSON may write it.
func decimalText(n *big.Rat) string {
	digits, _ := n.FloatPrec() // exact: it was a decimal
	return shorten(n.FloatString(digits))
}
