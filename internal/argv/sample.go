package argv

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Limits of the search for an example: a schema may be made to have no end.
const (
	maxSampled    = 1_000   // values and schemas
	maxJudged     = 20_000  // steps of the judge
	maxNested     = 12      // values inside each other
	maxAsked      = 8       // inputs of which the validator is asked
	maxTried      = 16      // parameters that are tried beside those that are required
	maxFilled     = 4       // items of a list
	maxSampleText = 64      // characters of a text without a form of its own
	maxExact      = 1 << 53 // of a number that is reckoned
)

// Sample makes up an input that help can show as an example of the command at the
// path: one of what it requires, or where nothing is, of its first parameter. It
// lacks the secrets; completed, it has the defaults. There is none where no such value
// is known to satisfy the definition, and none where examples are declared. The
// validator is asked about completed inputs of which nothing is known here; nil knows
// nothing either. Guests have no part in this: what the handler takes only its host
// can tell.
func Sample(def *toolkit.Definition, path []string, validator func(completed json.RawMessage) bool) (input, completed json.RawMessage) {
	s := scopeAt(def, path)
	if s == nil || s.body() == nil || len(s.command().Examples) > 0 {
		return nil, nil
	}
	m := &sampler{judge: judge{s.refs(), s.whole(), maxJudged}, scope: s, budget: maxSampled}
	asked := 0
	for _, made := range m.inputs() {
		input := made.Append(nil)
		value, problems := complete(s, input)
		if len(problems.except(s.secrets())) > 0 {
			continue
		}
		completed, found := value.Append(nil), m.verdict(m.whole, value)
		if found == unsure && validator != nil && asked < maxAsked {
			asked++
			found = verdictOf(validator(completed))
		}
		if found == fit {
			return input, completed
		}
	}
	return nil, nil
}

// sampler makes values up. A value that it makes may satisfy the schema that it is made
// for, as far as the judge can tell; nil stands for none.
type sampler struct {
	judge
	scope  *scope
	budget int // values and schemas that may still be looked at
	depth  int
}

// whole is the schema of the whole input but for the secrets, which a sample lacks.
func (s *scope) whole() *toolkit.Schema {
	whole := *s.further()
	whole.Type = toolkit.Types{toolkit.TypeObject}
	whole.Properties = maps.Clone(whole.Properties)
	if whole.Properties == nil {
		whole.Properties = map[string]*toolkit.Schema{}
	}
	if !isOpen(&whole) {
		whole.AdditionalProperties = toolkit.False()
	}
	secrets := s.secrets()
	whole.Required = slices.DeleteFunc(slices.Clone(whole.Required), func(name string) bool { return secrets[name] })
	for _, p := range s.params {
		whole.Properties[p.wire] = p.schema
		if p.demanded() && !p.secret && !slices.Contains(whole.Required, p.wire) {
			whole.Required = append(whole.Required, p.wire)
		}
	}
	return &whole
}

// inputs are those to try, for each variant of the whole.
func (m *sampler) inputs() []*strictjson.Value {
	var all []*strictjson.Value
	for _, variant := range m.variants(m.flat(m.whole, 0), 0) {
		all = append(all, m.inputsOf(variant)...)
	}
	return all
}

// inputsOf are what is required, and the same with one parameter more, which comes
// first where nothing is.
func (m *sampler) inputsOf(whole *toolkit.Schema) []*strictjson.Value {
	base := strictjson.NewObject()
	for _, name := range whole.Required {
		label := "text"
		if p := m.scope.byWire(name); p != nil {
			label = placeholder(p)
		}
		value := m.value(propertyOf(whole, name), label)
		if value == nil {
			return nil
		}
		base.Set(name, value)
	}
	var more []*strictjson.Value
	for _, p := range m.scope.shown() {
		if p.global || p.secret || base.Get(p.wire) != nil || len(more) == maxTried {
			continue
		}
		if value := m.value(whole.Properties[p.wire], placeholder(p)); value != nil {
			with := clone(base)
			with.Set(p.wire, value)
			more = append(more, with)
		}
	}
	if len(base.Members) > 0 || slices.ContainsFunc(m.scope.params, (*param).demanded) {
		return append([]*strictjson.Value{base}, more...)
	}
	return append(more, base)
}

