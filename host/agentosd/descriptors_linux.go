package main

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// keepDescriptors keeps what this process inherited beside its standard streams
// from the programs that it starts (close_range(2)).
func keepDescriptors() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("keep descriptors back: %w", err)
	}
	return nil
}
