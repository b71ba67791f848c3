package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// value reads text as the schema's type. Ranges and lengths are not judged here:
// they are rules of the merged input.
func (r refs) value(schema *toolkit.Schema, text string) (*strictjson.Value, *fault) {
	schema = r.plain(schema)
	kind := kindOf(schema)
	if text == "null" && schema.Nullable() && kind != toolkit.TypeString {
		return &strictjson.Value{}, nil
	}
	if len(schema.Enum) > 0 {
		return r.choice(schema, text)
	}
	switch kind {
	case toolkit.TypeString:
		return stringValue(text)
	case toolkit.TypeInteger:
		if isInteger(text) && len(text) <= strictjson.MaxNumber {
			return strictjson.Literal(wholeText(text)), nil
		}
	case toolkit.TypeNumber:
		if isNumber(text) && len(text) <= strictjson.MaxNumber {
			return strictjson.Literal(text), nil
		}
	case toolkit.TypeBoolean:
		if truth, ok := boolWord(text); ok {
			return strictjson.Bool(truth), nil
		}
	default:
		return r.jsonValue(schema, kind, text)
	}
	return nil, wrongWord(text, r.expected(schema))
}

// stringValue is the text as it is.
func stringValue(text string) (*strictjson.Value, *fault) {
	if offset := invalidAt(text); offset >= 0 {
		clause := fmt.Sprintf("invalid UTF-8 at byte %d, expected string", offset)
		return nil, &fault{got: shortened(text), expected: "string in UTF-8", clause: clause, usage: true}
	}
	return strictjson.Text(text), nil
}

// invalidAt is the offset of the first byte that is not UTF-8, or -1.
func invalidAt(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// wholeText is an integer's text without a fraction of zeros: 5.0 is 5.
func wholeText(text string) string {
	whole, _, _ := strings.Cut(text, ".")
	return whole
}

// boolWord reads true or false in any case.
func boolWord(text string) (truth, ok bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}

// choice finds the text among the schema's enumerated values: exactly, else as JSON
// where a choice need not be a string, else the only one that differs in case alone.
func (r refs) choice(schema *toolkit.Schema, text string) (*strictjson.Value, *fault) {
	quoted := string(strictjson.Text(text).Append(nil))
	if slices.ContainsFunc(schema.Enum, func(raw json.RawMessage) bool { return string(raw) == quoted }) {
		return strictjson.Text(text), nil
	}
	inJSON := &strictjson.Value{}
	if kindOf(schema) != toolkit.TypeString {
		if value, err := strictjson.Parse([]byte(text)); err == nil {
			inJSON = value
		}
	}
	var folded []*strictjson.Value
	for _, raw := range schema.Enum {
		choice, err := strictjson.Parse(raw)
		switch {
		case err != nil:
		case choiceText(choice) == text, equal(choice, inJSON) && choice.Kind != strictjson.Null:
			return choice, nil
		case choice.Kind == strictjson.String && strings.EqualFold(choice.Text, text):
			folded = append(folded, choice)
		}
	}
	if len(folded) == 1 {
		return folded[0], nil
	}
	return nil, wrongWord(text, r.expected(schema))
}

// choiceText is how an enumerated value is written on the line.
func choiceText(choice *strictjson.Value) string {
	if choice.Kind == strictjson.String {
		return choice.Text
	}
	return string(choice.Append(nil))
}

// jsonValue reads text that is JSON on the line too: objects, arrays and values
// of no particular type.
func (r refs) jsonValue(schema *toolkit.Schema, kind, text string) (*strictjson.Value, *fault) {
	value, err := strictjson.Parse([]byte(text))
	if err != nil {
		if looksLikeJSON(text) {
			wrong := wrongWord(text, r.expected(schema))
			wrong.clause += " (" + err.Error() + ")"
			return nil, wrong
		}
		return nil, wrongWord(text, r.expectedFor(schema, text))
	}
	if kind != "" && typeName(value) != kind {
		return nil, wrongWord(text, r.expected(schema))
	}
	return value, nil
}

// looksLikeJSON reports whether the text was meant as a JSON object or array, so
// that the reason why it is none helps.
func looksLikeJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// typeName is the JSON Schema type of the value; an integer is "number" too.
func typeName(value *strictjson.Value) string {
	switch value.Kind {
	case strictjson.False, strictjson.True:
		return toolkit.TypeBoolean
	case strictjson.Number:
		return toolkit.TypeNumber
	case strictjson.String:
		return toolkit.TypeString
	case strictjson.Array:
		return toolkit.TypeArray
	case strictjson.Object:
		return toolkit.TypeObject
	}
	return toolkit.TypeNull
}

// hasType reports whether the value is of one of the schema's types.
func hasType(schema *toolkit.Schema, value *strictjson.Value) bool {
	name := typeName(value)
	if schema.Type.Has(name) {
		return true
	}
	return name == toolkit.TypeNumber && schema.Type.Has(toolkit.TypeInteger) && isInteger(value.Text)
}

// equal reports whether two values are the same JSON value: numbers by value,
// objects whatever the order of their members.
func equal(a, b *strictjson.Value) bool {
	if a.Kind != b.Kind || len(a.Elems) != len(b.Elems) || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Kind == strictjson.Number {
		return compareNumbers(a.Text, b.Text) == 0
	}
	for i := range a.Elems {
		if !equal(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	return a.Text == b.Text && sameMembers(a, b)
}

// fewMembers is up to how many of them an object is searched one by one.
const fewMembers = 8

// sameMembers is equal for objects with as many members.
func sameMembers(a, b *strictjson.Value) bool {
	get := b.Get
	if len(b.Members) > fewMembers {
		values := make(map[string]*strictjson.Value, len(b.Members))
		for _, member := range b.Members {
			values[member.Name] = member.Value
		}
		get = func(name string) *strictjson.Value { return values[name] }
	}
	for _, member := range a.Members {
		other := get(member.Name)
		if other == nil || !equal(member.Value, other) {
			return false
		}
	}
	return true
}
