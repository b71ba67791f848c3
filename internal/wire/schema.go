package wire

import (
	"encoding/json"
	"strconv"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// readKeywords reads a schema as its UnmarshalJSON does. A keyword that has no
// field, or a form that its field cannot hold, stays as it is among the Extra.
func readKeywords(r *reader, s *toolkit.Schema) {
	r.text("$ref", &s.Ref)
	r.schemasByName("$defs", &s.Defs)
	r.types("type", &s.Type)
	r.text("description", &s.Description)
	r.raws("enum", &s.Enum)
	r.raw("const", &s.Const)
	r.raw("default", &s.Default)
	r.schemasByName("properties", &s.Properties)
	r.texts("required", &s.Required)
	r.schema("additionalProperties", &s.AdditionalProperties)
	r.items("items", &s.Items)
	r.count("minItems", &s.MinItems, s)
	r.count("maxItems", &s.MaxItems, s)
	r.flag("uniqueItems", &s.UniqueItems)
	r.count("minProperties", &s.MinProperties, s)
	r.count("maxProperties", &s.MaxProperties, s)
	r.count("minLength", &s.MinLength, s)
	r.count("maxLength", &s.MaxLength, s)
	r.text("pattern", &s.Pattern)
	r.text("format", &s.Format)
	r.text("contentEncoding", &s.ContentEncoding)
	r.number("minimum", &s.Minimum)
	r.number("maximum", &s.Maximum)
	r.bound("exclusiveMinimum", &s.ExclusiveMinimum)
	r.bound("exclusiveMaximum", &s.ExclusiveMaximum)
	r.schemas("allOf", &s.AllOf)
	r.schemas("anyOf", &s.AnyOf)
	r.schemas("oneOf", &s.OneOf)
	r.schema("not", &s.Not)
	if !r.taken {
		r.taken = true
		keepExtra(s, r.name, r.nextRaw())
	}
}

func keepExtra(s *toolkit.Schema, name string, value json.RawMessage) {
	if s.Extra == nil {
		s.Extra = map[string]json.RawMessage{}
	}
	s.Extra[name] = value
}

// nextSchema reads an object of keywords, or true or false.
func (r *reader) nextSchema() *toolkit.Schema {
	switch r.in.Kind() {
	case strictjson.True:
		r.in.Skip()
		return &toolkit.Schema{}
	case strictjson.False:
		r.in.Skip()
		return toolkit.False()
	}
	s := &toolkit.Schema{}
	r.object(func() { readKeywords(r, s) })
	return s
}

func (r *reader) schema(name string, v **toolkit.Schema) {
	if r.takes(name) {
		*v = r.nextSchema()
	}
}

func (r *reader) schemas(name string, v *[]*toolkit.Schema) {
	if r.takes(name) {
		r.in.Array(func() { *v = append(*v, r.nextSchema()) })
	}
}

func (r *reader) schemasByName(name string, v *map[string]*toolkit.Schema) {
	if r.takes(name) {
		*v = map[string]*toolkit.Schema{}
		r.in.Object(func(key string) { (*v)[key] = r.nextSchema() })
	}
}

// items leaves the array of schemas that older drafts allow.
func (r *reader) items(name string, v **toolkit.Schema) {
	if r.name != name || r.in.Kind() != strictjson.Array {
		r.schema(name, v)
	}
}

func (r *reader) number(name string, v *json.Number) {
	if r.takes(name) {
		*v = json.Number(r.in.Number())
	}
}

// bound leaves the boolean that older drafts allow.
func (r *reader) bound(name string, v *json.Number) {
	if r.name != name || r.in.Kind() != strictjson.True && r.in.Kind() != strictjson.False {
		r.number(name, v)
	}
}

// count keeps a number that is no int, such as 2.0.
func (r *reader) count(name string, v **int, s *toolkit.Schema) {
	if !r.takes(name) {
		return
	}
	literal := r.in.Number()
	if n, err := strconv.Atoi(literal); err == nil {
		*v = &n
	} else {
		keepExtra(s, name, json.RawMessage(literal))
	}
}

// types are one name or several.
func (r *reader) types(name string, v *toolkit.Types) {
	if !r.takes(name) {
		return
	}
	if r.in.Kind() == strictjson.String {
		*v = toolkit.Types{r.in.Text()}
		return
	}
	r.in.Array(func() { *v = append(*v, r.in.Text()) })
}

func (r *reader) raws(name string, v *[]json.RawMessage) {
	if r.takes(name) {
		r.in.Array(func() { *v = append(*v, r.nextRaw()) })
	}
}
