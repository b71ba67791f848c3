package validate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

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
	return v
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
	broken, ok := errors.AsType[validator.ValidationErrors](run(rules, v.Interface(), parent, n.isStruct && !isKey))
	if !ok {
		return
	}
	for _, rule := range broken {
		expected, got := inWords(rule, reflect.TypeOf(parent))
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
}

// try runs a rule on a value of the type, for the panic that validator answers a
// bad rule with.
func try(rule string, t, holder reflect.Type) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = badRule(rule, fmt.Sprint(reason))
		}
	}()
	name, param, _ := strings.Cut(rule, "=")
	if slices.Contains(crossField, name) {
		if _, ok := wirePath(holder, param); !ok {
			return fmt.Errorf("rule %q names no field %s", rule, param)
		}
	}
	if name == "validateFn" { // a method of the user's, which may not expect an empty value
		return nil
	}
	_ = run(rule, sample(t).Interface(), reflect.Zero(holder).Interface(), isStruct(t))
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

// sample is the type's zero value, a list with one element so that rules of
// elements have something to look at.
func sample(t reflect.Type) reflect.Value {
	if t.Kind() == reflect.Slice {
		return reflect.MakeSlice(t, 1, 1)
	}
	return reflect.Zero(t)
}
