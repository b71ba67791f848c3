package host

import (
	"context"

	"github.com/agentos-go/agentos/toolkit"
)

// decider is a layer of policy: it refuses with an error. Layers can only
// narrow, so the first refusal stands.
type decider func(ctx context.Context, scope toolkit.Call, inv *toolkit.Invocation) error

// decide asks every layer of policy. A host without policy permits what it
// exposes, as Options says.
func (h *Host) decide(ctx context.Context, c *call) error {
	for _, permit := range h.deciders {
		if err := permit(ctx, c.scope, c.inv); err != nil {
			return err
		}
	}
	return nil
}
