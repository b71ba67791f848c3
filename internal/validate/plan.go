package validate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// plan is what there is to check in a type. It is made once per type and never
// changes after that.
type plan struct {
	root *node // nil when there is nothing
	err  error // what is wrong with the tags
}

// node is what there is to check at one place of an input.
type node struct {
	rules    string // validator's rules of the value, without those of presence
	keys     string // validator's rules of a map's keys
	isStruct bool   // validator is asked in another way, see run
	elem     *node  // of a list or map
	object   *object
}

// object is what there is to check in a struct.
type object struct {
	fields []field
	// names are the names of all fields, also of those without rules.
	names map[string]bool
}

// field is a field with something to check.
type field struct {
	name     string
	index    []int // for reflect.Value.FieldByIndexErr
	demands  []demand
	value    *node
	secret   bool
	jsonType string
}

// plans holds a *plan per struct type.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	b := &builder{objects: map[reflect.Type]*object{}, nodes: map[reflect.Type]*node{}}
	root := b.node(t, nil, t, "")
	b.prune()
	made := &plan{err: errors.Join(b.errs...)}
	if reaches(root, map[*node]bool{}) {
		made.root = root
	}
	known, _ := plans.LoadOrStore(t, made)
	return known.(*plan)
}

// Vet reports what is wrong with the validate tags of a struct, or of the struct
// that a pointer is of: unknown rules, parameters that cannot be read, rules that
// do not fit the field's type, names of fields that do not exist. It is nil for
// values of other kinds.
func Vet(v any) error {
	if v == nil {
		return nil
	}
	t := base(reflect.TypeOf(v))
	if t.Kind() != reflect.Struct {
		return nil
	}
	return planOf(t).err
}

// builder makes the nodes of one plan. Types may contain themselves, so what has
// been begun is found by its type.
type builder struct {
	objects map[reflect.Type]*object
	nodes   map[reflect.Type]*node // those without rules of their own
	errs    []error
}

func (b *builder) report(path string, err error) {
	b.errs = append(b.errs, fmt.Errorf("%s: %w", path, err))
}

// node is the node of a type under the rules of a tag. Holder is the struct that
// cross-field rules refer to, path says where it is in errors.
func (b *builder) node(t reflect.Type, levels []level, holder reflect.Type, path string) *node {
	t = base(t)
	n := &node{isStruct: isStruct(t)}
	if len(levels) > 0 {
		n.rules = b.vetted(levels[0].rules, t, holder, path)
		levels = levels[1:]
	} else {
		if known := b.nodes[t]; known != nil {
			return known
		}
		b.nodes[t] = n
	}
	switch kind := t.Kind(); {
	case isOpaque(t):
	case kind == reflect.Struct:
		n.object = b.object(t, path)
	case kind == reflect.Map && len(levels) > 0:
		n.keys = b.vetted(levels[0].keys, t.Key(), holder, path)
		n.elem = b.node(t.Elem(), levels, holder, path)
		return n
	case kind == reflect.Map || kind == reflect.Slice || kind == reflect.Array:
		n.elem = b.node(t.Elem(), levels, holder, path)
		return n
	case kind == reflect.Interface && len(levels) > 0:
		n.elem = b.node(t, levels, holder, path)
		return n
	}
	if len(levels) > 0 {
		b.report(path, errors.New("rule \"dive\" is for lists and maps"))
	}
	return n
}

// isStruct reports whether validator takes the type for a struct with fields.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.ConvertibleTo(timeType)
}

func (b *builder) object(t reflect.Type, path string) *object {
	if known := b.objects[t]; known != nil {
		return known
	}
	o := &object{names: map[string]bool{}}
	b.objects[t] = o
	for _, wire := range wireFields(t) {
		o.names[wire.name] = true
		o.fields = append(o.fields, b.field(t, wire, strings.TrimPrefix(path+"."+wire.name, ".")))
	}
	return o
}

func (b *builder) field(holder reflect.Type, wire wireField, path string) field {
	f := field{
		name: wire.name, index: wire.path, jsonType: jsonType(wire.Type),
		secret: wire.Tag.Get("secret") == "true",
	}
	tag, err := parseTag(wire.Tag.Get("validate"))
	if err != nil {
		b.report(path, err)
	}
	f.demands = tag.demands
	for i := range f.demands {
		if err := f.demands[i].bind(holder); err != nil {
			b.report(path, err)
		}
	}
	if tag.closed {
		t := base(wire.Type)
		f.value = &node{isStruct: isStruct(t), rules: b.vetted(tag.levels[0].rules, t, holder, path)}
	} else {
		f.value = b.node(wire.Type, tag.levels, holder, path)
	}
	return f
}

// vetted joins rules after trying each alone on a value of the type.
func (b *builder) vetted(rules []string, t, holder reflect.Type, path string) string {
	for _, rule := range rules {
		if err := try(rule, t, holder); err != nil {
			b.report(path, err)
		}
	}
	return strings.Join(rules, ",")
}

// prune drops the fields with nothing to check, so that no call walks through them.
func (b *builder) prune() {
	for _, o := range b.objects {
		for i := range o.fields {
			if !reaches(o.fields[i].value, map[*node]bool{}) {
				o.fields[i].value = nil
			}
		}
		o.fields = slices.DeleteFunc(o.fields, func(f field) bool { return f.value == nil && len(f.demands) == 0 })
	}
}

// reaches reports whether there is anything to check at the node or below.
func reaches(n *node, seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.rules != "" || n.keys != "" || reaches(n.elem, seen) {
		return true
	}
	return n.object != nil && slices.ContainsFunc(n.object.fields, func(f field) bool {
		return len(f.demands) > 0 || reaches(f.value, seen)
	})
}