// propertyOf is what an object's schema says of the property.
func propertyOf(s *toolkit.Schema, name string) *toolkit.Schema {
	switch property, declared := s.Properties[name]; {
	case declared:
		return property
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties
	}
	return anything
}

// placeholder is what stands for the parameter's text: its name in capitals.
func placeholder(p *param) string { return strings.ToUpper(inline(p.cli)) }

// formatSamples are texts of the formats that are asserted.
var formatSamples = map[string]string{
	"date":      "2026-01-31",
	"date-time": "2026-01-31T12:00:00Z",
	"duration":  "PT5M",
	"email":     "user@example.com",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"time":      "12:00:00Z",
	"uri":       "https://example.com/",
	"uuid":      "123e4567-e89b-42d3-a456-426614174000",
}

// encodedSamples are texts by their contentEncoding.
var encodedSamples = map[string]string{"base64": "aGVsbG8="}

// value is one of the schema: of its variants the first that is known to be right, else
// the first that may be. The label stands for text without a form of its own.
func (m *sampler) value(s *toolkit.Schema, label string) *strictjson.Value {
	if m.budget--; m.budget < 0 || m.depth > maxNested || s == nil {
		return nil
	}
	m.depth++
	defer func() { m.depth-- }()
	var perhaps *strictjson.Value
	for _, variant := range m.variants(m.flat(s, 0), 0) {
		for _, value := range m.candidates(variant, label) {
			switch m.verdict(s, value) {
			case fit:
				return value
			case unsure:
				perhaps = cmp.Or(perhaps, value)
			}
		}
	}
	return perhaps
}

// flat is the schema together with all that apply to the same value: what it refers
// to and what allOf holds.
func (m *sampler) flat(s *toolkit.Schema, hops int) *toolkit.Schema {
	flat := *s
	flat.Ref, flat.AllOf = "", nil
	others := s.AllOf
	if s.Ref != "" {
		others = append(others[:len(others):len(others)], m.target(s))
	}
	for _, other := range others {
		if m.budget--; other != nil && hops < maxHops && m.budget > 0 {
			flat = *merged(&flat, m.flat(other, hops+1))
		}
	}
	return &flat
}

// variants are the flat schema with one of its alternatives each.
func (m *sampler) variants(flat *toolkit.Schema, hops int) []*toolkit.Schema {
	branches := alternatives(flat)
	if len(branches) == 0 || hops > maxNested {
		return []*toolkit.Schema{flat}
	}
	rest := *flat
	rest.AnyOf, rest.OneOf = nil, nil
	var all []*toolkit.Schema
	for _, branch := range branches {
		if branch != nil && len(all) < maxTried {
			all = append(all, m.variants(merged(&rest, m.flat(branch, 0)), hops+1)...)
		}
	}
	return all
}

// merged are two schemas of one value: the second says what the first does not.
func merged(a, b *toolkit.Schema) *toolkit.Schema {
	both := *a
	into, from := reflect.ValueOf(&both).Elem(), reflect.ValueOf(b).Elem()
	for i := range into.NumField() {
		if field := into.Field(i); field.IsZero() {
			field.Set(from.Field(i))
		}
	}
	both.Required = slices.Concat(a.Required, b.Required)
	both.Properties = map[string]*toolkit.Schema{}
	maps.Copy(both.Properties, a.Properties)
	for name, property := range b.Properties {
		if other := a.Properties[name]; other != nil {
			property = &toolkit.Schema{AllOf: []*toolkit.Schema{other, property}}
		}
		both.Properties[name] = property
	}
	return &both
}

// candidates are values that may satisfy a flat schema, the best first: those that it
// names itself, else what its type suggests.
func (m *sampler) candidates(s *toolkit.Schema, label string) []*strictjson.Value {
	var examples []json.RawMessage
	_ = json.Unmarshal(s.Extra["examples"], &examples) // a note, which may be anything
	var values []*strictjson.Value
	for _, raw := range slices.Concat([]json.RawMessage{s.Const}, examples, []json.RawMessage{s.Default}, s.Enum) {
		if value, err := strictjson.Parse(raw); err == nil {
			values = append(values, value)
		}
	}
	kinds := s.Type
	switch kind := kindOf(s); {
	case len(s.Const)+len(s.Enum) > 0:
		return values
	case kind != "":
		kinds = toolkit.Types{kind}
	case len(kinds) == 0:
		kinds, label = toolkit.Types{toolkit.TypeString, toolkit.TypeNumber}, "text"
	}
	for _, kind := range kinds {
		values = append(values, m.ofType(kind, s, label)...)
	}
	return values
}

