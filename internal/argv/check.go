package argv

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// checker judges a merged input by what the definition says of it.
type checker struct {
	refs
	problems *problems
	bad      map[string]bool // parameters whose text could not be read
	partial  bool            // a part of the input is lost: nothing is known to be missing
	secret   bool            // the values are not to be repeated
	unit     string          // what the parameter's number counts, "" where nobody says
	lacks    bool            // a required parameter is missing
	// choices are the enumerated values of schemas that were met, read once.
	choices map[*toolkit.Schema][]*strictjson.Value
}

// spot is the place of a value in the input: names and positions from the
// parameter on. Its path is written only when it is needed.
type spot struct {
	up        *spot
	name      string // of a member
	index     int    // of an element
	isElement bool
	optional  bool // it may be left out
}

// String is the path, names and positions joined by dots.
func (at *spot) String() string {
	switch {
	case at.up == nil:
		return shortened(at.name)
	case at.isElement:
		return dotted(at.up.String(), strconv.Itoa(at.index))
	}
	return dotted(at.up.String(), shortened(at.name))
}

// key is the parameter's wire name.
func (at *spot) key() string {
	for at.up != nil {
		at = at.up
	}
	return at.name
}

// fail reports the fault of the value at the place.
func (c *checker) fail(at *spot, f *fault) {
	if c.secret && f.got != "" {
		f.got, f.clause = "", "expected "+f.expected
	}
	if at.up == nil {
		f.count(c.unit)
	}
	path := at.String()
	c.problems.addAt(at.key(), path, path, f)
}

// input judges each parameter and the keys that are none. An integer's 5.0
// becomes 5.
func (c *checker) input(s *scope, input *strictjson.Value) {
	for _, p := range s.params {
		c.secret, c.unit = p.secret, c.refs.unit(p)
		if value := input.Get(p.wire); value != nil {
			c.value(&spot{name: p.wire, optional: !p.demanded()}, p.schema, value)
		} else if p.demanded() && !c.bad[p.wire] && !c.partial {
			c.missing(&spot{name: p.wire}, p.schema)
			c.lacks = true
		}
		c.secret, c.unit = false, ""
	}
	c.unknownKeys(s, input)
}

// missing reports a value that has to be given. A list is missed by its element.
func (c *checker) missing(at *spot, schema *toolkit.Schema) {
	schema = c.plain(schema)
	if kindOf(schema) == toolkit.TypeArray {
		schema = c.plain(schema.Items)
	}
	expected := c.expected(schema)
	c.fail(at, &fault{expected: expected, clause: "required"})
}

// unknownKeys judges the keys that belong to no parameter: there are none unless
// the command's input says so. Which of them its patterns mean is for the host's
// validator to say.
func (c *checker) unknownKeys(s *scope, input *strictjson.Value) {
	further := s.further()
	for _, member := range input.Members {
		property := further.Properties[member.Name]
		switch {
		case s.byWire(member.Name) != nil:
		case property != nil:
			optional := !slices.Contains(further.Required, member.Name)
			c.value(&spot{name: member.Name, optional: optional}, property, member.Value)
		case len(further.Extra[patternProperties]) > 0:
		case isOpen(further):
			c.value(&spot{name: member.Name}, further.AdditionalProperties, member.Value)
		case !c.problems.full():
			names := append(s.wireNames(), s.furtherNames()...)
			c.fail(&spot{name: member.Name}, unknownName("unknown key", member.Name, names, "no parameters"))
		}
	}
}

// value judges a value at any depth.
func (c *checker) value(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	schema = c.plain(schema)
	switch {
	case schema.IsFalse():
		c.fail(at, &fault{expected: "nothing here", clause: "not allowed"})
		return
	case !hasType(schema, v):
		c.wrongType(at, schema, v)
		return
	case v.Kind == strictjson.Null:
		return
	}
	if !c.isChoice(schema, v) {
		c.wrong(at, schema, v)
		return
	}
	switch v.Kind {
	case strictjson.Number:
		c.number(at, schema, v)
	case strictjson.String:
		c.length(at, utf8.RuneCountInString(v.Text), schema.MinLength, schema.MaxLength, "character")
	case strictjson.Array:
		c.array(at, schema, v)
	case strictjson.Object:
		c.object(at, schema, v)
	}
}

// wrong reports a value that is not what the schema asks for.
func (c *checker) wrong(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	if !c.problems.full() {
		c.fail(at, &fault{got: jsonText(v), expected: c.expected(schema)})
	}
}

