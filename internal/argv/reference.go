package argv

import (
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// maxHops bounds the references that are followed in a row, which end only there
// when they form a circle.
const maxHops = 32

// anything is the schema that every value satisfies.
var anything = &toolkit.Schema{}

// refs are the schemas that the references of one command point into: what its
// body says of the input as a whole, and those of its parameters.
type refs struct {
	root  *toolkit.Schema
	scope *scope     // nil where only the root is known
	marks *landmarks // nil where nothing has a name
}

// refs are those of the command's body.
func (s *scope) refs() refs {
	r := refs{scope: s}
	if body := s.body(); body != nil {
		r.root = body.Input
	}
	if s.marked != s.command() {
		s.marked, s.marks = s.command(), &landmarks{}
	}
	r.marks = s.marks
	return r
}

// alone are the references of a schema that stands for itself, such as a result.
func alone(schema *toolkit.Schema) refs { return refs{root: schema, marks: &landmarks{}} }

// plain is the schema that says of what type a value is: references are followed,
// and a composition of a single schema, alone or beside null, is opened. One of
// nothing but text is text. What cannot be resolved allows everything; the host's
// validator knows more.
func (r refs) plain(s *toolkit.Schema) *toolkit.Schema {
	nullable := false
	for range maxHops {
		inner, isNull := r.opened(s)
		nullable = nullable || isNull
		switch {
		case inner != nil:
			s = inner
			continue
		case s == nil:
			return anything
		case len(s.Type) == 0:
			s = r.asText(s)
		}
		if nullable {
			return orNull(s)
		}
		return s
	}
	return anything
}

// opened is the schema that the schema stands for and says no more than, or nil; and
// whether null may stand in its place.
func (r refs) opened(s *toolkit.Schema) (inner *toolkit.Schema, orNull bool) {
	switch {
	case s == nil || s.Ref == "" && len(s.Type) > 0:
		return nil, false
	case s.Ref != "":
		if inner = r.target(s); inner == nil {
			inner = anything
		}
		return inner, false
	case len(s.AllOf) == 1:
		return s.AllOf[0], false
	}
	inner = r.onlyBranch(s)
	return inner, inner != nil
}

// onlyBranch is the schema that stands beside {"type":"null"} in an anyOf or
// oneOf of two, which is how many generators write an optional value.
func (r refs) onlyBranch(s *toolkit.Schema) *toolkit.Schema {
	branches := alternatives(s)
	if len(branches) != 2 {
		return nil
	}
	switch {
	case isNullType(branches[1]):
		return branches[0]
	case isNullType(branches[0]):
		return branches[1]
	}
	return nil
}

// alternatives are the schemas of which a value satisfies one at least.
func alternatives(s *toolkit.Schema) []*toolkit.Schema {
	if len(s.AnyOf) > 0 {
		return s.AnyOf
	}
	return s.OneOf
}

func isNullType(s *toolkit.Schema) bool {
	return s != nil && len(s.Type) == 1 && s.Type[0] == toolkit.TypeNull
}

// orNull is the schema with null as one more type. One without a type stays, unless
// no value satisfies it: then null alone is left.
func orNull(s *toolkit.Schema) *toolkit.Schema {
	if s.IsFalse() {
		return &toolkit.Schema{Type: toolkit.Types{toolkit.TypeNull}}
	}
	if len(s.Type) == 0 || s.Type.Has(toolkit.TypeNull) {
		return s
	}
	nullable := *s
	nullable.Type = append(append(toolkit.Types{}, s.Type...), toolkit.TypeNull)
	return &nullable
}

// target is the schema that the reference of a schema names: by a JSON pointer (RFC
// 6901) in a URI fragment, by an anchor, or by the $id of the schema that such a
// fragment counts from. Without an $id it counts from the schema with an $id that the
// reference stands in (JSON Schema 2020-12 §8.2), else from the root. It is nil where
// the reference leads to none.
func (r refs) target(from *toolkit.Schema) *toolkit.Schema {
	place, fragment, _ := strings.Cut(from.Ref, "#")
	fragment = percentDecoded(fragment)
	home := r.home(from)
	if place != "" {
		uri := joinURI(home.uri, place)
		if home = (resource{uri, r.landmark(uri)}); home.schema == nil {
			return nil
		}
	}
	if fragment != "" && fragment[0] != '/' {
		return r.landmark(home.uri + "#" + fragment)
	}
	s, tokens := home.schema, strings.Split(fragment, "/")[1:]
	switch {
	case len(tokens) > 1 && tokens[0] == "definitions": // what drafts before 2019-09 called $defs
		s, tokens = r.landmark(home.uri+"#/definitions/"+tokens[1]), tokens[2:]
	case len(tokens) > 1 && tokens[0] == "properties" && r.scope != nil && s == r.root:
		if p := r.scope.byWire(pointerToken.Replace(tokens[1])); p != nil {
			s, tokens = p.schema, tokens[2:]
		}
	}
	for len(tokens) > 0 && s != nil {
		s, tokens = step(s, tokens)
	}
	return s
}

// pointerToken undoes the escapes of a JSON pointer's token (RFC 6901 §4).
var pointerToken = strings.NewReplacer("~1", "/", "~0", "~")

// step follows the first tokens of a pointer to the next schema.
func step(s *toolkit.Schema, tokens []string) (*toolkit.Schema, []string) {
	switch tokens[0] {
	case "items":
		return s.Items, tokens[1:]
	case "additionalProperties":
		return s.AdditionalProperties, tokens[1:]
	}
	if len(tokens) < 2 {
		return nil, nil
	}
	name := pointerToken.Replace(tokens[1])
	switch tokens[0] {
	case "$defs":
		return s.Defs[name], tokens[2:]
	case "properties":
		return s.Properties[name], tokens[2:]
	case "allOf":
		return at(s.AllOf, name), tokens[2:]
	case "anyOf":
		return at(s.AnyOf, name), tokens[2:]
	case "oneOf":
		return at(s.OneOf, name), tokens[2:]
	}
	return nil, nil
}

func at(schemas []*toolkit.Schema, index string) *toolkit.Schema {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(schemas) {
		return nil
	}
	return schemas[i]
}

// percentDecoded undoes the percent encoding of a URI fragment (RFC 3986 §2.1).
// A stray percent sign stands for itself.
func percentDecoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c = byte(code)
				i += 2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// kindOf is the type by which text for the schema is read, "" for JSON of any
// type. Where several types are declared and string is one of them, text is a
// string; the others are written with --json.
func kindOf(plain *toolkit.Schema) string {
	kind := plain.Kind()
	switch {
	case kind != "":
		return kind
	case len(plain.Type) == 1:
		return toolkit.TypeNull
	case len(plain.Type) > 1 && plain.Type.Has(toolkit.TypeString):
		return toolkit.TypeString
	case len(plain.Type) > 0:
		return ""
	case len(plain.Properties) > 0 || plain.AdditionalProperties != nil:
		return toolkit.TypeObject
	case plain.Items != nil:
		return toolkit.TypeArray
	}
	return ""
}

// isOpen reports whether the schema names a type for keys beside its properties,
// so that the command line can set them.
func isOpen(plain *toolkit.Schema) bool {
	return plain.AdditionalProperties != nil && !plain.AdditionalProperties.IsFalse()
}
