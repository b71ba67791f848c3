package argv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Limits of what the host is told of a line before its definition is known:
// values must neither leak nor bloat it.
const (
	maxLeadingWords = 8
	maxLeadingWord  = 64 // bytes
)

// LeadingWords are the words before the first that begins with a dash: at most 8
// of at most 64 bytes each.
func LeadingWords(args []string) []string {
	for i, word := range args {
		if i == maxLeadingWords || len(word) > maxLeadingWord || strings.HasPrefix(word, "-") {
			return args[:i]
		}
	}
	return args
}

// Resolve finds the command that the words name, by names or aliases. It returns
// its path in canonical names. The error, a TOOL_NOT_FOUND *toolkit.Error, tells
// the nearest names and those that there are.
func Resolve(def *toolkit.Definition, words []string) (path []string, cmd *toolkit.Command, err error) {
	s := newScope(def)
	for _, word := range words {
		child := s.child(word)
		if child == nil {
			return nil, nil, unknownTool(s, word)
		}
		s.enter(child)
	}
	return s.names(), s.command(), nil
}

// names are the canonical names that lead from the toolkit to the command.
func (s *scope) names() []string {
	var names []string
	for _, node := range s.nodes[1:] {
		names = append(names, node.Name)
	}
	return names
}

// toolkit is the name of the toolkit.
func (s *scope) toolkit() string { return s.nodes[0].Name }

// unknownTool says that the command has no child of that name, what it has, and
// what is near.
func unknownTool(s *scope, word string) *toolkit.Error {
	prefix := ""
	for _, name := range s.names() {
		prefix += name + " "
	}
	available := s.childNames()
	name := strings.TrimSpace(prefix + word)
	message := "No tool " + quotedWord(name) + " in toolkit " + quotedWord(s.toolkit()) + "."
	if near := s.nearTools(word); len(near) > 0 {
		message += " Nearest: " + prefixed(prefix, near) + "."
	}
	f := toolkit.Problem{Got: shortened(name), Expected: "a tool of the toolkit"}
	if len(available) > 0 {
		f.Expected = "one of " + capped(available, maxNamesTold)
		message += " Available: " + prefixed(prefix, available[:min(len(available), maxNamesTold)])
		if len(available) > maxNamesTold {
			message += fmt.Sprintf(", … (%s lists all %d)", listLine(s), len(available))
		}
	}
	return &toolkit.Error{Code: toolkit.CodeToolNotFound, Message: message, Hint: listLine(s), Details: []toolkit.Problem{f}}
}

// nearTools are up to three names, or paths of names, below the command that the
// word may stand for, best first: those that are the word itself come before
// those that are spelt like it.
func (s *scope) nearTools(word string) []string {
	var near []string
	for _, path := range deeper(s.command(), word) {
		near = append(near, strings.Join(path, " "))
	}
	near = append(near, Nearest(word, s.childWords())...)
	return near[:min(len(near), 3)]
}

// nearestTool is the path, below the command, of the tool that the word most
// likely stands for, if there is one.
func (s *scope) nearestTool(word string) (path []string, ok bool) {
	paths := deeper(s.command(), word)
	if near := Nearest(word, s.childWords()); len(paths) == 0 && len(near) > 0 {
		return near[:1], true
	}
	if len(paths) != 1 {
		return nil, false
	}
	return paths[0], true
}

// deeper are the paths of the commands of that name or alias that are not
// directly below the command.
func deeper(cmd *toolkit.Command, word string) [][]string {
	var paths [][]string
	for _, child := range sortedCommands(cmd) {
		for _, grandchild := range sortedCommands(child) {
			if grandchild.Name == word || slices.Contains(grandchild.Aliases, word) {
				paths = append(paths, []string{child.Name, grandchild.Name})
			}
		}
		for _, path := range deeper(child, word) {
			paths = append(paths, append([]string{child.Name}, path...))
		}
	}
	return paths
}

// listLine is the line that lists what the toolkit has.
func listLine(s *scope) string { return "agentos list-tools " + s.toolkit() }

func prefixed(prefix string, names []string) string {
	return prefix + strings.Join(names, ", "+prefix)
}

// childNames are the names of the commands below, sorted.
func (s *scope) childNames() []string {
	var names []string
	for _, child := range s.command().Commands {
		names = append(names, child.Name)
	}
	slices.Sort(names)
	return names
}

// childWords are all words that lead to the commands below.
func (s *scope) childWords() []string {
	words := s.childNames()
	for _, child := range s.command().Commands {
		words = append(words, child.Aliases...)
	}
	return words
}

// enters reads the word as a subcommand, if it can be nothing else: the word help,
// the first of all or in place of a subcommand, asks for help, unless a tool is
// named so.
func (p *parser) enters(word string) bool {
	child := p.scope.child(word)
	switch {
	case child != nil:
		p.scope.enter(child)
		p.inv.Path = append(p.inv.Path, child.Name)
	case word == "help" && (p.next == 1 || p.scope.body() == nil):
		p.askHelp()
		if last := len(p.args) - 1; p.next <= last && p.args[last] == "--json" {
			p.inv.HelpJSON = true
			p.args = p.args[:last]
		}
	case len(p.scope.command().Commands) > 0 && p.openPlace() == nil:
		p.notFound, p.lost = unknownTool(p.scope, word), p.next-1
	default:
		return false
	}
	return true
}

// askHelp reads a request for help, for which --json may follow as the last word.
func (p *parser) askHelp() {
	p.inv.Help = true
	if p.next == len(p.args)-1 && p.args[p.next] == "--json" {
		p.inv.HelpJSON = true
		p.next++
	}
}

// expectCommand reports that the line names no command that can be called.
func (p *parser) expectCommand() {
	f := &fault{clause: "expected a subcommand", expected: "a subcommand", usage: true}
	if names := p.scope.childNames(); len(names) > 0 {
		f.expected = "one of " + capped(names, maxNamesTold)
		f.clause += ", " + f.expected
	}
	p.report("", "", f)
}
