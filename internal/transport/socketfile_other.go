//go:build !linux && !darwin

package transport

import (
	"context"
	"errors"
	"fmt"
)

func listenUnix(context.Context, Address) (*Listener, error) {
	return nil, fmt.Errorf("sockets with owners and modes need Linux or macOS: %w", errors.ErrUnsupported)
}
