package shim

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// markedFile is a file with a block, in its directory, which stays the same one
// whatever becomes of the path.
type markedFile struct {
	path string // for errors
	dir  *os.Root
	name string // in dir
}

// openMarked opens the file's directory; the caller closes it.
func openMarked(path string) (*markedFile, error) {
	if path == "-" {
		return nil, unusable("--into has no - for stdout, which is the default: leave it out, or name a file - as ./-")
	}
	parent, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return nil, unusable("%s is a directory: name a file in it", path)
	}
	dir, err := os.OpenRoot(cmp.Or(parent, "."))
	if err != nil {
		failure := unwritten("write %s: open its directory: %v", path, cause(err))
		if errors.Is(err, fs.ErrNotExist) {
			failure.Hint = "mkdir -p " + argv.Quote(filepath.Clean(parent))
		}
		return nil, failure
	}
	return &markedFile{path, dir, name}, nil
}

// reading is what a file was when it was read; without a file, info is nil.
type reading struct {
	info fs.FileInfo
	text []byte
}

func (r reading) equal(other reading) bool {
	if r.info == nil || other.info == nil {
		return r.info == other.info
	}
	return os.SameFile(r.info, other.info) && r.info.Mode() == other.info.Mode() && bytes.Equal(r.text, other.text)
}

// errChanged says that a file is not any more what it was when it was read.
var errChanged = errors.New("the file has changed")

func (f *markedFile) read() (reading, error) {
	info, err := f.dir.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reading{}, nil
	case err != nil:
		return reading{}, unusable("read %s: %v", f.path, cause(err))
	}
	if err := f.checkKind(info); err != nil {
		return reading{}, err
	}
	// A link that takes the file's place now leads to nothing outside the directory,
	// and to another file than the one checked.
	file, err := f.dir.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return reading{}, unusable("read %s: %v", f.path, cause(err))
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return reading{}, errChanged
	}
	text, err := io.ReadAll(file)
	switch {
	case err != nil:
		return reading{}, unusable("read %s: %v", f.path, cause(err))
	case bytes.IndexByte(text, 0) >= 0:
		return reading{}, unusable("%s is not a text file: it has a NUL byte", f.path)
	}
	return reading{info, text}, nil
}

// checkKind refuses what is not a file of one name.
func (f *markedFile) checkKind(info fs.FileInfo) error {
	status, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := f.dir.Readlink(f.name)
		if err != nil {
			return errChanged
		}
		return unusable("%s is a symbolic link to %q: name the file itself", f.path, target)
	case info.IsDir():
		return unusable("%s is a directory: name a file in it", f.path)
	case !info.Mode().IsRegular():
		return unusable("%s is not a regular file: name one", f.path)
	case ok && status.Nlink > 1:
		return unusable("%s has %d names (hard links), and the others would keep the old text: make it a copy of its own", f.path, status.Nlink)
	}
	return nil
}

// replace puts a new file in the place of the old one, with its mode and owner.
func (f *markedFile) replace(old reading, text []byte) error {
	if err := f.checkWritable(old.info); err != nil {
		return err
	}
	temporary := ".agentos-" + rand.Text()
	defer func() { _ = f.dir.Remove(temporary) }() // it is there no more, unless something fails
	if err := f.writeLike(old.info, temporary, text); err != nil {
		return err
	}
	if now, err := f.read(); err != nil || !now.equal(old) {
		return errChanged
	}
	if err := f.dir.Rename(temporary, f.name); err != nil {
		return unwritten("write %s: %v", f.path, cause(err))
	}
	return nil
}

// checkWritable refuses a file that its directory would let this user replace, but
// that itself is not for this user to write.
func (f *markedFile) checkWritable(old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	if old.Mode()&0o222 == 0 { // which does not stop root
		failure := unwritten("%s is read-only (mode %04o)", f.path, old.Mode().Perm())
		failure.Hint = "chmod u+w " + argv.Quote(f.path)
		return failure
	}
	file, err := f.dir.OpenFile(f.name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errChanged
	case err != nil:
		return unwritten("write %s: %v", f.path, cause(err))
	}
	return file.Close()
}

// writeLike writes a new file with the mode and owner of the old one, if there is one.
func (f *markedFile) writeLike(old fs.FileInfo, name string, text []byte) error {
	mode := fs.FileMode(0o666) // less the umask
	if old != nil {
		mode = old.Mode().Perm()
	}
	file, err := f.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return unwritten("write %s: make a new file in its directory: %v", f.path, cause(err))
	}
	defer file.Close()
	if old != nil {
		if err := keepOwner(file, old); err != nil {
			return unwritten("write %s: keep its owner: %v: run this as the owner", f.path, cause(err))
		}
		if err := file.Chmod(mode); err != nil {
			return unwritten("write %s: keep its mode: %v", f.path, cause(err))
		}
	}
	_, err = file.Write(text)
	if err := cmp.Or(err, file.Sync(), file.Close()); err != nil {
		return unwritten("write %s: %v", f.path, cause(err))
	}
	return nil
}

// keepOwner gives the file to the owner and group of the old one.
func keepOwner(file *os.File, old fs.FileInfo) error {
	status, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return file.Chown(int(status.Uid), int(status.Gid))
}

// cause is the error without the name that the operating system was given, which may
// be that of a temporary file.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// unusable is the error of a file that is not one to keep a block in.
func unusable(format string, args ...any) *toolkit.Error {
	return &toolkit.Error{Code: toolkit.CodeUsageError, Message: fmt.Sprintf(format, args...)}
}

// unwritten is the error of a file that cannot be written.
func unwritten(format string, args ...any) *toolkit.Error {
	return &toolkit.Error{Code: toolkit.CodeOutputError, Message: fmt.Sprintf(format, args...)}
}
