package shim

import (
	"context"
	"encoding/json"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// past runs the commands about calls that were made before: what the host knows
// of them, and the outcome of one.
func (p *Process) past(ctx context.Context, inv *argv.Invocation, id string) int {
	if (id != "" || inv.Path[0] == "await") && !wire.ValidCallID(id) {
		return p.refuse(inv.Options, &toolkit.Error{Code: toolkit.CodeUsageError, Message: "id: a call id is 1 to 64 of A-Z a-z 0-9 . _ -", Hint: "agentos calls"})
	}
	client, err := p.connect(ctx)
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	defer client.Close()
	if inv.Path[0] == "await" {
		return p.await(ctx, client, inv.Options, id)
	}
	list, err := client.Calls(ctx, id)
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	result, err := json.Marshal(list)
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	return p.answer(inv.Options, "", &guest.Answer{OK: true, Result: result})
}

// await prints what the call's own command would have printed. A timeout limits
// the wait, not the call.
func (p *Process) await(ctx context.Context, client *guest.Client, o argv.Options, id string) int {
	if o.Timeout > 0 {
		bound, cancel := context.WithTimeout(ctx, o.Timeout)
		defer cancel()
		ctx = bound
	}
	return p.answer(o, id, client.Await(ctx, id, p.note))
}
