package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// inputSchema vets what the body says of the input as a whole.
func (at site) inputSchema(s *scope, schema *toolkit.Schema) {
	if schema == nil {
		return
	}
	needed := requiredNames{refs: s.refs(), seen: map[*toolkit.Schema]bool{}}
	needed.visit(schema)
	for _, name := range needed.names {
		if s.byWire(name) == nil && !s.mayHave(name) {
			at.report("the input requires %s, which is no parameter and no key that it allows beside them: no call could be right", quotedWord(name))
		}
	}
	if !schema.Type.Has(toolkit.TypeObject) {
		at.report("the input is of type %q; only an object can be an input", schema.Type)
	}
	at.schema("input", schema)
}

// mayHave reports whether the input may have the key although it is no parameter.
func (s *scope) mayHave(key string) bool {
	further := s.further()
	property, declared := further.Properties[key]
	return declared && !property.IsFalse() || !declared && isOpen(further) || len(further.Extra[patternProperties]) > 0
}

// requiredNames are the keys that an object must have by a schema and all that apply
// with it.
type requiredNames struct {
	refs
	names []string
	seen  map[*toolkit.Schema]bool
}

func (r *requiredNames) visit(schema *toolkit.Schema) {
	if schema == nil || r.seen[schema] {
		return
	}
	r.seen[schema] = true
	for _, name := range schema.Required {
		if !slices.Contains(r.names, name) {
			r.names = append(r.names, name)
		}
	}
	if schema.Ref != "" {
		r.visit(r.target(schema))
	}
	for _, one := range schema.AllOf {
		r.visit(one)
	}
}

// schema vets that the schema can be read: its types are types, its limits can
// be met, the values in it are JSON. Whether it compiles is for the host's
// validator to say.
func (at site) schema(what string, schema *toolkit.Schema) {
	walk := schemaWalk{at: at}
	walk.schema(what, schema, 0)
}

// schemaWalk goes through a schema and those in it.
type schemaWalk struct{ at site }

var schemaTypes = []string{
	toolkit.TypeString, toolkit.TypeInteger, toolkit.TypeNumber, toolkit.TypeBoolean,
	toolkit.TypeArray, toolkit.TypeObject, toolkit.TypeNull,
}

func (w schemaWalk) schema(path string, s *toolkit.Schema, depth int) {
	switch {
	case s == nil:
		w.at.report("%s: it is null; {} allows any value", path)
		return
	case depth > strictjson.MaxDepth:
		w.at.report("%s: more than %d schemas stand inside each other", path, strictjson.MaxDepth)
		return
	}
	for _, t := range s.Type {
		if !slices.Contains(schemaTypes, t) {
			w.at.report("%s: the type %s is not valid: %s are", path, quotedWord(t), enumeration(schemaTypes, "and"))
		}
	}
	w.limits(path, s)
	w.values(path, s)
	w.below(path, s, depth+1)
}

// limits vets the schema's numbers.
func (w schemaWalk) limits(path string, s *toolkit.Schema) {
	for _, pair := range []struct {
		what      string
		low, high *int
	}{
		{"length", s.MinLength, s.MaxLength}, {"number of items", s.MinItems, s.MaxItems},
		{"number of properties", s.MinProperties, s.MaxProperties},
	} {
		switch {
		case pair.low != nil && *pair.low < 0 || pair.high != nil && *pair.high < 0:
			w.at.report("%s: the %s has a negative limit", path, pair.what)
		case pair.low != nil && pair.high != nil && *pair.low > *pair.high:
			w.at.report("%s: the least %s %d exceeds the most, %d", path, pair.what, *pair.low, *pair.high)
		}
	}
	for _, n := range []json.Number{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if n != "" && !isNumber(string(n)) {
			w.at.report("%s: the limit %s is no number", path, quotedWord(string(n)))
			return
		}
	}
	if s.Minimum != "" && s.Maximum != "" && compareNumbers(string(s.Minimum), string(s.Maximum)) > 0 {
		w.at.report("%s: the minimum %s exceeds the maximum %s", path, s.Minimum, s.Maximum)
	}
}

// values vets that the values in the schema are JSON.
func (w schemaWalk) values(path string, s *toolkit.Schema) {
	check := func(keyword string, raw json.RawMessage) {
		if err := strictjson.Check(raw); len(raw) > 0 && err != nil {
			w.at.report("%s: %s is no JSON: %v", path, keyword, err)
		}
	}
	for i, raw := range s.Enum {
		if len(raw) == 0 {
			raw = json.RawMessage(" ")
		}
		check(fmt.Sprintf("enum value %d", i), raw)
	}
	check("const", s.Const)
	check("default", s.Default)
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		check(quotedWord(name), s.Extra[name])
	}
}

// below walks the schemas in the schema.
func (w schemaWalk) below(path string, s *toolkit.Schema, depth int) {
	for _, group := range []struct {
		keyword string
		schemas map[string]*toolkit.Schema
	}{{"$defs", s.Defs}, {"properties", s.Properties}} {
		for _, name := range slices.Sorted(maps.Keys(group.schemas)) {
			w.schema(path+"."+group.keyword+"."+shortened(name), group.schemas[name], depth)
		}
	}
	for _, group := range []struct {
		keyword string
		schemas []*toolkit.Schema
	}{{"allOf", s.AllOf}, {"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		for i, schema := range group.schemas {
			w.schema(fmt.Sprintf("%s.%s.%d", path, group.keyword, i), schema, depth)
		}
	}
	for _, single := range []struct {
		keyword string
		schema  *toolkit.Schema
	}{{"items", s.Items}, {"additionalProperties", s.AdditionalProperties}, {"not", s.Not}} {
		if single.schema != nil {
			w.schema(path+"."+single.keyword, single.schema, depth)
		}
	}
}
