package argv

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// descend follows a dotted path into an object's schema. It returns the path in
// wire names and the schema at its end.
func (r refs) descend(schema *toolkit.Schema, path []string) ([]string, *toolkit.Schema, *fault) {
	schema = r.plain(schema)
	var names []string
	for len(path) > 0 {
		name, next, used := r.member(schema, path)
		if next == nil {
			f := unknownKey(path[0], schema)
			f.below = strings.Join(append(names, path[0]), ".")
			f.usage = true
			return nil, nil, f
		}
		names, schema, path = append(names, name), r.plain(next), path[used:]
	}
	return names, schema, nil
}

// member is the property that the first segments of the path name, with its
// schema and the number of segments. A key of a map of scalars may hold dots
// itself, since nothing can be below it.
func (r refs) member(schema *toolkit.Schema, path []string) (name string, next *toolkit.Schema, used int) {
	if name, next = property(schema, path[0]); next != nil {
		return name, next, 1
	}
	if !isOpen(schema) || invalidAt(path[0]) >= 0 {
		return "", nil, 0
	}
	next = schema.AdditionalProperties
	if kindOf(r.plain(next)) == toolkit.TypeObject {
		return path[0], next, 1
	}
	return strings.Join(path, "."), next, len(path)
}

// property is the one that the segment names exactly, else by its kebab or snake
// form, where only one does.
func property(schema *toolkit.Schema, segment string) (name string, found *toolkit.Schema) {
	if exact := schema.Properties[segment]; exact != nil {
		return segment, exact
	}
	for wire, sub := range schema.Properties {
		if toolkit.CLIName(wire) == segment || toolkit.SnakeName(wire) == segment {
			if found != nil {
				return "", nil
			}
			name, found = wire, sub
		}
	}
	return name, found
}

// unknownKey is the fault of a key that the object does not have.
func unknownKey(key string, schema *toolkit.Schema) *fault {
	names := slices.Sorted(maps.Keys(schema.Properties))
	return unknownName("unknown key", key, names, "a key of an object in JSON")
}

// maxNamesTold is how many names an error lists.
const maxNamesTold = 30

// unknownName is the fault of a name that is none of these, with the nearest.
func unknownName(what, name string, names []string, otherwise string) *fault {
	f := &fault{got: shortened(name), expected: otherwise, clause: what}
	if near := Nearest(name, names); len(near) > 0 {
		f.clause += ", nearest " + strings.Join(near, ", ")
	}
	if len(names) > 0 {
		f.expected = "one of " + capped(names, maxNamesTold)
		f.clause += ", expected " + f.expected
	}
	return f
}

// partsFromOutside are the parts, those of outer objects before those in them.
func (g *given) partsFromOutside() []*part {
	parts := make([]*part, len(g.parts))
	for i := range g.parts {
		parts[i] = &g.parts[i]
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return len(a.path) - len(b.path) })
	return parts
}

// final is the parameter's value: what the line gives, whole or in parts. Parts
// alone replace only their own paths of what JSON gives.
func (g *given) final(json *strictjson.Value) (*strictjson.Value, *fault) {
	if len(g.parts) == 0 {
		return g.value, nil
	}
	line := strictjson.NewObject()
	if g.value != nil {
		line = clone(g.value)
	}
	for _, p := range g.partsFromOutside() {
		before, ok := lookUp(line, p.path)
		if !g.param.shape.LastWins && (!ok || before != nil && !equal(before, p.value)) {
			return nil, g.twice(before, p.value, strings.Join(p.path, "."))
		}
		put(line, p.path, p.value)
	}
	if g.value != nil || json == nil || json.Kind != strictjson.Object {
		return line, nil
	}
	merged := clone(json)
	for _, p := range g.parts {
		put(merged, p.path, p.value)
	}
	return merged, nil
}

// lookUp is the value at the path, nil when there is none. Where something that
// is no object stands in the way, ok is false and the value is that.
func lookUp(v *strictjson.Value, path []string) (found *strictjson.Value, ok bool) {
	for _, name := range path {
		if v.Kind != strictjson.Object {
			return v, false
		}
		if v = v.Get(name); v == nil {
			return nil, true
		}
	}
	return v, true
}

// put sets the value at the path. What is no object on the way becomes one.
func put(v *strictjson.Value, path []string, value *strictjson.Value) {
	for _, name := range path[:len(path)-1] {
		next := v.Get(name)
		if next == nil || next.Kind != strictjson.Object {
			next = strictjson.NewObject()
			v.Set(name, next)
		}
		v = next
	}
	v.Set(path[len(path)-1], value)
}

// clone is a deep copy.
func clone(v *strictjson.Value) *strictjson.Value {
	copied := *v
	copied.Elems = slices.Clone(v.Elems)
	for i, elem := range copied.Elems {
		copied.Elems[i] = clone(elem)
	}
	copied.Members = slices.Clone(v.Members)
	for i, member := range copied.Members {
		copied.Members[i].Value = clone(member.Value)
	}
	return &copied
}
