package toolkit

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Schema is a JSON Schema (2020-12) as data. The named fields are the keywords
// that command lines and help understand; Extra keeps every other keyword as it
// came. Numbers and values stay literal JSON text, never float64.
type Schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Defs                 map[string]*Schema `json:"$defs,omitempty"`
	Type                 Types              `json:"type,omitempty"`
	Description          string             `json:"description,omitempty"`
	Enum                 []json.RawMessage  `json:"enum,omitempty"`
	Const                json.RawMessage    `json:"const,omitempty"`
	Default              json.RawMessage    `json:"default,omitempty"`
	Properties           map[string]*Schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties *Schema            `json:"additionalProperties,omitempty"`
	Items                *Schema            `json:"items,omitempty"`
	MinItems             *int               `json:"minItems,omitempty"`
	MaxItems             *int               `json:"maxItems,omitempty"`
	UniqueItems          bool               `json:"uniqueItems,omitempty"`
	MinProperties        *int               `json:"minProperties,omitempty"`
	MaxProperties        *int               `json:"maxProperties,omitempty"`
	MinLength            *int               `json:"minLength,omitempty"`
	MaxLength            *int               `json:"maxLength,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	Format               string             `json:"format,omitempty"`
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	Minimum              json.Number        `json:"minimum,omitempty"`
	Maximum              json.Number        `json:"maximum,omitempty"`
	ExclusiveMinimum     json.Number        `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum     json.Number        `json:"exclusiveMaximum,omitempty"`
	AllOf                []*Schema          `json:"allOf,omitempty"`
	AnyOf                []*Schema          `json:"anyOf,omitempty"`
	OneOf                []*Schema          `json:"oneOf,omitempty"`
	Not                  *Schema            `json:"not,omitempty"`

	// Extra holds the keywords that have no field, by name, and those in a form
	// that their field cannot hold, such as the list of items of older drafts.
	Extra map[string]json.RawMessage `json:"-"`
}

// The schema types of JSON Schema.
const (
	TypeString  = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypeArray   = "array"
	TypeObject  = "object"
	TypeNull    = "null"
)

// Types is the value of the keyword "type": one name or several. One name is
// written as a string, as most schemas do.
type Types []string

// Has reports whether the type is among them. No types at all allow every type.
func (t Types) Has(name string) bool { return len(t) == 0 || slices.Contains(t, name) }

// MarshalJSON writes one type as a string and several as an array.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// UnmarshalJSON reads a string or an array of strings.
func (t *Types) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte{'"'}) {
		*t = make(Types, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// False is the schema that no value satisfies, written false. As
// AdditionalProperties it closes an object.
func False() *Schema { return &Schema{Not: &Schema{}} }

// IsFalse reports whether the schema is the one made by False.
func (s *Schema) IsFalse() bool {
	if s == nil || s.Not == nil || !s.Not.isTrue() {
		return false
	}
	rest := *s
	rest.Not = nil
	return rest.isTrue()
}

// isTrue reports whether the schema has no keyword, so that every value satisfies it.
func (s *Schema) isTrue() bool { return reflect.ValueOf(*s).IsZero() }

// Nullable reports whether null is one of several declared types.
func (s *Schema) Nullable() bool {
	return s != nil && len(s.Type) > 1 && slices.Contains(s.Type, TypeNull)
}

// Kind is the one declared type beside null, or "" when there is none or several.
func (s *Schema) Kind() string {
	if s == nil {
		return ""
	}
	kind := ""
	for _, t := range s.Type {
		switch {
		case t == TypeNull:
		case kind != "":
			return ""
		default:
			kind = t
		}
	}
	return kind
}

// keywords is Schema without its methods, for the plain encoding of its fields.
type keywords Schema

// MarshalJSON writes the keywords, the unknown ones last and sorted, so that
// one schema always gives the same bytes.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s.IsFalse() {
		return []byte("false"), nil
	}
	data, err := json.Marshal((*keywords)(s))
	if err != nil || len(s.Extra) == 0 {
		return data, err
	}
	out := bytes.NewBuffer(data[:len(data)-1])
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(s.Extra[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads an object of keywords, or true or false.
func (s *Schema) UnmarshalJSON(data []byte) error {
	switch string(bytes.TrimSpace(data)) {
	case "true":
		*s = Schema{}
		return nil
	case "false":
		*s = *False()
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	odd := false
	for name, value := range all {
		switch {
		case !knownKeywords()[name]:
		case isOdd(name, value):
			odd = true
		default:
			delete(all, name)
		}
	}
	if odd {
		var err error
		if data, err = withoutOddities(data); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		s.Extra = all
	}
	return json.Unmarshal(data, (*keywords)(s))
}

// isOdd reports whether the value of a known keyword has a form that some draft
// allows and the keyword's field cannot hold: a list as items, a boolean as bound,
// a count such as 2.0.
func isOdd(name string, value json.RawMessage) bool {
	switch name {
	case "items":
		return value[0] == '['
	case "exclusiveMinimum", "exclusiveMaximum":
		return value[0] == 't' || value[0] == 'f'
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		return isNumber(string(value)) && bytes.ContainsAny(value, ".eE")
	}
	return false
}

// withoutOddities is the text of a schema without the keywords that are odd.
func withoutOddities(data []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, isOdd)
	return json.Marshal(all)
}

// knownKeywords are the keywords that have a field of their own. They are found
// when they are asked for: commands in a sandbox start often and never ask.
var knownKeywords = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for field := range reflect.TypeFor[Schema]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[name] = name != "-"
	}
	return known
})
