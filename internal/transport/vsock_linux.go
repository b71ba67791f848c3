package transport

import (
	"context"
	"fmt"
	"net"

	"github.com/mdlayher/vsock"
	"golang.org/x/sys/unix"
)

// listenVsock binds to VMADDR_CID_ANY: a machine's own CID may change, and
// asking for it needs /dev/vsock, which may be root's alone.
func listenVsock(addr Address) (*Listener, error) {
	socket, err := vsock.ListenContextID(unix.VMADDR_CID_ANY, addr.Port, nil)
	if err != nil {
		return nil, vsockListenError(err)
	}
	nothing := func() error { return nil }
	return newListener(addr, socket, vsockPeer, nothing), nil
}

func vsockListenError(err error) error {
	if reasonOf(err) == NoDevice {
		return fmt.Errorf("%w: this kernel knows no AF_VSOCK, load vhost_vsock on a host", systemError(err))
	}
	return systemError(err)
}

func vsockPeer(conn net.Conn) (Peer, error) {
	remote, ok := conn.RemoteAddr().(*vsock.Addr)
	if !ok {
		return Peer{}, fmt.Errorf("peer address %v is not AF_VSOCK's", conn.RemoteAddr())
	}
	return Peer{CID: remote.ContextID, UID: -1, PID: -1}, nil
}

func dialVsock(ctx context.Context, addr Address) (net.Conn, error) {
	conn, err := vsock.DialContext(ctx, addr.CID, addr.Port, nil)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, err
	}
}
