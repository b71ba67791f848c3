package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Limits of a shape: one line that a reader takes in at a glance. The schema
// itself is in what Describe gives.
const (
	maxShape  = 300 // bytes
	maxFields = 12  // members of an object, when the whole is too long
	maxUnion  = 6   // alternatives
	maxLevel  = 32  // schemas inside each other, where references make a circle
)

// shapeOf is the schema in the compact form of help: {temperature: number,
// tags: string[]}. It shows less of what is deep inside until it is short enough.
func shapeOf(r refs, schema *toolkit.Schema) string {
	text, _ := shape(r, schema)
	return text
}

// shape is shapeOf, and whether that is all that the schema says of its parts.
func shape(r refs, schema *toolkit.Schema) (text string, whole bool) {
	for _, limit := range []struct {
		depth int
		brief bool
	}{{4, false}, {2, false}, {1, false}, {1, true}, {0, true}} {
		sh := shaper{refs: r, brief: limit.brief}
		if text := sh.text(schema, limit.depth); len(text) <= maxShape {
			return text, !sh.hides
		}
	}
	return "any", false
}

// shaper writes the shape of one schema.
type shaper struct {
	refs
	brief bool // only the first members of an object
	spent int  // bytes of scalars so far: what is too long already grows no further
	level int
	hides bool // something that the schema says is left out
}

// part is the shape of a schema inside of another one. Nothing tells what it says
// of its values but their type.
func (sh *shaper) part(schema *toolkit.Schema, depth int) string {
	sh.hides = sh.hides || sh.refs.saysMore(schema)
	return sh.text(schema, depth)
}

// saysMore reports whether the schema says of a value more than its type.
func (r refs) saysMore(schema *toolkit.Schema) bool {
	if schema == nil {
		return false
	}
	plain := r.plain(schema)
	isBound := func(text string) bool { return text != "" }
	return schema.Description+plain.Description != "" || len(schema.Default)+len(plain.Default) > 0 || plain.UniqueItems ||
		plain.MinItems != nil || plain.MaxItems != nil || plain.MinProperties != nil || plain.MaxProperties != nil ||
		slices.ContainsFunc(schemaBounds(plain), isBound)
}

// text is the shape with members down to depth objects inside each other.
func (sh *shaper) text(schema *toolkit.Schema, depth int) string {
	if sh.spent > maxShape || sh.level > maxLevel {
		return sh.cut("…")
	}
	sh.level++
	text := sh.any(schema, depth)
	sh.level--
	return text
}

func (sh *shaper) any(schema *toolkit.Schema, depth int) string {
	switch {
	case schema == nil:
		return sh.word("any")
	case schema.Ref != "":
		return sh.text(sh.target(schema), depth)
	case len(schema.Const) > 0:
		return sh.word(literal(schema.Const))
	case len(schema.Enum) > 0 && len(schema.Enum) <= maxUnion:
		return sh.word(strings.Join(literals(schema.Enum), " | "))
	case len(schema.AnyOf) > 0:
		return sh.union(schema.AnyOf, depth)
	case len(schema.OneOf) > 0:
		return sh.union(schema.OneOf, depth)
	case len(schema.AllOf) == 1 && len(schema.Type) == 0:
		return sh.text(schema.AllOf[0], depth)
	case len(schema.Type) == 0:
		return sh.untyped(schema, depth)
	}
	var alternatives []string
	for _, kind := range schema.Type {
		alternatives = append(alternatives, sh.typed(kind, schema, depth))
	}
	return strings.Join(alternatives, " | ")
}

// untyped is the shape of a schema that only implies its type.
func (sh *shaper) untyped(schema *toolkit.Schema, depth int) string {
	switch {
	case len(schema.Properties) > 0:
		return sh.typed(toolkit.TypeObject, schema, depth)
	case schema.Items != nil:
		return sh.typed(toolkit.TypeArray, schema, depth)
	}
	return sh.word("any")
}

// word is a part of the shape that has no parts.
func (sh *shaper) word(text string) string {
	sh.spent += len(text)
	return text
}

