// Package conformance holds a host and its guests against the protocol
// (internal/wire/PROTOCOL.md) over every way that connects the two.
//
// A [Bridge] is one such way. [Suite] runs the same behaviours over it, each
// with a host of its own:
//
//	func TestConformance(t *testing.T) {
//		conformance.Suite(t, conformance.Memory())
//	}
//
// What connects guests in earnest is imitated where it is awkward: a [Proxy]
// mistreats the end of a stream, cuts bytes apart or resets connections, a
// [Cutter] cuts a link at a chosen frame, and a [VMM] carries connections like
// Firecracker and Cloud Hypervisor do, on one event loop.
//
// [Raw] is a guest written from PROTOCOL.md alone, without internal/wire's Conn:
// it says what a well-behaved guest never would.
//
// The VMM and the bridges over Unix sockets are Linux's.
package conformance
