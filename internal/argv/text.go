package argv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// maxBranches bounds the alternatives, and those in these, that are looked at: a
// definition may hold many, and refer from each to all.
const maxBranches = 100

// asText is the schema with the type that it leaves unsaid, where every value that
// it allows is text: a constant, choices, a union of strings. Its choices are
// gathered where it allows nothing else. Any other schema stays as it is.
func (r refs) asText(s *toolkit.Schema) *toolkit.Schema {
	u := textUnion{refs: r, left: maxBranches}
	if !u.add(s) || !u.text {
		return s
	}
	text := *s
	text.Type = toolkit.Types{toolkit.TypeString}
	if u.null {
		text.Type = append(text.Type, toolkit.TypeNull)
	}
	if !u.open {
		text.Enum = u.choices
	}
	return &text
}

// textUnion gathers the alternatives of a union of text.
type textUnion struct {
	refs
	left    int // alternatives that may still be looked at
	choices []json.RawMessage
	text    bool // one of the alternatives is text
	open    bool // one of them is more than choices
	null    bool // one of them is null
}

// add looks at an alternative, and reports whether it is text or null.
func (u *textUnion) add(s *toolkit.Schema) bool {
	if u.left--; u.left < 0 {
		return false
	}
	for s != nil && s.Ref != "" && u.left > 0 {
		s = u.target(s)
		u.left--
	}
	switch {
	case s == nil || s.Ref != "":
		return false
	case len(s.Const) > 0:
		return u.literal(s.Const)
	case len(s.Enum) > 0:
		return !slices.ContainsFunc(s.Enum, func(raw json.RawMessage) bool { return !u.literal(raw) })
	case isNullType(s):
		u.null = true
		return true
	case s.Kind() == toolkit.TypeString:
		u.text, u.open, u.null = true, true, u.null || s.Nullable()
		return true
	case len(s.Type) > 0:
		return false
	}
	return u.union(s)
}

// literal looks at a constant, and reports whether it is text or null.
func (u *textUnion) literal(raw json.RawMessage) bool {
	u.choices = append(u.choices, raw)
	isNull, isText := string(raw) == "null", strings.HasPrefix(string(raw), `"`)
	u.null, u.text = u.null || isNull, u.text || isText
	return isNull || isText
}

// union looks at the alternatives of a schema without a type of its own.
func (u *textUnion) union(s *toolkit.Schema) bool {
	branches := alternatives(s)
	if len(branches) == 0 && len(s.AllOf) == 1 {
		branches = s.AllOf
	}
	isOther := func(branch *toolkit.Schema) bool { return !u.add(branch) }
	return len(branches) > 0 && !slices.ContainsFunc(branches, isOther)
}
