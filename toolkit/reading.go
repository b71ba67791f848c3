package toolkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// reading is a definition in JSON that is held against the Go types that it is
// read into, so that all that is wrong with it is told at once, and where.
type reading struct {
	data     []byte
	mistakes []error
}

// wholeValue is the one JSON value of the text.
func wholeValue(data []byte) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var whole json.RawMessage
	if err := decoder.Decode(&whole); err != nil {
		r := reading{data: data}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("read definition: %s: %w", r.place(int(syntax.Offset)-1), err)
		}
		return nil, fmt.Errorf("read definition: %w", err)
	}
	if string(whole) == "null" {
		return nil, errors.New("read definition: null")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read definition: text after the JSON value")
	}
	return whole, nil
}

// place is where the byte is.
func (r *reading) place(at int) string {
	at = min(max(at, 0), len(r.data))
	return fmt.Sprintf("line %d (byte %d)", bytes.Count(r.data[:at], []byte("\n"))+1, at+1)
}

// report adds a mistake of the value at the path.
func (r *reading) report(at int, path []string, format string, args ...any) {
	where := r.place(at)
	if len(path) > 0 {
		where += ": " + strings.Join(path, ".")
	}
	r.mistakes = append(r.mistakes, fmt.Errorf("read definition: %s: %s", where, fmt.Sprintf(format, args...)))
}

var schemaType = reflect.TypeFor[Schema]()

// value holds a value against the type. It begins at that byte of the text.
func (r *reading) value(raw json.RawMessage, at int, path []string, t reflect.Type) {
	t = deref(t)
	isPlain := !implements[json.Unmarshaler](t) || t == schemaType
	switch {
	case raw[0] == '{' && isPlain && t.Kind() == reflect.Struct:
		r.object(raw, at, path, t)
	case raw[0] == '{' && isPlain && t.Kind() == reflect.Map:
		r.members(raw, at, func(name string, _ int, member json.RawMessage, at int) {
			r.value(member, at, extend(path, name), t.Elem())
		})
	case raw[0] == '[' && isPlain && t.Kind() == reflect.Slice:
		r.elements(raw, at, path, t.Elem())
	case json.Unmarshal(raw, reflect.New(t).Interface()) != nil:
		r.report(at, path, "got %s, want %s", shownValue(raw), wantedForm(t))
	}
}

// object holds an object against a struct. Keywords of schemas may be any, and those
// in the form of another draft are kept as they are.
func (r *reading) object(raw json.RawMessage, at int, path []string, t reflect.Type) {
	fields, names := jsonFields(t)
	r.members(raw, at, func(name string, nameAt int, member json.RawMessage, at int) {
		field, known := fields[strings.ToLower(name)] // as encoding/json finds it
		switch {
		case t == schemaType && (fields[name] == nil || isOdd(name, member)):
		case !known:
			r.report(nameAt, path, "unknown field %q (known: %s)", name, strings.Join(names, ", "))
		default:
			r.value(member, at, extend(path, name), field)
		}
	})
}

// jsonFields are the types of a struct's fields by their names in JSON, in lower
// case, and the names in order.
func jsonFields(t reflect.Type) (fields map[string]reflect.Type, names []string) {
	fields = map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "-" {
			continue
		}
		names = append(names, name)
		fields[strings.ToLower(name)] = field.Type
		fields[name] = field.Type
	}
	return fields, names
}

// members visits those of an object, with where name and value begin.
func (r *reading) members(raw json.RawMessage, at int, visit func(name string, nameAt int, member json.RawMessage, at int)) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, err := decoder.Token()
	for err == nil && decoder.More() {
		var token json.Token
		if token, err = decoder.Token(); err != nil {
			break
		}
		name, _ := token.(string)
		end := int(decoder.InputOffset())
		var member json.RawMessage
		if err = decoder.Decode(&member); err == nil {
			nameAt := bytes.LastIndexByte(raw[:end-1], '"')
			visit(name, at+nameAt, member, at+int(decoder.InputOffset())-len(member))
		}
	}
}

// elements holds those of a list against the type.
func (r *reading) elements(raw json.RawMessage, at int, path []string, t reflect.Type) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, err := decoder.Token()
	for i := 0; err == nil && decoder.More(); i++ {
		var element json.RawMessage
		if err = decoder.Decode(&element); err == nil {
			r.value(element, at+int(decoder.InputOffset())-len(element), extend(path, strconv.Itoa(i)), t)
		}
	}
}

// maxShownValue is how many bytes of a value a mistake repeats.
const maxShownValue = 40

// shownValue is a value as a mistake names it.
func shownValue(raw json.RawMessage) string {
	switch {
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case len(raw) > maxShownValue && raw[0] == '"':
		return "a string"
	}
	return string(raw[:min(len(raw), maxShownValue)])
}

// wantedForm names the JSON form of a type.
func wantedForm(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Types]():
		return "the name of a type or a list of such names"
	case t == schemaType:
		return "a schema: an object, true or false"
	case t == numberType:
		return "a number"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
