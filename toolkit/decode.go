package toolkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode is json.Unmarshal, but that a number in an any keeps its text.
func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the JSON value")
	}
	return nil
}

// decode reads an input. Where no field is an any, encoding/json is as good, and takes
// a third of the time.
func (ts *types) decode(input []byte, into any) error {
	if _, open := ts.leaves[anyType]; open {
		return decode(input, into)
	}
	return json.Unmarshal(input, into)
}

// maxProblems is how many values one error names; an input may have a million.
const maxProblems = 50

// decodeError is the reason why encoding/json refused the input, found value by
// value: it names those that are wrong, and where. The text of a type's own error
// stays here; it was not written for the guest.
func (ts *types) decodeError(t reflect.Type, input json.RawMessage) error {
	f := &misfits{types: ts}
	f.find(t, input, nil, false)
	if len(f.problems) == 0 || f.problems[0].Path == "" {
		return &Error{Code: CodeValidationError, Message: "the input is not an object that the tool can read"}
	}
	clauses := make([]string, len(f.problems))
	for i, p := range f.problems {
		clauses[i] = p.Path + ": expected " + p.Expected
		if p.Got != "" {
			clauses[i] = p.Path + ": got " + p.Got + ", expected " + p.Expected
		}
	}
	return &Error{Code: CodeValidationError, Message: strings.Join(clauses, "; "), Details: f.problems}
}

// misfits gathers the innermost values of an input that encoding/json refuses.
type misfits struct {
	*types
	problems []Problem
}

// find looks for them in a value that is for the type.
func (f *misfits) find(t reflect.Type, value json.RawMessage, path []string, secret bool) {
	if len(f.problems) == maxProblems || decode(value, reflect.New(t).Interface()) == nil {
		return
	}
	before := len(f.problems)
	f.inside(deref(t), value, path, secret)
	if len(f.problems) > before {
		return
	}
	p := Problem{Path: strings.Join(path, "."), Expected: readable(t)}
	if value[0] == '-' && isUnsigned(deref(t)) { // -0, which is in the range
		p.Expected += " without a sign"
	}
	if !secret {
		p.Got = shown(value)
	}
	f.problems = append(f.problems, p)
}

// inside looks in the parts of a value, if it has parts and the type is made of them.
func (f *misfits) inside(t reflect.Type, value json.RawMessage, path []string, secret bool) {
	if _, whole := f.leaves[t]; whole {
		return
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch kind := t.Kind(); {
	case (kind == reflect.Slice || kind == reflect.Array) && json.Unmarshal(value, &list) == nil:
		for i, element := range list {
			f.find(t.Elem(), element, extend(path, strconv.Itoa(i)), secret)
		}
	case (kind == reflect.Struct || kind == reflect.Map) && json.Unmarshal(value, &object) != nil:
	case kind == reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(object)) {
			f.find(t.Elem(), object[key], extend(path, key), secret)
		}
	case kind == reflect.Struct:
		for _, m := range f.structs[t] {
			if part, given := object[m.name]; given {
				f.find(m.typ, part, extend(path, m.name), secret || m.tags["secret"] == "true")
			}
		}
	}
}

// maxShown is how many bytes of a value an error shows at most.
const maxShown = 64

// shown is the value as an error shows it, of which the rest may be left out.
func shown(value json.RawMessage) string {
	if len(value) <= maxShown {
		return string(value)
	}
	end := maxShown
	for !utf8.RuneStart(value[end]) {
		end--
	}
	return string(value[:end]) + "…"
}

// ownForms are what types of the standard library read that decode themselves.
var ownForms = map[string]string{
	"encoding/json.Number": "number",
	"math/big.Int":         "integer",
	"net.IP":               "IP address like 192.0.2.1",
	"net/netip.Addr":       "IP address like 192.0.2.1",
	"net/netip.AddrPort":   "IP address and port like 192.0.2.1:443",
	"net/netip.Prefix":     "IP network like 192.0.2.0/24",
	"time.Time":            "date-time like 2026-05-01T10:00:00Z",
}

// readable is what a type reads, in words for whoever wrote the input: a Go type's
// name says nothing to them.
func readable(t reflect.Type) string {
	t = deref(t)
	if words, known := ownForms[t.PkgPath()+"."+t.Name()]; known {
		return words
	}
	inputs := &types{}
	switch {
	case inputs.codesJSON(t):
		return "a value that the tool can read"
	case inputs.codesText(t):
		return "text that the tool can read"
	case inputs.isBytes(t):
		return "base64 text"
	}
	switch t.Kind() {
	case reflect.Float32:
		return fmt.Sprintf("number from %v to %v", -math.MaxFloat32, math.MaxFloat32)
	case reflect.Float64:
		return fmt.Sprintf("number from %v to %v", -math.MaxFloat64, math.MaxFloat64)
	case reflect.String:
		return TypeString
	case reflect.Bool:
		return TypeBoolean
	case reflect.Slice, reflect.Array:
		return TypeArray
	case reflect.Map, reflect.Struct:
		return TypeObject
	}
	if k := t.Kind(); k >= reflect.Int && k <= reflect.Uint64 {
		low, high := integerRange(t)
		return "integer from " + low + " to " + high
	}
	return "a value that the tool can read"
}
