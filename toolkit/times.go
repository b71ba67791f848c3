package toolkit

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// readTimes is the input with every text for a time.Time as that type reads it. RFC
// 3339 also has a leap second, which is the second after it then, and a small t and z
// (§5.6); the format date-time accepts both, and so does a tool.
func (ts *types) readTimes(t reflect.Type, value json.RawMessage) json.RawMessage {
	t = deref(t)
	if t == timeType {
		return readTime(value)
	}
	if _, whole := ts.leaves[t]; whole {
		return value
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch kind := t.Kind(); {
	case (kind == reflect.Slice || kind == reflect.Array) && json.Unmarshal(value, &list) == nil:
		for i := range list {
			list[i] = ts.readTimes(t.Elem(), list[i])
		}
		return rewritten(list, value)
	case (kind == reflect.Struct || kind == reflect.Map) && json.Unmarshal(value, &object) != nil:
	case kind == reflect.Map:
		for key := range object {
			object[key] = ts.readTimes(t.Elem(), object[key])
		}
		return rewritten(object, value)
	case kind == reflect.Struct:
		for _, m := range ts.structs[t] {
			if part, given := object[m.name]; given {
				object[m.name] = ts.readTimes(m.typ, part)
			}
		}
		return rewritten(object, value)
	}
	return value
}

// rewritten is the value after its parts have been read, null as it was.
func rewritten[Parts []json.RawMessage | map[string]json.RawMessage](parts Parts, value json.RawMessage) json.RawMessage {
	if parts == nil {
		return value
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return value
	}
	return text
}

// readTime is the text of a time with capitals and without a leap second, as far as it
// has the form of RFC 3339.
func readTime(value json.RawMessage) json.RawMessage {
	var text string
	const form = "2026-05-01T10:00:00Z" // or longer
	if json.Unmarshal(value, &text) != nil || len(text) < len(form) {
		return value
	}
	const middle, second = len("2026-05-01"), len("2026-05-01T10:00:")
	text = text[:middle] + strings.Replace(text[middle:second], "t", "T", 1) + strings.Replace(text[second:], "z", "Z", 1)
	if text[second:second+2] != "60" {
		return encodeText(text)
	}
	last, err := time.Parse(time.RFC3339Nano, text[:second]+"59"+text[second+2:])
	if err != nil {
		return value
	}
	return encodeText(last.Add(time.Second).Format(time.RFC3339Nano))
}
