package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// hint is what to run next after the error.
func (p *parser) hint(err *toolkit.Error) string {
	if err == p.notFound {
		return p.toolHint()
	}
	c := &correction{
		program: p.line.Program, scope: p.scope, input: p.input, problems: &p.problems,
		guesses: p.guesses, strays: p.strays, unsure: p.unsure, extra: p.bridgeWords(), files: p.secretFiles(),
	}
	return c.hint()
}

// toolHint is the line with the nearest tool in place of the unknown one, if that
// is a line that can run, else how to list what there is.
func (p *parser) toolHint() string {
	near := Nearest(p.args[p.lost], p.scope.childWords())
	if len(near) > 0 {
		args := slices.Clone(p.args)
		args[p.lost] = near[0]
		again := newParser(p.def, &Line{Program: p.line.Program, Args: args, Env: p.line.Env})
		if err := again.parse(); err != nil {
			return again.hint(err)
		}
		p.scope, p.input = again.scope, again.input
	}
	c := &correction{program: p.line.Program, scope: p.scope, extra: p.bridgeWords()}
	if line, ok := c.line(p.input); ok {
		return line
	}
	return c.helpLine()
}

// bridgeWords are the bridge's own options of the line, for a corrected one.
func (p *parser) bridgeWords() []string {
	var words []string
	for i := range bridgeOptions {
		o := &bridgeOptions[i]
		text, given := p.bridged[o.name]
		switch {
		case !given || o.name == "help" || o.name == "version" || strings.HasPrefix(o.name, "json"):
		case o.expected == "":
			words = append(words, p.scope.bridgeName(o.name))
		default:
			words = append(words, p.scope.bridgeName(o.name), text)
		}
	}
	return words
}

// bridgeName is how the bridge's option is written where the command may have a
// parameter of that name.
func (s *scope) bridgeName(name string) string {
	if _, own := s.declared(name); own {
		return "--agentos:" + name
	}
	return "--" + name
}

// secretFiles are the files that the line gives secrets by.
func (p *parser) secretFiles() map[*param]string {
	files := map[*param]string{}
	for i := range p.occurrences {
		if o := &p.occurrences[i]; o.form == fileForm && o.param.secret {
			files[o.param] = o.text
		}
	}
	return files
}
