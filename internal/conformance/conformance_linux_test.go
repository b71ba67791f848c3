package conformance

import "testing"

// Every way to connect a guest to a host behaves alike.
func TestConformance(t *testing.T) {
	for _, bridge := range []Bridge{
		Memory(), Pipe(),
		Unix(0), Unix(Narrow), Trickle(),
		Hybrid(Firecracker, 0), Hybrid(Firecracker, Narrow),
		Hybrid(CloudHypervisor, 0), Hybrid(CloudHypervisor, Narrow),
	} {
		Suite(t, bridge)
	}
}

// B066: completion never depends on half-close, end of file or the reset of the
// transport.
func TestCase_B066(t *testing.T) {
	for _, manner := range []Manner{HalfIsFull, NoEOF, Bytewise, Resets} {
		Suite(t, Proxied(manner, 0))
		Suite(t, Proxied(manner, Narrow))
	}
}
