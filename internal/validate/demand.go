package validate

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// demand is a rule about presence: required or excluded, always or depending on
// other fields.
type demand struct {
	rule     string // as in the tag
	excluded bool   // the field must be absent
	trigger  string // one of triggers
	// params are Go fields for the triggers with and without, pairs of field and
	// value for if and unless.
	params []string
	// others are the wire paths of the fields among params.
	others [][]string
}

// parameter matches a parameter of a rule that takes several, as validator does.
var parameter = regexp.MustCompile(`'[^']*'|\S+`)

func newDemand(rule string) demand {
	name, params, _ := strings.Cut(rule, "=")
	family, trigger, _ := strings.Cut(name, "_")
	if family == "skip" {
		trigger = "if" // validator's skip_unless is its required_if under another name
	}
	d := demand{rule: rule, excluded: family == "excluded", trigger: trigger}
	for _, param := range parameter.FindAllString(params, -1) {
		d.params = append(d.params, strings.ReplaceAll(param, "'", ""))
	}
	return d
}

// isConditional reports whether the demand compares values, which is validator's task.
func (d *demand) isConditional() bool { return d.trigger == "if" || d.trigger == "unless" }

// bind resolves the fields that the demand names in the struct type.
func (d *demand) bind(t reflect.Type) error {
	step := 1
	if d.isConditional() {
		step = 2
	}
	if len(d.params)%step != 0 || (len(d.params) == 0) != (d.trigger == "") {
		return fmt.Errorf("rule %q has a wrong number of parameters", d.rule)
	}
	for i := 0; i < len(d.params); i += step {
		path, ok := wirePath(t, d.params[i])
		if !ok {
			return fmt.Errorf("rule %q names no field %s", d.rule, d.params[i])
		}
		d.others = append(d.others, path)
	}
	if d.isConditional() {
		return d.try(t)
	}
	return nil
}

// isBroken reports whether the field's presence is not what the demand wants.
// Doc is the object that the field belongs to, parent the decoded struct.
func (d *demand) isBroken(present bool, doc *strictjson.Value, parent any) bool {
	if present != d.excluded {
		return false
	}
	given := func(path []string) bool { return isGiven(doc, path) }
	absent := func(path []string) bool { return !isGiven(doc, path) }
	switch d.trigger {
	case "with":
		return slices.ContainsFunc(d.others, given)
	case "with_all":
		return !slices.ContainsFunc(d.others, absent)
	case "without":
		return slices.ContainsFunc(d.others, absent)
	case "without_all":
		return !slices.ContainsFunc(d.others, given)
	case "if":
		return d.holdAll(parent)
	case "unless":
		return d.excluded && !d.holdAll(parent) || !d.excluded && !d.holdsAny(parent)
	}
	return true
}

// holdAll reports whether every field of the demand has the value beside it.
func (d *demand) holdAll(parent any) bool {
	for i := range d.others {
		if !d.holds(i, parent) {
			return false
		}
	}
	return true
}

// holdsAny reports whether one of the fields has.
func (d *demand) holdsAny(parent any) bool {
	for i := range d.others {
		if d.holds(i, parent) {
			return true
		}
	}
	return false
}

// holds reports whether the field of the i-th pair has the value. A field whose type
// is the input's may have one that validator cannot compare with it.
func (d *demand) holds(i int, parent any) (holds bool) {
	defer func() {
		if recover() != nil {
			holds = false
		}
	}()
	return d.compare(i, parent)
}

// compare asks validator whether the field of the i-th pair has the value: one that is
// absent is missed only then.
func (d *demand) compare(i int, parent any) bool {
	return engine.VarWithValue((*int)(nil), parent, fmt.Sprintf("required_if=%s '%s'", d.params[2*i], d.params[2*i+1])) != nil
}

// try compares once, for the panic that validator answers a value with which is none
// of the field's type.
func (d *demand) try(t reflect.Type) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = badRule(d.rule, fmt.Sprint(reason))
		}
	}()
	for i := range d.others {
		d.compare(i, reflect.Zero(t).Interface())
	}
	return nil
}

// isGiven reports whether the JSON has a value at the path.
func isGiven(doc *strictjson.Value, path []string) bool {
	for _, name := range path {
		if doc = doc.Get(name); doc == nil {
			return false
		}
	}
	return true
}

// wirePath is the path in JSON of a field that is named as Go does, with a dot
// before the field of a nested struct.
func wirePath(t reflect.Type, goPath string) (path []string, ok bool) {
	for name := range strings.SplitSeq(goPath, ".") {
		t = base(t)
		if t.Kind() != reflect.Struct {
			return nil, false
		}
		fields := wireFields(t)
		if i := slices.IndexFunc(fields, func(f wireField) bool { return f.Name == name }); i >= 0 {
			path = append(path, fields[i].name)
			t = fields[i].Type
			continue
		}
		embedded, found := t.FieldByName(name)
		if !found || !embedded.Anonymous {
			return nil, false
		}
		t = embedded.Type // its fields are members of the same object
	}
	return path, len(path) > 0
}

// addDemand records a broken demand.
func (c *check) addDemand(d *demand, f *field, at *place) {
	why := d.reason()
	if d.excluded {
		c.add(toolkit.Problem{Path: at.String(), Expected: "absent" + why}, "must be absent"+why)
		return
	}
	c.add(toolkit.Problem{Path: at.String(), Expected: f.jsonType}, "required"+why)
}

// reason says in words what the demand depends on.
func (d *demand) reason() string {
	var others, pairs []string
	for i, path := range d.others {
		name := strings.Join(path, ".")
		others = append(others, name)
		if d.isConditional() {
			pairs = append(pairs, name+" is "+d.params[2*i+1])
		}
	}
	switch d.trigger {
	case "with":
		return " with " + strings.Join(others, " or ")
	case "with_all":
		return " with " + strings.Join(others, " and ")
	case "without":
		return " without " + strings.Join(others, " or ")
	case "without_all":
		return " without " + strings.Join(others, " and ")
	case "if":
		return " when " + strings.Join(pairs, " and ")
	case "unless":
		return " unless " + strings.Join(pairs, " or ")
	}
	return ""
}
