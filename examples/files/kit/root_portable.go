package kit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// portable is the opener where there is no openat2: an os.Root, which follows
// links that stay inside.
type portable struct{ dir *os.Root }

func (p portable) open(name string) (*os.File, error) {
	file, err := p.dir.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return file, wayOut(name, err)
}

// wayOut is the error with that of an os.Root as the system has it: what the
// system did not refuse, os.Root did.
func wayOut(name string, err error) error {
	var errno syscall.Errno
	if err == nil || errors.As(err, &errno) {
		return err
	}
	return &fs.PathError{Op: "open", Path: name, Err: syscall.EXDEV}
}

func (p portable) lstat(name string) (fs.FileInfo, error) {
	return p.dir.Lstat(filepath.FromSlash(name))
}

func (p portable) in(name string) (directory, error) {
	info, err := p.dir.Stat(filepath.FromSlash(name))
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return portableDir{p.dir, name}, wayOut(name, err)
}

// portableDir is a directory below an os.Root, which finds it again for each use:
// to open one by os.Root would wait for a FIFO in its place.
type portableDir struct {
	root *os.Root
	name string
}

func (d portableDir) at(name string) string { return filepath.FromSlash(path.Join(d.name, name)) }

func (d portableDir) lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(d.at(name)) }

func (d portableDir) create(name string) (*os.File, error) {
	return d.root.OpenFile(d.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (d portableDir) rename(from, to string) error { return d.root.Rename(d.at(from), d.at(to)) }

func (d portableDir) remove(name string) error { return d.root.Remove(d.at(name)) }

// Close lets go of the directory.
func (d portableDir) Close() error { return nil }
