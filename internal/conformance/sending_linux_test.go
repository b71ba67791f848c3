package conformance

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
)

// B072: both ends send 10 MB at once, and neither reads before it has sent.
func TestCase_B072_TheGuestSendsBeforeItReads(t *testing.T) {
	for _, bridge := range narrowBridges() {
		t.Run(bridge.Name, func(t *testing.T) {
			leavesNoDescriptor(t)
			mutual(t, bridge, func(r *Raw, list, call []byte) { r.Write(append(list, call...)) })
		})
	}
}

// A guest that takes its time over a long PRESENT is not silent: what the host
// waits for no longer than limits.handshake_ms comes after PRESENT.
func TestAPresentMayTakeLongerThanTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, Memory(), voluble())
		r := b.raw(t)
		go r.Send(TypeOpen, openMessage{V: []int{1}, Want: "list"}) // ends when it is read; the bubble waits
		for more := true; more; time.Sleep(time.Second) {
			more = r.frame().Flags&wire.More != 0
		}
		r.call("next", "echo", textInput{"a"})
		r.accepted("next")
		r.text()
	})
}
