//go:build !linux

package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
)

var errNoVsock = fmt.Errorf("AF_VSOCK needs Linux: %w", errors.ErrUnsupported)

func listenVsock(Address) (*Listener, error) { return nil, errNoVsock }

func dialVsock(context.Context, Address) (net.Conn, error) { return nil, errNoVsock }
