package main

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/internal/wire"
)

// answers are what a host says to one call, as frames that were recorded.
type answers struct{ present, result []byte }

// serveMinimal is the least that a host can do: it answers every OPEN and every CALL
// alike, with what the host said to a call of `weather forecast --city Paris --month 7`.
func serveMinimal(ctx context.Context, at string, h *host.Host) error {
	fixed, err := record(ctx, h)
	if err != nil {
		return fmt.Errorf("record a call: %w", err)
	}
	addr, err := transport.ParseListen(at)
	if err != nil {
		return err
	}
	l, err := transport.Listen(ctx, addr)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, _, err := l.Accept()
		if err != nil {
			return nil // it is closed, by nothing but the end of the context
		}
		go fixed.give(conn) // ends with its guest, or with the process
	}
}

// record makes the call and keeps what comes back.
func record(ctx context.Context, h *host.Host) (*answers, error) {
	conn, err := h.Dialer("recorder")(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	said := &recording{Conn: conn}
	link := wire.NewConn(said)
	defer link.Close()
	exchange := func(ask wire.Message, until wire.Type) ([]byte, error) {
		said.bytes.Reset()
		err := link.Send(ask)
		for err == nil {
			var m wire.Message
			if m, err = link.Receive(); err == nil && m.Type() == until {
				return bytes.Clone(said.bytes.Bytes()), nil
			}
		}
		return nil, err
	}
	var fixed answers
	fixed.present, err = exchange(&wire.Open{Versions: wire.Versions(), Toolkit: "weather", Words: []string{"forecast"}, Want: wire.WantCommand}, (*wire.Present)(nil).Type())
	if err != nil {
		return nil, err
	}
	fixed.result, err = exchange(&wire.Call{ID: "fixed", Toolkit: "weather", Path: []string{"forecast"}, Input: []byte(`{"city":"Paris","month":7}`)}, (*wire.Result)(nil).Type())
	return &fixed, err
}

// recording keeps what is read.
type recording struct {
	net.Conn
	bytes bytes.Buffer
}

// Read reads, and keeps it.
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.bytes.Write(p[:n])
	return n, err
}

// give answers one guest until it has enough.
func (a *answers) give(conn net.Conn) {
	defer conn.Close()
	for {
		frame, err := wire.ReadFrame(conn, nil)
		if err != nil {
			return
		}
		switch frame.Type {
		case (*wire.Open)(nil).Type():
			_, err = conn.Write(a.present)
		case (*wire.Call)(nil).Type():
			_, err = conn.Write(a.result)
		}
		if err != nil {
			return
		}
	}
}
