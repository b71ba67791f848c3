package argv

import (
	"maps"
	"slices"

	"github.com/agentos-go/agentos/toolkit"
)

// InputSchema is the JSON Schema of the command's whole input: an object of its
// parameters and the inherited globals, with what the body says of the object
// itself. Descriptions and defaults are in it, and a parameter with a default is
// not required. Other keys are refused unless the body's input allows them. A path
// that names no command with a body has none.
func InputSchema(def *toolkit.Definition, path []string) *toolkit.Schema {
	s := scopeAt(def, path)
	if s == nil || s.body() == nil {
		return nil
	}
	schema := &toolkit.Schema{}
	if s.body().Input != nil {
		*schema = *s.body().Input
	}
	if !isOpen(schema) {
		schema.AdditionalProperties = toolkit.False()
	}
	schema.Type = toolkit.Types{toolkit.TypeObject}
	schema.Properties = maps.Clone(schema.Properties)
	schema.Required = slices.Clone(schema.Required)
	for _, p := range s.params {
		if schema.Properties == nil {
			schema.Properties = map[string]*toolkit.Schema{}
		}
		schema.Properties[p.wire] = p.property()
		if p.demanded() && !slices.Contains(schema.Required, p.wire) {
			schema.Required = append(schema.Required, p.wire)
		}
	}
	return schema
}

// patternProperties is the keyword of keys that a regular expression names.
const patternProperties = "patternProperties"

// further is the schema of the input with what it says of keys that are no
// parameters, which only JSON can give.
func (s *scope) further() *toolkit.Schema {
	if body := s.body(); body != nil && body.Input != nil {
		return body.Input
	}
	return anything
}

// furtherNames are the keys that the input declares beside the parameters.
func (s *scope) furtherNames() []string {
	return slices.DeleteFunc(propertyNames(s.further()), func(name string) bool { return s.byWire(name) != nil })
}

// property is the parameter's schema with its description and default.
func (p *param) property() *toolkit.Schema {
	var property toolkit.Schema
	if p.schema != nil {
		property = *p.schema
	}
	if p.help != "" {
		property.Description = p.help
	}
	if len(p.fallback) > 0 {
		property.Default = p.fallback
	}
	if t := p.tail; t != nil {
		property.MinItems = positive(t.Min)
		property.MaxItems = positive(t.Max)
	}
	return &property
}

// positive is the limit, or nil where zero means that there is none.
func positive(limit int) *int {
	if limit <= 0 {
		return nil
	}
	return &limit
}
