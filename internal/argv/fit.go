package argv

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// verdict is whether a value satisfies a schema, as far as can be told without the
// host's validator. Of several that all count it is the least, of alternatives the
// greatest.
type verdict int8

const (
	unfit verdict = iota
	unsure
	fit
)

// not is the verdict on the schema's opposite.
func (v verdict) not() verdict { return fit - v }

func verdictOf(is bool) verdict {
	if is {
		return fit
	}
	return unfit
}

// assertions are the keywords without a field that nothing is told of here, with the
// type of the values that they are about; "" is every type. Keywords that they bear on
// count for nothing beside them.
var assertions = map[string]string{
	"if": "", "then": "", "else": "", "$dynamicRef": "", "$recursiveRef": "",
	patternProperties: toolkit.TypeObject, "propertyNames": toolkit.TypeObject, "dependentRequired": toolkit.TypeObject,
	"dependentSchemas": toolkit.TypeObject, "dependencies": toolkit.TypeObject,
	"minProperties": toolkit.TypeObject, "maxProperties": toolkit.TypeObject,
	"items": toolkit.TypeArray, "prefixItems": toolkit.TypeArray, "additionalItems": toolkit.TypeArray,
	"minItems": toolkit.TypeArray, "maxItems": toolkit.TypeArray, "minContains": toolkit.TypeArray, "maxContains": toolkit.TypeArray,
	"minLength": toolkit.TypeString, "maxLength": toolkit.TypeString,
	"exclusiveMinimum": toolkit.TypeNumber, "exclusiveMaximum": toolkit.TypeNumber,
}

// judge holds made-up values against schemas, compositions included, in so many
// steps.
type judge struct {
	refs
	whole *toolkit.Schema // of the whole input, parameters included; nil where the root says it all
	left  int
}

// target is the schema that the reference of a schema names.
func (j *judge) target(from *toolkit.Schema) *toolkit.Schema {
	target := j.refs.target(from)
	if target == j.root && j.whole != nil {
		return j.whole
	}
	return target
}

// verdict is whether the value satisfies the schema. Beside a $ref everything counts,
// as since draft 2019-09.
func (j *judge) verdict(s *toolkit.Schema, v *strictjson.Value) verdict {
	j.left--
	switch {
	case j.left < 0 || s == nil:
		return unsure
	case !hasType(s, v), !isAmong(s.Enum, v), len(s.Const) > 0 && !isAmong([]json.RawMessage{s.Const}, v):
		return unfit
	}
	found := min(j.composed(s, v), j.extra(s, v))
	if s.Ref != "" {
		found = min(found, j.verdict(j.target(s), v))
	}
	switch v.Kind {
	case strictjson.String:
		found = min(found, textVerdict(s, v.Text))
	case strictjson.Number:
		found = min(found, numberVerdict(s, v.Text))
	case strictjson.Array:
		found = min(found, j.array(s, v))
	case strictjson.Object:
		found = min(found, j.object(s, v))
	}
	return found
}

// isAmong reports whether the value is one of these, where there are any.
func isAmong(raws []json.RawMessage, v *strictjson.Value) bool {
	return len(raws) == 0 || slices.ContainsFunc(raws, func(raw json.RawMessage) bool {
		one, err := strictjson.Parse(raw)
		return err == nil && equal(one, v)
	})
}

// composed judges allOf, anyOf, oneOf and not.
func (j *judge) composed(s *toolkit.Schema, v *strictjson.Value) verdict {
	found := fit
	for _, one := range s.AllOf {
		found = min(found, j.verdict(one, v))
	}
	if len(s.AnyOf) > 0 {
		best := unfit
		for _, one := range s.AnyOf {
			best = max(best, j.verdict(one, v))
		}
		found = min(found, best)
	}
	if len(s.OneOf) > 0 {
		var count [fit + 1]int
		for _, one := range s.OneOf {
			count[j.verdict(one, v)]++
		}
		switch {
		case count[fit] > 1 || count[fit]+count[unsure] == 0:
			return unfit
		case count[unsure] > 0:
			found = min(found, unsure)
		}
	}
	if s.Not != nil {
		found = min(found, j.verdict(s.Not, v).not())
	}
	return found
}

