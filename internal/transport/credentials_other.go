//go:build !linux

package transport

import "net"

// canProveUser says whether credentials works here.
const canProveUser = false

func credentials(*net.UnixConn) (uid, pid int, err error) { return -1, -1, nil }