// ofType are values of the type.
func (m *sampler) ofType(kind string, s *toolkit.Schema, label string) []*strictjson.Value {
	switch kind {
	case toolkit.TypeObject:
		return m.objects(s, label)
	case toolkit.TypeArray:
		return m.arrays(s, label)
	case toolkit.TypeBoolean:
		return []*strictjson.Value{strictjson.Bool(true), strictjson.Bool(false)}
	case toolkit.TypeString:
		return []*strictjson.Value{strictjson.Text(sampleText(s, label))}
	case toolkit.TypeNull:
		return []*strictjson.Value{{}}
	}
	var values []*strictjson.Value
	for _, text := range sampleNumbers(s) {
		values = append(values, strictjson.Literal(text))
	}
	return values
}

// sampleText is a text of the schema's format or encoding, else the label, repeated
// where that is too short.
func sampleText(s *toolkit.Schema, label string) string {
	if text := formatSamples[s.Format] + encodedSamples[s.ContentEncoding]; text != "" {
		return text
	}
	if s.MinLength != nil && *s.MinLength > len(label) && *s.MinLength <= maxSampleText && label != "" {
		return strings.Repeat(label, *s.MinLength/len(label)+1)[:*s.MinLength]
	}
	return label
}

// sampleNumbers are 1, the numbers about the schema's bounds, their mean, and 0.
func sampleNumbers(s *toolkit.Schema) []string {
	step, texts := string(s.Extra["multipleOf"]), []string{"1"}
	width, err := strconv.ParseFloat(step, 64)
	if err != nil || width <= 0 {
		width = 1
	}
	var near []float64
	sum, bounds := 0.0, 0
	for _, bound := range []string{step, string(s.Minimum), string(s.ExclusiveMinimum), string(s.Maximum), string(s.ExclusiveMaximum)} {
		n, err := strconv.ParseFloat(bound, 64)
		if err != nil {
			continue
		}
		texts = append(texts, bound)
		steps := math.Floor(n / width)
		near = append(near, steps*width, (steps+1)*width, (steps-1)*width)
		if bound != step {
			sum += n
			bounds++
		}
	}
	for _, n := range append(near, sum/float64(max(bounds, 1))) {
		if math.Abs(n) < maxExact {
			text := strings.TrimRight(strconv.FormatFloat(n, 'f', 10, 64), "0") // 0.1+0.2 is 0.3
			texts = append(texts, strings.TrimSuffix(text, "."))
		}
	}
	return append(texts, "0")
}

// arrays are lists of as few items as there must be, but at least one; and the empty
// one.
func (m *sampler) arrays(s *toolkit.Schema, label string) []*strictjson.Value {
	empty := strictjson.NewArray()
	item, count := s.Items, 1
	if item == nil && json.Unmarshal(s.Extra["contains"], &item) != nil {
		item = anything
	}
	if s.MinItems != nil {
		count = max(1, *s.MinItems)
	}
	value := m.value(item, label)
	if value == nil || count > maxFilled {
		return []*strictjson.Value{empty}
	}
	return []*strictjson.Value{strictjson.NewArray(slices.Repeat([]*strictjson.Value{value}, count)...), empty}
}

// objects are what is required alone, or where nothing is, that with one property or
// one entry more, if it has any. Inside of another value the least will do.
func (m *sampler) objects(s *toolkit.Schema, label string) []*strictjson.Value {
	base := strictjson.NewObject()
	for _, name := range s.Required {
		value := m.value(propertyOf(s, name), "text")
		if value == nil {
			return nil
		}
		base.Set(name, value)
	}
	all := []*strictjson.Value{base}
	if len(base.Members) > 0 || m.depth > 1 {
		return all
	}
	if isMap(s) {
		if value := m.value(s.AdditionalProperties, label); value != nil {
			return []*strictjson.Value{strictjson.NewObject(strictjson.Member{Name: "KEY", Value: value}), base}
		}
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if value := m.value(s.Properties[name], "text"); value != nil {
			return []*strictjson.Value{strictjson.NewObject(strictjson.Member{Name: name, Value: value}), base}
		}
	}
	return all
}
