package argv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/agentos-go/agentos/toolkit"
)

// Lint is what an author should know of a definition that is allowed but will
// surprise: a toolkit with the name of a command of agentos, parameters that hide
// an option of the bridge, descriptions that speak to the model rather than of the
// tool, and characters in them that cannot be seen. Each line says where.
func Lint(def *toolkit.Definition) []string {
	var notes []string
	seen := map[string]bool{}
	add := func(more ...string) {
		for _, note := range more {
			if note != "" && !seen[note] {
				seen[note] = true
				notes = append(notes, note)
			}
		}
	}
	add(shadowed(def.Name))
	add(newScope(def).descriptions()...)
	for _, s := range tools(newScope(def)) {
		for _, p := range s.params {
			add(s.hides(p))
		}
	}
	return notes
}

// ownCommands are the names of agentos's own commands and their aliases.
var ownCommands = []string{
	"await", "batch", "call", "calls", "completion", "describe", "doctor", "help", reservedToolkit, "list-bindings",
	"list-host-functions", "ls", "prompt", "proxy", "search", "sync", "tools", "version",
}

// IsOwnCommand reports whether agentos NAME is, or will be, a command of agentos
// itself, so that it does not mean the toolkit of that name.
func IsOwnCommand(name string) bool { return slices.Contains(ownCommands, name) }

// shadowed is the note about a toolkit that has not all of its commands, or "".
func shadowed(kit string) string {
	if !IsOwnCommand(kit) {
		return ""
	}
	return fmt.Sprintf("toolkit %q: agentos %s is a command of agentos itself: call the tools with agentos-%s or agentos call %s, or give the toolkit another name", kit, kit, kit, kit)
}

// commanding are the words of descriptions that give orders to whoever reads
// them. A model reads descriptions as part of its prompt.
var commanding = []string{
	"ignore previous", "ignore all", "ignore any", "disregard", "system prompt", "you must", "you should",
	"always call", "always use", "never tell", "do not tell", "don't tell", "before using any", "instead of any other", "<system", "<important",
}

// descriptions are the notes about the texts at and below the scope.
func (s *scope) descriptions() []string {
	var notes []string
	texts := s.texts()
	for _, text := range texts {
		notes = append(notes, s.commands(text)...)
	}
	notes = append(notes, s.unseen(texts))
	for i := range s.command().Commands {
		notes = append(notes, s.below(&s.command().Commands[i]).descriptions()...)
	}
	return notes
}

// commands are the notes about a description that gives orders, or names a
// command of another toolkit.
func (s *scope) commands(text string) []string {
	var notes []string
	lower := strings.ToLower(inline(text)) // as a model is shown it
	for _, words := range commanding {
		if strings.Contains(lower, words) {
			notes = append(notes, fmt.Sprintf("%s: a description says %q: describe the tool, models follow what they read", s.place(), words))
		}
	}
	_, after, names := strings.Cut(lower, "agentos-")
	if names && !strings.HasPrefix(after, s.toolkit()) {
		notes = append(notes, s.place()+": a description names a command of another toolkit")
	}
	return notes
}

// unseen is the note about texts with characters that a reader of the definition
// cannot see, or "". White space is none of them: it is shown as a space.
func (s *scope) unseen(texts []string) string {
	for _, text := range texts {
		for _, r := range text {
			if isHidden(r) && !unicode.IsSpace(r) {
				return fmt.Sprintf("%s: a description has characters that cannot be seen, such as %U: delete them, they are not shown", s.place(), r)
			}
		}
	}
	return ""
}

// place is where a note about the scope's command belongs.
func (s *scope) place() string {
	place := fmt.Sprintf("toolkit %q", s.toolkit())
	if path := s.shownPath(); path != "" {
		place += fmt.Sprintf(": tool %q", path)
	}
	return place
}

// texts are what the scope's own command says of itself, its parameters and what
// is in them, its result and its errors.
func (s *scope) texts() []string {
	cmd := s.command()
	texts := []string{cmd.Summary, cmd.Description}
	for _, example := range cmd.Examples {
		texts = append(texts, example.Summary)
	}
	for _, p := range s.params {
		if !p.global || p.isOf(cmd.Globals) {
			texts = append(append(texts, p.help), schemaTexts(p.schema)...)
		}
	}
	if body := s.body(); body != nil {
		for _, e := range body.Errors {
			texts = append(append(texts, e.Summary), schemaTexts(e.Payload)...)
		}
		texts = append(append(texts, schemaTexts(body.Input)...), schemaTexts(body.Result)...)
	}
	return texts
}

// isOf reports whether the globals have the parameter.
func (p *param) isOf(globals toolkit.Globals) bool {
	return slices.ContainsFunc(globals.Options, func(o toolkit.Option) bool { return o.Name == p.wire }) ||
		slices.ContainsFunc(globals.Flags, func(f toolkit.Flag) bool { return f.Name == p.wire })
}

// schemaTexts are the descriptions in a schema.
func schemaTexts(schema *toolkit.Schema) []string {
	if schema == nil {
		return nil
	}
	texts := []string{schema.Description}
	for _, named := range []map[string]*toolkit.Schema{schema.Defs, schema.Properties} {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			texts = append(texts, schemaTexts(named[name])...)
		}
	}
	for _, list := range [][]*toolkit.Schema{schema.AllOf, schema.AnyOf, schema.OneOf, {schema.Items, schema.AdditionalProperties, schema.Not}} {
		for _, below := range list {
			texts = append(texts, schemaTexts(below)...)
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
