package host

import (
	"context"

	"github.com/agentos-go/agentos/internal/transport"
)

// ServeShared serves a listener that guests share, by the peers' CIDs.
func (h *Host) ServeShared(ctx context.Context, l *transport.Listener, anyCID bool) error {
	addr := transport.Address{AnyCID: anyCID}
	return h.serve(ctx, l, func(p transport.Peer) (*member, error) { return h.identify(addr, p) })
}