func (c *checker) wrongType(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	if c.problems.full() {
		return
	}
	f := &fault{got: jsonText(v), expected: c.expected(schema)}
	switch {
	case v.Kind == strictjson.Null && at.optional:
		f.advice = "omit " + at.String() + " instead of null"
	case v.Kind == strictjson.String && isEncoded(schema, v.Text):
		noun := "an " + kindOf(schema)
		f.advice = at.String() + " must be " + noun + ", you sent a JSON string; remove the quotes"
	}
	c.fail(at, f)
}

// isEncoded reports whether the text is the JSON of the object or array that the
// schema asks for, encoded once too often.
func isEncoded(schema *toolkit.Schema, text string) bool {
	if !looksLikeJSON(text) {
		return false
	}
	inner, err := strictjson.Parse([]byte(text))
	return err == nil && kindOf(schema) == typeName(inner)
}

// isChoice reports whether the value is among the enumerated ones, where there
// are such.
func (c *checker) isChoice(schema *toolkit.Schema, v *strictjson.Value) bool {
	if len(schema.Enum) == 0 && len(schema.Const) == 0 {
		return true
	}
	text := v.Append(nil)
	if slices.ContainsFunc(schema.Enum, func(raw json.RawMessage) bool { return bytes.Equal(raw, text) }) {
		return true
	}
	isIt := func(choice *strictjson.Value) bool { return equal(choice, v) }
	return slices.ContainsFunc(c.choicesOf(schema), isIt)
}

// choicesOf are the schema's enumerated values.
func (c *checker) choicesOf(schema *toolkit.Schema) []*strictjson.Value {
	choices, known := c.choices[schema]
	if known {
		return choices
	}
	raws := schema.Enum
	if len(schema.Const) > 0 {
		raws = append(raws[:len(raws):len(raws)], schema.Const)
	}
	for _, raw := range raws {
		if choice, err := strictjson.Parse(raw); err == nil {
			choices = append(choices, choice)
		}
	}
	if c.choices == nil {
		c.choices = map[*toolkit.Schema][]*strictjson.Value{}
	}
	c.choices[schema] = choices
	return choices
}

// number judges the bounds. An integer loses its fraction of zeros.
func (c *checker) number(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	if kindOf(schema) == toolkit.TypeInteger {
		v.Text = wholeText(v.Text)
	}
	low, high := string(schema.Minimum), string(schema.Maximum)
	above, below := string(schema.ExclusiveMinimum), string(schema.ExclusiveMaximum)
	if low != "" && compareNumbers(v.Text, low) < 0 || high != "" && compareNumbers(v.Text, high) > 0 ||
		above != "" && compareNumbers(v.Text, above) <= 0 || below != "" && compareNumbers(v.Text, below) >= 0 {
		c.wrong(at, schema, v)
	}
}

// length judges a number of characters, items or keys.
func (c *checker) length(at *spot, n int, low, high *int, unit string) {
	if low != nil && n < *low || high != nil && n > *high {
		c.fail(at, &fault{got: plural(n, unit), expected: countText(low, high, unit)})
	}
}

func (c *checker) array(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	c.length(at, len(v.Elems), schema.MinItems, schema.MaxItems, "item")
	if schema.Items == nil || len(schema.Extra["prefixItems"]) > 0 {
		return
	}
	for i, elem := range v.Elems {
		c.value(&spot{up: at, index: i, isElement: true}, schema.Items, elem)
	}
}

func (c *checker) object(at *spot, schema *toolkit.Schema, v *strictjson.Value) {
	c.length(at, len(v.Members), schema.MinProperties, schema.MaxProperties, "key")
	for _, name := range schema.Required {
		if v.Get(name) == nil {
			c.missing(&spot{up: at, name: name}, schema.Properties[name])
		}
	}
	for _, member := range v.Members {
		below := &spot{up: at, name: member.Name, optional: !slices.Contains(schema.Required, member.Name)}
		switch property := schema.Properties[member.Name]; {
		case property != nil:
			c.value(below, property, member.Value)
		case schema.AdditionalProperties == nil || len(schema.Extra[patternProperties]) > 0:
		case schema.AdditionalProperties.IsFalse():
			if !c.problems.full() {
				c.fail(below, unknownKey(member.Name, schema))
			}
		default:
			c.value(below, schema.AdditionalProperties, member.Value)
		}
	}
}
