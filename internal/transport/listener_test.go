package transport

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// troubled is a listening socket whose accept fails a number of times before
// each connection.
type troubled struct {
	net.Listener
	errors []error
}

func (l *troubled) Accept() (net.Conn, error) {
	if len(l.errors) > 0 {
		err := l.errors[0]
		l.errors = l.errors[1:]
		return nil, err
	}
	return l.Listener.Accept()
}

func TestAcceptSurvivesTemporaryErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, connect := Pipe()
		defer func() { _ = l.Close() }()
		l.socket = &troubled{l.socket, []error{
			syscall.EMFILE, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR, syscall.EAGAIN,
			syscall.EMFILE, syscall.EMFILE, syscall.EMFILE,
		}}
		var reports []string
		l.Report = func(err error) { reports = append(reports, err.Error()) }
		start := time.Now()
		guest, host := connectPipe(t, l, connect, Peer{CID: 3})
		discard(guest)
		discard(host)
		if waited := time.Since(start); waited <= 0 || waited > time.Second {
			t.Errorf("ten errors held Accept up for %v, want a brief wait for each", waited)
		}
		if len(reports) != 1 || !strings.Contains(reports[0], "too many open files") {
			t.Errorf("reports: got %q, want the first error of the row", reports)
		}
	})
}

func TestCloseEndsAnAcceptThatWaitsAfterAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := Pipe()
		l.socket = &troubled{l.socket, []error{syscall.EMFILE, syscall.EMFILE, syscall.EMFILE}}
		accepted := make(chan error, 1)
		go func() { // joined by the receive below
			_, _, err := l.Accept()
			accepted <- err
		}()
		synctest.Wait()
		start := time.Now()
		_ = l.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: got %v, want net.ErrClosed", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("Accept returned %v after Close, want at once", waited)
		}
	})
}

func TestAcceptTurnsAwayAPeerAndGoesOn(t *testing.T) {
	l, connect := Pipe()
	defer func() { _ = l.Close() }()
	identify := l.identify
	l.identify = func(conn net.Conn) (Peer, error) {
		peer, err := identify(conn)
		if peer.UID == 1001 {
			return Peer{}, errors.New("uid 1001")
		}
		return peer, err
	}
	var reports []string
	l.Report = func(err error) { reports = append(reports, err.Error()) }

	turnedAway := make(chan error, 1)
	go func() { // joined by the receive below
		conn, err := connect(t.Context(), Peer{UID: 1001})
		if err == nil {
			_, err = conn.Read(make([]byte, 1))
		}
		turnedAway <- err
	}()
	accepted := make(chan Peer, 1)
	go func() { // joined by the receive below
		_, peer, _ := l.Accept()
		accepted <- peer
	}()
	if err := <-turnedAway; err == nil {
		t.Error("the peer that was turned away: its connection is open")
	}
	if _, err := connect(t.Context(), Peer{UID: 1000}); err != nil {
		t.Fatalf("connect as the next peer: %v", err)
	}
	if peer := <-accepted; peer.UID != 1000 {
		t.Errorf("accepted peer: got %+v, want uid 1000", peer)
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "uid 1001") {
		t.Errorf("reports: got %q, want one of uid 1001", reports)
	}
}

func TestListenRefusesAnUnknownScheme(t *testing.T) {
	_, err := Listen(t.Context(), Address{Scheme: "tcp"})
	if err == nil || !strings.Contains(err.Error(), `"tcp"`) {
		t.Errorf("listen: got %v, want an error that names the scheme", err)
	}
}
