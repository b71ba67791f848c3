//go:build !linux

package transport

import "fmt"

// maxSocketPath is the longest path in a socket address, in bytes: the least
// among the systems that are not Linux (sys/un.h of macOS and the BSDs).
const maxSocketPath = 103

func shorten(path string) (short string, release func(), err error) {
	if len(path) > maxSocketPath {
		return "", nil, fmt.Errorf("a path of %d bytes, over %d, needs Linux: choose a shorter one", len(path), maxSocketPath)
	}
	return path, func() {}, nil
}

func descriptorPath(int) (string, bool) { return "", false }
