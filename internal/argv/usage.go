package argv

import (
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Usage is how the command at the path is called: "Usage: " and a line for its
// body, a line for the commands below it, or both. It is empty for a path that
// names no command. Lines end with a line break.
func Usage(program string, def *toolkit.Definition, path []string) string {
	s := scopeAt(def, path)
	if s == nil {
		return ""
	}
	return s.usage(program)
}

func (s *scope) usage(program string) string {
	line := spaced(program, s.shownPath())
	var lines []string
	if s.body() != nil {
		lines = append(lines, spaced(line, s.signature(s.globalsMark())))
	}
	if len(s.command().Commands) > 0 {
		lines = append(lines, spaced(line, "<command> ...", s.globalsMark()))
	}
	if len(lines) == 0 {
		lines = []string{line}
	}
	const label = "Usage: "
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", len(label))) + "\n"
}

// shownPath are the names that lead to the command, joined by spaces.
func (s *scope) shownPath() string { return inline(strings.Join(s.names(), " ")) }

// globalsMark stands for the global options that may be left out.
func (s *scope) globalsMark() string {
	for _, p := range s.params {
		if p.global && !p.demanded() {
			return "[global options]"
		}
	}
	return ""
}

// spaced are the texts that are not empty, with spaces in between.
func spaced(texts ...string) string {
	return strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
}
