package toolkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// rule is one rule of the tag validate, as in min=1. Only rules that a schema
// can express are read here; the host's validator runs all of them.
type rule struct{ name, param string }

// parseRules splits a validate tag by level: rules of the value, and after each
// dive those of its elements. Alternatives (a|b) and rules of map keys are left
// to the validator.
func parseRules(tag string) [][]rule {
	levels := [][]rule{nil}
	keys := false
	for text := range strings.SplitSeq(tag, ",") {
		name, param, _ := strings.Cut(text, "=")
		switch {
		case name == "keys" || name == "endkeys":
			keys = name == "keys"
		case keys || strings.Contains(text, "|"):
		case name == "dive":
			levels = append(levels, nil)
		default:
			last := &levels[len(levels)-1]
			*last = append(*last, rule{name, paramEscapes.Replace(param)})
		}
	}
	return levels
}

// paramEscapes are how the validator writes its own two separators in a parameter.
var paramEscapes = strings.NewReplacer("0x2C", ",", "0x7C", "|")

func hasRule(rules []rule, name string) bool {
	for _, r := range rules {
		if r.name == name {
			return true
		}
	}
	return false
}

// applyRules puts the rules into the schema of the type.
func (ts *types) applyRules(s *Schema, t reflect.Type, levels [][]rule) error {
	t = deref(t)
	if _, coded := ts.leaves[t]; coded || s.Ref != "" {
		return nil
	}
	var mistakes []error
	for _, r := range levels[0] {
		if err := applyRule(s, t, r); err != nil {
			mistakes = append(mistakes, fmt.Errorf("validate: %s=%s: %w", r.name, r.param, err))
		}
	}
	if len(levels) == 1 {
		return errors.Join(mistakes...)
	}
	switch {
	case s.Items != nil:
		mistakes = append(mistakes, ts.applyRules(s.Items, t.Elem(), levels[1:]))
	case t.Kind() == reflect.Map:
		mistakes = append(mistakes, ts.applyRules(s.AdditionalProperties, t.Elem(), levels[1:]))
	default:
		mistakes = append(mistakes, fmt.Errorf("validate: dive: %s has no elements", t))
	}
	return errors.Join(mistakes...)
}

func applyRule(s *Schema, t reflect.Type, r rule) error {
	switch r.name {
	case "min", "max", "len", "gt", "gte", "lt", "lte":
		return applyBound(s, t, r)
	case "oneof":
		return applyChoices(s, t, r.param)
	case "unique":
		s.UniqueItems = s.Items != nil && r.param == ""
	case "datetime":
		if t.Kind() == reflect.String {
			s.Format = layoutFormats[r.param]
		}
	default:
		if format, ok := formats[r.name]; ok && t.Kind() == reflect.String {
			s.Format = format
		}
	}
	return nil
}

// formats are the rules that accept no more than a JSON Schema format does.
// The rule uri is not among them: it accepts relative references.
var formats = map[string]string{
	"email": "email", "url": "uri", "http_url": "uri", "https_url": "uri",
	"uuid": "uuid", "uuid3": "uuid", "uuid4": "uuid", "uuid5": "uuid", "uuid_rfc4122": "uuid",
	"ipv4": "ipv4", "ip4_addr": "ipv4", "ipv6": "ipv6", "ip6_addr": "ipv6",
}

// layoutFormats are the layouts of the rule datetime that have a format.
var layoutFormats = map[string]string{
	time.DateOnly: "date", time.RFC3339: "date-time", time.RFC3339Nano: "date-time",
}

// applyBound reads a bound as the validator does: of a number its value, of
// everything else its size.
func applyBound(s *Schema, t reflect.Type, r rule) error {
	switch s.Kind() {
	case TypeInteger:
		return applyInteger(s, t, r)
	case TypeNumber:
		return applyNumber(s, r)
	case TypeString:
		return applySize(&s.MinLength, &s.MaxLength, r)
	case TypeArray:
		return applySize(&s.MinItems, &s.MaxItems, r)
	case TypeObject:
		if t.Kind() == reflect.Map {
			return applySize(&s.MinProperties, &s.MaxProperties, r)
		}
	}
	return nil
}

