package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// find is the parameter of any kind that bears the name: its CLI name or an alias,
// else the wire name or its snake form, where only one parameter has it.
func (s *scope) find(name string) *param {
	for _, p := range s.params {
		if p.cli == name || slices.Contains(p.aliases, name) {
			return p
		}
	}
	var found *param
	for _, p := range s.params {
		if p.wire == name || strings.Contains(name, "_") && toolkit.SnakeName(p.wire) == name {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// byWire is the parameter with the key, or nil.
func (s *scope) byWire(key string) *param {
	for _, p := range s.params {
		if p.wire == key {
			return p
		}
	}
	return nil
}

// wireNames are the keys of the input.
func (s *scope) wireNames() []string {
	names := make([]string, len(s.params))
	for i, p := range s.params {
		names[i] = p.wire
	}
	return names
}

// byShort is the option or flag with the short name, or nil.
func (s *scope) byShort(c byte) *param {
	for _, p := range s.params {
		if len(p.short) == 1 && p.short[0] == c {
			return p
		}
	}
	return nil
}

// target is what a long name on the line stands for.
type target struct {
	param   *param
	path    []string // below an object or map, of the dotted form
	negated bool     // --no-NAME
	file    bool     // --NAME-file
}

// declared is the option or flag that the name itself belongs to.
func (s *scope) declared(name string) (target, bool) {
	p := s.find(name)
	return target{param: p}, p != nil && (p.kind == option || p.kind == flag)
}

// derived is what the name stands for as a form of another name: a negation, a
// part of an object, a value from a file. A declared name is never derived.
func (s *scope) derived(name string) (target, bool) {
	if s.find(name) != nil {
		return target{}, false
	}
	if p := s.negatedFlag(name); p != nil {
		return target{param: p, negated: true}, true
	}
	if base, rest, ok := strings.Cut(name, "."); ok {
		t, found := s.declared(base)
		t.path = strings.Split(rest, ".")
		return t, found && t.param.kind == option && kindOf(s.refs().plain(t.param.schema)) == toolkit.TypeObject
	}
	for _, suffix := range []string{"-file", "_file"} {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			t, found := s.declared(base)
			t.file = true
			return t, found && s.refs().takesFile(t.param)
		}
	}
	return target{}, false
}

// negatedFlag is the boolean that --no-NAME sets to false. A flag whose own name
// begins with no- has no negation: two of them would read as none.
func (s *scope) negatedFlag(name string) *param {
	base, ok := strings.CutPrefix(name, "no-")
	if !ok {
		base, ok = strings.CutPrefix(name, "no_")
	}
	if !ok {
		return nil
	}
	t, found := s.declared(base)
	if !found || t.param.kind != flag || t.param.flag.Count || t.param.flag.Plain || strings.HasPrefix(t.param.cli, "no-") {
		return nil
	}
	return t.param
}

// takesFile reports whether the parameter has the form --NAME-file. Where that is
// an option of the bridge, it has not.
func (r refs) takesFile(p *param) bool {
	return p.kind == option && kindOf(r.plain(p.schema)) == toolkit.TypeString && fileFormat(p) == "" && !isBridgeOption(p.cli+"-file")
}

// long is what the name stands for in any of its forms.
func (s *scope) long(name string) (target, bool) {
	if t, ok := s.declared(name); ok {
		return t, true
	}
	return s.derived(name)
}
