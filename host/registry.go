package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/toolkit"
)

// Guest is a guest as the host's program registers it.
type Guest struct {
	// ID is the guest's name, as in "vm7". Names of the form "cid-N" belong to
	// guests of listeners that say ?cid=any.
	ID string
	// CID is its context id on a shared AF_VSOCK listener, from 3 on; 0 means none.
	CID uint32
	// ReuseCID takes a CID on purpose that belonged to another guest less than ten
	// minutes ago: that one's VM is known to be gone.
	ReuseCID bool
	// Addr is a listening address of its own (unix or hybrid), served from AddGuest
	// to RemoveGuest; empty means none.
	Addr string
	// Labels (tenant, agent, end user) are seen by handlers in CallFrom.
	Labels map[string]string
	// Limits are the guest's own; nil means those of the host's Options.
	Limits *Limits
}

// quarantineTime is how long a CID is nobody's after its guest was removed. It
// lasts longer while connections of that guest are still there.
const quarantineTime = 10 * time.Minute

// The CIDs that guests have, from vsock(7): lower ones are the hypervisor, the
// machine itself and the host, the highest stands for any.
const (
	lowestCID  = 3
	highestCID = 1<<32 - 2
)

// registry knows who a connection belongs to.
type registry struct {
	limits Limits // of guests without their own
	// life ends with the host.
	life context.Context //nolint:containedctx // it is the host's, as in Host

	mu          sync.Mutex // guards everything below, and members
	byID        map[string]*member
	byCID       map[uint32]*member
	quarantined map[uint32]quarantine
	generation  uint64
}

// quarantine is a CID whose guest was removed, and until when it is nobody's.
type quarantine struct {
	guest *member
	until time.Time
}

// member is one generation of a guest.
type member struct {
	id    string
	quota *quota
	// life ends with the generation, and with it calls and connections; end ends it.
	life context.Context //nolint:containedctx // no caller's context is the guest's life
	end  context.CancelCauseFunc

	// These are guarded by the registry's lock.
	guest    toolkit.Guest
	cid      uint32
	listener *transport.Listener // of its own address, or nil
	conns    map[net.Conn]struct{}
}

func newRegistry(life context.Context, l Limits) *registry {
	return &registry{
		limits: l, life: life, byID: map[string]*member{}, byCID: map[uint32]*member{}, quarantined: map[uint32]quarantine{},
	}
}

// add begins a generation of the guest. A guest that is there already goes on
// under the new CID or address.
func (r *registry) add(g Guest, l *transport.Listener) (*member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.vet(g); err != nil {
		return nil, fmt.Errorf("add guest %q: %w", g.ID, err)
	}
	m, ok := r.byID[g.ID]
	if !ok {
		return r.begin(g, l), nil
	}
	if g.CID == m.cid && l == nil {
		return nil, fmt.Errorf("add guest %q: already there; remove it first", g.ID)
	}
	if g.Limits != nil {
		return nil, fmt.Errorf("add guest %q: the limits of a guest that is there do not change; remove it first", g.ID)
	}
	r.move(m, g, l)
	return m, nil
}

// vet says why the guest cannot have that id or CID; r.mu is held.
func (r *registry) vet(g Guest) error {
	if isAnyCIDName(g.ID) {
		return errors.New("names of the form cid-N belong to guests of listeners that say ?cid=any")
	}
	if g.CID == 0 {
		return nil
	}
	if g.CID < lowestCID || g.CID > highestCID {
		return fmt.Errorf("CID %d is no guest's: they go from %d to %d", g.CID, lowestCID, uint32(highestCID))
	}
	if other, taken := r.byCID[g.CID]; taken && other.id != g.ID {
		return fmt.Errorf("CID %d belongs to guest %q", g.CID, other.id)
	}
	q, ok := r.quarantine(g.CID)
	if !ok || q.guest.id == g.ID || g.ReuseCID {
		return nil
	}
	return fmt.Errorf("CID %d was that of guest %q, whose VM may still be there: it is free again at %s, or at once with ReuseCID",
		g.CID, q.guest.id, q.until.Format(time.RFC3339))
}

// quarantine is that of a CID, if it has not ended; r.mu is held.
func (r *registry) quarantine(cid uint32) (quarantine, bool) {
	q, ok := r.quarantined[cid]
	if ok && len(q.guest.conns) == 0 && !time.Now().Before(q.until) {
		delete(r.quarantined, cid)
		return quarantine{}, false
	}
	return q, ok
}

