package kit

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// directory is a place to make files in. Names in it have no slash, and what
// they name is not followed.
type directory interface {
	lstat(name string) (fs.FileInfo, error)
	// create makes a file to write, under a name that nothing has.
	create(name string) (*os.File, error)
	// rename replaces what has the new name.
	rename(from, to string) error
	remove(name string) error
	io.Closer
}

// maxBytes is how long a file may become that a guest writes: 1 GiB.
const maxBytes = 1 << 30

// put writes a file, or replaces one, and returns its length. Until all of the
// contents are there the file has a name of its own, and whatever fails leaves
// nothing of it and the old file as it was.
func (r root) put(name string, contents io.Reader, limit int64) (int64, error) {
	name, err := local(name)
	if err != nil {
		return 0, err
	}
	dir, err := r.in(path.Dir(name))
	if err != nil {
		return 0, noPlace(path.Dir(name), err)
	}
	defer dir.Close()
	old, err := replaceable(dir, name)
	if err != nil {
		return 0, err
	}
	temporary := ".agentos-" + rand.Text()
	file, err := dir.create(temporary)
	if err != nil {
		return 0, unwritten(name, err)
	}
	defer func() { _ = dir.remove(temporary) }() // it is there no more, unless something fails
	n, err := fill(file, contents, limit, old)
	if err == nil {
		err = dir.rename(temporary, path.Base(name))
	}
	return n, unwritten(name, err)
}

// replaceable is the file that will be replaced, nil for none. What takes the
// name after this look is replaced too, be it a link: nothing follows it.
func replaceable(dir directory, name string) (fs.FileInfo, error) {
	info, err := dir.lstat(path.Base(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, explain(name, err)
	case info.IsDir():
		return nil, notAFile.Errorf("%.200q is a directory", name)
	case !served(info):
		return nil, notAFile.Errorf("%.200q is not a regular file with a single name", name)
	case info.Mode()&0o222 == 0: // which stops nobody from replacing it
		return nil, notWritable.Errorf("%.200q is read-only", name)
	}
	return info, nil
}

// fill writes and closes a file, which gets the permissions of the old one if
// there is one.
func fill(file *os.File, contents io.Reader, limit int64, old fs.FileInfo) (int64, error) {
	defer file.Close()
	if old != nil {
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return 0, err
		}
	}
	n, err := io.Copy(file, io.LimitReader(contents, limit+1))
	switch {
	case err != nil:
		return 0, err
	case n > limit:
		return 0, tooLarge.Errorf("a file may have %d bytes, and there are more", limit)
	}
	return n, cmp.Or(file.Sync(), file.Close())
}

// noPlace is explain for the directory of a file to write.
func noPlace(name string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return notADir.Errorf("%.200q is not a directory", name)
	}
	return explain(name, err)
}

// unwritten is explain for what only writing meets.
func unwritten(name string, err error) error {
	for _, reason := range []syscall.Errno{syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, reason) {
			return notWritable.Errorf("%.200q: %v", name, reason)
		}
	}
	return explain(name, err)
}
