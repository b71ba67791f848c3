package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agentos-go/agentos/toolkit"
)

// draft07 is the $schema of the draft that most older schemas are written in.
const draft07 = "http://json-schema.org/draft-07/schema#"

// Adapt is a schema from elsewhere, which may be of another dialect and not say so,
// as one that Compile and argv read as it was meant; and what was changed, for a log.
// OpenAPI 3.0's nullable and its booleans beside a minimum or maximum are written as
// JSON Schema has them. Where there is a list of items or another keyword of older
// drafts, the schema is said to be draft-07. One with a $schema is left as it is. The
// source is never changed.
func Adapt(source *toolkit.Schema) (*toolkit.Schema, []string) {
	if source == nil || len(source.Extra["$schema"]) > 0 {
		return source, nil
	}
	a := &adapter{}
	adapted := a.schema(source, nil)
	if a.older {
		if adapted.Extra == nil {
			adapted.Extra = map[string]json.RawMessage{}
		}
		adapted.Extra["$schema"] = json.RawMessage(quote(draft07))
	}
	return adapted, a.notes
}

// adapter copies a schema.
type adapter struct {
	notes []string
	older bool // than 2020-12
}

func (a *adapter) note(path []string, format string, args ...any) {
	a.notes = append(a.notes, (&Mistake{Path: path, Reason: fmt.Sprintf(format, args...)}).Error())
}

func (a *adapter) schema(s *toolkit.Schema, path []string) *toolkit.Schema {
	if s == nil {
		return nil
	}
	adapted := *s
	adapted.Extra = maps.Clone(s.Extra)
	a.nullable(&adapted, path)
	a.bound(&adapted, path, "exclusiveMinimum", &adapted.Minimum, &adapted.ExclusiveMinimum)
	a.bound(&adapted, path, "exclusiveMaximum", &adapted.Maximum, &adapted.ExclusiveMaximum)
	for _, keyword := range []string{"items", "additionalItems", "dependencies"} {
		if len(adapted.Extra[keyword]) > 0 {
			a.older = true
			a.note(path, "%s has the form of older drafts: the schema is read as draft-07", keyword)
		}
	}
	a.below(&adapted, path)
	return &adapted
}

// nullable turns OpenAPI's keyword into one more type.
func (a *adapter) nullable(s *toolkit.Schema, path []string) {
	if !bytes.Equal(s.Extra["nullable"], []byte("true")) {
		return
	}
	delete(s.Extra, "nullable")
	null := json.RawMessage("null")
	switch {
	case s.Ref != "":
		s.AnyOf = []*toolkit.Schema{{Ref: s.Ref}, {Type: toolkit.Types{toolkit.TypeNull}}}
		s.Ref = ""
	case len(s.Type) > 0 && !s.Type.Has(toolkit.TypeNull):
		s.Type = append(slices.Clone(s.Type), toolkit.TypeNull)
	}
	if len(s.Enum) > 0 {
		s.Enum = append(slices.Clone(s.Enum), null)
	}
	a.note(path, "nullable is of OpenAPI 3.0: null is one of its types now")
}

// bound turns a boolean beside an inclusive bound into an exclusive bound.
func (a *adapter) bound(s *toolkit.Schema, path []string, keyword string, inclusive, exclusive *json.Number) {
	isExclusive, given := s.Extra[keyword]
	if !given {
		return
	}
	delete(s.Extra, keyword)
	if string(isExclusive) == "true" {
		*exclusive, *inclusive = *inclusive, ""
	}
	a.note(path, "%s: %s is of OpenAPI 3.0: the bound is a number now", keyword, isExclusive)
}

// below adapts the schemas in the schema, those with names in the order of these.
func (a *adapter) below(s *toolkit.Schema, path []string) {
	named := func(keyword string, group map[string]*toolkit.Schema) map[string]*toolkit.Schema {
		group = maps.Clone(group)
		for _, name := range slices.Sorted(maps.Keys(group)) {
			group[name] = a.schema(group[name], slices.Concat(path, []string{keyword, name}))
		}
		return group
	}
	listed := func(keyword string, group []*toolkit.Schema) []*toolkit.Schema {
		group = slices.Clone(group)
		for i := range group {
			group[i] = a.schema(group[i], slices.Concat(path, []string{keyword, fmt.Sprint(i)}))
		}
		return group
	}
	s.Defs, s.Properties = named("$defs", s.Defs), named("properties", s.Properties)
	s.AllOf, s.AnyOf, s.OneOf = listed("allOf", s.AllOf), listed("anyOf", s.AnyOf), listed("oneOf", s.OneOf)
	s.Items = a.schema(s.Items, slices.Concat(path, []string{"items"}))
	s.AdditionalProperties = a.schema(s.AdditionalProperties, slices.Concat(path, []string{"additionalProperties"}))
	s.Not = a.schema(s.Not, slices.Concat(path, []string{"not"}))
}
