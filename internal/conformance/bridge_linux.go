package conformance

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/transport"
)

// Narrow is the size of socket buffers, in bytes, below which no system goes.
const Narrow = 4 << 10

// vsockPort is where the guests behind a VMM dial.
const vsockPort = 5000

// shortDir is a directory whose path leaves room for sockets' names, unlike
// that of t.TempDir.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "conf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Unix is a Unix socket, with buffers of that size on both ends; 0 leaves them.
func Unix(buffer int) Bridge {
	return Bridge{Name: named("unix", buffer), Bulk: bulk, Open: func(t testing.TB, h *host.Host) guest.DialFunc {
		return openUnix(t, h, buffer, func(conn net.Conn) net.Conn { return conn })
	}}
}

func named(name string, buffer int) string {
	if buffer == 0 {
		return name
	}
	return fmt.Sprintf("%s with buffers of %d bytes", name, buffer)
}

// Trickle is a Unix socket from which both ends read one byte at a time.
func Trickle() Bridge {
	return Bridge{Name: "trickle", Bulk: bulk, Open: func(t testing.TB, h *host.Host) guest.DialFunc {
		return openUnix(t, h, Narrow, byByte)
	}}
}

// openUnix serves the host at a Unix socket and dials it. Both ends of each
// connection are dressed. With the system's buffers and nothing to dress the
// host listens by itself.
func openUnix(t testing.TB, h *host.Host, buffer int, dress func(net.Conn) net.Conn) guest.DialFunc {
	t.Helper()
	addr := transport.Address{Scheme: "unix", Path: filepath.Join(shortDir(t), "s")}
	ready := func(conn net.Conn) net.Conn {
		narrow(conn, buffer)
		return dress(conn)
	}
	if buffer == 0 {
		if err := h.AddGuest(t.Context(), host.Guest{ID: guestID, Addr: addr.String()}); err != nil {
			t.Fatal(err)
		}
	} else {
		l, err := transport.Listen(t.Context(), addr)
		if err != nil {
			t.Fatal(err)
		}
		serve(t, h, &dressed{l, ready})
	}
	return func(ctx context.Context) (net.Conn, error) {
		conn, err := transport.Dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		return ready(conn), nil
	}
}

// Hybrid is a VMM before the host's hybrid listener.
func Hybrid(kind Kind, buffer int) Bridge {
	name := map[Kind]string{Firecracker: "hybrid by Firecracker", CloudHypervisor: "hybrid by Cloud Hypervisor"}[kind]
	return Bridge{Name: named(name, buffer), Bulk: bulk, Open: func(t testing.TB, h *host.Host) guest.DialFunc {
		return dialVMM(openHybrid(t, h, kind, buffer))
	}}
}

// openHybrid serves the host behind a VMM.
func openHybrid(t testing.TB, h *host.Host, kind Kind, buffer int) *VMM {
	t.Helper()
	path := filepath.Join(shortDir(t), "v.sock")
	addr := transport.Address{Scheme: "hybrid", Path: path, Port: vsockPort}
	if err := h.AddGuest(t.Context(), host.Guest{ID: guestID, Addr: addr.String()}); err != nil {
		t.Fatal(err)
	}
	v := NewVMM(kind, path, buffer)
	t.Cleanup(v.Close)
	return v
}

// dialVMM is how a guest of the VMM dials its host.
func dialVMM(v *VMM) guest.DialFunc {
	return func(ctx context.Context) (net.Conn, error) {
		conn, err := v.Dial(ctx, vsockPort)
		if err != nil {
			return nil, err
		}
		return conn, nil
	}
}

// Proxied is a proxy before the host's Unix socket.
func Proxied(manner Manner, buffer int) Bridge {
	name := map[Manner]string{
		HalfIsFull: "half-close is close", NoEOF: "no end of file", Bytewise: "byte by byte", Resets: "resets",
	}[manner]
	b := Bridge{Name: named("proxy, "+name, buffer), Bulk: bulk, Open: func(t testing.TB, h *host.Host) guest.DialFunc {
		_, dial := openProxied(t, h, manner, buffer)
		return dial
	}}
	if manner == Bytewise {
		b.Bulk = 4 << 10 // two system calls a byte
	}
	return b
}

// openProxied serves the host behind a proxy. Guests reach the one that resets
// over TCP, which has a reset, but for short buffers, with which TCP waits for
// its timers.
func openProxied(t testing.TB, h *host.Host, manner Manner, buffer int) (*Proxy, guest.DialFunc) {
	t.Helper()
	network, address := "unix", filepath.Join(shortDir(t), "p")
	if manner == Resets && buffer == 0 {
		network, address = "tcp", "127.0.0.1:0"
	}
	toHost := openUnix(t, h, buffer, func(conn net.Conn) net.Conn { return conn })
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	p := NewProxy(manner, buffer, l, toHost)
	t.Cleanup(p.Close)
	return p, func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, l.Addr().String())
		if err == nil {
			narrow(conn, buffer)
		}
		return conn, err
	}
}
