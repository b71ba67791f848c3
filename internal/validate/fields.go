package validate

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// wireField is a field as encoding/json sees it: with the name that it has in
// JSON, and with fields of embedded structs as fields of the struct itself.
type wireField struct {
	reflect.StructField
	name   string
	tagged bool  // the name comes from a json tag
	path   []int // from the struct, through embedded ones
}

// wireFields are the fields of a struct by the rules of encoding/json: of equal
// names the least nested wins, then the one with a tag, and else none.
func wireFields(t reflect.Type) []wireField {
	var fields []wireField
	taken := map[string]bool{}
	seen := map[reflect.Type]bool{}
	for level := []wireField{{StructField: reflect.StructField{Type: t}}}; len(level) > 0; {
		var found, deeper []wireField
		for _, holder := range level {
			seen[base(holder.Type)] = true
			own, embedded := splitFields(holder)
			found = append(found, own...)
			deeper = append(deeper, embedded...)
		}
		fields = append(fields, dominant(found, taken)...)
		level = level[:0]
		for _, embedded := range deeper {
			if !seen[base(embedded.Type)] {
				level = append(level, embedded)
			}
		}
	}
	slices.SortFunc(fields, func(a, b wireField) int { return slices.Compare(a.path, b.path) })
	return fields
}

// splitFields are a struct's own fields and the structs that it embeds.
func splitFields(holder wireField) (own, embedded []wireField) {
	t := base(holder.Type)
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		isEmbedded := field.Anonymous && base(field.Type).Kind() == reflect.Struct
		if tag == "-" || !field.IsExported() && !isEmbedded {
			continue
		}
		wire := wireField{StructField: field, name: name, tagged: name != ""}
		wire.path = append(append(wire.path, holder.path...), i)
		switch {
		case isEmbedded && name == "":
			embedded = append(embedded, wire)
		case field.IsExported() && isData(field.Type):
			if name == "" {
				wire.name = field.Name
			}
			own = append(own, wire)
		}
	}
	return own, embedded
}

// dominant are the fields of one level that win their name, which no deeper one
// can have after that.
func dominant(found []wireField, taken map[string]bool) []wireField {
	rivals := map[string][]wireField{}
	for _, f := range found {
		rivals[f.name] = append(rivals[f.name], f)
	}
	var winners []wireField
	for _, f := range found {
		best := rivals[f.name]
		if slices.ContainsFunc(best, isTagged) {
			best = slices.DeleteFunc(slices.Clone(best), func(f wireField) bool { return !f.tagged })
		}
		if !taken[f.name] && len(best) == 1 && slices.Equal(best[0].path, f.path) {
			winners = append(winners, f)
		}
	}
	for name := range rivals {
		taken[name] = true
	}
	return winners
}

func isTagged(f wireField) bool { return f.tagged }

// isData reports whether the type can be decoded from JSON. Streams, which are
// interfaces with methods, never are.
func isData(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return t.NumMethod() == 0
	case reflect.Func, reflect.Chan:
		return false
	}
	return true
}

// maxPointers is how many types base looks through: type P *P leads nowhere. No
// schema can be made of more.
const maxPointers = 32

// base is the type that pointers lead to, or one of the pointers where they have no
// end.
func base(t reflect.Type) reflect.Type {
	for range maxPointers {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType        = reflect.TypeFor[time.Time]()
)

// isOpaque reports whether the type reads its JSON itself, so that its fields
// say nothing about it.
func isOpaque(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(jsonUnmarshaler) || pointer.Implements(textUnmarshaler)
}

// jsonType is the JSON type that the Go type is decoded from, or "" when that is
// for the type itself to know.
func jsonType(t reflect.Type) string {
	t = base(t)
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(jsonUnmarshaler) && t != timeType:
		return ""
	case pointer.Implements(textUnmarshaler):
		return "string"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			return "string" // base64
		}
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Interface:
		return ""
	}
	return "integer"
}
