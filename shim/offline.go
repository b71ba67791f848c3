package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// source says which toolkits there are and what is in them: the host, or the
// definitions that were installed for this guest. Only a host can be called.
type source interface {
	// Definitions are all toolkits, or the one of that name.
	Definitions(ctx context.Context, kit string) ([]*toolkit.Definition, error)
	// Present is a toolkit as far as the words select it.
	Present(ctx context.Context, kit string, words []string) (*guest.Presented, error)
}

// installed are the definitions in the guest's own file, as they were when its
// commands were installed.
type installed []*toolkit.Definition

// errNotInstalled is the error for a toolkit that the file does not have. The
// host may have it all the same.
var errNotInstalled = errors.New("not among the installed definitions")

// Definitions are those of the file.
func (defs installed) Definitions(_ context.Context, kit string) ([]*toolkit.Definition, error) {
	if kit == "" {
		return defs, nil
	}
	for _, def := range defs {
		if def.Name == kit {
			return []*toolkit.Definition{def}, nil
		}
	}
	return nil, errNotInstalled
}

// Present is the whole toolkit: nothing has to be sent.
func (defs installed) Present(ctx context.Context, kit string, _ []string) (*guest.Presented, error) {
	found, err := defs.Definitions(ctx, kit)
	if err != nil {
		return nil, err
	}
	return &guest.Presented{Definition: found[0]}, nil
}

// readInstalled reads the definitions that were installed for this guest. There are
// none in an image that guests share.
func (p *Process) readInstalled() (installed, error) {
	data, err := p.ReadFile(p.installedPath(guest.DefinitionsPath))
	if err != nil {
		return nil, err
	}
	if err := strictjson.Check(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", guest.DefinitionsPath, err)
	}
	var defs installed
	if err := json.Unmarshal(data, &defs); err != nil {
		return nil, fmt.Errorf("read %s: %w", guest.DefinitionsPath, err)
	}
	if slices.Contains(defs, nil) {
		return nil, fmt.Errorf("read %s: null is no definition", guest.DefinitionsPath)
	}
	return defs, nil
}

// briefWait is how long a host that is not there is waited for by who only reads
// and has installed definitions to read instead. A host that is there accepts in
// far less, be it busy or the machine emulated.
const briefWait = 250 * time.Millisecond

// consult asks the host about toolkits. One that cannot be reached at once is
// replaced by the installed definitions, and waited for where these cannot answer.
func (p *Process) consult(ctx context.Context, ask func(source) error) error {
	err := p.briefly(ctx, ask)
	if isUnreachable(err) {
		return p.askHost(ctx, 0, ask)
	}
	return err
}

// briefly is consult without the long wait.
func (p *Process) briefly(ctx context.Context, ask func(source) error) error {
	err := p.askHost(ctx, briefWait, ask)
	if !isUnreachable(err) && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	defs, missing := p.readInstalled()
	if missing != nil {
		p.debug("no installed definitions: %v", missing)
		return err
	}
	answer := ask(defs)
	if errors.Is(answer, errNotInstalled) {
		return err
	}
	p.noteOffline()
	return answer
}

// askHost asks the host, for which it waits at most that long; 0 means as long
// as for a call.
func (p *Process) askHost(ctx context.Context, most time.Duration, ask func(source) error) error {
	return p.withHost(ctx, most, func(client *guest.Client) error { return ask(client) })
}

// withHost connects and asks.
func (p *Process) withHost(ctx context.Context, most time.Duration, ask func(*guest.Client) error) error {
	client, err := p.connectWithin(ctx, most)
	if err != nil {
		return err
	}
	defer client.Close()
	return ask(client)
}

func (p *Process) noteOffline() {
	p.note("the host cannot be reached (agentos doctor says why); this is from the definitions installed here, which may be out of date")
}

func isUnreachable(err error) bool {
	return errors.Is(err, &toolkit.Error{Code: toolkit.CodeHostUnreachable})
}

// connectFor connects for a toolkit's command line. A line that may call nothing
// does not wait for a host if the installed definitions answer it.
func (p *Process) connectFor(ctx context.Context, line *argv.Line, kit string) (*guest.Client, error) {
	if !mayCallNothing(line.Args) {
		return p.connect(ctx)
	}
	client, err := p.connectWithin(ctx, briefWait)
	if isUnreachable(err) && p.readOffline(ctx, line, kit) == nil {
		return p.connect(ctx)
	}
	return client, err
}

// mayCallNothing reports whether a line has no words, or one that asks for help or
// the version where it is not a value. Only the definition can tell the rest.
func mayCallNothing(args []string) bool {
	return len(args) == 0 || args[0] == "help" || slices.ContainsFunc(args, asks)
}

func asks(word string) bool {
	return slices.Contains([]string{"--help", "-h", "--agentos:help", "--version", "--agentos:version"}, word)
}

// offlineLine is a line that calls nothing, as the installed definitions have it.
type offlineLine struct {
	source installed
	shown  *guest.Presented
	inv    *argv.Invocation
	err    error // of the line
}

// readOffline reads the line by the installed definitions, and nothing that it
// may name. It is nil unless they have the toolkit and the line asks for help or
// the version, or names no tool.
func (p *Process) readOffline(ctx context.Context, line *argv.Line, kit string) *offlineLine {
	defs, err := p.readInstalled()
	if err != nil {
		p.debug("no installed definitions: %v", err)
		return nil
	}
	shown, err := defs.Present(ctx, kit, nil)
	if err != nil {
		return nil
	}
	inv, err := argv.Parse(shown.Definition, &argv.Line{Program: line.Program, Args: line.Args})
	if !inv.Help && !inv.Version && !namesNoTool(shown.Definition, line.Args) {
		return nil
	}
	return &offlineLine{defs, shown, inv, err}
}

// namesNoTool reports whether the words name the toolkit or a group of it, and no
// more.
func namesNoTool(def *toolkit.Definition, words []string) bool {
	_, cmd, err := argv.Resolve(def, words)
	return err == nil && cmd.Body == nil
}

// unreached answers a line for which the host gave no definition: what calls
// nothing is there without a host, calls are not.
func (p *Process) unreached(ctx context.Context, line *argv.Line, kit string, err error) int {
	if isUnreachable(err) {
		if read := p.readOffline(ctx, line, kit); read != nil {
			p.noteOffline()
			exit, _ := p.tell(ctx, read.source, line.Program, read.shown, read.inv, read.err)
			return exit
		}
	}
	return p.refuse(argv.BridgeOptions(line), err)
}