// cut is a word in place of more.
func (sh *shaper) cut(text string) string {
	sh.hides = true
	return sh.word(text)
}

func (sh *shaper) typed(kind string, schema *toolkit.Schema, depth int) string {
	switch {
	case kind == toolkit.TypeArray:
		item := sh.part(schema.Items, depth)
		if strings.Contains(item, " | ") && !strings.HasPrefix(item, "{") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case kind == toolkit.TypeObject && len(schema.Properties) > 0:
		return sh.object(schema, depth)
	case kind == toolkit.TypeObject && isMap(schema):
		return "{" + sh.others(schema, depth) + "}"
	case len(schema.Enum) > 0:
		return sh.cut(inline(kind))
	}
	return sh.word(inline(kind))
}

func (sh *shaper) union(schemas []*toolkit.Schema, depth int) string {
	var alternatives []string
	for _, schema := range schemas {
		if text := sh.text(schema, depth); !slices.Contains(alternatives, text) {
			alternatives = append(alternatives, text)
		}
	}
	if len(alternatives) > maxUnion {
		return sh.cut("any")
	}
	return strings.Join(alternatives, " | ")
}

func (sh *shaper) object(schema *toolkit.Schema, depth int) string {
	if depth <= 0 {
		return sh.cut(toolkit.TypeObject)
	}
	names := propertyNames(schema)
	more := ""
	if sh.brief && len(names) > maxFields {
		more = sh.cut(fmt.Sprintf(", … %d more", len(names)-maxFields))
		names = names[:maxFields]
	}
	fields := make([]string, len(names))
	for i, name := range names {
		mark := ""
		if !slices.Contains(schema.Required, name) {
			mark = "?"
		}
		fields[i] = memberName(name) + mark + ": " + sh.part(schema.Properties[name], depth-1)
	}
	if isOpen(schema) {
		fields = append(fields, sh.others(schema, depth-1))
	}
	return "{" + strings.Join(fields, ", ") + more + "}"
}

// others is the member that stands for those without a name of their own.
func (sh *shaper) others(schema *toolkit.Schema, depth int) string {
	return "[name]: " + sh.part(schema.AdditionalProperties, depth)
}

// hidesSchemas reports whether the page of the scope's command leaves out what the
// schemas say of the parts of values.
func (s *scope) hidesSchemas() bool {
	hides := func(r refs, schema *toolkit.Schema) bool {
		_, whole := shape(r, schema)
		return !whole
	}
	for _, p := range s.params {
		element := s.element(p)
		if s.isMap(p) {
			element = element.AdditionalProperties
			if s.refs().saysMore(element) {
				return true
			}
		}
		if len(element.Enum) == 0 && hides(s.refs(), element) {
			return true
		}
	}
	body := s.body()
	isHidden := func(e toolkit.ErrorCase) bool { return e.Payload != nil && hides(alone(e.Payload), e.Payload) }
	return body.Result != nil && hides(alone(body.Result), body.Result) || slices.ContainsFunc(body.Errors, isHidden)
}

// propertyNames are the required properties as they are listed, which for a Go
// struct is the order of its fields, then the others sorted.
func propertyNames(schema *toolkit.Schema) []string {
	var names []string
	for _, name := range schema.Required {
		if _, declared := schema.Properties[name]; declared && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// memberName is the property's name, in quotes unless it is a plain word.
func memberName(name string) string {
	if madeOf(name, "_-") && (isLetter(name[0]) || name[0] == '_') {
		return name
	}
	return quotedText(name)
}

// quotedText is the text as a visible JSON string.
func quotedText(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return strconv.QuoteToASCII(text)
	}
	return literal(raw)
}

// literal is a JSON value as visible compact text. What is no JSON is shown as a
// string, for the messages that say so.
func literal(raw json.RawMessage) string {
	text, err := strictjson.Canonical(raw)
	if err != nil {
		return strconv.QuoteToASCII(string(raw))
	}
	return string(visibleJSON(text))
}

func literals(values []json.RawMessage) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = literal(value)
	}
	return texts
}
