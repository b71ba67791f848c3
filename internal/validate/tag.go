package validate

import (
	"fmt"
	"slices"
	"strings"
)

// ruleTag is a validate tag taken apart: what it says of presence, and the value
// rules by depth.
type ruleTag struct {
	demands []demand
	// levels are the value rules of the field and, after each dive, of the
	// elements one level further down.
	levels []level
	// closed tags end the validation at the field: nothing below is looked at.
	closed bool
}

// level is the value rules at one depth of a field.
type level struct {
	rules []string
	keys  []string // of the keys of the map that was dived into
}

// parseTag takes a tag apart by validator's grammar: rules joined by commas,
// dive before those of the elements, keys … endkeys around those of map keys.
func parseTag(tag string) (ruleTag, error) {
	parsed := ruleTag{levels: make([]level, 1)}
	switch tag {
	case "-":
		parsed.closed = true
		return parsed, nil
	case "":
		return parsed, nil
	}
	inKeys := false
	for rule := range strings.SplitSeq(tag, ",") {
		last := &parsed.levels[len(parsed.levels)-1]
		name, _, _ := strings.Cut(rule, "=")
		switch {
		case name == "":
			return parsed, fmt.Errorf("a rule without a name in %q", tag)
		case name == "omitempty" || name == "omitzero" || name == "omitnil":
		case name == "structonly" || name == "nostructlevel":
			parsed.closed = true
		case name == "dive":
			parsed.levels = append(parsed.levels, level{})
		case name == "keys":
			inKeys = true
		case name == "endkeys":
			inKeys = false
		case name == "required" && len(parsed.levels) > 1: // an element is always present
		case isPresence(name):
			if len(parsed.levels) > 1 {
				return parsed, fmt.Errorf("rule %q cannot stand after dive", rule)
			}
			parsed.demands = append(parsed.demands, newDemand(rule))
		case inKeys:
			last.keys = append(last.keys, rule)
		default:
			last.rules = append(last.rules, rule)
		}
	}
	return parsed, nil
}

// isPresence reports whether the rule is about presence, so that it is judged on
// the JSON and never by validator.
func isPresence(name string) bool {
	family, trigger, _ := strings.Cut(name, "_")
	switch family {
	case "required", "excluded":
		return slices.Contains(triggers, trigger) && (trigger != "" || name == "required")
	case "skip":
		return trigger == "unless"
	}
	return false
}

// triggers are what a demand may depend on.
var triggers = []string{"", "with", "with_all", "without", "without_all", "if", "unless"}
