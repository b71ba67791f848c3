package validate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var numberType = reflect.TypeFor[json.Number]()

// numeric is a number of the input, kept as its text, as the Go number that rules
// compare: an int64, else a uint64, else a float64.
func numeric(v reflect.Value) any {
	text := v.String()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	n, _ := strconv.ParseFloat(text, 64) // the error is that of a number out of range, which is infinite
	return n
}

// isOpen reports whether it is the input that decides of which type a value is, or
// what is in it.
func isOpen(t reflect.Type) bool {
	for range maxPointers {
		switch t.Kind() {
		case reflect.Interface:
			return true
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
			return t == numberType
		}
	}
	return false
}

// breaksOpen is breaks for a value of an open type. Validator panics where a rule is
// not for values of a type, and here the type is the input's: such a value breaks the
// rule.
func breaksOpen(rules string, v reflect.Value, parent any, isStruct bool) *broken {
	value := v.Interface()
	number, isNumber := indirect(v).Interface().(json.Number)
	for rule := range strings.SplitSeq(rules, ",") {
		found, applies := attempt(rule, value, parent, isStruct)
		if found != nil && isNumber {
			found = breaksMixed(rule, number, parent, found)
		}
		if !applies && isNumber { // as in min=1.5, which no integer is compared with
			float, _ := number.Float64() // out of range it is infinite
			found, applies = attempt(rule, float, parent, isStruct)
		}
		if !applies {
			found = inapplicable(rule, v)
		}
		if found == nil {
			continue
		}
		if isNumber {
			found.value = number
		}
		return found
	}
	return nil
}

// breaksMixed judges a number again that broke a rule: validator compares it with a
// number in another field only where both are integers or neither is.
func breaksMixed(rule string, number json.Number, parent any, found *broken) *broken {
	name, path, _ := strings.Cut(rule, "=")
	if !slices.Contains(crossField, name) {
		return found
	}
	other := reflect.ValueOf(parent)
	for step := range strings.SplitSeq(path, ".") {
		if other = indirect(other); other.Kind() != reflect.Struct {
			return found
		}
		field, _ := other.Type().FieldByName(step)
		var err error
		if other, err = other.FieldByIndexErr(field.Index); err != nil { // in an embedded struct that is nil
			return found
		}
	}
	if other = indirect(other); !other.IsValid() || other.Type() != numberType {
		return found
	}
	value, than := numeric(reflect.ValueOf(number)), numeric(other)
	if reflect.TypeOf(value) == reflect.TypeOf(than) {
		return found
	}
	both := struct{ Value, Than float64 }{asFloat(value), asFloat(than)}
	if breaks(name+"=Than", both.Value, both, false) == nil {
		return nil
	}
	return found
}

func asFloat(number any) float64 {
	return reflect.ValueOf(number).Convert(reflect.TypeFor[float64]()).Float()
}

// attempt is breaks for one rule, and whether the rule is for such a value. A panic
// of the user's own method is passed on.
func attempt(rule string, value, parent any, isStruct bool) (found *broken, applies bool) {
	if !strings.HasPrefix(rule, "validateFn") {
		defer func() {
			if recover() != nil {
				found, applies = nil, false
			}
		}()
	}
	return breaks(rule, value, parent, isStruct), true
}

// inapplicable says that a value breaks a rule which validator cannot apply to it, or
// nil for a list without duplicates of elements that Go cannot compare.
func inapplicable(rule string, v reflect.Value) *broken {
	v = indirect(v)
	if rule == "unique" && (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && differ(v) {
		return nil
	}
	name, param, _ := strings.Cut(rule, "=")
	if strings.Contains(rule, "|") {
		name, param = rule, ""
	}
	return &broken{rule: name, param: param, value: v.Interface()}
}

// differ reports whether no two elements of the list are the same JSON.
func differ(list reflect.Value) bool {
	seen := map[string]bool{}
	for i := range list.Len() {
		text, err := json.Marshal(list.Index(i).Interface())
		if err != nil || seen[string(text)] {
			return false
		}
		seen[string(text)] = true
	}
	return true
}
