package shim

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// own runs one of agentos's own commands; any other word is a toolkit's name.
func (p *Process) own(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == completeWord {
		return p.complete(ctx, args[1:])
	}
	if len(args) > 1 && args[0] == "call" && !strings.HasPrefix(args[1], "-") {
		return p.tool(ctx, "agentos call "+args[1], args[1], args[2:])
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !isOwn(args[0]) {
		return p.tool(ctx, "agentos "+args[0], args[0], args[1:])
	}
	if len(args) == 0 || args[0] == "help" && (len(args) == 1 || isOwn(args[1])) {
		args = append(args[min(len(args), 1):], "--help")
	}
	inv, err := argv.Parse(ownCommands(), p.line(ctx, "agentos", args))
	switch {
	case inv.Version:
		return p.version()
	case inv.Help && err == nil:
		return p.print(argv.Help("agentos", ownCommands(), inv.Path))
	case err != nil:
		return p.refuse(inv.Options, perhapsTool(inv, args, err))
	case inv.Path[0] == "await":
	case inv.Options.HasField || inv.Options.ResultFile != "" || inv.Options.CallID != "" || inv.Options.DryRun:
		return p.refuse(inv.Options, &toolkit.Error{
			Code: toolkit.CodeUsageError, Message: "--field, --result-file, --call-id and --dry-run are for calls of tools", Hint: "agentos " + inv.Path[0] + " --help",
		})
	}
	var in ownInput
	if err := json.Unmarshal(inv.Input, &in); err != nil {
		return p.refuse(inv.Options, err)
	}
	return p.runOwn(ctx, inv, in)
}

// perhapsTool is the error of list-tools, which lists a toolkit, for a line that
// names a tool of it: help is what tells of that.
func perhapsTool(inv *argv.Invocation, args []string, err error) error {
	var words []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	var e *toolkit.Error
	if len(words) < 3 || len(inv.Path) == 0 || inv.Path[0] != "list-tools" || !errors.As(err, &e) {
		return err
	}
	isOther := func(word string) bool { return !argv.IsName(word) }
	if !slices.ContainsFunc(words, isOther) {
		e.Hint = "agentos help " + strings.Join(words[1:], " ")
	}
	return e
}

// ownInput are the parameters of all of agentos's own commands.
type ownInput struct {
	Toolkit string   `json:"toolkit"`
	Tool    []string `json:"tool"`
	JSON    bool     `json:"json"`
	Shell   string   `json:"shell"`
	Budget  int      `json:"budget"`
	Into    string   `json:"into"`
	Words   []string `json:"words"`
	ID      string   `json:"id"`
	Listen  string   `json:"listen"`
}

func (p *Process) runOwn(ctx context.Context, inv *argv.Invocation, in ownInput) int {
	switch inv.Path[0] {
	case "version":
		return p.version()
	case "doctor":
		return p.doctor(ctx)
	case "completion":
		return p.print(completionScript(in.Shell))
	case "calls", "await":
		return p.past(ctx, inv, in.ID)
	case "search":
		return p.answered(ctx, inv, func(client *guest.Client) (string, error) { return find(ctx, client, in) })
	case "proxy":
		return p.proxy(ctx, inv, in.Listen)
	case "prompt":
		return p.prompt(ctx, inv, in)
	}
	return p.explain(ctx, inv, in)
}

// explain tells about toolkits: what it prints is there without a host too.
func (p *Process) explain(ctx context.Context, inv *argv.Invocation, in ownInput) int {
	var text string
	err := p.consult(ctx, func(from source) (err error) {
		switch inv.Path[0] {
		case "list-tools":
			text, err = list(ctx, from, in)
		case "describe":
			text, err = describe(ctx, from, in.Toolkit, in.Tool)
		case "help":
			text, err = helpText(ctx, from, in.Toolkit, in.Tool)
		}
		return err
	})
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	return p.print(text)
}

// answered prints a text that only the host has.
func (p *Process) answered(ctx context.Context, inv *argv.Invocation, ask func(*guest.Client) (string, error)) int {
	var text string
	err := p.withHost(ctx, 0, func(client *guest.Client) (err error) {
		text, err = ask(client)
		return err
	})
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	return p.print(text)
}

// prompt prints the prompt text, or keeps it in a file. Without a host and a
// budget it is the installed one.
func (p *Process) prompt(ctx context.Context, inv *argv.Invocation, in ownInput) int {
	if in.Into != "" {
		return p.answered(ctx, inv, func(client *guest.Client) (string, error) { return keptPrompt(ctx, client, in) })
	}
	var text string
	ask := func(client *guest.Client) (err error) {
		text, err = client.Prompt(ctx, in.Budget)
		return err
	}
	installed, missing := p.ReadFile(p.installedPath(guest.PromptPath))
	if missing != nil || in.Budget > 0 {
		installed = nil
	}
	most := briefWait
	if installed == nil {
		most = 0
	}
	err := p.withHost(ctx, most, ask)
	if isUnreachable(err) && installed != nil {
		p.noteOffline()
		text, err = string(installed), nil
	}
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	return p.print(text)
}

// list is the toolkits, or one of them, as text or JSON.
func list(ctx context.Context, from source, in ownInput) (string, error) {
	defs, err := from.Definitions(ctx, in.Toolkit)
	switch {
	case err != nil:
		return "", err
	case in.Toolkit == "" && in.JSON:
		return success(argv.ListJSON(defs)), nil
	case in.Toolkit == "":
		return argv.List(defs), nil
	case in.JSON:
		return success(argv.ListToolkitJSON(defs[0])), nil
	}
	return argv.ListToolkit(defs[0]), nil
}

// find is the tools that fit plain words best, as text or JSON.
func find(ctx context.Context, client *guest.Client, in ownInput) (string, error) {
	found, err := client.Search(ctx, strings.Join(in.Words, " "))
	switch {
	case err != nil:
		return "", err
	case in.JSON:
		return success(found.Result), nil
	}
	return found.Text, nil
}

// describe is everything about one tool, as JSON, or the tools of a toolkit or group.
// What is presented of such may be without them.
func describe(ctx context.Context, from source, kit string, words []string) (string, error) {
	shown, err := from.Present(ctx, kit, words)
	if err != nil {
		return "", err
	}
	def := shown.Definition
	path, cmd, err := argv.Resolve(def, words)
	if err != nil {
		return "", err
	}
	if cmd.Body == nil {
		defs, err := from.Definitions(ctx, kit)
		if err != nil {
			return "", err
		}
		def = defs[0]
	}
	return success(argv.Describe(def, path)), nil
}

// helpText is what `agentos help TOOLKIT [TOOL…]` prints.
func helpText(ctx context.Context, from source, kit string, words []string) (string, error) {
	defs, err := from.Definitions(ctx, kit)
	if err != nil {
		return "", err
	}
	path, _, err := argv.Resolve(defs[0], words)
	if err != nil {
		return "", err
	}
	return argv.Help("agentos-"+kit, defs[0], path), nil
}

// help prints the help of a command of a toolkit. A skeleton has not the texts
// that help needs, and a list shows the whole toolkit.
func (p *Process) help(ctx context.Context, from source, program string, shown *guest.Presented, inv *argv.Invocation) int {
	def := shown.Definition
	_, cmd, err := argv.Resolve(def, inv.Path)
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	if cmd.Skeleton || inv.HelpJSON && cmd.Body == nil {
		defs, err := from.Definitions(ctx, def.Name)
		if err != nil {
			return p.refuse(inv.Options, err)
		}
		def = defs[0]
	}
	switch {
	case !inv.HelpJSON:
		return p.print(argv.Help(program, def, inv.Path))
	case cmd.Body == nil:
		return p.print(success(argv.ListToolkitJSON(def)))
	}
	return p.print(success(argv.Describe(def, inv.Path)))
}

// success is a result as a line of stdout.
func success(result json.RawMessage) string { return string(envelope(wire.Success(result))) }

// version prints what this binary is.
func (p *Process) version() int {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return p.print("agentos " + version + ", protocol " + strconv.Itoa(slices.Max(wire.Versions())) + "\n")
}
