package shim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// lostPause is for how long no line of a batch dials again after a host was not
// there: thousands of lines would each wait for it.
const lostPause = time.Second

// batchHost is the host as the lines of a batch share it: its connections and its
// definitions. A definition that changed is found by the call, which the host
// answers with nothing run.
type batchHost struct {
	p *Process
	// turn is held by the line that dials, for all of them.
	turn chan struct{}

	mu      sync.Mutex // guards the rest
	client  *guest.Client
	lost    error     // why the host was not there the last time; nil when it was
	lostFor time.Time // until when that stands
	// shown are the definitions by toolkit and by path, joined by spaces; the empty
	// path is the toolkit's own.
	shown map[string]map[string]*guest.Presented
}

// reach is the client, connected. A host is waited for once as long as for any
// call, and only briefly as long as it stays away.
func (h *batchHost) reach(ctx context.Context) (*guest.Client, error) {
	if client, _, err := h.known(); client != nil || err != nil {
		return client, err
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, cancelledBefore(ctx)
	}
	client, most, err := h.known()
	if client != nil || err != nil {
		return client, err
	}
	client, err = h.p.connectWithin(ctx, most)
	if err != nil && ctx.Err() != nil {
		return nil, cancelledBefore(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.client, h.lost, h.lostFor = client, err, time.Now().Add(lostPause)
	return client, err
}

// known is the client, or why there was no host a moment ago. Without either the
// host is to be dialled, for at most so long if that is not 0.
func (h *batchHost) known() (client *guest.Client, most time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.client != nil || h.lost == nil:
		return h.client, 0, nil
	case time.Now().Before(h.lostFor):
		return nil, 0, h.lost
	}
	return nil, briefWait, nil
}

// cancelledBefore is the error of a line that was begun and not called.
func cancelledBefore(ctx context.Context) error {
	return &toolkit.Error{Code: toolkit.CodeCancelled, Message: fmt.Sprintf("cancelled before the call was sent (%v)", context.Cause(ctx))}
}

// close closes the connections.
func (h *batchHost) close() {
	if h.client != nil {
		h.client.Close()
	}
}

// present is the definition that the request is read by, and who can be called by
// it; nobody where there is no host.
func (h *batchHost) present(ctx context.Context, r *batchRequest) (*guest.Client, *guest.Presented, error) {
	client, err := h.reach(ctx)
	if err != nil {
		return nil, nil, err
	}
	shown, err := h.show(ctx, client, r.kit, nil)
	if err != nil || !shown.Definition.Skeleton {
		return client, shown, err
	}
	if path := argv.Locate(shown.Definition, r.words); len(path) > 0 {
		shown, err = h.show(ctx, client, r.kit, path)
	}
	return client, shown, err
}

// show is a toolkit as far as the path selects it, asked for once.
func (h *batchHost) show(ctx context.Context, client *guest.Client, kit string, path []string) (*guest.Presented, error) {
	key := strings.Join(path, " ")
	h.mu.Lock()
	shown := h.shown[kit][key]
	h.mu.Unlock()
	if shown != nil {
		return shown, nil
	}
	shown, err := client.Present(ctx, kit, path)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shown == nil {
		h.shown = map[string]map[string]*guest.Presented{}
	}
	if h.shown[kit] == nil {
		h.shown[kit] = map[string]*guest.Presented{}
	}
	h.shown[kit][key] = shown
	return shown, nil
}

// heed forgets what an answer shows to be out of date: a toolkit's definition, or
// that the host is there. It reports whether it did; nothing ran then.
func (h *batchHost) heed(client *guest.Client, kit string, answer *guest.Answer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if answer.Stale {
		delete(h.shown, kit)
		return true
	}
	if answer.Code != toolkit.CodeHostUnreachable {
		return false
	}
	if h.client == client {
		client.Close()
		h.client, h.lost, h.lostFor = nil, answer.Error(), time.Time{} // the next line looks again
	}
	return true
}

// plan is the call that a request is, by the toolkit's definition.
func (b *batch) plan(r *batchRequest, shown *guest.Presented) (*guest.Call, argv.Options, error) {
	call := &guest.Call{Toolkit: r.kit, Path: r.words, Input: r.input, Revision: shown.Revision}
	options := b.options
	if r.program != "" {
		inv, err := b.parse(r, shown.Definition)
		if err != nil {
			return nil, options, err
		}
		call.Path, call.Input, options = inv.Path, inv.Input, b.merged(inv.Options)
	}
	path, cmd, err := argv.Resolve(shown.Definition, call.Path)
	if err != nil {
		return nil, options, err
	}
	if stream := requiredStream(cmd.Body); stream != "" {
		return nil, options, &toolkit.Error{
			Code: toolkit.CodeUsageError, Hint: strings.Join(append([]string{"agentos-" + r.kit}, append(path, "--help")...), " "),
			Message: "the command needs " + stream + " as a stream of its own, which a line of a batch has not: call it by a process of its own",
		}
	}
	if len(argv.Files(shown.Definition, path, call.Input)) > 0 {
		return nil, options, &toolkit.Error{
			Code: toolkit.CodeUsageError, Hint: strings.Join(append([]string{"agentos-" + r.kit}, append(path, "--help")...), " "),
			Message: "the command sends or writes files, which a line of a batch does not: call it by a process of its own",
		}
	}
	call.Path, call.ID = path, cmp.Or(options.CallID, guest.NewCallID())
	call.Timeout, call.DryRun = options.Timeout, options.DryRun
	return call, options, nil
}

// requiredStream is the stream without which a command cannot be called, or "".
func requiredStream(body *toolkit.Body) string {
	if body == nil {
		return ""
	}
	isRequired := func(slot *toolkit.Slot) bool { return slot != nil && slot.Required }
	switch {
	case isRequired(body.Stdin):
		return "stdin"
	case isRequired(body.Stdout):
		return "stdout"
	case isRequired(body.Stderr):
		return "stderr"
	}
	return ""
}

// parse reads a command line, and refuses one that is no call or whose output would
// not be an envelope.
func (b *batch) parse(r *batchRequest, def *toolkit.Definition) (*argv.Invocation, error) {
	inv, err := argv.Parse(def, &argv.Line{
		Program: r.program, Args: r.words, Env: b.env, ReadFile: b.readFile,
		NoStdin: "stdin is the batch, it cannot be the input of one of its calls",
	})
	refused, hint := "", "agentos batch --help"
	switch o := inv.Options; {
	case err != nil:
		return nil, err
	case inv.Help:
		refused, hint = "help is no call", strings.Join(append([]string{r.program}, append(inv.Path, "--help")...), " ")
	case inv.Version:
		refused, hint = "--version is no call", r.program+" --version"
	case o.Output != "envelope":
		refused = "--output " + o.Output + ": a line of a batch is answered with its envelope"
	case o.HasField:
		refused = "--field: a line of a batch is answered with its envelope"
	case o.ResultFile != "":
		refused = "--result-file: a line of a batch is answered on stdout"
	default:
		return inv, nil
	}
	return nil, &toolkit.Error{Code: toolkit.CodeUsageError, Message: refused, Hint: hint}
}

// merged is the options of a line, with the batch's own where it gives none.
func (b *batch) merged(o argv.Options) argv.Options {
	o.Timeout = cmp.Or(o.Timeout, b.options.Timeout)
	if o.InlineLimit < 0 {
		o.InlineLimit = b.options.InlineLimit
	}
	return o
}

// env is the variables for a line. Those of the bridge hold for the batch itself.
func (b *batch) env(name string) (string, bool) {
	if slices.Contains([]string{"AGENTOS_OUTPUT", "AGENTOS_TIMEOUT", "AGENTOS_INLINE_LIMIT"}, name) {
		return "", false
	}
	return b.p.Env(name)
}

// readFile reads a file that a line names. One that is stdin by another name, as
// /dev/stdin, would take the lines that are to come.
func (b *batch) readFile(path string) ([]byte, error) {
	if stdin, ok := b.p.Stdin.(*os.File); ok {
		own, err := stdin.Stat()
		named, namedErr := os.Stat(path)
		if err == nil && namedErr == nil && os.SameFile(own, named) {
			return nil, errors.New("it is stdin, which is the batch")
		}
	}
	return b.p.ReadFile(path)
}
