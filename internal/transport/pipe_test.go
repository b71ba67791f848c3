package transport

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

func TestPipeGivesThePeerOfEachConnection(t *testing.T) {
	l, connect := Pipe()
	defer func() { _ = l.Close() }()
	for _, want := range []Peer{{CID: 3}, {CID: 100, UID: -1, PID: -1}, {Guest: "vm7", UID: 1000, PID: 42}} {
		guest, host := connectPipe(t, l, connect, want)
		discard(guest)
		discard(host)
	}
}

// connectPipe makes a connection and checks its peer.
func connectPipe(t *testing.T, l *Listener, connect Connect, as Peer) (guest, host net.Conn) {
	t.Helper()
	dialed := make(chan error, 1)
	go func() { // joined by the receive below
		var err error
		guest, err = connect(t.Context(), as)
		dialed <- err
	}()
	host, peer, err := l.Accept()
	if dialErr := <-dialed; err != nil || dialErr != nil {
		t.Fatalf("connect as %+v: accept %v, dial %v", as, err, dialErr)
	}
	if peer != as {
		t.Errorf("peer: got %+v, want %+v", peer, as)
	}
	return guest, host
}

func TestPipeConnectWaitsForAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, connect := Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := connect(ctx, Peer{})
		checkReason(t, err, Timeout)
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("connect waited %v, want the context's minute", waited)
		}
	})
}

func TestPipeClosed(t *testing.T) {
	l, connect := Pipe()
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("close: got %v, want nil", err)
		}
	}
	_, err := connect(t.Context(), Peer{})
	checkReason(t, err, Refused)
	if _, _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: got %v, want net.ErrClosed", err)
	}
	if got := l.Addr().String(); got != "pipe:" {
		t.Errorf("address: got %q, want %q", got, "pipe:")
	}
}

func checkReason(t *testing.T, err error, want Reason) {
	t.Helper()
	dialErr, ok := errors.AsType[*DialError](err)
	if !ok {
		t.Fatalf("error: got %v, want a *DialError that says %s", err, want)
	}
	if dialErr.Reason != want {
		t.Errorf("reason of %v: got %s, want %s", err, dialErr.Reason, want)
	}
}
