package argv

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
		schema.Properties[p.wire] = s.refs().property(p)
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

// unit is what a number of the parameter counts, which its value's name says, such
// as seconds; "" for values of other types.
func (r refs) unit(p *param) string {
	if p.valueName == "" {
		return ""
	}
	schema := r.plain(p.schema)
	if kindOf(schema) == toolkit.TypeArray {
		schema = r.plain(schema.Items)
	}
	if kind := kindOf(schema); kind != toolkit.TypeInteger && kind != toolkit.TypeNumber || len(schema.Enum) > 0 {
		return ""
	}
	return inline(p.valueName)
}

// remark is the description with something more in parentheses, unless it says that
// already, or is nothing else.
func remark(description, note string) string {
	switch {
	case note == "" || strings.Contains(strings.ToLower(description), strings.ToLower(note)):
		return description
	case description == "":
		return note
	}
	return strings.TrimSpace(strings.TrimSuffix(description, ".") + " (" + note + ")")
}

// property is the parameter's schema with its description and default. That it is
// secret, and what it counts, is said as keywords and words of the schema: whoever
// reads that alone sees no command line.
func (r refs) property(p *param) *toolkit.Schema {
	var property toolkit.Schema
	if p.schema != nil {
		property = *p.schema
	}
	if p.help != "" {
		property.Description = p.help
	}
	property.Description = remark(property.Description, r.unit(p))
	if p.secret {
		property.Description = remark(property.Description, "secret")
		property.Extra = maps.Clone(property.Extra)
		if property.Extra == nil {
			property.Extra = map[string]json.RawMessage{}
		}
		property.Extra["writeOnly"] = json.RawMessage("true")
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
