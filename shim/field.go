package shim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// field is the part of a result that a JSON Pointer (RFC 6901) names. The
// pointer's form was checked when the line was parsed.
func field(result json.RawMessage, pointer string) (json.RawMessage, error) {
	part := result
	for _, token := range strings.Split(pointer, "/")[1:] {
		name := unescape.Replace(token)
		next, there := step(part, name)
		if next == nil {
			return nil, &toolkit.Error{
				Code:    toolkit.CodeOutputError,
				Message: fmt.Sprintf("the call is done, but its result has no %q at %q: %s", name, pointer, there),
			}
		}
		part = next
	}
	return part, nil
}

// unescape undoes the two escapes of RFC 6901.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// step is the member or element of a value, or nil and what there is instead.
func step(value json.RawMessage, name string) (json.RawMessage, string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil && object != nil {
		return object[name], "its keys are " + strings.Join(slices.Sorted(maps.Keys(object)), ", ")
	}
	var array []json.RawMessage
	if json.Unmarshal(value, &array) == nil && array != nil {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(array) && strconv.Itoa(i) == name {
			return array[i], ""
		}
		return nil, fmt.Sprintf("its positions are 0 to %d", len(array)-1)
	}
	return nil, "the value is neither an object nor an array"
}
