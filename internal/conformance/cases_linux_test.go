package conformance

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// B077: calls at the same time with long arguments never mix. The case asks for
// 10^5 calls: CONFORMANCE_CALLS=100000.
func TestCase_B077(t *testing.T) {
	total := lessUnderRace(2000, 300)
	if testing.Short() {
		total = 100
	}
	if text := os.Getenv("CONFORMANCE_CALLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("CONFORMANCE_CALLS: %v", err)
		}
		total = n
	}
	leavesNoDescriptor(t)
	concurrent(t, Unix(0), 100, total, 200_000)
}

// narrowBridges are those on which two ends that only send soon hold each other
// up.
func narrowBridges() []Bridge {
	return []Bridge{
		Memory(), Unix(Narrow), Hybrid(Firecracker, Narrow), Hybrid(CloudHypervisor, Narrow), Proxied(HalfIsFull, Narrow),
	}
}

// B072: a result that nobody reads holds up no other call of the same guest.
func TestCase_B072_AStalledReader(t *testing.T) {
	for _, bridge := range narrowBridges() {
		t.Run(bridge.Name, func(t *testing.T) {
			leavesNoDescriptor(t)
			bridge.Bulk = long
			testStalled(t, bridge)
		})
	}
}

// long is how many bytes both ends send at once.
var long = lessUnderRace(10<<20, 3<<20)

// voluble is toolkits whose definitions are long.
func voluble() *toolkit.Toolkit {
	schema := &toolkit.Schema{Type: toolkit.Types{"string"}, Extra: map[string]json.RawMessage{"$comment": quote(fill(long / 10))}}
	kit := &toolkit.Toolkit{Name: "voluble", Summary: "Tools with much to say"}
	for i := range 10 {
		kit.Tools = append(kit.Tools, toolkit.NewTool(
			toolkit.Command{Name: "tool" + strconv.Itoa(i), Summary: "Say nothing", Body: &toolkit.Body{
				Options: []toolkit.Option{{Name: "text", Schema: schema}},
			}}, nothing))
	}
	return kit
}

func nothing(context.Context, json.RawMessage) (any, error) { return toolkit.None{}, nil }

// mutual has both ends send 10 MB at the same time on one connection: the host a
// list of definitions and the guest an input.
func mutual(t *testing.T, bridge Bridge, talk func(r *Raw, list, call []byte)) {
	b := newBed(t, bridge, voluble())
	r := b.raw(t)
	text := fill(long)
	talk(r, Frames(t, TypeOpen, openMessage{V: []int{1}, Want: "list"}),
		Frames(t, TypeCall, callMessage{ID: "long", Toolkit: "suite", Path: []string{"echo"}, Input: textInput{text}}))
	for seen := map[wire.Type]bool{}; len(seen) < 3; { // ACCEPTED may overtake PRESENT
		typ, payload, frames := r.Next()
		seen[typ] = true
		switch typ {
		case TypePresent:
			var p presentMessage
			if err := json.Unmarshal(payload, &p); err != nil || len(p.Definitions) != 2 || frames < long/wire.MaxFrame {
				t.Errorf("PRESENT: %v, %d definitions in %d frames, want 2 in at least %d", err, len(p.Definitions), frames, long/wire.MaxFrame)
			}
		case TypeAccepted:
		case TypeResult:
			var o outcome
			if err := json.Unmarshal(payload, &o); err != nil || string(o.Result) != string(quote(text)) {
				t.Errorf("RESULT: %v, %d bytes, want those of the input", err, len(o.Result))
			}
		default:
			t.Fatalf("received %s %.300s", typ, payload)
		}
	}
}

// B072: both ends send 10 MB at once, and the guest reads meanwhile.
func TestCase_B072_BothEndsSend(t *testing.T) {
	for _, bridge := range narrowBridges() {
		t.Run(bridge.Name, func(t *testing.T) {
			leavesNoDescriptor(t)
			mutual(t, bridge, func(r *Raw, list, call []byte) {
				sent := make(chan error, 1)
				t.Cleanup(func() {
					if err := <-sent; err != nil {
						t.Errorf("send: %v", err)
					}
				})
				go func() { // joined above
					_, err := r.Conn.Write(append(list, call...))
					sent <- err
				}()
			})
		})
	}
}
