// Package transport turns addresses into connections, and says who is at the
// other end of each.
//
// An Address is read by ParseListen on the host and by ParseDial in the guest:
//
//	vsock://:5000                                   host: one AF_VSOCK port for guests registered by CID
//	vsock://:5000?cid=any                           host: the same, for guests that nobody registered
//	vsock://2:5000                                  guest: the host, CID 2
//	unix:///run/agentos/vm7/agentos.sock?guest=vm7  host: one socket per guest
//	unix:///run/agentos/vm7/agentos.sock            guest: the same socket, mounted into the sandbox
//	hybrid:///run/fc/v.sock?port=5000&guest=vm7     host: where Firecracker and Cloud Hypervisor
//	                                                connect when the guest dials vsock://2:5000
//
// Listen makes a Listener, whose Accept returns each connection with its Peer;
// Dial makes one attempt and explains a failure as a *DialError. Pipe is both
// ends in memory.
//
//	l, err := transport.Listen(ctx, addr)
//	for {
//		conn, peer, err := l.Accept() // net.ErrClosed after l.Close, nothing else
//		…
//	}
//
// A Peer is what the channel proves, never what a peer says of itself: the
// guest that a listener belongs to, the CID that the kernel vouches for, the
// user and process of SO_PEERCRED.
//
// AF_VSOCK, peer credentials and paths longer than a socket address are
// Linux's. Unix sockets also work on macOS, without uid=; elsewhere addresses
// parse and only dialing a Unix socket is left.
package transport
