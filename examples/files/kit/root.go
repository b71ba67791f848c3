package kit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// root is a directory whose tree may be read and written. Names are
// slash-separated and relative to it; "." is the directory itself.
type root struct{ opener }

// opener opens a name beneath a directory without a way out of it.
type opener interface {
	// open opens for reading, without waiting for a FIFO's other end.
	open(name string) (*os.File, error)
	// lstat looks at a name without following it.
	lstat(name string) (fs.FileInfo, error)
	// in is the directory of that name, to make files in.
	in(name string) (directory, error)
}

// local is the name without dots and doubled slashes, or refused. Without links
// "a/../b" is "b", and openat2 never has to walk back up.
func local(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", outsideRoot.Errorf("%.200q leads out of the root; paths are relative to it", name)
	}
	return path.Clean(name), nil
}

// get opens a directory or regular file. What it is, is asked of the open
// file: the name may mean something else by now.
func (r root) get(name string) (*os.File, fs.FileInfo, error) {
	clean, err := local(name)
	if err != nil {
		return nil, nil, err
	}
	file, err := r.open(clean)
	if err != nil {
		return nil, nil, explain(name, err)
	}
	info, err := file.Stat()
	if err == nil && !served(info) {
		err = notAFile.Errorf("%.200q is neither a directory nor a regular file with a single name", name)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// file is get for what has to be a file.
func (r root) file(name string) (*os.File, fs.FileInfo, error) {
	file, info, err := r.get(name)
	if err == nil && info.IsDir() {
		_ = file.Close()
		err = notAFile.Errorf("%.200q is a directory; list it", name)
	}
	return file, info, err
}

// served reports whether the tools show the file. A regular file with a second
// name may be linked from elsewhere, and is then not the root's to show.
func served(info fs.FileInfo) bool {
	return info.IsDir() || info.Mode().IsRegular() && links(info) == 1
}

// explain turns an error of the file system into a declared one. Others stay
// the host's: a guest has no use for them.
func explain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		return notFound.Errorf("nothing at %.200q", name)
	case errors.Is(err, syscall.EXDEV):
		return outsideRoot.Errorf("%.200q leads out of the root, or to a file system mounted below it", name)
	case errors.Is(err, syscall.ELOOP):
		return notAFile.Errorf("%.200q is or passes a symbolic link; links are not followed", name)
	case errors.Is(err, syscall.ENXIO):
		return notAFile.Errorf("%.200q is a socket or device", name)
	}
	return err
}