// extra judges the keywords without a field.
func (j *judge) extra(s *toolkit.Schema, v *strictjson.Value) verdict {
	found := fit
	for keyword, raw := range s.Extra {
		about, asserts := assertions[keyword]
		switch {
		case keyword == "multipleOf" && v.Kind == strictjson.Number:
			found = min(found, multipleVerdict(v.Text, string(raw)))
		case keyword == "contains" && v.Kind == strictjson.Array && s.Extra["minContains"] == nil:
			found = min(found, j.contains(raw, v))
		case keyword == "unevaluatedProperties" && v.Kind == strictjson.Object:
			for _, member := range v.Members {
				if !j.evaluates(s, member.Name, 0) {
					found = min(found, unsure)
				}
			}
		case keyword == "unevaluatedItems" && v.Kind == strictjson.Array && s.Items == nil && len(v.Elems) > 0,
			asserts && (about == "" || about == typeName(v)):
			found = min(found, unsure)
		}
	}
	return found
}

// evaluates reports whether the schema says something of the property, itself or by a
// schema that applies whenever it does.
func (j *judge) evaluates(s *toolkit.Schema, name string, hops int) bool {
	j.left--
	switch {
	case s == nil || hops > maxHops || j.left < 0:
		return false
	case s.Properties[name] != nil || s.AdditionalProperties != nil:
		return true
	case s.Ref != "" && j.evaluates(j.target(s), name, hops+1):
		return true
	}
	return slices.ContainsFunc(s.AllOf, func(one *toolkit.Schema) bool { return j.evaluates(one, name, hops+1) })
}

func (j *judge) contains(raw json.RawMessage, v *strictjson.Value) verdict {
	var wanted *toolkit.Schema
	if json.Unmarshal(raw, &wanted) != nil {
		return unsure
	}
	best := unfit
	for _, elem := range v.Elems {
		best = max(best, j.verdict(wanted, elem))
	}
	return best
}

// textVerdict judges a string. Of formats and encodings only the samples are known to
// be right, of patterns no text is.
func textVerdict(s *toolkit.Schema, text string) verdict {
	sample, asserted := formatSamples[s.Format]
	switch {
	case !isWithin(utf8.RuneCountInString(text), s.MinLength, s.MaxLength):
		return unfit
	case s.Pattern != "", asserted && text != sample, s.ContentEncoding != "" && text != encodedSamples[s.ContentEncoding]:
		return unsure
	}
	return fit
}

// isWithin reports whether the number is neither too low nor too high.
func isWithin(n int, low, high *int) bool {
	return (low == nil || n >= *low) && (high == nil || n <= *high)
}

func numberVerdict(s *toolkit.Schema, text string) verdict {
	for _, bound := range []json.Number{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if bound != "" && !isNumber(string(bound)) {
			return unsure
		}
	}
	compared := func(bound json.Number) int { return compareNumbers(text, string(bound)) }
	return verdictOf(!(s.Minimum != "" && compared(s.Minimum) < 0 || s.Maximum != "" && compared(s.Maximum) > 0 ||
		s.ExclusiveMinimum != "" && compared(s.ExclusiveMinimum) <= 0 || s.ExclusiveMaximum != "" && compared(s.ExclusiveMaximum) >= 0))
}

func multipleVerdict(text, step string) verdict {
	if !isNumber(step) {
		return unsure
	}
	is, known := isMultiple(text, step)
	if !known {
		return unsure
	}
	return verdictOf(is)
}

// maxCompared is up to how many items are compared with each other.
const maxCompared = 16

func (j *judge) array(s *toolkit.Schema, v *strictjson.Value) verdict {
	if !isWithin(len(v.Elems), s.MinItems, s.MaxItems) {
		return unfit
	}
	found := fit
	for i, elem := range v.Elems {
		if s.Items != nil && s.Extra["prefixItems"] == nil {
			found = min(found, j.verdict(s.Items, elem))
		}
		isSame := func(other *strictjson.Value) bool { return equal(elem, other) }
		switch {
		case !s.UniqueItems:
		case i > maxCompared:
			found = min(found, unsure)
		case slices.ContainsFunc(v.Elems[:i], isSame):
			return unfit
		}
	}
	return found
}

func (j *judge) object(s *toolkit.Schema, v *strictjson.Value) verdict {
	isMissing := func(name string) bool { return v.Get(name) == nil }
	if !isWithin(len(v.Members), s.MinProperties, s.MaxProperties) || slices.ContainsFunc(s.Required, isMissing) {
		return unfit
	}
	found := fit
	for _, member := range v.Members {
		if property, declared := s.Properties[member.Name]; declared {
			found = min(found, j.verdict(property, member.Value))
		} else if s.AdditionalProperties != nil && s.Extra[patternProperties] == nil {
			found = min(found, j.verdict(s.AdditionalProperties, member.Value))
		}
	}
	return found
}
