package shim

import (
	"errors"
	"slices"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// ownCommands are agentos's own commands, defined like any toolkit: the same
// parser, help and errors serve them.
func ownCommands() *toolkit.Definition {
	return &toolkit.Definition{Command: toolkit.Command{
		Name:        "agentos",
		Summary:     "List, describe and call tools that run on the host, outside this machine",
		Description: "agentos TOOLKIT TOOL … calls a tool, as agentos-TOOLKIT TOOL … does.",
		Commands: []toolkit.Command{
			own("list-tools", "List the toolkits and their tools, or one toolkit in detail",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit to list", false)}, Flags: []toolkit.Flag{{Name: "json", Help: "Print JSON", Plain: true}}},
				"tools", "ls", "list-bindings", "list-host-functions"),
			own("describe", "Describe one tool as JSON: schemas of input and result, errors, annotations",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit of the tool", true)}, Tail: words("tool", "Tool to describe", 1)}),
			own("help", "Show the help of a toolkit or tool",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit to explain", true)}, Tail: words("tool", "Tool to explain", 0)}),
			own("call", "Call a tool: agentos call TOOLKIT TOOL [--OPTION VALUE]…",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit of the tool", true)}, Tail: words("tool", "Tool to call, with its arguments", 1)}),
			own("prompt", "Print the text that tells an agent about its tools",
				&toolkit.Body{Options: []toolkit.Option{{Name: "budget", Help: "Most tokens that the text may cost", Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: "1"}}}}),
			own("doctor", "Check the link to the host and say what is wrong with it", &toolkit.Body{}),
			own("version", "Print the version", &toolkit.Body{}),
		},
	}}
}

func own(name, summary string, body *toolkit.Body, aliases ...string) toolkit.Command {
	return toolkit.Command{Name: name, Aliases: aliases, Summary: summary, Body: body}
}

func word(name, help string, required bool) toolkit.Positional {
	return toolkit.Positional{Name: name, Help: help, Required: required, Schema: anyText()}
}

func words(name, help string, least int) *toolkit.Tail {
	return &toolkit.Tail{Name: name, Help: help, Min: least, Item: anyText()}
}

func anyText() *toolkit.Schema { return &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}} }

// isOwn reports whether a word is one of agentos's own commands.
func isOwn(name string) bool {
	return slices.ContainsFunc(ownCommands().Commands, func(c toolkit.Command) bool {
		return c.Name == name || slices.Contains(c.Aliases, name)
	})
}

// perhapsOwn is the error of a toolkit that is not there, with the one of
// agentos's own commands that the word was likely meant for.
func perhapsOwn(program, word string, err error) error {
	var e *toolkit.Error
	if program != "agentos "+word || !errors.As(err, &e) || e.Code != toolkit.CodeToolkitNotFound {
		return err
	}
	var names []string
	for _, command := range ownCommands().Commands {
		names = append(names, command.Name)
	}
	if near := argv.Nearest(word, names); len(near) > 0 {
		e.Hint = "agentos " + near[0]
	}
	return e
}
