package host

import (
	"context"
	"slices"
	"sync"
	"time"
)

// places are what calls run in: so many of the host, and so many of them at most
// for each guest. Guests that wait get them in turn, whoever waits longest of a
// guest first, so that the queue of one is none of another's.
type places struct {
	mu      sync.Mutex // guards what follows
	free    int
	guests  map[*member]*line
	waiting []*line // those with a queue and room for their guest, in turn
}

// line is one guest's use of the places.
type line struct {
	member  *member
	running int
	queue   []chan struct{} // closed when the place is there; oldest first
	inTurn  bool            // it is in places.waiting
}

func newPlaces(n int) *places { return &places{free: n, guests: map[*member]*line{}} }

// take waits for a place, as long as the guest's limits let it. Whoever took one
// gives it back with leave.
func (p *places) take(ctx context.Context, m *member) error {
	ticket, err := p.enter(m)
	if ticket == nil {
		return err
	}
	patience := time.NewTimer(m.quota.limits.QueueWait)
	defer patience.Stop()
	select {
	case <-ticket:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-patience.C:
		err = over(limitCalls, "no place to run came free within %s: %d calls of this guest may run at once", m.quota.limits.QueueWait, m.quota.limits.Calls)
	}
	if !p.withdraw(m, ticket) {
		p.leave(m) // it was handed over just now
	}
	return err
}

// enter takes a place that is free, or a ticket for one.
func (p *places) enter(m *member) (ticket chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.guests[m]
	if l == nil {
		l = &line{member: m}
		p.guests[m] = l
	}
	limits := &m.quota.limits
	if p.free > 0 && l.running < limits.Calls && len(l.queue) == 0 {
		p.free--
		l.running++
		return nil, nil
	}
	if len(l.queue) >= max(limits.Queued, 0) {
		return nil, fullQueue(limits)
	}
	ticket = make(chan struct{})
	l.queue = append(l.queue, ticket)
	p.line(l)
	return ticket, nil
}

func fullQueue(l *Limits) error {
	if l.Queued <= 0 {
		return over(limitCalls, "%d calls of this guest run at once, more may not", l.Calls)
	}
	return over(limitQueued, "%d calls of this guest wait for a place to run, more may not", l.Queued)
}

// leave gives a place back, to the next guest in turn.
func (p *places) leave(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.guests[m]
	l.running--
	p.free++
	p.line(l)
	p.serve()
	p.forget(l)
}

// line puts a guest in turn if it has somebody to send.
func (p *places) line(l *line) {
	if !l.inTurn && len(l.queue) > 0 && l.running < l.member.quota.limits.Calls {
		l.inTurn = true
		p.waiting = append(p.waiting, l)
	}
}

// serve hands out free places, one to a guest and then to the next.
func (p *places) serve() {
	for p.free > 0 && len(p.waiting) > 0 {
		l := p.waiting[0]
		p.waiting = p.waiting[1:]
		l.inTurn = false
		if len(l.queue) > 0 {
			close(l.queue[0])
			l.queue = l.queue[1:]
			l.running++
			p.free--
		}
		p.line(l)
		p.forget(l)
	}
}

// withdraw takes a ticket back; false means that its place is there already.
func (p *places) withdraw(m *member, ticket chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.guests[m]
	at := -1
	if l != nil {
		at = slices.Index(l.queue, ticket)
	}
	if at < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, at, at+1)
	p.forget(l)
	return true
}

// forget drops what is kept of a guest that has nothing here.
func (p *places) forget(l *line) {
	if l.running == 0 && len(l.queue) == 0 && !l.inTurn {
		delete(p.guests, l.member)
	}
}

// use is how many places a guest has, and how many of its calls wait for one.
func (p *places) use(m *member) (running, queued int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.guests[m]; l != nil {
		running, queued = l.running, len(l.queue)
	}
	return running, queued
}
