package conformance

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/toolkit"
)

// guestID is whom the hosts of the suite serve.
const guestID = "g"

// Bridge is one way for a guest to reach a host.
type Bridge struct {
	// Name names the bridge's tests.
	Name string
	// Open serves the host to its guest until the test ends, and is how that
	// guest dials.
	Open func(t testing.TB, h *host.Host) guest.DialFunc
	// Bulk is the longest text, in bytes, that is worth sending over the bridge.
	Bulk int
}

// bulk is a text of several frames, in bytes.
var bulk = lessUnderRace(3<<20, 5<<18)

// lessUnderRace is the smaller number where the race detector is on.
func lessUnderRace(n, less int) int {
	if underRace {
		return less
	}
	return n
}

// Memory is the host's own connections in memory, without buffers.
func Memory() Bridge {
	return Bridge{Name: "memory", Bulk: bulk, Open: func(_ testing.TB, h *host.Host) guest.DialFunc {
		return h.Dialer(guestID)
	}}
}

// Pipe is the transport in memory, served like any listener.
func Pipe() Bridge {
	return Bridge{Name: "pipe", Bulk: bulk, Open: func(t testing.TB, h *host.Host) guest.DialFunc {
		l, connect := transport.Pipe()
		serve(t, h, &dressed{l, func(conn net.Conn) net.Conn { return conn }})
		return func(ctx context.Context) (net.Conn, error) { return connect(ctx, transport.Peer{}) }
	}}
}

// serve serves the listener to the guest until the test ends.
func serve(t testing.TB, h *host.Host, l net.Listener) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- h.Serve(context.Background(), l, guestID) }() // ends with the listener, below
	t.Cleanup(func() {
		_ = l.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
}

// dressed is a listener whose connections are dressed before the host sees them.
type dressed struct {
	listener *transport.Listener
	dress    func(net.Conn) net.Conn
}

// Accept implements net.Listener.
func (d *dressed) Accept() (net.Conn, error) {
	conn, _, err := d.listener.Accept()
	if err != nil {
		return nil, err
	}
	return d.dress(conn), nil
}

// Close implements net.Listener.
func (d *dressed) Close() error { return d.listener.Close() }

// Addr implements net.Listener.
func (d *dressed) Addr() net.Addr {
	return &net.UnixAddr{Net: "unix", Name: d.listener.Addr().String()}
}

// trickle is a connection that is read one byte at a time.
type trickle struct {
	net.Conn
	in *bufio.Reader
}

func byByte(conn net.Conn) net.Conn { return &trickle{conn, bufio.NewReader(conn)} }

// Read reads one byte.
func (c *trickle) Read(p []byte) (int, error) { return c.in.Read(p[:min(1, len(p))]) }

// bed is a host with the suite's toolkit, and the way to it.
type bed struct {
	kit  *kit
	host *host.Host
	dial guest.DialFunc
}

// resultLimit lets pass what a message can carry.
const resultLimit = 16 << 20

// newBed is a bed that ends with the test.
func newBed(t testing.TB, bridge Bridge, more ...*toolkit.Toolkit) *bed {
	t.Helper()
	k := newKit()
	h, err := host.New(&host.Options{
		Toolkits: append(more, k.toolkit()), ResultLimit: resultLimit, Log: slog.New(slog.DiscardHandler),
		Limits: &host.Limits{CallRate: unlimited, ConnectRate: unlimited, FrameRate: unlimited, InputBytes: 64 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() }) // which reports nothing
	return &bed{kit: k, host: h, dial: bridge.Open(t, h)}
}

// unlimited is a rate that no test reaches: what limits do is tested with the host.
var unlimited = host.Rate{PerSecond: 1 << 30, Burst: 1 << 30}

// silent is a guest that speaks by hand and has said nothing yet.
func (b *bed) silent(t testing.TB) *Raw {
	t.Helper()
	conn, err := b.dial(t.Context())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	return NewRaw(t, conn)
}

// raw is a guest that speaks by hand, after its OPEN.
func (b *bed) raw(t testing.TB) *Raw {
	t.Helper()
	r := b.silent(t)
	r.open(openMessage{Toolkit: "suite", Want: "command"})
	return r
}

// client is a guest of package guest, over dial.
func client(t testing.TB, dial guest.DialFunc) *guest.Client {
	t.Helper()
	c, err := guest.Dial(t.Context(), &guest.Options{Dial: dial, DialWait: time.Minute})
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
