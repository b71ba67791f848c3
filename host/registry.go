package host

import (
	"fmt"
	"maps"
	"net"
	"strconv"
	"sync"

	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/toolkit"
)

// Guest is a guest as the host's program registers it.
type Guest struct {
	// ID is the guest's name, as in "vm7".
	ID string
	// CID is its context id on a shared AF_VSOCK listener; 0 means none.
	CID uint32
	// Addr is a listening address of its own, served from AddGuest to
	// RemoveGuest; empty means none.
	Addr string
	// Labels (tenant, agent, end user) are seen by handlers in CallFrom.
	Labels map[string]string
}

// registry knows who a connection belongs to.
type registry struct {
	mu         sync.Mutex // guards everything below
	byID       map[string]*member
	byCID      map[uint32]*member
	generation uint64
}

// member is one generation of a guest.
type member struct {
	guest    toolkit.Guest
	cid      uint32
	listener *transport.Listener // of its own address, or nil
	conns    map[net.Conn]struct{}
}

func newRegistry() *registry {
	return &registry{byID: map[string]*member{}, byCID: map[uint32]*member{}}
}

// add begins a generation of the guest.
func (r *registry) add(g Guest, l *transport.Listener) (*member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byID[g.ID]; taken {
		return nil, fmt.Errorf("add guest %q: already there; remove it first", g.ID)
	}
	if other, taken := r.byCID[g.CID]; taken && g.CID != 0 {
		return nil, fmt.Errorf("add guest %q: CID %d belongs to guest %q", g.ID, g.CID, other.guest.ID)
	}
	return r.begin(g, l), nil
}

// begin makes the member; r.mu is held.
func (r *registry) begin(g Guest, l *transport.Listener) *member {
	r.generation++
	m := &member{
		guest: toolkit.Guest{ID: g.ID, Generation: r.generation, Labels: maps.Clone(g.Labels)},
		cid:   g.CID, listener: l, conns: map[net.Conn]struct{}{},
	}
	r.byID[g.ID] = m
	if g.CID != 0 {
		r.byCID[g.CID] = m
	}
	return m
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

// atCID is the guest of a CID on a shared listener, or nil: with any, an
// unknown CID is a guest of its own.
func (r *registry) atCID(cid uint32, any bool) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.byCID[cid]; ok {
		return m
	}
	if !any || cid < 3 {
		return nil
	}
	return r.begin(Guest{ID: "cid-" + strconv.FormatUint(uint64(cid), 10), CID: cid}, nil)
}

// remove ends the guest's generation: its listener and connections are closed.
// It is the member that ended, or nil.
func (r *registry) remove(id string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.byID[id]
	if !ok {
		return nil
	}
	delete(r.byID, id)
	delete(r.byCID, m.cid)
	if m.listener != nil {
		m.listener.Close()
	}
	for conn := range m.conns {
		conn.Close()
	}
	m.conns = nil
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

// hold remembers a connection of the member until drop; false means that the
// member's generation has ended.
func (r *registry) hold(m *member, conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.conns == nil {
		return false
	}
	m.conns[conn] = struct{}{}
	return true
}

func (r *registry) drop(m *member, conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(m.conns, conn)
}
