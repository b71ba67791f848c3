package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Dial makes one attempt to connect to an address that ParseDial made, within
// the context; the caller retries. Every error is a *DialError.
func Dial(ctx context.Context, addr Address) (net.Conn, error) {
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, newDialError(addr, err)
	}
	return conn, nil
}

func dial(ctx context.Context, addr Address) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch addr.Scheme {
	case schemeVsock:
		if err := checkCID(addr.CID); err != nil {
			return nil, err
		}
		return dialVsock(ctx, addr)
	case schemeUnix:
		return dialUnix(ctx, addr.Path)
	default:
		return nil, fmt.Errorf("scheme %q cannot be dialed", addr.Scheme)
	}
}

// dialUnix connects through package net's DialUnix, not its Dialer, which
// would bring the DNS resolver (270 KiB) into the guest binary.
func dialUnix(ctx context.Context, path string) (net.Conn, error) {
	path, release, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer release()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Net: "unix", Name: path})
		if err == nil {
			return conn, nil
		}
		// EAGAIN is a full backlog (connect(2)); nothing can be polled for it.
		if !errors.Is(err, syscall.EAGAIN) {
			return nil, err
		}
		if !pause(ctx.Done(), wait) {
			return nil, fmt.Errorf("the host's queue of connections stayed full: %w", ctx.Err())
		}
	}
}
