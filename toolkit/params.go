package toolkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// readInput is the body's parameters made from the input type, and what is
// known of its types.
func readInput(t reflect.Type) (*Body, *types) {
	ts, body := newTypes(false), &Body{}
	switch {
	case t.Kind() != reflect.Struct:
		ts.mistake("", "the input %s is not a struct", t)
		return body, ts
	case ts.codesJSON(t) || ts.codesText(t):
		ts.mistake("", "the input %s decodes itself, so its fields are not parameters", t)
		return body, ts
	}
	for _, m := range ts.members(t, "") {
		ts.parameter(&m, body)
		if m.holdsFile() {
			ts.files = append(ts.files, fileField{"/" + pointerToken.Replace(m.name), m.index})
		}
	}
	body.Stdin, body.Stdout, body.Stderr = ts.slots["stdin"], ts.slots["stdout"], ts.slots["stderr"]
	slices.SortStableFunc(body.Options, func(a, b Option) int { return requiredFirst(a.Required, b.Required) })
	if len(ts.defs) > 0 {
		body.Input = &Schema{Defs: ts.defs, AdditionalProperties: False()}
	}
	return body, ts
}

func requiredFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// readGlobals are the options and flags of a Globals struct, or Globals that
// are data already.
func readGlobals(value any) (Globals, error) {
	switch value := value.(type) {
	case nil:
		return Globals{}, nil
	case Globals:
		return value, nil
	}
	body, ts := readInput(reflect.TypeOf(value))
	if len(body.Positionals) > 0 || body.Tail != nil {
		ts.mistake("", "globals are options and flags, not positionals")
	}
	if len(ts.slots) > 0 {
		ts.mistake("", "globals are options and flags, not streams")
	}
	if body.Input != nil {
		ts.mistake("", "a global cannot be of a type that refers to itself")
	}
	return Globals{Options: body.Options, Flags: body.Flags}, errors.Join(ts.mistakes...)
}

// parameter adds a member of the input to the body.
func (ts *types) parameter(m *member, body *Body) {
	path := m.goName
	s := ts.parameterSchema(m, path, 0)
	at := placeOf(m, s)
	ts.report(path, misplaced(m.tags, at))
	fallback, err := defaultValue(m, s)
	ts.report(path, err)
	if body.Tail != nil && (at == asPositional || at == asTail) {
		ts.mistake(path, "a positional after the list %s, which takes the rest of the line", body.Tail.Name)
		return
	}
	switch at {
	case asTail:
		body.Tail, err = readTail(m, s)
	case asPositional:
		err = readPositional(m, s, fallback, body)
	case asOption:
		err = readOption(m, s, fallback, body)
	default:
		err = readFlag(m, s, fallback, at, body)
	}
	ts.report(path, err)
}

// placeOf decides what a member becomes: its type does, unless the tag arg or
// flag says otherwise.
func placeOf(m *member, s *Schema) place {
	_, onLine := m.tags["arg"]
	switch {
	case onLine && s.Items != nil:
		return asTail
	case onLine:
		return asPositional
	case m.tags["flag"] == "count":
		return asCount
	case s.Kind() == TypeBoolean:
		return asFlag
	}
	return asOption
}

func readPositional(m *member, s *Schema, fallback json.RawMessage, body *Body) error {
	at, err := parsePlacement(m.tags["arg"])
	if err == nil && at != (placement{}) {
		err = errors.New("arg: separator and verbatim are for a list")
	}
	secret, secretErr := yes(m.tags, "secret")
	body.Positionals = append(body.Positionals, Positional{
		Name: m.name, Help: m.help(), ValueName: valueName(m), Schema: s,
		Default: fallback, Required: m.required, Secret: secret,
	})
	return errors.Join(err, secretErr)
}

// readTail is the list that takes the rest of the line. A required one has at
// least one element: words are the only sign of its presence on a line.
func readTail(m *member, s *Schema) (*Tail, error) {
	at, err := parsePlacement(m.tags["arg"])
	tail := &Tail{Name: m.name, Help: m.help(), Item: s.Items, Separator: at.separator, Verbatim: at.verbatim}
	if s.MinItems != nil {
		tail.Min = *s.MinItems
	}
	if s.MaxItems != nil {
		tail.Max = *s.MaxItems
	}
	if m.required {
		tail.Min = max(tail.Min, 1)
	}
	return tail, err
}

