package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-playground/validator/v10"

	"github.com/agentos-go/agentos/toolkit"
)

// engine evaluates single values. It never looks at the tags of a struct's
// fields, since those hold rules of presence that are not validator's here: the
// tag that it is told to read does not exist.
var engine = newEngine()

func newEngine() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.SetTagName("agentos-none")
	v.RegisterCustomTypeFunc(numeric, json.Number(""))
	_ = v.RegisterValidation("datetime", isWrittenLike) // which only a rule without a name fails
	return v
}

// isWrittenLike is the rule datetime. For the layouts of RFC 3339 it is the format
// date-time, which the schema of such a field has: the layouts know no leap second and
// no small t and z.
func isWrittenLike(field validator.FieldLevel) bool {
	value, layout := field.Field(), field.Param()
	if value.Kind() != reflect.String {
		panic(fmt.Sprintf("Bad field type %s", value.Type()))
	}
	if layout == time.RFC3339 || layout == time.RFC3339Nano {
		return isDateTime(value.String())
	}
	_, err := time.Parse(layout, value.String())
	return err == nil
}

// run applies rules to a value; parent is the struct of cross-field rules. Rules
// on a struct are run by VarWithKey, which has no parent to compare with: every
// other function of validator skips them.
func run(rules string, value, parent any, isStruct bool) error {
	if isStruct {
		return engine.VarWithKeyCtx(context.Background(), "value", value, rules)
	}
	return engine.VarWithValue(value, parent, rules)
}

// rules applies rules to a value and records the first that it breaks.
func (c *check) rules(n *node, rules string, v reflect.Value, parent any, at *place, isKey bool) {
	if rules == "" {
		return
	}
	isStruct := n.isStruct && !isKey
	var broken *broken
	if isOpen(v.Type()) {
		broken = breaksOpen(rules, v, parent, isStruct)
	} else {
		broken = breaks(rules, v.Interface(), parent, isStruct)
	}
	if broken == nil {
		return
	}
	expected, got := inWords(broken, reflect.TypeOf(parent))
	if at.secret {
		got = ""
	}
	text := "must be " + expected
	if isKey {
		text, expected = "name "+text, "a name that is "+expected
	}
	if got != "" {
		text += ", got " + got
	}
	c.add(toolkit.Problem{Path: at.String(), Got: got, Expected: expected}, text)
}

// broken is a rule and the value that breaks it.
type broken struct {
	rule  string // with alternatives, as in a|b=1
	param string // of the rule, where there are no alternatives
	value any
}

// breaks is the first of the rules that the value breaks, or nil. It panics as
// validator does.
func breaks(rules string, value, parent any, isStruct bool) *broken {
	found, ok := errors.AsType[validator.ValidationErrors](run(rules, value, parent, isStruct))
	if !ok {
		return nil
	}
	return &broken{rule: found[0].Tag(), param: found[0].Param(), value: found[0].Value()}
}

// try runs a rule on a value of the type, for the panic that validator answers a
// bad rule with. It is enough that the rule is for one of the values.
func try(rule string, t, holder reflect.Type) (err error) {
	name, param, _ := strings.Cut(rule, "=")
	if slices.Contains(crossField, name) {
		if _, ok := wirePath(holder, param); !ok {
			return fmt.Errorf("rule %q names no field %s", rule, param)
		}
	}
	if name == "validateFn" { // a method of the user's, which may not expect an empty value
		return nil
	}
	for _, value := range samples(t) {
		if err = tryValue(rule, value, holder, isStruct(t)); err == nil {
			return nil
		}
	}
	return err
}

func tryValue(rule string, value any, holder reflect.Type, isStruct bool) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = badRule(rule, fmt.Sprint(reason))
		}
	}()
	_ = run(rule, value, reflect.Zero(holder).Interface(), isStruct)
	return nil
}

// crossField are the rules whose parameter is a field.
var crossField = []string{
	"eqfield", "nefield", "gtfield", "gtefield", "ltfield", "ltefield", "fieldcontains", "fieldexcludes",
	"eqcsfield", "necsfield", "gtcsfield", "gtecsfield", "ltcsfield", "ltecsfield",
}

func badRule(rule, reason string) error {
	if strings.HasPrefix(reason, "Undefined validation function") {
		return fmt.Errorf("unknown rule %q", rule)
	}
	return fmt.Errorf("rule %q does not fit: %s", rule, reason)
}

// samples are values that the type may have: its zero value, a list with one element
// so that rules of elements have something to look at, and of a type that leaves it to
// the input one of each that JSON has.
func samples(t reflect.Type) []any {
	switch {
	case t == numberType:
		return []any{int64(0), 0.0}
	case t.Kind() == reflect.Interface:
		return []any{"", int64(0), 0.0, false, []any{nil}, map[string]any{}}
	case t.Kind() == reflect.Slice:
		return []any{reflect.MakeSlice(t, 1, 1).Interface()}
	}
	return []any{reflect.Zero(t).Interface()}
}
