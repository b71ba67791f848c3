package toolkit

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maxNesting bounds how deep a Go type may nest without a struct that refers
// to itself; types such as type T []T have no end.
const maxNesting = 32

// types is what is known of the Go types of one input or one result: the
// members of every struct, read once, and the schemas made from them. After it
// is filled it is only read, so calls may share it.
type types struct {
	// result reads types as encoding/json writes them, else as it reads them.
	result  bool
	structs map[reflect.Type][]member
	// leaves are the types with a JSON form of their own.
	leaves map[reflect.Type]*Schema
	// open are the structs being read; one that is met again refers to itself
	// and gets a name in defs.
	open  map[reflect.Type]bool
	names map[reflect.Type]string
	defs  map[string]*Schema
	whole *Schema // of a result
	// slots are the streams of an input by name; streams are the fields for them and
	// files those of its files, lists of files included.
	slots    map[string]*Slot
	streams  []streamField
	files    []fileField
	mistakes []error
}

func newTypes(result bool) *types {
	return &types{
		result:  result,
		structs: map[reflect.Type][]member{},
		leaves:  map[reflect.Type]*Schema{},
		open:    map[reflect.Type]bool{},
		names:   map[reflect.Type]string{},
		defs:    map[string]*Schema{},
		slots:   map[string]*Slot{},
	}
}

// mistake records what is wrong with a field, or with the type as a whole when
// the path is empty.
func (ts *types) mistake(path, format string, args ...any) {
	ts.report(path, fmt.Errorf(format, args...))
}

// report records an error, each of them when several are joined.
func (ts *types) report(path string, err error) {
	for _, one := range split(err) {
		if path != "" {
			one = fmt.Errorf("field %s: %w", path, one)
		}
		ts.mistakes = append(ts.mistakes, one)
	}
}

// split are the errors that errors.Join joined, at any depth.
func split(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, split(one)...)
	}
	return all
}

// resultSchema is the schema of a whole result, with the definitions that it
// refers to; nil for None.
func resultSchema(t reflect.Type) (*Schema, *types) {
	ts := newTypes(true)
	if t == reflect.TypeFor[None]() {
		return nil, ts
	}
	s := ts.value(t, "", 0)
	if len(ts.defs) > 0 {
		s.Defs = ts.defs
	}
	ts.whole = s
	return s, ts
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	anyType      = reflect.TypeFor[any]()
	numberType   = reflect.TypeFor[json.Number]()
)

// durationUnit is what a time.Duration counts in JSON.
const durationUnit = "nanoseconds"

// leaf is the schema of a type with a JSON form of its own; for other types
// the Go kind decides.
func (ts *types) leaf(t reflect.Type) (*Schema, bool) {
	switch {
	case t == rawType || t == anyType:
		return &Schema{}, true
	case t == numberType:
		return typed(TypeNumber), true
	case t == fileType && !ts.result:
		return &Schema{Type: Types{TypeString}, Format: FormatFile, MinLength: new(1)}, true
	case t == outFileType && !ts.result:
		return &Schema{Type: Types{TypeString}, Format: FormatOutFile, MinLength: new(1)}, true
	case t == timeType:
		return &Schema{Type: Types{TypeString}, Format: "date-time"}, true
	case ts.codesJSON(t):
		return &Schema{}, true
	case ts.codesText(t):
		return typed(TypeString), true
	case ts.isBytes(t):
		return &Schema{Type: Types{TypeString}, ContentEncoding: "base64"}, true
	}
	return nil, false
}

// isBytes reports whether the type is base64 text in JSON: encoding/json writes a
// list where the bytes have a form of their own.
func (ts *types) isBytes(t reflect.Type) bool {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Uint8 {
		return false
	}
	return !ts.result || !ts.codesJSON(t.Elem()) && !ts.codesText(t.Elem())
}

// codesJSON reports whether the type has a JSON form that only its code knows.
func (ts *types) codesJSON(t reflect.Type) bool {
	if ts.result {
		return implements[json.Marshaler](t)
	}
	return implements[json.Unmarshaler](t)
}

// codesText reports whether the type is text in JSON.
func (ts *types) codesText(t reflect.Type) bool {
	if ts.result {
		return implements[encoding.TextMarshaler](t)
	}
	return implements[encoding.TextUnmarshaler](t)
}