// begin makes the member; r.mu is held.
func (r *registry) begin(g Guest, l *transport.Listener) *member {
	r.generation++
	limits := r.limits
	if g.Limits != nil {
		limits = g.Limits.orDefaults()
	}
	m := &member{
		id: g.ID, quota: newQuota(limits),
		guest:    toolkit.Guest{ID: g.ID, Generation: r.generation, Labels: maps.Clone(g.Labels)},
		listener: l, conns: map[net.Conn]struct{}{},
	}
	m.life, m.end = context.WithCancelCause(r.life)
	r.byID[g.ID] = m
	r.assign(m, g.CID)
	return m
}

// assign gives the member a CID, unless it is 0; r.mu is held.
func (r *registry) assign(m *member, cid uint32) {
	if cid != 0 {
		m.cid = cid
		r.byCID[cid] = m
		delete(r.quarantined, cid)
	}
}

// move gives a member that lives another CID or listener, and labels; r.mu is held.
func (r *registry) move(m *member, g Guest, l *transport.Listener) {
	if g.CID != 0 && g.CID != m.cid {
		r.retire(m)
		r.assign(m, g.CID)
	}
	if l != nil {
		if m.listener != nil {
			m.listener.Close()
		}
		m.listener = l
	}
	if g.Labels != nil {
		m.guest.Labels = maps.Clone(g.Labels)
	}
}

// retire takes the member's CID from it; r.mu is held.
func (r *registry) retire(m *member) {
	if m.cid == 0 {
		return
	}
	delete(r.byCID, m.cid)
	r.quarantined[m.cid] = quarantine{guest: m, until: time.Now().Add(quarantineTime)}
	m.cid = 0
}

// named is the guest of that id, which begins when it is first seen: its
// listener or the calling program vouches for it.
func (r *registry) named(id string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.byID[id]; ok {
		return m
	}
	return r.begin(Guest{ID: id}, nil)
}

// anyCIDPrefix begins the names of guests that nobody registered.
const anyCIDPrefix = "cid-"

func isAnyCIDName(id string) bool {
	number, ok := strings.CutPrefix(id, anyCIDPrefix)
	_, err := strconv.ParseUint(number, 10, 32)
	return ok && err == nil
}

// atCID is the guest of a CID on a shared listener, or why there is none: with
// any, an unknown CID is a guest of its own.
func (r *registry) atCID(cid uint32, any bool) (*member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.byCID[cid]; ok {
		return m, nil
	}
	switch q, ok := r.quarantine(cid); {
	case ok:
		return nil, fmt.Errorf("CID %d was that of guest %q, which was removed; it is free again at %s", cid, q.guest.id, q.until.Format(time.RFC3339))
	case !any || cid < lowestCID || cid > highestCID:
		return nil, fmt.Errorf("CID %d is no guest's: add it with AddGuest", cid)
	}
	return r.begin(Guest{ID: anyCIDPrefix + strconv.FormatUint(uint64(cid), 10), CID: cid}, nil), nil
}

// remove ends the guest's generation: its listener closes, its calls are cancelled,
// and each connection closes once its caller has been told. It is the member that
// ended, or nil.
func (r *registry) remove(id string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.byID[id]
	if !ok {
		return nil
	}
	delete(r.byID, id)
	r.retire(m)
	if m.listener != nil {
		m.listener.Close()
	}
	m.end(errGuestRemoved)
	return m
}

// closeListeners closes what guests listen on.
func (r *registry) closeListeners() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.byID {
		if m.listener != nil {
			m.listener.Close()
		}
	}
}

// anyCIDs reports whether a guest with a CID is registered.
func (r *registry) anyCIDs() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byCID) > 0
}

// all are the guests that live, in no order.
func (r *registry) all() []*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.byID))
}

// scope is who the member is, as handlers see it.
func (r *registry) scope(m *member) toolkit.Guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.guest
}

// connections is how many the member has open.
func (r *registry) connections(m *member) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(m.conns)
}

// errEnded says that a guest was removed.
var errEnded = errors.New("the guest was removed")

// hold remembers a connection of the member until drop.
func (r *registry) hold(m *member, conn net.Conn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch most := m.quota.limits.Connections; {
	case m.life.Err() != nil:
		return errEnded
	case len(m.conns) >= most:
		return over(limitConnections, "this guest has %d connections open, more may not be", most)
	}
	m.conns[conn] = struct{}{}
	return nil
}

func (r *registry) drop(m *member, conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(m.conns, conn)
}
