package argv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// maxName is the length in bytes of a name, so that agentos-NAME and every list
// of tools keep within the limits of file names and of model providers.
const maxName = 63

// nameRule is what every name that is typed on a command line must match, in
// words: [a-z][a-z0-9]*(-[a-z0-9]+)*
const nameRule = "lower-case ASCII letters and digits in words joined by single hyphens, a letter first, as in list-files"

// name vets the name of a toolkit, group or tool.
func (at site) name(name string) {
	if wrong := wrongName(name); wrong != "" {
		at.report("the name %s", wrong)
	}
}

// wrongName says what is wrong with the name, and nothing when it is right.
func wrongName(name string) string {
	switch {
	case name == "":
		return "is empty: it needs " + nameRule
	case len(name) > maxName:
		return fmt.Sprintf("is %d bytes long, at most %d are valid", len(name), maxName)
	case !wordsOf(name, "-") || strings.ToLower(name) != name:
		return quotedWord(name) + " is not valid: it needs " + nameRule
	}
	return ""
}

// siblings vets the names and aliases of the commands of one command.
func (at site) siblings(commands []toolkit.Command) {
	owners := map[string]string{}
	take := func(word, owner string) {
		if other, taken := owners[word]; taken {
			at.report("the commands %q and %q both answer to %q; names and aliases of siblings must differ", other, owner, word)
			return
		}
		owners[word] = owner
	}
	for i := range commands {
		cmd := &commands[i]
		kind := "group"
		if cmd.Body != nil {
			kind = "tool"
		}
		at.in(kind, cmd.Name).name(cmd.Name)
		take(cmd.Name, cmd.Name)
		for _, alias := range cmd.Aliases {
			if wrong := wrongName(alias); wrong != "" {
				at.in(kind, cmd.Name).report("the alias %s", wrong)
			}
			take(alias, cmd.Name)
		}
	}
}

// namespace vets that every name of the command's parameters, inherited ones
// included, leads to one of them. A clash among the inherited ones alone has been
// reported where they are declared.
func (at site) namespace(s *scope, own []*param) {
	names, shorts := owners{}, owners{}
	inherited := len(s.params) - len(own)
	for i, p := range s.params {
		at := at.in(p.kind.String(), p.wire)
		report := i >= inherited
		for _, word := range p.words() {
			if other := names.take(word, p); other != nil && report {
				at.report("it answers to %q, and so does the %s %q; names and aliases of one command must differ, and not only in case", word, other.kind, other.wire)
				break
			}
		}
		if p.short == "" {
			continue
		}
		if other := shorts.take(p.short, p); other != nil && report {
			at.report("the short -%s belongs to the %s %q already", p.short, other.kind, other.wire)
		}
	}
}

// owners are parameters by the words that lead to them.
type owners map[string]*param

// take gives the word to the parameter, and returns the other one that has it.
func (o owners) take(word string, p *param) *param {
	if other := o[word]; other != nil && other != p {
		return other
	}
	o[word] = p
	return nil
}

// words are those that must lead to no other parameter: the CLI name, the
// aliases, and the wire name whatever its case.
func (p *param) words() []string {
	return append([]string{p.cli, strings.ToLower(p.wire)}, p.aliases...)
}

// parameterNames vets the names of one parameter.
func (at site) parameterNames(p *param) {
	if wrong := wrongName(p.cli); wrong != "" {
		at.report("its name on the command line %s", wrong)
	}
	for i, alias := range p.aliases {
		switch wrong := wrongName(alias); {
		case wrong != "":
			at.report("the alias %s", wrong)
		case alias == p.cli || slices.Contains(p.aliases[:i], alias):
			at.report("the alias %q is given twice", alias)
		}
	}
	if p.short != "" && (len(p.short) > 1 || !madeOf(p.short, "")) {
		at.report("the short %q is not valid: one ASCII letter or digit is", p.short)
	}
}
