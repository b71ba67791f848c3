package shim

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// Run runs the command that the process is and returns its exit status. When
// the context ends, a running call is cancelled.
func Run(ctx context.Context, p *Process) int {
	name := filepath.Base(p.Args[0])
	if kit, ok := strings.CutPrefix(name, "agentos-"); ok {
		return p.tool(ctx, name, kit, p.Args[1:])
	}
	return p.own(ctx, p.Args[1:])
}

// tool runs one tool of a toolkit: from argv to the handler on the host
// (host/dispatch.go) and back to stdout and the exit status.
func (p *Process) tool(ctx context.Context, program, kit string, args []string) int {
	line := p.line(ctx, program, args)
	client, err := p.connectFor(ctx, line, kit)
	if err != nil {
		return p.unreached(ctx, line, kit, err)
	}
	defer client.Close()
	p.debug("connected")

	shown, err := present(ctx, client, kit, args)
	if err != nil {
		return p.unreached(ctx, line, kit, perhapsOwn(program, kit, err))
	}
	inv, err := argv.Parse(shown.Definition, line)
	if exit, told := p.tell(ctx, client, program, shown, inv, err); told {
		return exit
	}

	call := &guest.Call{
		ID: cmp.Or(inv.Options.CallID, guest.NewCallID()), Toolkit: kit, Path: inv.Path, Input: inv.Input,
		Timeout: inv.Options.Timeout, DryRun: inv.Options.DryRun, Revision: shown.Revision, Note: p.note,
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	flowing, err := p.attach(ctx, call, shown.Definition, cancel)
	if err != nil {
		return p.refuseLine(shown.Definition, inv, err)
	}
	p.debug("call %s: %s %s", call.ID, kit, inv.Path)
	answer := client.Call(ctx, call)
	p.debug("answered: ok %v, exit %d", answer.OK, answer.Exit)
	if err := flowing.end(answer.OK && !answer.DryRun); err != nil && answer.OK {
		return p.undelivered(call.ID, err)
	}
	if gone, ok := errors.AsType[*goneError](context.Cause(ctx)); ok && p.brokenPipe != nil {
		p.brokenPipe(gone.pipe)
	}
	if flowing.toStdout {
		return p.streamed(inv.Options, call.ID, answer)
	}
	return p.answer(inv.Options, call.ID, answer)
}

// tell answers a line that calls nothing, given what the parser made of it. It is
// false for one that is a call.
func (p *Process) tell(ctx context.Context, from source, program string, shown *guest.Presented, inv *argv.Invocation, err error) (exit int, told bool) {
	switch {
	case inv.Help && err == nil:
		return p.help(ctx, from, program, shown, inv), true
	case inv.Version:
		return p.print(program + " " + cmp.Or(shown.Definition.Version, "(no version)") + "\n"), true
	case err != nil:
		return p.refuseLine(shown.Definition, inv, err), true
	}
	return 0, false
}

// present is the definition as far as the words on the line select it. A large
// toolkit answers with its skeleton first, which is enough to find the command.
func present(ctx context.Context, from source, kit string, args []string) (*guest.Presented, error) {
	shown, err := from.Present(ctx, kit, argv.LeadingWords(args))
	if err != nil || !shown.Definition.Skeleton {
		return shown, err
	}
	path := argv.Locate(shown.Definition, args)
	if len(path) == 0 {
		return shown, nil
	}
	return from.Present(ctx, kit, path)
}

// connect reaches the host at the configured address.
func (p *Process) connect(ctx context.Context) (*guest.Client, error) { return p.connectWithin(ctx, 0) }

// connectWithin is connect with a limit to the configured wait for a host that is
// not there; 0 means none.
func (p *Process) connectWithin(ctx context.Context, most time.Duration) (*guest.Client, error) {
	way, err := p.way(guest.DefaultDialWait)
	if err != nil {
		return nil, err
	}
	if most > 0 {
		way.DialWait = min(way.DialWait, most)
	}
	return guest.Dial(ctx, way)
}

// way is the configured way to the host, with the wait for one that is not there
// where none is configured.
func (p *Process) way(wait time.Duration) (*guest.Options, error) {
	addr, _ := p.address()
	if addr == "" && p.Dial == nil {
		return nil, &toolkit.Error{
			Code:    toolkit.CodeHostUnreachable,
			Message: "nothing says where the host is: set AGENTOS_ADDR (vsock://2:5000 or unix:///PATH) or write /etc/agentos/addr; there is no default, since a guessed address may belong to another hypervisor",
			Hint:    "agentos doctor",
		}
	}
	configured, err := p.dialWait()
	if err != nil {
		return nil, err
	}
	return &guest.Options{Addr: addr, Dial: p.Dial, DialWait: cmp.Or(configured, wait)}, nil
}

// line is what the argument parser is given.
func (p *Process) line(ctx context.Context, program string, args []string) *argv.Line {
	line := &argv.Line{Program: program, Args: args, Env: p.Env, ReadFile: p.ReadFile}
	if p.Stdin != nil {
		line.Stdin = func(timeout time.Duration) ([]byte, error) { return p.readStdin(ctx, timeout) }
	}
	return line
}

// refuseLine is refuse for a tool's line: the stdout of a tool that streams to it has
// nothing else.
func (p *Process) refuseLine(def *toolkit.Definition, inv *argv.Invocation, err error) int {
	_, cmd, unknown := argv.Resolve(def, inv.Path)
	if unknown == nil && cmd.Body != nil && cmd.Body.Stdout != nil {
		return p.stderr(failed(asError(err), ""))
	}
	return p.refuse(inv.Options, err)
}

// refuse answers a command that was not called.
func (p *Process) refuse(o argv.Options, err error) int {
	return p.answer(o, "", failed(asError(err), ""))
}
