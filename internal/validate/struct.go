package validate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// maxProblems is how many problems one error lists. A list may have a million
// bad elements, and the error is an answer to a guest.
const maxProblems = 100

// Struct validates the value that the input was decoded into, a struct or a
// pointer to one; a value of another kind has no rules. The error is nil or a
// VALIDATION_ERROR whose Details are []toolkit.Problem. Tags that Vet would have
// reported, and rules that panic, are an INTERNAL_ERROR.
func Struct(v any, input json.RawMessage) *toolkit.Error {
	c, fault := examine(v, input)
	if fault != nil {
		return fault
	}
	return c.fault()
}

// examine gathers what is wrong with the value. The error is that nobody can tell.
func examine(v any, input json.RawMessage) (c *check, fault *toolkit.Error) {
	c = &check{}
	value := indirect(reflect.ValueOf(v))
	if value.Kind() != reflect.Struct {
		return c, nil
	}
	plan := planOf(value.Type())
	switch {
	case plan.err != nil:
		return c, faulty()
	case plan.root == nil:
		return c, nil
	}
	doc, err := strictjson.Parse(input)
	if err != nil {
		return c, &toolkit.Error{Code: toolkit.CodeValidationError, Message: err.Error()}
	}
	// A rule may call methods of the input's own types.
	defer func() {
		if recover() != nil {
			fault = faulty()
		}
	}()
	c.value(plan.root, value, doc, nil, &place{})
	return c, nil
}

// faulty says nothing of the rule or the panic: that is the host's, and the
// error reaches a guest.
func faulty() *toolkit.Error {
	return &toolkit.Error{Code: toolkit.CodeInternalError, Message: "the validation rules of this tool's input are faulty"}
}

// indirect is what the pointers and interfaces lead to; a nil one is left as it is.
func indirect(v reflect.Value) reflect.Value {
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	return v
}

// check is one validation: the walk over value and JSON side by side, and what
// it has found.
type check struct {
	problems []toolkit.Problem
	messages []string
	more     bool // than maxProblems
}

// add records a problem. The text is the message without its path.
func (c *check) add(problem toolkit.Problem, text string) {
	if len(c.problems) == maxProblems {
		c.more = true
		return
	}
	if problem.Path != "" {
		text = problem.Path + ": " + text
	}
	c.problems = append(c.problems, problem)
	c.messages = append(c.messages, text)
}

func (c *check) fault() *toolkit.Error {
	if len(c.problems) == 0 {
		return nil
	}
	message := strings.Join(c.messages, "; ")
	if c.more {
		message += "; and more"
	}
	return &toolkit.Error{Code: toolkit.CodeValidationError, Message: message, Details: c.problems}
}

// value checks a value against the rules at its place and all below. Parent is
// the struct that cross-field rules refer to.
func (c *check) value(n *node, v reflect.Value, doc *strictjson.Value, parent any, at *place) {
	if n == nil || c.more || doc.Kind == strictjson.Null && isNil(v) {
		return
	}
	c.rules(n, n.rules, v, parent, at, false)
	v = indirect(v)
	switch {
	case n.object != nil && v.Kind() == reflect.Struct && doc.Kind == strictjson.Object:
		c.object(n.object, v, doc, at)
	case n.elem == nil:
	case v.Kind() == reflect.Map && doc.Kind == strictjson.Object:
		c.entries(n, v, doc, parent, at)
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && doc.Kind == strictjson.Array:
		for i, elem := range doc.Elems[:min(len(doc.Elems), v.Len())] {
			c.value(n.elem, v.Index(i), elem, parent, at.element(i))
		}
	}
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// entries checks the keys and values of a map.
func (c *check) entries(n *node, v reflect.Value, doc *strictjson.Value, parent any, at *place) {
	for _, member := range doc.Members {
		key, ok := mapKey(v.Type().Key(), member.Name)
		if !ok || !v.MapIndex(key).IsValid() {
			continue
		}
		here := at.member(member.Name, false)
		c.rules(n, n.keys, key, parent, here, true)
		c.value(n.elem, v.MapIndex(key), member.Value, parent, here)
	}
}

// object checks the fields of a struct against the members of an object.
func (c *check) object(o *object, v reflect.Value, doc *strictjson.Value, at *place) {
	parent := v.Interface()
	for i := range o.fields {
		f := &o.fields[i]
		here := at.member(f.name, f.secret)
		member := doc.Get(f.name)
		for j := range f.demands {
			if f.demands[j].isBroken(member != nil, doc, parent) {
				c.addDemand(&f.demands[j], f, here)
			}
		}
		if member == nil {
			continue
		}
		// The error is a nil embedded pointer: the key belongs to no field.
		if value, err := v.FieldByIndexErr(f.index); err == nil {
			c.value(f.value, value, member, parent, here)
		}
	}
	c.folded(o, doc, at)
}

// folded reports names that encoding/json takes for a field although their case
// differs: the field was judged absent, but decoded.
func (c *check) folded(o *object, doc *strictjson.Value, at *place) {
	for _, member := range doc.Members {
		if o.names[member.Name] {
			continue
		}
		for i := range o.fields {
			if name := o.fields[i].name; strings.EqualFold(name, member.Name) {
				here := at.member(member.Name, false)
				c.add(toolkit.Problem{Path: here.String(), Expected: name}, fmt.Sprintf("unknown, nearest: %s", name))
			}
		}
	}
}
