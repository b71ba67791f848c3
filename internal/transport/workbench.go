//go:build linux || darwin

package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// workbench is the directory NAME.lock beside a socket NAME, and does two jobs.
//
// It is the lock: who holds its flock(2), while the name still leads to it, may
// remove and make the socket. The kernel drops the lock of a process that dies.
//
// It is also where the socket is made: 0700 and ours, so that until the socket
// has its owner, mode and backlog nobody can reach it, whatever the umask (which
// belongs to the whole process and must not be changed for this), and nobody
// can slip another file under chown and chmod.
//
// It is removed after use; one that a killed process left behind is used again.
type workbench struct {
	*directory
	file *socketFile
}

// draft is the socket's name on the bench.
const draft = "socket"

// claim waits until the bench beside the file is ours.
func (f *socketFile) claim(ctx context.Context) (*workbench, error) {
	const longestClaim = 5 * time.Second // the work under a claim takes well under a millisecond
	ctx, cancel := context.WithTimeout(ctx, longestClaim)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		bench, err := f.tryClaim()
		if bench != nil || err != nil {
			return bench, err
		}
		if !pause(ctx.Done(), wait) {
			return nil, fmt.Errorf("%s is locked by another process: %w", f.home.join(f.lockName()), ctx.Err())
		}
	}
}

func (f *socketFile) lockName() string { return f.name + ".lock" }

// tryClaim is nil, nil while another process has the bench.
func (f *socketFile) tryClaim() (*workbench, error) {
	name := f.lockName()
	if err := unix.Mkdirat(f.home.fd, name, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, fmt.Errorf("make directory %s: %w", f.home.join(name), err)
	}
	dir, err := openDirectory(f.home.fd, name, f.home.join(name))
	if errors.Is(err, unix.ENOENT) {
		return nil, nil // its holder took it away just now
	}
	if err != nil {
		return nil, err
	}
	bench := &workbench{dir, f}
	if ok, err := bench.lock(); !ok {
		dir.close()
		return nil, err
	}
	return bench, nil
}

// lock is false without an error while another process has the bench, or had
// it and took away the directory that was opened.
func (b *workbench) lock() (bool, error) {
	self, err := b.self()
	if err != nil {
		return false, err
	}
	if int(self.uid) != os.Geteuid() {
		return false, fmt.Errorf("%s belongs to uid %d: remove it", b.path, self.uid)
	}
	err = unix.Flock(b.fd, unix.LOCK_EX|unix.LOCK_NB)
	if isAny(err, unix.EWOULDBLOCK, unix.EINTR) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", b.path, err)
	}
	now, err := b.file.home.stat(b.file.lockName())
	if err != nil || !now.same(self) {
		return false, nil
	}
	if err := b.tidy(); err != nil {
		return false, err
	}
	return true, nil
}

// tidy undoes what a killed process, or a curious one, left.
func (b *workbench) tidy() error {
	if err := unix.Fchmod(b.fd, 0o700); err != nil {
		return fmt.Errorf("set the mode of %s: %w", b.path, err)
	}
	return b.remove(draft)
}

// bind makes the socket, and lets in whom the address admits.
func (b *workbench) bind(addr Address) (*net.UnixListener, error) {
	path := b.pathTo(draft)
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("%s is %d bytes long, over the %d of a socket address: choose a shorter path", path, len(path), maxSocketPath)
	}
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
	if err != nil {
		return nil, systemError(err)
	}
	socket.SetUnlinkOnClose(false) // by then another file may have that path
	if err := b.admit(addr); err != nil {
		_ = socket.Close()
		return nil, err
	}
	return socket, nil
}

// admit sets the mode before the owner: a file of another user could no longer
// be changed without CAP_FOWNER.
func (b *workbench) admit(addr Address) error {
	if err := unix.Fchmodat(b.fd, draft, uint32(addr.socketMode()), 0); err != nil {
		return fmt.Errorf("set the socket's mode: %w", err)
	}
	if addr.UID == nil && addr.GID == nil {
		return nil
	}
	uid, gid := orUnchanged(addr.UID), orUnchanged(addr.GID)
	if err := unix.Fchownat(b.fd, draft, uid, gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("give the socket to uid %d, gid %d (-1: unchanged), which root may: %w", uid, gid, err)
	}
	return nil
}

// orUnchanged is an id for chown(2).
func orUnchanged(id *int) int {
	if id == nil {
		return -1
	}
	return *id
}

// publish gives the socket its name. Link, unlike rename, never replaces a
// file that somebody put there meanwhile.
func (b *workbench) publish() (entry, error) {
	made, err := b.stat(draft)
	if err != nil {
		return entry{}, err
	}
	if err := unix.Linkat(b.fd, draft, b.file.home.fd, b.file.name, 0); err != nil {
		return entry{}, fmt.Errorf("put the socket at %s: %w", b.file.home.join(b.file.name), err)
	}
	return made, nil
}

// release gives up the claim. The lock ends with the descriptor, after the
// directory is gone, so nobody can have claimed it in between.
func (b *workbench) release() {
	defer b.close()
	if b.remove(draft) == nil {
		_ = unix.Unlinkat(b.file.home.fd, b.file.lockName(), unix.AT_REMOVEDIR)
	}
}
