package transport

import (
	"net"
	"testing"

	"golang.org/x/net/nettest"
)

func TestConnOverUnix(t *testing.T) {
	l := listenTest(t, "unix://"+t.TempDir()+"/s")
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		c1, err = Dial(t.Context(), Address{Scheme: "unix", Path: l.Addr().Path})
		if err != nil {
			return nil, nil, nil, err
		}
		c2, _, err = l.Accept()
		return c1, c2, func() { discard(c1); discard(c2) }, err
	})
}

func TestConnOverPipe(t *testing.T) {
	l, connect := Pipe()
	defer func() { _ = l.Close() }()
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		c1, c2 = connectPipe(t, l, connect, Peer{CID: 3})
		return c1, c2, func() { discard(c1); discard(c2) }, nil
	})
}
