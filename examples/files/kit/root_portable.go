package kit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// portable is the opener where there is no openat2: an os.Root, which follows
// links that stay inside.
type portable struct{ dir *os.Root }

func (p portable) open(name string) (*os.File, error) {
	file, err := p.dir.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	var errno syscall.Errno
	if err != nil && !errors.As(err, &errno) {
		// What the system did not refuse, os.Root did: a way out.
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.EXDEV}
	}
	return file, err
}

func (p portable) lstat(name string) (fs.FileInfo, error) {
	return p.dir.Lstat(filepath.FromSlash(name))
}
