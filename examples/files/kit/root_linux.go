package kit

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// openRoot opens the directory. It tries openat2 once: kernels before 5.6 do
// not have it, and some sandboxes answer EPERM to every call they do not know.
func openRoot(dir string) (root, error) {
	file, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return root{}, err
	}
	self, err := kernel{file}.open(".")
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		_ = file.Close()
		r, err := os.OpenRoot(dir)
		return root{portable{r}}, err
	}
	if err != nil {
		return root{}, err
	}
	return root{kernel{file}}, self.Close()
}

// kernel is the opener by openat2(2) from an open directory.
type kernel struct{ dir *os.File }

func (k kernel) open(name string) (*os.File, error) {
	return k.openat2(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

func (k kernel) lstat(name string) (fs.FileInfo, error) {
	file, err := k.openat2(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}

func (k kernel) in(name string) (directory, error) {
	dir, err := k.openat2(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	return kernel{dir}, err
}

func (k kernel) create(name string) (*os.File, error) {
	return k.openat2(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o666)
}

func (k kernel) rename(from, to string) error {
	defer runtime.KeepAlive(k.dir)
	return unix.Renameat(int(k.dir.Fd()), from, int(k.dir.Fd()), to)
}

func (k kernel) remove(name string) error {
	defer runtime.KeepAlive(k.dir)
	return unix.Unlinkat(int(k.dir.Fd()), name, 0)
}

// Close lets go of the directory.
func (k kernel) Close() error { return k.dir.Close() }

// openat2 resolves all of the name in one call of the kernel. NO_XDEV keeps
// mounts out, such as /proc below a root of "/".
func (k kernel) openat2(name string, flags, mode uint64) (*os.File, error) {
	how := unix.OpenHow{
		Flags: flags | unix.O_CLOEXEC, Mode: mode,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS |
			unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	defer runtime.KeepAlive(k.dir)
	for {
		fd, err := unix.Openat2(int(k.dir.Fd()), name, &how)
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, &fs.PathError{Op: "openat2", Path: name, Err: err}
		}
	}
}

// links is the number of names that the file has.
func links(info fs.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink)
}
