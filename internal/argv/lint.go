package argv

import (
	"fmt"
	"slices"

	"github.com/agentos-go/agentos/toolkit"
)

// Lint is what an author should know of a definition that is allowed but will
// surprise: parameters that hide an option of the bridge. Each line says where,
// and how both are still reached.
func Lint(def *toolkit.Definition) []string {
	var notes []string
	seen := map[string]bool{}
	for _, s := range tools(newScope(def)) {
		for _, p := range s.params {
			if note := s.hides(p); note != "" && !seen[note] {
				seen[note] = true
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// hides is the note about a parameter that hides an option of the bridge, or "".
func (s *scope) hides(p *param) string {
	isBridges := func(o bridgeOption) bool { return o.name == p.cli }
	if p.kind != option && p.kind != flag || !slices.ContainsFunc(bridgeOptions[:], isBridges) {
		return ""
	}
	place := fmt.Sprintf("tool %q: option", s.shownPath())
	if p.global {
		place = "global option"
	}
	return fmt.Sprintf("toolkit %q: %s %q: --%s is the parameter here; the bridge's own option is --agentos:%s", s.toolkit(), place, p.wire, p.cli, p.cli)
}