func readOption(m *member, s *Schema, fallback json.RawMessage, body *Body) error {
	shape, shapeErr := readShape(m, s)
	aliases, aliasErr := parseAliases(m.tags)
	secret, secretErr := yes(m.tags, "secret")
	body.Options = append(body.Options, Option{
		Name: m.name, Short: m.tags["short"], Aliases: aliases, Help: m.help(), ValueName: valueName(m),
		Schema: s, Shape: shape, Default: fallback, Required: m.required, Env: m.tags["env"], Secret: secret,
	})
	return errors.Join(shapeErr, aliasErr, secretErr)
}

// readShape reads the tags sep, duplicate and optional.
func readShape(m *member, s *Schema) (Shape, error) {
	var shape Shape
	var sepErr error
	isList, isMap := s.Items != nil, s.Kind() == TypeObject && deref(m.typ).Kind() == reflect.Map
	isObject := s.Kind() == TypeObject || s.Kind() == "" // not one word of the line
	if text, given := m.tags["sep"]; given {
		shape.Delimiter, shape.Repeats, sepErr = parseSep(text)
		if !isList {
			sepErr = fmt.Errorf("sep: %s is not a list", m.typ)
		}
	}
	duplicate, duplicateErr := word(m.tags, "duplicate", "reject", "last-wins")
	shape.LastWins = duplicate == "last-wins"
	if duplicate != "" && !isMap {
		duplicateErr = fmt.Errorf("duplicate: %s is not a map", m.typ)
	}
	optional, optionalErr := word(m.tags, "optional", "value")
	shape.Optional = optional == "value"
	if shape.Optional && (isList || isObject) {
		optionalErr = fmt.Errorf("optional: %s is not a single value", m.typ)
	}
	return shape, errors.Join(sepErr, duplicateErr, optionalErr)
}

func readFlag(m *member, s *Schema, fallback json.RawMessage, at place, body *Body) error {
	form, formErr := word(m.tags, "flag", "negatable", "plain", "count")
	aliases, aliasErr := parseAliases(m.tags)
	flag := Flag{
		Name: m.name, Short: m.tags["short"], Aliases: aliases, Help: m.help(), Env: m.tags["env"],
		Default: fallback, Required: m.required, Plain: form == "plain", Count: at == asCount, Nullable: s.Nullable(),
	}
	if flag.Count {
		if s.Kind() != TypeInteger {
			formErr = fmt.Errorf("flag: a count is an integer, not %s", m.typ)
		}
		// A maximum that no int holds is as good as none.
		if limit, err := strconv.Atoi(s.Maximum.String()); err == nil {
			flag.Max = limit
		}
	}
	body.Flags = append(body.Flags, flag)
	return errors.Join(formErr, aliasErr)
}

// valueName is what help calls the value, or each of a list. A duration is an
// integer in JSON, whose unit nobody would guess.
func valueName(m *member) string {
	name, given := m.tags["value"]
	t := deref(m.typ)
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = deref(t.Elem())
	}
	switch {
	case given:
		return name
	case t == durationType:
		return durationUnit
	case t == fileType || t == outFileType:
		return "file"
	}
	return ""
}

// defaultValue is the JSON of the tag default, whose text the parameter's type
// decides: text for what is a string in JSON, else a JSON value.
func defaultValue(m *member, s *Schema) (json.RawMessage, error) {
	text, given := m.tags["default"]
	if !given {
		return nil, nil
	}
	raw := json.RawMessage(text)
	if s.Kind() == TypeString {
		raw = encodeText(text)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(reflect.New(m.typ).Interface()); err != nil {
		return nil, fmt.Errorf("default: %q is not %s", text, wanted(s, m.typ))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, errors.New("default: more than one JSON value")
	}
	return compact.Bytes(), nil
}

// wanted names what a parameter takes, for messages.
func wanted(s *Schema, t reflect.Type) string {
	t = deref(t)
	switch s.Kind() {
	case TypeBoolean:
		return "true or false"
	case TypeArray:
		return `a JSON array such as ["a"]`
	case TypeObject:
		return `a JSON object such as {"a":1}`
	case TypeInteger, TypeNumber:
		return fmt.Sprintf("%s of type %s", article(s.Kind()), t)
	case TypeString:
		return "a valid " + t.String()
	}
	return "JSON"
}
