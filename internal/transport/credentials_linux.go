package transport

import (
	"net"

	"golang.org/x/sys/unix"
)

// canProveUser says whether credentials works here.
const canProveUser = true

// credentials is the user and process at the other end of a Unix socket, as
// they were when it connected, or when it listened if it is the listening end.
func credentials(conn *net.UnixConn) (uid, pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, -1, err
	}
	var peer *unix.Ucred
	controlErr := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	switch {
	case controlErr != nil:
		return -1, -1, controlErr
	case err != nil:
		return -1, -1, err
	}
	return int(peer.Uid), int(peer.Pid), nil
}
