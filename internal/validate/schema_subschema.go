package validate

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// subschema is one schema of those compiled. Some of its keywords are taken over from the
// library, through the one function that the library calls for each value: format.
// That is where steps are counted, equality takes no more time than reading, and
// numbers of any size are compared by their digits.
type subschema struct {
	*jsonschema.Schema
	owner *machine

	types   []string
	choices []any           // of enum
	keys    map[string]bool // of choices
	literal *any            // of const
	format  *format
	unique  bool
	names   *jsonschema.Schema // of propertyNames

	words string // for errors, once they were needed
}

// take makes nodes of the schema and of all that it leads to.
func (m *machine) take(s *jsonschema.Schema) {
	if s == nil || m.nodes[s.Location] != nil {
		return
	}
	n := &subschema{Schema: s, owner: m}
	m.nodes[s.Location] = n
	if s.Bool == nil {
		n.takeOver()
	}
	for _, below := range inside(s) {
		m.take(below)
	}
}

// takeOver moves keywords from the library's schema to the node. In drafts before
// 2019-09 those beside a $ref say nothing.
func (n *subschema) takeOver() {
	s := n.Schema
	if s.DraftVersion < 2019 && s.Ref != nil {
		s.Types, s.Enum, s.Const, s.UniqueItems, s.PropertyNames = nil, nil, nil, false, nil
		s.Format = &jsonschema.Format{Validate: n.visit}
		return
	}
	if s.Types != nil {
		n.types = s.Types.ToStrings()
	}
	if s.Enum != nil {
		n.choices, n.keys = s.Enum.Values, map[string]bool{}
		for _, choice := range n.choices {
			n.keys[string(appendKey(nil, choice))] = true
		}
	}
	if s.Format != nil && !n.owner.options.AnnotateFormats {
		if known, asserted := formats[s.Format.Name]; asserted {
			n.format = &known
		}
	}
	n.literal, n.unique, n.names = s.Const, s.UniqueItems, s.PropertyNames
	s.Types, s.Enum, s.Const, s.UniqueItems, s.PropertyNames = nil, nil, nil, false, nil
	s.Format = &jsonschema.Format{Validate: n.visit}
	n.owner.take(n.names)
}

// fault is what a node finds, as the library passes it on.
type fault struct {
	node    *subschema
	keyword string
	first   int // of two equal items
	second  int
	name    string // of a property
}

// Error is for the library, which never shows it.
func (f *fault) Error() string { return f.keyword }

// visit is called by the library for each value that the node's schema applies to,
// before it judges the rest.
func (n *subschema) visit(v any) error {
	n.owner.meter.spend(1)
	switch {
	case len(n.types) > 0 && !n.hasType(v):
		return &fault{node: n, keyword: "type"}
	case n.literal != nil && n.key(v) != n.key(*n.literal):
		return &fault{node: n, keyword: "const"}
	case n.keys != nil && !n.keys[n.key(v)]:
		return &fault{node: n, keyword: "enum"}
	}
	switch v := v.(type) {
	case json.Number:
		n.owner.meter.spend(comparing(string(v)))
	case string:
		if n.format != nil && !n.format.holds(v) {
			return &fault{node: n, keyword: "format"}
		}
	case []any:
		return n.list(v)
	case map[string]any:
		return n.object(v)
	}
	return nil
}

func (n *subschema) hasType(v any) bool {
	name := typeName(v)
	return slices.Contains(n.types, name) || name == "integer" && slices.Contains(n.types, "number")
}

// keyPerStep is how many bytes of keys are a step.
const keyPerStep = 256

// key is the value's text for comparison.
func (n *subschema) key(v any) string {
	key := appendKey(nil, v)
	n.owner.meter.spend(len(key) / keyPerStep)
	return string(key)
}

func (n *subschema) list(v []any) error {
	if !n.unique {
		return nil
	}
	known := make(map[string]int, len(v))
	for i, elem := range v {
		key := n.key(elem)
		if first, twice := known[key]; twice {
			return &fault{node: n, keyword: "uniqueItems", first: first, second: i}
		}
		known[key] = i
	}
	return nil
}

// object pays for the patterns that every name is matched with, and judges names.
func (n *subschema) object(v map[string]any) error {
	n.owner.meter.spend(len(v) * len(n.PatternProperties))
	if n.names == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if n.names.Validate(name) != nil {
			return &fault{node: n, keyword: "propertyNames", name: name}
		}
	}
	return nil
}

// inside are the schemas that the schema applies.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	all := inPlace(s)
	all = append(all, s.RecursiveRef, s.Then, s.Else, s.UnevaluatedProperties, s.PropertyNames,
		s.Contains, s.Items2020, s.UnevaluatedItems)
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	all = append(all, s.PrefixItems...)
	all = slices.AppendSeq(all, maps.Values(s.Properties))
	all = slices.AppendSeq(all, maps.Values(s.PatternProperties))
	all = slices.AppendSeq(all, maps.Values(s.DependentSchemas))
	for _, dependency := range s.Dependencies {
		all = append(all, asSchemas(dependency)...)
	}
	for _, keyword := range []any{s.Items, s.AdditionalItems, s.AdditionalProperties} {
		all = append(all, asSchemas(keyword)...)
	}
	return all
}

// inPlace are the schemas that apply to the same value as the schema, whatever that
// is and wherever it stands.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	return append(slices.Concat(s.AllOf, s.AnyOf, s.OneOf), s.Ref, s.Not, s.If)
}

// asSchemas are the schemas of a keyword that may be something else as well.
func asSchemas(keyword any) []*jsonschema.Schema {
	switch keyword := keyword.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{keyword}
	case []*jsonschema.Schema:
		return keyword
	}
	return nil
}

// circles finds the schemas that apply themselves to the same value again, which
// would never end.
func (m *machine) circles() error {
	c := circleSearch{begun: map[*jsonschema.Schema]bool{}}
	for _, place := range slices.Sorted(maps.Keys(m.nodes)) {
		c.visit(m.nodes[place].Schema)
	}
	return errors.Join(c.found...)
}

// circleSearch follows the schemas of one value.
type circleSearch struct {
	begun map[*jsonschema.Schema]bool // and false when it is done
	found []error
}

func (c *circleSearch) visit(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if open, seen := c.begun[s]; seen {
		if open {
			c.found = append(c.found, &Mistake{Path: pointerPath(s.Location), Reason: "it applies itself to the same value again, without end"})
		}
		return
	}
	c.begun[s] = true
	for _, next := range inPlace(s) {
		c.visit(next)
	}
	c.begun[s] = false
}
