// Package wire is the language that guests and hosts speak over a connection:
// frames, the messages in them, and the document that ends a call. PROTOCOL.md,
// beside this file, is its specification; whoever writes a guest in another
// language needs nothing else.
//
// A [Conn] sends and receives messages over any [net.Conn]. Each [Message] is a
// plain struct:
//
//	conn := wire.NewConn(link)
//	err := conn.Send(&wire.Open{Versions: wire.Versions(), Toolkit: "weather", Want: wire.WantCommand})
//	...
//	switch msg, err := conn.Receive(); msg := msg.(type) {
//	case *wire.Present:
//	...
//
// Receive is also what keeps the connection alive: it answers PING, asks for a
// sign of life after a silence and refuses whatever breaks the protocol. So an
// end that wants its connection kept must be in Receive. A goroutine of the Conn
// sends a PING or PONG beside it.
//
// [Streams] are the slots of one call: an [io.Reader] or [io.Writer] each. They get
// what Receive returns by Handle, and live on when the connection is lost.
//
// An [Envelope] is the document that a guest prints, and the body of RESULT,
// FAIL and a refused PRESENT.
package wire
