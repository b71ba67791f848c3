//go:build linux || darwin

package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// directory is an open directory. What happens in it goes through its
// descriptor, so that whoever may rename or link what lies on its path cannot
// lead us elsewhere.
type directory struct {
	fd   int
	path string // for messages, and to bind where there is no /proc
}

// openDirectory opens a directory below another, or anywhere for a parent of
// unix.AT_FDCWD. The last name on the path must not be a symbolic link.
func openDirectory(parent int, name, path string) (*directory, error) {
	fd, err := openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if err == nil {
		return &directory{fd, path}, nil
	}
	if target, linkErr := os.Readlink(path); linkErr == nil {
		return nil, fmt.Errorf("directory %s is a symbolic link to %s: write the directory itself", path, target)
	}
	return nil, fmt.Errorf("open directory %s: %w", path, err)
}

// makeDirectory makes a directory of exactly this mode, whatever the umask; a
// group of -1 leaves it to the parent. It is fs.ErrExist's if there is one.
func makeDirectory(path string, mode fs.FileMode, group int) error {
	if err := os.Mkdir(path, mode&0o700); err != nil {
		return err
	}
	d, err := openDirectory(unix.AT_FDCWD, path, path)
	if err != nil {
		return err
	}
	defer d.close()
	if err := unix.Fchown(d.fd, -1, group); err != nil {
		return fmt.Errorf("give %s to group %d: %w", path, group, err)
	}
	if err := unix.Fchmod(d.fd, uint32(mode)); err != nil {
		return fmt.Errorf("set the mode of %s: %w", path, err)
	}
	return nil
}

// makeDirectories makes a directory and what is missing above it. The ones
// above can be passed through, not listed, by everybody: they are shared by
// sockets of other guests.
func makeDirectories(path string, mode fs.FileMode, group int) error {
	err := makeDirectory(path, mode, group)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirectories(filepath.Dir(path), 0o711, -1); err != nil {
			return err
		}
		err = makeDirectory(path, mode, group)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // perhaps made by another listener just now
	}
	return err
}

func (d *directory) close() { _ = unix.Close(d.fd) }

// join is a path for messages.
func (d *directory) join(name string) string { return filepath.Join(d.path, name) }

// pathTo is a path for a socket call to use. Through the descriptor it is also
// short; without /proc it is the plain path.
func (d *directory) pathTo(name string) string {
	if path, ok := descriptorPath(d.fd); ok {
		return path + "/" + name
	}
	return d.join(name)
}

// entry is what a directory says of one of its names.
type entry struct {
	dev, ino uint64
	mode     uint32
	uid      uint32
}

// stat does not follow symbolic links.
func (d *directory) stat(name string) (entry, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return entry{}, fmt.Errorf("look at %s: %w", d.join(name), err)
	}
	return entryOf(&st), nil
}

// self is the directory's own entry.
func (d *directory) self() (entry, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return entry{}, fmt.Errorf("look at %s: %w", d.path, err)
	}
	return entryOf(&st), nil
}

func entryOf(st *unix.Stat_t) entry {
	return entry{dev: uint64(st.Dev), ino: uint64(st.Ino), mode: uint32(st.Mode), uid: st.Uid}
}

// same says whether two entries are one file.
func (e entry) same(other entry) bool { return e.dev == other.dev && e.ino == other.ino }

// kind is the kind of file in words.
func (e entry) kind() string {
	switch e.mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return "a socket"
	case unix.S_IFREG:
		return "a regular file"
	case unix.S_IFDIR:
		return "a directory"
	case unix.S_IFLNK:
		return "a symbolic link"
	case unix.S_IFIFO:
		return "a FIFO"
	default:
		return "a device"
	}
}

// remove unlinks a name; one that is gone already is fine.
func (d *directory) remove(name string) error {
	err := unix.Unlinkat(d.fd, name, 0)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", d.join(name), err)
	}
	return nil
}

// openat opens close-on-exec and goes on after a signal.
func openat(parent int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(parent, name, flags|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
