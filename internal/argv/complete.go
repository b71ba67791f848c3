package argv

import (
	"encoding/json"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Complete judges the input of the command at the path as if nobody had before,
// and adds the defaults: those declared for parameters that are absent, and those
// of absent properties inside of objects that are given. The result is canonical
// JSON (see [strictjson.Value.Append]), in which an integer 5.0 is 5. The error is
// a *toolkit.Error: VALIDATION_ERROR with all problems as Details, or
// TOOL_NOT_FOUND when the path leads to no command that can be called.
func Complete(def *toolkit.Definition, path []string, input json.RawMessage) (json.RawMessage, error) {
	s, notFound := callable(def, path)
	if notFound != nil {
		return nil, notFound
	}
	value, problems := complete(s, input)
	if err := problems.err(); err != nil {
		err.Code = toolkit.CodeValidationError
		c := &correction{program: "agentos-" + def.Name, scope: s, problems: problems}
		if len(input) <= maxMended {
			c.input, _ = objectOf(input)
		}
		c.bare = c.input != nil && len(c.input.Members) == 0
		err.Hint = c.hint()
		return nil, err
	}
	return value.Append(nil), nil
}

// callable is the scope of a command that has a body.
func callable(def *toolkit.Definition, path []string) (*scope, *toolkit.Error) {
	s := newScope(def)
	for i, name := range path {
		child := s.child(name)
		if child == nil {
			return nil, unknownTool(s, strings.Join(path[i:], " "))
		}
		s.enter(child)
	}
	if s.body() == nil {
		return nil, unknownTool(s, "")
	}
	return s, nil
}

// complete is the input with defaults, and what is wrong with it. The value is
// nil when it cannot be read.
func complete(s *scope, input []byte) (*strictjson.Value, *problems) {
	problems := &problems{}
	value, f := objectOf(input)
	if f != nil {
		problems.add("", "input", f)
		return nil, problems
	}
	c := &checker{refs: s.refs(), problems: problems}
	c.constraints(s, value)
	for _, p := range s.params {
		if given := value.Get(p.wire); given != nil {
			c.fill(p.schema, given)
		} else if fallback, err := strictjson.Parse(p.fallback); len(p.fallback) > 0 && err == nil {
			value.Set(p.wire, fallback)
		}
	}
	c.input(s, value)
	return value, problems
}

// fill adds the defaults of absent properties to the objects inside of a given
// value.
func (r refs) fill(schema *toolkit.Schema, v *strictjson.Value) {
	switch v.Kind {
	case strictjson.Array:
		if items := r.plain(schema).Items; items != nil {
			for _, elem := range v.Elems {
				r.fill(items, elem)
			}
		}
	case strictjson.Object:
		r.fillObject(r.plain(schema), v)
	}
}

func (r refs) fillObject(schema *toolkit.Schema, v *strictjson.Value) {
	for _, member := range v.Members {
		if property := schema.Properties[member.Name]; property != nil {
			r.fill(property, member.Value)
		} else if isOpen(schema) {
			r.fill(schema.AdditionalProperties, member.Value)
		}
	}
	for name, property := range schema.Properties {
		if property == nil || len(property.Default) == 0 || v.Get(name) != nil {
			continue
		}
		if fallback, err := strictjson.Parse(property.Default); err == nil {
			v.Set(name, fallback)
		}
	}
}
