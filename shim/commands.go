package shim

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// leastBudget is prompt.MinBudget, whose package the guest does not link.
const leastBudget = "32"

// ownCommands are agentos's own commands, defined like any toolkit: the same
// parser, help and errors serve them.
func ownCommands() *toolkit.Definition {
	return &toolkit.Definition{Command: toolkit.Command{
		Name:        "agentos",
		Summary:     "List, describe and call tools that run on the host, outside this machine",
		Description: "agentos TOOLKIT TOOL … calls a tool, as agentos-TOOLKIT TOOL … does.",
		Commands: []toolkit.Command{
			own("list-tools", `{"toolkit":"TOOLKIT"}`, "List the toolkits and their tools, or one toolkit in detail",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit to list", false)}, Flags: asJSON()},
				"tools", "ls", "list-bindings", "list-host-functions"),
			own("search", `{"words":["WORDS"]}`, "Find tools by what they do, in plain words: agentos search 'open a ticket'",
				&toolkit.Body{Tail: words("words", "What to look for", 1), Flags: asJSON()}),
			own("describe", `{"toolkit":"TOOLKIT"}`, "Describe a tool as JSON: schemas of input and result, errors, annotations; or list a toolkit's tools so",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit of the tool", true)}, Tail: words("tool", "Tool to describe", 0)}),
			own("help", `{"toolkit":"TOOLKIT"}`, "Show the help of a toolkit or tool",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit to explain", true)}, Tail: words("tool", "Tool to explain", 0)}),
			own("call", `{"toolkit":"TOOLKIT","tool":["TOOL"]}`, "Call a tool: agentos call TOOLKIT TOOL [--OPTION VALUE]…",
				&toolkit.Body{Positionals: []toolkit.Positional{word("toolkit", "Toolkit of the tool", true)}, Tail: words("tool", "Tool to call, with its arguments", 1)}),
			batchCommand(),
			promptCommand(),
			own("calls", `{"id":"ID"}`, "List the latest calls of this machine and their states, as JSON, or one of them",
				&toolkit.Body{Positionals: []toolkit.Positional{word("id", "Call id, as errors name it", false)}}),
			own("await", `{"id":"ID"}`, "Wait for a call that was made before, and print its outcome as its own command would",
				&toolkit.Body{Positionals: []toolkit.Positional{word("id", "Call id, as errors and agentos calls name it", true)}}),
			proxyCommand(),
			own("completion", `{"shell":"bash"}`, "Print a script that completes commands in a shell: source <(agentos completion bash)",
				&toolkit.Body{Positionals: []toolkit.Positional{oneOf("shell", "Shell to write it for", "bash", "zsh", "fish")}}),
			own("doctor", `{}`, "Check the link to the host and say what is wrong with it", &toolkit.Body{}),
			own("version", `{}`, "Print the version", &toolkit.Body{}),
		},
	}}
}

// promptCommand is `agentos prompt`. The least budget is prompt.MinBudget.
func promptCommand() toolkit.Command {
	command := own("prompt", "", "Print the text that tells an agent about its tools",
		&toolkit.Body{Options: []toolkit.Option{
			{Name: "budget", Help: "Most tokens of four bytes that the text may cost", Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: leastBudget, Maximum: "1000000000"}},
			{Name: "into", Help: "File, such as AGENTS.md, in which to keep a marked block with the text up to date", ValueName: "file", Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}, MinLength: new(1)}},
		}})
	command.Examples = []toolkit.ExampleCase{{Summary: "Leave out details of large toolkits so that the text costs at most 1,500 tokens", Input: json.RawMessage(`{"budget":1500}`)}}
	return command
}

// proxyCommand is `agentos proxy`.
func proxyCommand() toolkit.Command {
	command := own("proxy", "", "Relay a Unix socket to the host, for programs that speak its protocol and cannot dial AF_VSOCK",
		&toolkit.Body{Options: []toolkit.Option{
			{Name: "listen", Help: "Socket to make, for this user alone; one that nobody listens on is replaced", ValueName: "path", Required: true, Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}, MinLength: new(1)}},
		}})
	command.Description = "Whoever connects to the socket talks to the host as this machine does, byte for byte, in the protocol of PROTOCOL.md. " +
		"\"agentos: listening on unix://PATH\" on stderr says that it takes connections; a signal ends it and removes the socket."
	command.Examples = []toolkit.ExampleCase{{Summary: "Take connections in a directory of one's own", Input: json.RawMessage(`{"listen":"/tmp/agentos/proxy.sock"}`)}}
	return command
}

// batchCommand is `agentos batch`.
func batchCommand() toolkit.Command {
	command := own("batch", "", "Make many calls by one process: a call a line on stdin as JSON, its envelope a line on stdout",
		&toolkit.Body{
			Options: []toolkit.Option{{
				Name: "parallel", Help: "Most calls that run at once; envelopes keep the order of the lines", Default: json.RawMessage("1"),
				Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: "1", Maximum: json.Number(strconv.Itoa(maxParallel))},
			}},
			Flags:  []toolkit.Flag{{Name: "stop_on_error", Help: "Begin no more calls once one has failed; those that run are answered", Plain: true}},
			Stdin:  &toolkit.Slot{MIME: []string{"application/jsonl"}, Required: true},
			Stdout: &toolkit.Slot{MIME: []string{"application/jsonl"}, Required: true},
		})
	command.Description = "A line names a tool and its input, as in " + batchToolLine + ", or is the words of a command line after agentos, as in " + batchArgvLine + ". " +
		"A line that cannot be read has a USAGE_ERROR in its place, blank lines have nothing. " +
		"--timeout and --inline-limit hold for every line that gives none. " +
		"The exit status is 0 if every call succeeded, else that of the first line that failed."
	command.Examples = []toolkit.ExampleCase{{Summary: "Up to eight calls at once", Input: json.RawMessage(`{"parallel":8}`)}}
	return command
}

// A line of a batch in either form.
const (
	batchToolLine = `{"toolkit":"weather","tool":"forecast","input":{"city":"Paris"}}`
	batchArgvLine = `{"argv":["weather","forecast","--city","Paris"]}`
)

// own is a command with the input that its help shows, "" for none.
func own(name, sample, summary string, body *toolkit.Body, aliases ...string) toolkit.Command {
	body.Sample = json.RawMessage(sample)
	return toolkit.Command{Name: name, Aliases: aliases, Summary: summary, Body: body}
}

func word(name, help string, required bool) toolkit.Positional {
	return toolkit.Positional{Name: name, Help: help, Required: required, Schema: anyText()}
}

func oneOf(name, help string, choices ...string) toolkit.Positional {
	place := word(name, help, true)
	for _, choice := range choices {
		place.Schema.Enum = append(place.Schema.Enum, json.RawMessage(strconv.Quote(choice)))
	}
	return place
}

func words(name, help string, least int) *toolkit.Tail {
	return &toolkit.Tail{Name: name, Help: help, Min: least, Item: anyText()}
}

func asJSON() []toolkit.Flag { return []toolkit.Flag{{Name: "json", Help: "Print JSON", Plain: true}} }

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
