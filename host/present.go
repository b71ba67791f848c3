package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/search"
	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// presentLimit is the size in bytes from which a definition is answered as its
// skeleton; the guest then asks again with the path that it found.
const presentLimit = 64 << 10

// present answers an OPEN.
func (h *Host) present(guest *member, m *wire.Open) *wire.Present {
	p := &wire.Present{Epoch: h.epochOf(guest), Limits: wire.Limits{
		InputBytes: strictjson.MaxBytes, ResultBytes: int64(h.resultLimit),
		HandshakeMS: handshakeTimeout.Milliseconds(), IdleMS: idleTimeout.Milliseconds(),
	}}
	if err := h.fill(p, guest, m); err != nil {
		p.Error = &failure(err).Envelope
	}
	return p
}

// epochOf is the epoch as a guest sees it: a new generation of the guest knows
// nothing of the calls of the former one, as a new life of the host does not.
func (h *Host) epochOf(guest *member) string {
	return h.epoch + "." + strconv.FormatUint(h.guests.scope(guest).Generation, 10)
}

// fill puts into a PRESENT what the OPEN wants.
func (h *Host) fill(p *wire.Present, guest *member, m *wire.Open) error {
	version, refused := wire.Negotiate(m.Versions)
	if refused != nil {
		return refused
	}
	p.Version = version
	switch m.Want {
	case wire.WantCommand, wire.WantDescribe:
		return h.presentCommand(p, m)
	case wire.WantList:
		return h.presentList(p, m)
	case wire.WantPrompt:
		p.Text = prompt.Render(h.catalog.definitions(), &prompt.Options{Budget: m.Budget})
		return nil
	case wire.WantSearch:
		return h.presentSearch(p, m)
	case wire.WantCalls:
		return h.presentCalls(p, guest, m.Query)
	}
	return &toolkit.Error{Code: toolkit.CodeUsageError, Message: fmt.Sprintf("this host does not answer %q", m.Want)}
}

// presentCommand presents the part of a toolkit that the leading words select.
func (h *Host) presentCommand(p *wire.Present, m *wire.Open) error {
	e, err := h.catalog.find(m.Toolkit)
	if err != nil {
		return err
	}
	revision, size := e.measure()
	p.Revision = revision
	p.Definition = argv.Prune(e.def, m.Words)
	if size <= presentLimit || isLeaf(&p.Definition.Command) {
		return nil
	}
	data, err := json.Marshal(p.Definition)
	if err != nil {
		return fmt.Errorf("encode definition: %w", err)
	}
	if len(data) > presentLimit {
		p.Definition = argv.Skeleton(p.Definition)
	}
	return nil
}

// isLeaf reports whether nothing is left below but one command, which has no
// smaller form: its skeleton could not be called.
func isLeaf(cmd *toolkit.Command) bool {
	for len(cmd.Commands) == 1 {
		cmd = &cmd.Commands[0]
	}
	return len(cmd.Commands) == 0
}

// presentList presents one toolkit whole, or all of them.
func (h *Host) presentList(p *wire.Present, m *wire.Open) (err error) {
	p.Definitions, err = h.wanted(m)
	return err
}

// presentSearch presents the tools that fit the query best.
func (h *Host) presentSearch(p *wire.Present, m *wire.Open) error {
	defs, err := h.wanted(m)
	if err != nil {
		return err
	}
	p.Text, p.Found, err = search.Answer(defs, m.Query)
	return err
}

// callsShown is how many calls a list of them shows: an agent pays for each.
const callsShown = 20

// presentCalls presents the guest's own calls, or the one of that id.
func (h *Host) presentCalls(p *wire.Present, guest *member, id string) (err error) {
	scope := h.guests.scope(guest)
	list := callList{Calls: h.calls.list(scope)}
	if id != "" {
		list.Calls = slices.DeleteFunc(list.Calls, func(c listedCall) bool { return c.ID != id })
		if len(list.Calls) == 0 {
			_, err := h.calls.find(scope, id)
			return err
		}
	}
	if n := len(list.Calls); n > callsShown {
		list.Total, list.Calls = n, list.Calls[:callsShown]
	}
	p.Found, err = json.Marshal(list)
	return err
}

// wanted is the toolkit that the OPEN names, or all of them.
func (h *Host) wanted(m *wire.Open) ([]*toolkit.Definition, error) {
	if m.Toolkit == "" {
		return h.catalog.definitions(), nil
	}
	e, err := h.catalog.find(m.Toolkit)
	if err != nil {
		return nil, err
	}
	return []*toolkit.Definition{e.def}, nil
}

// Definitions are the toolkits as the guest of that id sees them, sorted by name.
func (h *Host) Definitions(_ context.Context, guest string) []*toolkit.Definition {
	return h.catalog.definitions()
}

// Prompt is the text for the system prompt of the guest's agent; it is empty
// without toolkits.
func (h *Host) Prompt(ctx context.Context, guest string, o *prompt.Options) string {
	return prompt.Render(h.Definitions(ctx, guest), o)
}
