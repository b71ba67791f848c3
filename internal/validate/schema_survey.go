package validate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Limits of a schema. A tool's own is a hundred times smaller; compiling one that is
// larger would take longer than a host may take to start.
const (
	maxSchemaValues = 5_000   // JSON values
	maxSchemaBytes  = 1 << 20 // of text
)

// survey is what a look at a schema tells without compiling it.
type survey struct {
	root   *toolkit.Schema
	values int // schemas and choices of enumerations
	// asserts: some value breaks the schema. beyond: one does that argv.Complete
	// lets pass. doubtful: only compiling tells whether the schema is right.
	asserts, beyond, doubtful bool
	nullable                  bool // there is OpenAPI's keyword of that name
}

// newSurvey looks at the source and every schema in it.
func newSurvey(source *toolkit.Schema) (*survey, error) {
	s := &survey{root: source}
	if source == nil {
		return nil, &Mistake{Reason: "it is null; {} allows any value"}
	}
	if err := s.visit(source, 1); err != nil {
		return nil, err
	}
	return s, nil
}

// visit looks at a schema and those in it. The depth is that of its JSON text.
func (s *survey) visit(schema *toolkit.Schema, depth int) error {
	if schema == nil {
		s.doubtful = true
		return nil
	}
	s.values += 1 + len(schema.Enum)
	switch {
	case depth > strictjson.MaxDepth:
		return &Mistake{Reason: fmt.Sprintf("more than %d values stand inside each other", strictjson.MaxDepth)}
	case s.values > maxSchemaValues:
		return tooManyValues()
	case schema.IsFalse():
		s.asserts = true
		return nil
	}
	s.keywords(schema)
	return s.below(schema, depth)
}

func tooManyValues() *Mistake {
	return &Mistake{Reason: fmt.Sprintf("it has more than %d values", maxSchemaValues)}
}

// keywords looks at what the schema itself says.
func (s *survey) keywords(schema *toolkit.Schema) {
	says := saysMore(schema)
	s.asserts = s.asserts || says || schema.Ref != ""
	_, asserted := formats[schema.Format]
	composed := schema.Not != nil || len(schema.AllOf) > 0 || len(schema.AnyOf) > 0 || len(schema.OneOf) > 0
	if composed || asserted || schema.UniqueItems {
		s.beyond = true
	}
	if schema.Pattern != "" {
		s.beyond, s.doubtful = true, true
	}
	if schema.Ref != "" {
		s.reference(schema.Ref, says)
	}
	if len(schema.Default) > 0 {
		s.doubtful = true
	}
	for _, bound := range []json.Number{schema.Minimum, schema.Maximum, schema.ExclusiveMinimum, schema.ExclusiveMaximum} {
		s.literal(json.RawMessage(bound))
	}
	s.choices(schema)
	s.extra(schema.Extra)
}

// saysMore reports whether the schema says something of values beside $ref.
func saysMore(schema *toolkit.Schema) bool {
	if len(schema.Type) > 0 {
		return true
	}
	rest := *schema
	rest.Ref, rest.Defs, rest.Description, rest.Default, rest.ContentEncoding, rest.Extra = "", nil, "", nil, "", nil
	return !reflect.ValueOf(rest).IsZero()
}

// parameter visits a property of the root. Its default is argv's to vet, by the
// keywords that argv knows.
func (s *survey) parameter(schema *toolkit.Schema, depth int) error {
	if schema == nil || len(schema.Default) == 0 {
		return s.visit(schema, depth)
	}
	s.literal(schema.Default)
	bare := *schema
	bare.Default = nil
	elsewhere := s.beyond
	s.beyond = false
	err := s.visit(&bare, depth)
	s.doubtful = s.doubtful || s.beyond || bare.Ref != ""
	s.beyond = s.beyond || elsewhere
	return err
}

// reference looks at a $ref. Argv passes over what stands beside it.
func (s *survey) reference(ref string, beside bool) {
	name, isDefinition := strings.CutPrefix(ref, "#/$defs/")
	target := s.root.Defs[name]
	if !isDefinition || strings.ContainsAny(name, "~%/") || target == nil || refersOn(target, 0) {
		s.beyond, s.doubtful = true, true
	}
	s.beyond = s.beyond || beside
}

// refersOn reports whether the schema holds the same value against another one, so
// that there may be a circle.
func refersOn(schema *toolkit.Schema, depth int) bool {
	switch {
	case schema == nil:
		return false
	case schema.Ref != "" || depth > strictjson.MaxDepth:
		return true
	}
	for _, one := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf, []*toolkit.Schema{schema.Not}) {
		if refersOn(one, depth+1) {
			return true
		}
	}
	return false
}

// choices looks at enum and const. Argv lets null pass wherever the type does, and
// takes a const beside an enum for one more choice.
func (s *survey) choices(schema *toolkit.Schema) {
	choices := schema.Enum
	if len(schema.Const) > 0 {
		s.beyond = s.beyond || len(choices) > 0
		choices = append(choices[:len(choices):len(choices)], schema.Const)
	}
	if len(choices) > 0 && schema.Type.Has(toolkit.TypeNull) {
		s.beyond = true
	}
	for _, choice := range choices {
		s.literal(choice)
	}
}

// literal looks at a value in the schema, which may be too deep or too large.
func (s *survey) literal(value json.RawMessage) {
	isEmpty := len(value) == len("[]")
	isNumber := startsWith(value, "-0123456789")
	if startsWith(value, "[{") && !isEmpty || isNumber && !isModest(string(value)) {
		s.doubtful = true
	}
}

// annotations are keywords that say nothing of values, and how their own begin.
var annotations = map[string]string{
	"title": `"`, "$comment": `"`, "contentMediaType": `"`, "examples": "[",
	"deprecated": "tf", "readOnly": "tf", "writeOnly": "tf",
}

// extra looks at the keywords without a field.
func (s *survey) extra(extra map[string]json.RawMessage) {
	for name, value := range extra {
		s.nullable = s.nullable || name == "nullable"
		begins, isNote := annotations[name]
		if name == "$schema" { // drafts agree on what argv judges
			var dialect string
			isNote = json.Unmarshal(value, &dialect) == nil && draftOf(dialect) != nil
		}
		s.beyond = s.beyond || !isNote
		s.asserts = s.asserts || !isNote
		s.doubtful = s.doubtful || !startsWith(value, begins) || name == "examples"
	}
}

// startsWith reports whether the text starts with one of the characters.
func startsWith(text json.RawMessage, characters string) bool {
	return len(text) > 0 && strings.IndexByte(characters, text[0]) >= 0
}

// below visits the schemas in the schema.
func (s *survey) below(schema *toolkit.Schema, depth int) error {
	for _, one := range schema.Properties {
		visit := s.visit
		if depth == 1 {
			visit = s.parameter
		}
		if err := visit(one, depth+2); err != nil {
			return err
		}
	}
	for _, one := range schema.Defs {
		if err := s.visit(one, depth+2); err != nil {
			return err
		}
	}
	for _, group := range [][]*toolkit.Schema{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for _, one := range group {
			if err := s.visit(one, depth+2); err != nil {
				return err
			}
		}
	}
	for _, one := range []*toolkit.Schema{schema.Items, schema.AdditionalProperties, schema.Not} {
		if one == nil {
			continue
		}
		if err := s.visit(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}
