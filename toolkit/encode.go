package toolkit

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a value may nest; the bridge reads no deeper JSON. It
// also ends values that contain themselves.
const maxDepth = 64

// presence decides whether a member of a struct is written.
type presence func(m *member, v reflect.Value) bool

// givenInExample: a Go value cannot tell an explicit zero from one that was
// left out, and an example shows what matters. A required member is always shown.
func givenInExample(m *member, v reflect.Value) bool {
	return (m.required || !isZero(v)) && !isNilPointer(v)
}

// givenInCall: the handler shall receive the value that the caller has. What is
// nil is absent. A zero that a default would replace is written, unless
// omitempty or omitzero asks for the default; other optional zeros are left out,
// since absent and zero are the same to the handler.
func givenInCall(m *member, v reflect.Value) bool {
	switch {
	case isNilPointer(v):
		return false
	case m.required:
		return true
	case isNil(v) || m.omits(v):
		return false
	}
	return m.hasDefault() || !isZero(v)
}

// givenInResult: as encoding/json does.
func givenInResult(m *member, v reflect.Value) bool { return !m.omits(v) }

// omits reports whether omitempty or omitzero leaves the value out.
func (m *member) omits(v reflect.Value) bool {
	return m.omitEmpty && isEmpty(v) || m.omitZero && isZero(v)
}

func isNilPointer(v reflect.Value) bool { return v.Kind() == reflect.Pointer && v.IsNil() }

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsNil()
	}
	return false
}

// isEmpty is the rule of omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is the rule of omitzero: a type's own IsZero decides.
func isZero(v reflect.Value) bool {
	if isNil(v) {
		return true
	}
	if own, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return own.IsZero()
	}
	return v.IsZero()
}

// encoder writes Go values as the schemas of their types say. It differs from
// encoding/json in two ways: given decides which members of a struct are
// written, and a nil list or map is an empty one, never null.
type encoder struct {
	*types
	given presence
}

// encode is the value as JSON. The value must be addressable, so that methods
// on pointers are found.
func (ts *types) encode(v reflect.Value, given presence) (json.RawMessage, error) {
	e := encoder{types: ts, given: given}
	return e.append(nil, v, 0)
}

func (e encoder) append(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, tooDeep(v)
	}
	if v.Type().PkgPath() == "" && isScalar(v.Kind()) {
		return appendScalar(dst, v)
	}
	if leaf, ok := e.leaves[v.Type()]; ok {
		if leaf.ContentEncoding != "" && v.IsNil() {
			return append(dst, `""`...), nil
		}
		return appendJSON(dst, v)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return e.append(dst, v.Elem(), depth+1)
	case reflect.Struct:
		return e.appendStruct(dst, v, depth)
	case reflect.Slice, reflect.Array:
		return e.appendList(dst, v, depth)
	case reflect.Map:
		return e.appendMap(dst, v, depth)
	}
	return appendJSON(dst, v)
}

// appendScalar writes a value of a predeclared type, the common ones without
// the cost of encoding/json.
func appendScalar(dst []byte, v reflect.Value) ([]byte, error) {
	switch kind := v.Kind(); {
	case kind == reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case v.CanInt():
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case v.CanUint():
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case kind == reflect.String && isPlain(v.String()):
		return append(append(append(dst, '"'), v.String()...), '"'), nil
	}
	return appendJSON(dst, v)
}

// isPlain reports whether no JSON encoder escapes anything in the text.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\<>&`, c) >= 0 {
			return false
		}
	}
	return true
}

// appendJSON writes what encoding/json writes.
func appendJSON(dst []byte, v reflect.Value) ([]byte, error) {
	data, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		return nil, blame(v, err, 0)
	}
	return append(dst, data...), nil
}

func (e encoder) appendStruct(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	members := e.structs[v.Type()]
	for i := range members {
		m := &members[i]
		field, err := v.FieldByIndexErr(m.index)
		if err != nil || !e.given(m, field) {
			// The error is a nil embedded pointer, whose members are absent.
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, m.key...)
		if dst, err = e.append(dst, field, depth+1); err != nil {
			return nil, within(m.name, err)
		}
	}
	return append(dst, '}'), nil
}

func (e encoder) appendList(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Len() > 0 && isScalar(v.Type().Elem().Kind()) && e.leaves[v.Type().Elem()] == nil {
		if whole, err := appendJSON(dst, v); err == nil {
			return whole, nil
		} // an element is wrong: which one?
	}
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.append(dst, addressable(v.Index(i)), depth+1); err != nil {
			return nil, within(strconv.Itoa(i), err)
		}
	}
	return append(dst, ']'), nil
}

func (e encoder) appendMap(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	values := map[string]reflect.Value{}
	for key, value := range v.Seq2() {
		values[key.String()] = value
	}
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, encodeText(key)...), ':')
		var err error
		if dst, err = e.append(dst, addressable(values[key]), depth+1); err != nil {
			return nil, within(key, err)
		}
	}
	return append(dst, '}'), nil
}

// isScalar reports whether a list of the kind may be left to encoding/json as a
// whole, which is much faster.
func isScalar(kind reflect.Kind) bool {
	return reflect.Bool <= kind && kind <= reflect.Float64 || kind == reflect.String
}

// addressable is the value itself or, where it has no address, a copy that has one.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

// encodeText is the string in JSON, with no more escapes than JSON needs.
func encodeText(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	// A string always encodes.
	_ = encoder.Encode(text)
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'})
}

// result is what a handler returned, encoded when the host encodes it.
type result struct {
	types *types
	value reflect.Value
}

// MarshalJSON is the result as its schema describes it.
func (r result) MarshalJSON() ([]byte, error) { return r.types.encode(r.value, givenInResult) }

// Schema is the schema of the result's type, which MarshalJSON never breaks: where
// a tool declares this very schema, nobody has to hold its results against it.
func (r result) Schema() *Schema { return r.types.whole }
