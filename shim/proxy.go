package shim

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

const (
	// maxRelayed is how many connections a proxy has at once: as many as a host
	// takes of one guest by default.
	maxRelayed = 1000
	// proxyWait is how long a proxy waits for a host that is not there, when no
	// wait is configured: less than its clients wait for an answer, so that they
	// learn why there is none.
	proxyWait = time.Second
	// farewell is how long a client that is turned away may take to listen.
	farewell = 100 * time.Millisecond
)

// proxy relays the connections at a Unix socket to the host until the context ends.
func (p *Process) proxy(ctx context.Context, inv *argv.Invocation, path string) int {
	way, err := p.proxyWay()
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	path, err = proxyPath(path, way)
	if err != nil {
		return p.refuse(inv.Options, err)
	}
	if p.hear != nil {
		p.hear() // a signal would leave the socket behind
	}
	l, err := transport.ListenUnix(ctx, path)
	if err != nil {
		return p.refuse(inv.Options, &toolkit.Error{Code: toolkit.CodeUsageError, Message: fmt.Sprintf("--listen: %v", err), Hint: "agentos proxy --help"})
	}
	l.Report = func(err error) { p.note(err.Error()) }
	p.note("listening on " + l.Addr().String())
	relay(ctx, l, way)
	return 0
}

// proxyWay is the way to the host. What is wrong with its address is known at
// once; whether somebody is there is each connection's to find out.
func (p *Process) proxyWay() (*guest.Options, error) {
	way, err := p.way(proxyWait)
	if err != nil || way.Dial != nil {
		return way, err
	}
	if _, err := transport.ParseDial(way.Addr); err != nil {
		return nil, &toolkit.Error{Code: toolkit.CodeHostUnreachable, Message: err.Error(), Hint: "agentos doctor"}
	}
	return way, nil
}

// proxyPath is where to listen: a path, and not the one that leads to the host.
func proxyPath(path string, way *guest.Options) (string, error) {
	mistake := &toolkit.Error{Code: toolkit.CodeUsageError}
	if _, rest, found := strings.Cut(path, "://"); found {
		mistake.Message = fmt.Sprintf("--listen: %q is an address, and a path is wanted", path)
		mistake.Hint = "agentos proxy --listen " + argv.Quote(rest)
		return "", mistake
	}
	if !filepath.IsAbs(path) {
		dir, err := syscall.Getwd() // os.Getwd, as filepath.Abs uses it, is 4 KiB more in the guest binary
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	if host, err := transport.ParseDial(way.Addr); err == nil && host.Path == path {
		mistake.Message = fmt.Sprintf("--listen: %s is where the host is: choose another path", path)
		return "", mistake
	}
	return path, nil
}

// relay passes on each connection of the listener, which it closes, until the
// context ends.
func relay(ctx context.Context, l *transport.Listener, way *guest.Options) {
	var work sync.WaitGroup
	defer work.Wait()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	places := make(chan struct{}, maxRelayed)
	for {
		near, _, err := l.Accept()
		if err != nil {
			return
		}
		select {
		case places <- struct{}{}:
			work.Go(func() { // ends with either end of the connection, or the context
				defer func() { <-places }()
				relayOne(ctx, near, way)
			})
		default:
			turnAway(near, &toolkit.Error{
				Code: toolkit.CodeBusy, Message: fmt.Sprintf("the proxy has %d connections open; nothing ran", maxRelayed),
				Hint: "run the same command again in a few seconds", Details: []map[string]string{{"limit": "connections"}},
			})
		}
	}
}

// relayOne dials the host for one connection and joins the two.
func relayOne(ctx context.Context, near net.Conn, way *guest.Options) {
	far, err := guest.Connect(ctx, way)
	if err != nil {
		turnAway(near, err)
		return
	}
	defer context.AfterFunc(ctx, func() {
		near.Close()
		far.Close()
	})()
	join(near, far)
}

// turnAway closes a connection that is not relayed, and says why. The words fit
// into the buffer of a new socket, so this does not wait.
func turnAway(near net.Conn, why error) {
	conn := wire.NewConn(near)
	conn.Timing.Progress = farewell
	_ = conn.Send(&wire.Fail{Envelope: wire.Failure(asError(why))}) // a client that is gone hears nothing
	conn.Close()
}
