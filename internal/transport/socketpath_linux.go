package transport

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxSocketPath is the longest path in a socket address, in bytes (unix(7)).
const maxSocketPath = 107

// shorten is a path of at most maxSocketPath bytes to the same socket: a longer
// one is opened and reached through its descriptor, until release.
func shorten(path string) (short string, release func(), err error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	fd, err := openat(unix.AT_FDCWD, path, unix.O_PATH)
	if err != nil {
		return "", nil, err
	}
	short, ok := descriptorPath(fd)
	if !ok {
		_ = unix.Close(fd)
		return "", nil, fmt.Errorf("a path of %d bytes, over %d, needs /proc to be mounted: choose a shorter one", len(path), maxSocketPath)
	}
	return short, func() { _ = unix.Close(fd) }, nil
}

// descriptorPath is a short path to an open file, and false without /proc.
func descriptorPath(fd int) (string, bool) {
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	_, err := os.Lstat(path)
	return path, err == nil
}
