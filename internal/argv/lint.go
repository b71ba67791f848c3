package argv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Lint is what an author should know of a definition that is allowed but will
// surprise: parameters that hide an option of the bridge, and descriptions that
// speak to the model rather than of the tool. Each line says where.
func Lint(def *toolkit.Definition) []string {
	var notes []string
	seen := map[string]bool{}
	notes = append(notes, commands(newScope(def))...)
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

// commanding are the words of descriptions that give orders to whoever reads
// them. A model reads descriptions as part of its prompt.
var commanding = []string{
	"ignore previous", "ignore all", "ignore any", "disregard", "system prompt", "you must", "you should",
	"always call", "always use", "never tell", "do not tell", "don't tell", "before using any", "instead of any other", "<system", "<important",
}

// commands are the notes about descriptions at and below the scope that give
// orders, or name a command of another toolkit.
func commands(s *scope) []string {
	var notes []string
	for _, text := range s.texts() {
		lower := strings.ToLower(inline(text)) // as a model is shown it
		for _, words := range commanding {
			if strings.Contains(lower, words) {
				notes = append(notes, fmt.Sprintf("toolkit %q: tool %q: a description says %q: describe the tool, models follow what they read", s.toolkit(), s.shownPath(), words))
			}
		}
		_, after, names := strings.Cut(lower, "agentos-")
		if names && !strings.HasPrefix(after, s.toolkit()) {
			notes = append(notes, fmt.Sprintf("toolkit %q: tool %q: a description names a command of another toolkit", s.toolkit(), s.shownPath()))
		}
	}
	for i := range s.command().Commands {
		below := &scope{nodes: slices.Clone(s.nodes), params: slices.Clone(s.params)}
		below.enter(&s.command().Commands[i])
		notes = append(notes, commands(below)...)
	}
	return notes
}

// texts are what the scope's own command says of itself and its parameters.
func (s *scope) texts() []string {
	texts := []string{s.command().Summary, s.command().Description}
	for _, p := range s.params {
		if !p.global {
			texts = append(texts, p.help)
		}
	}
	return texts
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
