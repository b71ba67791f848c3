package host

import (
	"errors"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// GuestStats is what one guest takes of the host at the moment, and what it was
// refused since its generation began.
type GuestStats struct {
	Guest toolkit.Guest
	// Connections are open; Calls run, those of abandoned handlers included;
	// Queued wait for a place to run.
	Connections, Calls, Queued int
	// Abandoned are handlers that still run although their call is over.
	Abandoned int
	// Refused counts what was answered with BUSY, by limit: connections, calls,
	// queued, slots, connect_rate, call_rate, frame_rate, byte_rate.
	Refused map[string]uint64
}

// Stats are the numbers of every guest, sorted by id.
func (h *Host) Stats() []GuestStats {
	var all []GuestStats
	for _, m := range h.guests.all() {
		s := GuestStats{Guest: h.guests.scope(m), Connections: h.guests.connections(m)}
		s.Calls, s.Queued = h.places.use(m)
		s.Abandoned, s.Refused = m.quota.counts()
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b GuestStats) int { return strings.Compare(a.Guest.ID, b.Guest.ID) })
	return all
}

// noted counts a refusal and tells the log, when the error says that the guest is
// over a limit; it returns the error.
func (h *Host) noted(m *member, err error) error {
	var b *busy
	if !errors.As(err, &b) {
		return err
	}
	if count, tell := m.quota.refuse(b.limit); tell {
		h.log.Warn("guest over a limit", "guest", m.id, "limit", b.limit, "refused", count)
	}
	return err
}
