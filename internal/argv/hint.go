package argv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// hint is what to run next after the error.
func (p *parser) hint(err *toolkit.Error) string {
	switch {
	case err == p.notFound:
		return p.toolHint()
	case p.helpMeant:
		return p.correction().helpLine()
	case p.scope.body() == nil && len(p.owners) == 1:
		return p.retried(slices.Insert(slices.Clone(p.args), p.ownerAt, p.owners[0]...))
	case p.jsonAt > 0:
		return p.retried(slices.Insert(slices.Clone(p.args), p.jsonAt-1, p.scope.bridgeName("json")))
	}
	return p.correction().hint()
}

// Advice is the line to run next after an input of the command at the path that
// Complete takes and what judges it further does not: the first example where
// values that nobody gave are no danger, else the line for help. Given is the input
// as it came, without defaults.
func Advice(def *toolkit.Definition, path []string, given json.RawMessage) string {
	s, notFound := callable(def, path)
	if notFound != nil {
		return listLine(newScope(def))
	}
	program := "agentos-" + def.Name
	c := &correction{program: program, scope: s, problems: &problems{}}
	if input, f := objectOf(given); f == nil {
		c.bare = len(input.Members) == 0
	}
	if examples := s.command().Examples; len(examples) > 0 && c.mayAssume() {
		if line, err := s.commandLine(program, s.withSecrets(examples[0].Input)); err == nil && len(line) <= maxHint {
			return line
		}
	}
	return c.helpLine()
}

// correction is what is known of how the line can be corrected.
func (p *parser) correction() *correction {
	return &correction{
		program: p.line.Program, scope: p.scope, input: p.input, problems: &p.problems,
		guesses: p.guesses, strays: p.strays, unsure: p.unsure, bare: p.isBare(), extra: p.bridgeWords(), files: p.files(),
	}
}

// isBare reports whether the line gives nothing but the tool, options of the
// bridge aside, and stdin nothing either.
func (p *parser) isBare() bool {
	return !p.anyGiven && p.json.label == "" && len(p.strays) == 0 && len(p.guesses) == 0 && !p.unsure
}

// toolHint is the line with the nearest tool in place of the unknown one, if that
// is a line that can run, else how to list what there is.
func (p *parser) toolHint() string {
	near, isOne := p.scope.nearestTool(p.args[p.lost])
	if !isOne {
		return p.correction().helpLine()
	}
	return p.retried(slices.Replace(slices.Clone(p.args), p.lost, p.lost+1, near...))
}

// retried is the hint of the line with these words instead: itself if nothing is
// wrong with it any more. No file is read for it. Input that is given as JSON
// stays JSON.
func (p *parser) retried(args []string) string {
	again := newParser(p.def, &Line{Program: p.line.Program, Args: args, Env: p.line.Env})
	again.blind = true
	err := again.parse()
	if err != nil {
		return again.hint(err)
	}
	c := again.correction()
	if again.inv.Help || again.inv.Version {
		return c.helpLine()
	}
	line, ok := c.line(again.input)
	if again.json.label != "" || !ok {
		line, ok = shownLine(p.line.Program, args)
	}
	if !ok {
		return c.helpLine()
	}
	return line
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

// files are the files that the line gives parameters by.
func (p *parser) files() map[*param]string {
	files := map[*param]string{}
	for i := range p.occurrences {
		if o := &p.occurrences[i]; o.form == fileForm {
			files[o.param] = o.text
		}
	}
	return files
}

// fileKeys are the keys of the parameters that the line gives by files.
func (p *parser) fileKeys() map[string]bool {
	keys := map[string]bool{}
	for param := range p.files() {
		keys[param.wire] = true
	}
	return keys
}
