package argv

import (
	"github.com/agentos-go/agentos/toolkit"
)

// Prune is the part of the definition that a line with these leading words needs:
// the commands that they select, by names or aliases, and everything below the
// last one. Of the commands above, names and globals stay. Words that select
// nothing, and the word help where it asks for help, change nothing. The result is
// a copy that shares the leaves; the argument stays as it is.
func Prune(def *toolkit.Definition, words []string) *toolkit.Definition {
	pruned := *def
	pruned.Command = pruneCommand(&def.Command, words, true)
	return &pruned
}

func pruneCommand(cmd *toolkit.Command, words []string, isRoot bool) toolkit.Command {
	pruned := *cmd
	s := &scope{nodes: []*toolkit.Command{cmd}}
	if len(words) > 0 && words[0] == "help" && (isRoot || cmd.Body == nil) && s.child("help") == nil {
		words = words[1:]
	}
	if len(words) == 0 {
		return pruned
	}
	child := s.child(words[0])
	if child == nil {
		return pruned
	}
	pruned.Commands = []toolkit.Command{pruneCommand(child, words[1:], false)}
	pruned.Body, pruned.Examples = nil, nil
	return pruned
}

// Skeleton is the definition with nothing but names, aliases and globals: enough
// to find the command that a line selects where the whole is too large to send.
// The toolkit's summary stays; Skeleton is set on the root.
func Skeleton(def *toolkit.Definition) *toolkit.Definition {
	bones := &toolkit.Definition{Version: def.Version, Command: bare(&def.Command)}
	bones.Summary = def.Summary
	bones.Skeleton = true
	return bones
}

func bare(cmd *toolkit.Command) toolkit.Command {
	bones := toolkit.Command{Name: cmd.Name, Aliases: cmd.Aliases, Globals: cmd.Globals}
	for i := range cmd.Commands {
		bones.Commands = append(bones.Commands, bare(&cmd.Commands[i]))
	}
	return bones
}

// Locate is the path of the command that the line selects in a skeleton, as far
// as that can be told without the commands' own parameters.
func Locate(def *toolkit.Definition, args []string) (path []string) {
	p := newParser(def, &Line{Args: args})
	for p.next < len(p.args) && p.notFound == nil && len(p.problems.list) == 0 {
		p.word()
	}
	return p.inv.Path
}
