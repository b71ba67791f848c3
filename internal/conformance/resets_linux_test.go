package conformance

import (
	"fmt"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
)

// B066: a proxy that resets the connection after any number of bytes, whatever
// it still holds: the guest attaches again, the call runs once and has one
// outcome.
func TestCase_B066_ResetAfterAnyNumberOfBytes(t *testing.T) {
	for _, buffer := range []int{0, Narrow} {
		t.Run(named("resets", buffer), func(t *testing.T) {
			leavesNoDescriptor(t)
			sweep(t, buffer, "to the host", func(n int) Limits { return Limits{ToHost: n, ToGuest: -1} })
			sweep(t, buffer, "to the guest", func(n int) Limits { return Limits{ToHost: -1, ToGuest: n} })
		})
	}
}

// sweep cuts one connection after 0 bytes, the next one after 1, and so on until
// a connection carries a whole call.
func sweep(t *testing.T, buffer int, way string, limits func(n int) Limits) {
	t.Helper()
	var p *Proxy
	b := newBed(t, Bridge{Open: func(t testing.TB, h *host.Host) (dial guest.DialFunc) {
		p, dial = openProxied(t, h, Resets, buffer)
		return dial
	}})
	b.kit.release()
	const most = 4 << 10
	for n := range most {
		p.Cut(limits(n))
		cut := &Cutter{Dial: b.dial} // which only counts
		id := fmt.Sprintf("%d.%s", n, guest.NewCallID())
		c := client(t, cut.DialFunc)
		answer := c.Call(t.Context(), &guest.Call{ID: id, Toolkit: "suite", Path: []string{"gate"}})
		checkOnce(t, b.kit, id, answer)
		if t.Failed() {
			t.Fatalf("cut after %d bytes %s", n, way)
		}
		c.Close()
		if cut.Dials() == 1 { // the cut came after all that matters
			if n < 100 {
				t.Errorf("a call within %d bytes %s", n, way)
			}
			return
		}
	}
	t.Errorf("the call is not over within %d bytes %s", most, way)
}
