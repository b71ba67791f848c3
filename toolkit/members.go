package toolkit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// member is a field of a Go struct as JSON sees it.
type member struct {
	name      string // key in JSON
	key       []byte // the name as it is written, colon included
	goName    string // for messages, with the embedded structs that lead to it
	typ       reflect.Type
	index     []int // for reflect.Value.FieldByIndex
	tags      map[string]string
	rules     [][]rule // of the tag validate, by level: the value, its elements, theirs
	tagged    bool     // the name comes from a json tag
	omitEmpty bool
	omitZero  bool
	required  bool
	optional  bool // it is in an embedded struct that may be nil
}

// help is the member's description. The tag jsonschema, read when help is
// absent, is a plain description in the MCP Go SDK.
func (m *member) help() string {
	if help, ok := m.tags["help"]; ok {
		return help
	}
	return m.tags["jsonschema"]
}

// hasDefault reports whether the member has a default.
func (m *member) hasDefault() bool {
	_, ok := m.tags["default"]
	return ok
}

// members are the struct's members in declared order. Embedded structs are
// inlined by the rules of encoding/json: the shallowest name wins, among
// several a tagged one. What encoding/json would drop as ambiguous is reported.
func (ts *types) members(t reflect.Type, path string) []member {
	if known, ok := ts.structs[t]; ok {
		return known
	}
	found := ts.collect(t, path)
	byName := map[string][]member{}
	for _, m := range found {
		byName[m.name] = append(byName[m.name], m)
	}
	list := []member{}
	for _, m := range found {
		rivals := dominant(byName[m.name])
		switch {
		case !slices.Equal(rivals[0].index, m.index):
		case len(rivals) > 1:
			ts.mistake(join(path, m.goName), "the name %q is also that of %s", m.name, rivals[1].goName)
		default:
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b member) int { return slices.Compare(a.index, b.index) })
	ts.structs[t] = list
	return list
}

// dominant are those of several members of one name that hide the others; they
// are more than one when the name is ambiguous. Shallower ones come first.
func dominant(rivals []member) []member {
	deeper := func(m member) bool { return len(m.index) > len(rivals[0].index) }
	top := slices.DeleteFunc(slices.Clone(rivals), deeper)
	tagged := slices.DeleteFunc(slices.Clone(top), func(m member) bool { return !m.tagged })
	if len(tagged) > 0 {
		return tagged
	}
	return top
}

// embedded is a struct whose members are inlined in an outer one.
type embedded struct {
	typ      reflect.Type
	index    []int
	goName   string
	mayBeNil bool // a pointer leads to it
}

// collect are all members of the struct and of those embedded in it, level by
// level, so that shallower ones come first.
func (ts *types) collect(t reflect.Type, path string) []member {
	var found []member
	seen := map[reflect.Type]bool{}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		for _, e := range level {
			sdk := followsSDK(e.typ)
			for i := range e.typ.NumField() {
				field := e.typ.Field(i)
				index := append(slices.Clone(e.index), i)
				goName := join(e.goName, field.Name)
				if isStream(field.Type) && field.IsExported() && path == "" && !ts.result {
					ts.stream(field, index, goName)
					continue
				}
				m, inner := ts.member(field, sdk, join(path, goName))
				switch {
				case inner != nil:
					mayBeNil := e.mayBeNil || field.Type.Kind() == reflect.Pointer
					next = append(next, embedded{inner, index, goName, mayBeNil})
				case m != nil:
					m.index, m.goName, m.optional = index, goName, e.mayBeNil
					found = append(found, *m)
				}
			}
		}
		for _, e := range level {
			seen[e.typ] = true
		}
		level = slices.DeleteFunc(next, func(e embedded) bool { return seen[e.typ] })
	}
	return found
}

// member reads one field at the path: a member, or the struct that is inlined
// in its place, or neither for a field that JSON does not see.
func (ts *types) member(field reflect.StructField, sdk bool, path string) (m *member, inner reflect.Type) {
	tags, err := parseTag(field.Tag)
	ts.report(path, err)
	name, options, _ := strings.Cut(tags["json"], ",")
	if name == "-" && tags["json"] == "-" {
		return nil, nil
	}
	base := deref(field.Type)
	if field.Anonymous && name == "" && base.Kind() == reflect.Struct {
		if !field.IsExported() && field.Type.Kind() == reflect.Pointer {
			ts.mistake(path, "an embedded pointer to an unexported struct cannot be decoded")
			return nil, nil
		}
		return nil, base
	}
	if !field.IsExported() {
		if tags["json"] != "" {
			ts.mistake(path, "an unexported field is never read")
		}
		return nil, nil
	}
	m = &member{name: name, typ: field.Type, tags: tags, tagged: name != ""}
	if name == "" {
		m.name = field.Name
	}
	m.key = append(encodeText(m.name), ':')
	ts.report(path, m.readJSON(options))
	ts.report(path, m.readRules(sdk))
	return m, nil
}

// readJSON reads what follows the name in the tag json.
func (m *member) readJSON(options string) error {
	if strings.ContainsAny(m.name, "\"'`\\") {
		return fmt.Errorf("json: the name %q has a quote or backslash", m.name)
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			m.omitEmpty = true
		case "omitzero":
			m.omitZero = true
		default:
			return fmt.Errorf("json: the option %q is not supported, only omitempty and omitzero are", option)
		}
	}
	return nil
}

// readRules reads the tags that decide presence. A default makes the member
// optional whatever else is said.
func (m *member) readRules(sdk bool) error {
	m.rules = parseRules(m.tags["validate"])
	m.required = hasRule(m.rules[0], "required") || sdk && !m.omitEmpty && !m.omitZero
	if m.hasDefault() {
		m.required = false
	}
	before, _, isPair := strings.Cut(m.tags["jsonschema"], "=")
	if isPair && !strings.ContainsAny(before, " \t\n") {
		return fmt.Errorf("jsonschema: %q looks like a keyword, want a plain description", before+"=")
	}
	return nil
}

// followsSDK reports whether the struct was written for the MCP Go SDK, whose
// fields are required unless they are omitempty or omitzero.
func followsSDK(t reflect.Type) bool {
	described := false
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if _, ok := tag.Lookup("validate"); ok {
			return false
		}
		if _, ok := tag.Lookup("jsonschema"); ok {
			described = true
		}
	}
	return described
}

// deref is the type that pointers lead to, or the type itself. The bound is for
// type P *P, which leads nowhere.
func deref(t reflect.Type) reflect.Type {
	for range maxNesting {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

// join appends a field's name to the path of the struct that it is in.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
