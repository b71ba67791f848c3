package validate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// Limits of a value that is judged by a schema.
const (
	maxValues = 500_000
	// maxExponent bounds numbers like 1e999999999, whose exact comparison takes a
	// gigabyte. It is beyond what a float64 holds.
	maxExponent = 500
)

// converter turns JSON into the values that the library judges.
type converter struct{ values, limit int }

// outOfBounds says which value cannot be judged, and why.
type outOfBounds struct {
	path     []string // from the inside out
	expected string
}

// Error is what would be right.
func (o *outOfBounds) Error() string { return "expected " + o.expected }

// place is the path from the outside in.
func (o *outOfBounds) place() []string {
	steps := slices.Clone(o.path)
	slices.Reverse(steps)
	return steps
}

// at is the error with one more step of its path.
func (o *outOfBounds) at(step string) *outOfBounds {
	if o != nil {
		o.path = append(o.path, step)
	}
	return o
}

// convert keeps numbers as their text.
func (c *converter) convert(v *strictjson.Value) (any, *outOfBounds) {
	c.values++
	if c.values > c.limit {
		return nil, &outOfBounds{expected: fmt.Sprintf("at most %d values", c.limit)}
	}
	switch v.Kind {
	case strictjson.False, strictjson.True:
		return v.Kind == strictjson.True, nil
	case strictjson.String:
		return v.Text, nil
	case strictjson.Number:
		if !isModest(v.Text) {
			return nil, &outOfBounds{expected: fmt.Sprintf("number whose exponent is at most %d", maxExponent)}
		}
		return json.Number(v.Text), nil
	case strictjson.Array:
		return c.array(v.Elems)
	case strictjson.Object:
		return c.object(v.Members)
	}
	return nil, nil
}

func (c *converter) array(elems []*strictjson.Value) (any, *outOfBounds) {
	list := make([]any, len(elems))
	for i, elem := range elems {
		var err *outOfBounds
		if list[i], err = c.convert(elem); err != nil {
			return nil, err.at(strconv.Itoa(i))
		}
	}
	return list, nil
}

func (c *converter) object(members []strictjson.Member) (any, *outOfBounds) {
	object := make(map[string]any, len(members))
	for _, member := range members {
		value, err := c.convert(member.Value)
		if err != nil {
			return nil, err.at(member.Name)
		}
		object[member.Name] = value
	}
	return object, nil
}

// isModest reports whether the number's exponent is within maxExponent.
func isModest(number string) bool {
	mark := strings.IndexAny(number, "eE")
	if mark < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[mark+1:])
	return err == nil && -maxExponent <= exponent && exponent <= maxExponent
}

// digitsPerStep is how many digits of a number are a step, when it is compared.
const digitsPerStep = 50

// comparing is what it costs to compare the number, beyond one step.
func comparing(number string) int {
	_, exponent := decimal(number)
	return max(exponent, -exponent) / digitsPerStep
}

// decimal is a number as digits without zeros at either end, and the power of ten
// that they are multiplied by. Equal numbers have equal decimals.
func decimal(number string) (digits string, exponent int) {
	mantissa := strings.TrimPrefix(number, "-")
	if mark := strings.IndexAny(mantissa, "eE"); mark >= 0 {
		exponent, _ = strconv.Atoi(mantissa[mark+1:]) // isModest
		mantissa = mantissa[:mark]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return "0", 0
	}
	if number[0] == '-' {
		trimmed = "-" + trimmed
	}
	return trimmed, exponent
}

// isWhole reports whether the number is an integer, however it is written.
func isWhole(number string) bool {
	_, exponent := decimal(number)
	return exponent >= 0
}

// appendKey writes a text that is the same for equal values, and only for those:
// 1 and 1.0 are equal, and the order of an object's members is of no account.
func appendKey(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		dst = strconv.AppendInt(append(dst, 's'), int64(len(v)), 10)
		return append(append(dst, ':'), v...)
	case json.Number:
		digits, exponent := decimal(string(v))
		return strconv.AppendInt(append(append(dst, digits...), 'e'), int64(exponent), 10)
	case []any:
		dst = append(dst, '[')
		for _, elem := range v {
			dst = append(appendKey(dst, elem), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(appendKey(appendKey(dst, name), v[name]), ',')
		}
		return append(dst, '}')
	}
	return dst
}

// typeName is the JSON Schema type of the value; an integer is a number too.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if isWhole(string(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
