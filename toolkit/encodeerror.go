package toolkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// encodingError says which part of a value JSON cannot carry.
type encodingError struct {
	path []string // names and positions, from the outside in
	err  error
}

// Error is the path and the reason.
func (e *encodingError) Error() string {
	return strings.Join(append(slices.Clip(e.path), e.err.Error()), ": ")
}

// Unwrap is the reason: an error of encoding/json, or of a type that encodes itself.
func (e *encodingError) Unwrap() error { return e.err }

// Path leads to the part. The host tells it to the guest, and never the reason, which
// may be the text of a handler's own error.
func (e *encodingError) Path() []string { return e.path }

// within is the error of a part, seen from the value that has it.
func within(step string, err error) error {
	if part, ok := errors.AsType[*encodingError](err); ok {
		return &encodingError{append([]string{step}, part.path...), part.err}
	}
	return &encodingError{[]string{step}, err}
}

// tooDeep is the error for a value that nests over maxDepth levels, as one does that
// contains itself.
func tooDeep(v reflect.Value) error {
	return &json.UnsupportedValueError{Value: v, Str: fmt.Sprintf("encountered a cycle, or over %d levels", maxDepth)}
}

// blame finds the part of a value that encoding/json has refused as a whole, as far as
// lists and maps lead to it. The reason comes without the Go type's name around it.
func blame(v reflect.Value, err error, depth int) error {
	for (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && !v.IsNil() && depth <= maxDepth {
		v = v.Elem()
		depth++
	}
	if depth > maxDepth {
		return tooDeep(v)
	}
	refused := func(step string, part reflect.Value) error {
		if !part.CanInterface() {
			return nil
		}
		if _, err := json.Marshal(part.Interface()); err != nil {
			return within(step, blame(part, err, depth+1))
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if found := refused(strconv.Itoa(i), v.Index(i)); found != nil {
				return found
			}
		}
	case reflect.Map:
		parts := map[string]reflect.Value{}
		for key, part := range v.Seq2() {
			parts[fmt.Sprint(key)] = part
		}
		for _, key := range slices.Sorted(maps.Keys(parts)) {
			if found := refused(key, parts[key]); found != nil {
				return found
			}
		}
	}
	if wrapped, ok := errors.AsType[*json.MarshalerError](err); ok {
		return wrapped.Err
	}
	return err
}