// implements reports whether the type or a pointer to it implements the interface.
func implements[I any](t reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// value is the schema of a value that may be a pointer: in a result a nil
// pointer is written as null.
func (ts *types) value(t reflect.Type, path string, depth int) *Schema {
	s := ts.schema(t, path, depth)
	if ts.result && t.Kind() == reflect.Pointer {
		return nullable(s)
	}
	return s
}

// schema is the schema of a Go type.
func (ts *types) schema(t reflect.Type, path string, depth int) *Schema {
	if depth > maxNesting {
		ts.mistake(path, "nested over %d levels", maxNesting)
		return &Schema{}
	}
	if s, ok := ts.leaf(t); ok {
		ts.leaves[t] = s
		return s
	}
	if t == durationType {
		s := ts.integer(t)
		s.Description = durationUnit
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return ts.schema(t.Elem(), path, depth+1)
	case reflect.Bool:
		return typed(TypeBoolean)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return ts.integer(t)
	case reflect.Float32, reflect.Float64:
		return typed(TypeNumber)
	case reflect.String:
		return typed(TypeString)
	case reflect.Slice:
		return &Schema{Type: Types{TypeArray}, Items: ts.value(t.Elem(), path, depth+1)}
	case reflect.Array:
		n := t.Len()
		return &Schema{Type: Types{TypeArray}, Items: ts.value(t.Elem(), path, depth+1), MinItems: &n, MaxItems: &n}
	case reflect.Map:
		return ts.mapping(t, path, depth)
	case reflect.Struct:
		return ts.object(t, path, depth)
	}
	ts.report(path, unsupported(t))
	return &Schema{}
}

func typed(name string) *Schema { return &Schema{Type: Types{name}} }

// integer is the schema of an integer type. The range is stated where it
// surprises: not for signed 64 bits, whose limits only clutter help. Int and
// uint count as 64 bits, so that a definition is the same on every machine.
func (ts *types) integer(t reflect.Type) *Schema {
	s := typed(TypeInteger)
	low, high := integerRange(t)
	if !ts.result && low != strconv.Itoa(math.MinInt64) {
		s.Minimum, s.Maximum = json.Number(low), json.Number(high)
	}
	return s
}

// integerRange is the range of an integer type.
func integerRange(t reflect.Type) (low, high string) {
	bits := t.Bits()
	if t.Kind() == reflect.Int || t.Kind() == reflect.Uint {
		bits = 64
	}
	if isUnsigned(t) {
		return "0", strconv.FormatUint(math.MaxUint64>>(64-bits), 10)
	}
	return strconv.FormatInt(-1<<(bits-1), 10), strconv.FormatInt(1<<(bits-1)-1, 10)
}

func (ts *types) mapping(t reflect.Type, path string, depth int) *Schema {
	if t.Key().Kind() != reflect.String || ts.codesText(t.Key()) {
		ts.mistake(path, "map keys must be strings, not %s", t.Key())
	}
	return &Schema{Type: Types{TypeObject}, AdditionalProperties: ts.value(t.Elem(), path, depth+1)}
}

// object is the schema of a struct, or a reference to it when it refers to itself.
func (ts *types) object(t reflect.Type, path string, depth int) *Schema {
	if _, named := ts.names[t]; named || ts.open[t] {
		return ts.reference(t)
	}
	ts.open[t] = true
	s := typed(TypeObject)
	if !ts.result {
		s.AdditionalProperties = False()
	}
	for _, m := range ts.members(t, path) {
		if s.Properties == nil {
			s.Properties = map[string]*Schema{}
		}
		s.Properties[m.name] = ts.property(&m, join(path, m.goName), depth+1)
		if m.required && !ts.result || ts.result && !m.omitEmpty && !m.omitZero && !m.optional {
			s.Required = append(s.Required, m.name)
		}
	}
	delete(ts.open, t)
	if name, named := ts.names[t]; named {
		ts.defs[name] = s
		return ts.reference(t)
	}
	return s
}

// property is the schema of a struct's member inside an object.
func (ts *types) property(m *member, path string, depth int) *Schema {
	var s *Schema
	switch {
	case !ts.result:
		s = ts.parameterSchema(m, path, depth)
		ts.report(path, misplaced(m.tags, asProperty))
	case (m.omitEmpty || m.omitZero) && m.typ.Kind() == reflect.Pointer: // never nil itself
		s = ts.value(m.typ.Elem(), path, depth)
	default:
		s = ts.value(m.typ, path, depth)
	}
	if help := m.help(); help != "" {
		if deref(m.typ) == durationType {
			help = strings.TrimSuffix(help, ".") + " (" + durationUnit + ")"
		}
		s.Description = help
	}
	return s
}

// parameterSchema is the schema of an input's member at any level.
func (ts *types) parameterSchema(m *member, path string, depth int) *Schema {
	s := ts.schema(m.typ, path, depth)
	ts.report(path, ts.applyRules(s, m.typ, m.rules))
	orNull, err := yes(m.tags, "nullable")
	ts.report(path, err)
	if !orNull {
		return s
	}
	if m.typ.Kind() != reflect.Pointer {
		ts.mistake(path, "nullable: %s cannot be nil, want a pointer", m.typ)
	}
	return nullable(s)
}

// nullable is the schema that also allows null.
func nullable(s *Schema) *Schema {
	if s.Ref != "" {
		return &Schema{AnyOf: []*Schema{s, typed(TypeNull)}}
	}
	if len(s.Type) == 0 || s.Nullable() {
		return s
	}
	s.Type = append(s.Type, TypeNull)
	if s.Enum != nil {
		s.Enum = append(s.Enum, json.RawMessage("null"))
	}
	return s
}

// reference is the reference to a struct's definition.
func (ts *types) reference(t reflect.Type) *Schema {
	if _, named := ts.names[t]; !named {
		ts.names[t] = ts.freeName(t)
	}
	return &Schema{Ref: "#/$defs/" + ts.names[t]}
}

// freeName is the type's name, numbered when another package's type has it.
func (ts *types) freeName(t reflect.Type) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, t.Name())
	taken := map[string]bool{}
	for _, name := range ts.names {
		taken[name] = true
	}
	name := base
	for n := 2; taken[name]; n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

// unsupported says why a type has no schema.
func unsupported(t reflect.Type) error {
	if t.Kind() == reflect.Interface && (t.Implements(readerType) || t.Implements(writerType)) {
		return fmt.Errorf("%s: a stream is a field of type io.Reader or io.Writer of the input itself", t)
	}
	return fmt.Errorf("%s has no JSON form", t)
}