// applySize sets the bounds of a length.
func applySize(low, high **int, r rule) error {
	n, err := strconv.Atoi(r.param)
	if err != nil || n < 0 {
		return errors.New("want a length")
	}
	switch r.name {
	case "gt":
		n++
	case "lt":
		n--
	}
	isLow, isHigh := sides(r.name)
	if isLow {
		*low = &n
	}
	if isHigh {
		*high = &n
	}
	return nil
}

// sides says which bounds a rule sets: len sets both.
func sides(name string) (low, high bool) {
	low = name == "min" || name == "gt" || name == "gte" || name == "len"
	high = name == "max" || name == "lt" || name == "lte" || name == "len"
	return low, high
}

// applyInteger sets the bounds of an integer, always as inclusive ones: "1–16"
// reads better than "over 0, under 17".
func applyInteger(s *Schema, t reflect.Type, r rule) error {
	step := 0
	switch r.name {
	case "gt":
		step = 1
	case "lt":
		step = -1
	}
	bound, err := integerBound(t, r.param, step)
	if err != nil {
		return err
	}
	low, high := sides(r.name)
	if low {
		s.Minimum = bound
	}
	if high {
		s.Maximum = bound
	}
	return nil
}

// integerBound is the parameter moved by step, within the range of the type.
func integerBound(t reflect.Type, param string, step int) (json.Number, error) {
	mistake := fmt.Errorf("want an integer of type %s", t)
	if t == durationType {
		if d, err := time.ParseDuration(param); err == nil {
			param = strconv.FormatInt(int64(d), 10)
		}
	}
	if isUnsigned(t) {
		n, err := strconv.ParseUint(param, 0, t.Bits())
		moved := n + uint64(step)
		if err != nil || step > 0 && moved < n || step < 0 && moved > n {
			return "", mistake
		}
		return json.Number(strconv.FormatUint(moved, 10)), nil
	}
	n, err := strconv.ParseInt(param, 0, t.Bits())
	moved := n + int64(step)
	if err != nil || step > 0 && moved < n || step < 0 && moved > n {
		return "", mistake
	}
	return json.Number(strconv.FormatInt(moved, 10)), nil
}

func isUnsigned(t reflect.Type) bool {
	return t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64
}

// applyNumber sets the bounds of a number; their text stays as it is written.
func applyNumber(s *Schema, r rule) error {
	if !isNumber(r.param) {
		return errors.New("want a number as JSON writes it")
	}
	bound := json.Number(r.param)
	switch r.name {
	case "gt":
		s.ExclusiveMinimum = bound
	case "lt":
		s.ExclusiveMaximum = bound
	default:
		low, high := sides(r.name)
		if low {
			s.Minimum = bound
		}
		if high {
			s.Maximum = bound
		}
	}
	return nil
}

// isNumber reports whether the text is a number in JSON's grammar.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}

// applyChoices makes an enum of the words of oneof; a word with spaces stands
// in single quotes.
func applyChoices(s *Schema, t reflect.Type, param string) error {
	kind := s.Kind()
	if kind != TypeString && kind != TypeInteger {
		return nil
	}
	var choices []json.RawMessage
	for _, choice := range splitWords(param) {
		if kind == TypeString {
			choices = append(choices, encodeText(choice))
			continue
		}
		n, err := integerBound(t, choice, 0)
		if err != nil {
			return err
		}
		choices = append(choices, json.RawMessage(n))
	}
	s.Enum = choices
	return nil
}

// splitWords splits at spaces outside of single quotes, as the validator does.
func splitWords(text string) []string {
	var words []string
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		var word, rest string
		if quoted, after, closed := strings.Cut(text[1:], "'"); text[0] == '\'' && closed {
			word, rest = quoted, after
		} else {
			word, rest, _ = strings.Cut(text, " ")
		}
		words = append(words, word)
		text = rest
	}
	return words
}
