//go:build linux || darwin

package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// socketFile is the place of a listening Unix socket, and the file there that
// is ours.
type socketFile struct {
	home *directory
	name string
	made entry
}

// listenUnix serves unix and hybrid addresses.
func listenUnix(ctx context.Context, addr Address) (*Listener, error) {
	if addr.UID != nil && !canProveUser {
		return nil, fmt.Errorf("uid: proving a peer's user needs Linux: %w", errors.ErrUnsupported)
	}
	path := addr.socketPath()
	home, err := openHome(filepath.Dir(path), addr)
	if err != nil {
		return nil, err
	}
	file := &socketFile{home: home, name: filepath.Base(path)}
	socket, err := file.listen(ctx, addr)
	if err != nil {
		home.close()
		return nil, err
	}
	return newListener(addr, socket, admit(addr), file.release), nil
}

// openHome opens the directory of a socket, and makes it if it is missing.
func openHome(path string, addr Address) (*directory, error) {
	home, err := openDirectory(unix.AT_FDCWD, path, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return home, err
	}
	mode, group := directoryMode(addr)
	if err := makeDirectories(path, mode, group); err != nil {
		return nil, err
	}
	return openDirectory(unix.AT_FDCWD, path, path)
}

// directoryMode lets through a directory that we make whom the address admits
// to the socket in it. They may not list it, and never write in it: then they
// could fill the host's disk, or set up what the next Listen stumbles over.
func directoryMode(addr Address) (mode fs.FileMode, group int) {
	forUser := addr.UID != nil && *addr.UID != os.Geteuid()
	switch {
	case forUser || addr.socketMode()&0o007 != 0:
		return 0o711, -1
	case addr.socketMode()&0o070 == 0:
		return 0o700, -1
	case addr.GID != nil:
		return 0o710, *addr.GID
	default:
		return 0o710, -1
	}
}

// admit makes the check of each connection: the guest is the listener's, and
// the user the one in the address.
func admit(addr Address) func(net.Conn) (Peer, error) {
	return func(conn net.Conn) (Peer, error) {
		uid, pid, err := credentials(conn.(*net.UnixConn))
		switch {
		case err != nil:
			return Peer{}, fmt.Errorf("read peer credentials: %w", err)
		case addr.UID != nil && uid != *addr.UID:
			return Peer{}, fmt.Errorf("process %d is of uid %d, and %s admits uid %d", pid, uid, addr.socketPath(), *addr.UID)
		}
		return Peer{Guest: addr.Guest, UID: uid, PID: pid}, nil
	}
}

// listen puts a listening socket at the file's place.
func (f *socketFile) listen(ctx context.Context, addr Address) (net.Listener, error) {
	bench, err := f.claim(ctx)
	if err != nil {
		return nil, err
	}
	defer bench.release()
	if err := f.clear(); err != nil {
		return nil, err
	}
	socket, err := bench.bind(addr)
	if err != nil {
		return nil, err
	}
	if f.made, err = bench.publish(); err != nil {
		_ = socket.Close()
		return nil, err
	}
	return socket, nil
}

// clear makes room: it removes a socket that nobody listens on. The caller
// holds the claim, so nobody who keeps to it is between bind and listen now.
func (f *socketFile) clear() error {
	found, err := f.home.stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	path := f.home.join(f.name)
	if found.mode&unix.S_IFMT != unix.S_IFSOCK {
		return fmt.Errorf("%s is %s, not a socket: remove it, or choose another path", path, found.kind())
	}
	if err := probe(f.home, f.name); !errors.Is(err, unix.ECONNREFUSED) {
		return err
	}
	if now, err := f.home.stat(f.name); err != nil || !now.same(found) {
		return fmt.Errorf("%s changes while it is looked at: somebody else puts files there", path)
	}
	return f.home.remove(f.name)
}

// probe connects to a socket that is in the way. ECONNREFUSED alone proves
// that nobody listens on it.
func probe(home *directory, name string) error {
	at, release, err := shorten(home.pathTo(name))
	if err != nil {
		return err
	}
	defer release()
	path := home.join(name)
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Net: "unix", Name: at})
	switch {
	case err == nil:
		defer func() { _ = conn.Close() }()
		return fmt.Errorf("%s is in use by %s: stop it, or choose another path", path, owner(conn))
	case errors.Is(err, unix.ECONNREFUSED):
		return err
	case isAny(err, unix.EAGAIN, unix.EPROTOTYPE): // a full backlog, a datagram socket
		return fmt.Errorf("%s is in use by another process: stop it, or choose another path", path)
	default:
		return fmt.Errorf("%s may be in use: connect to it: %w", path, systemError(err))
	}
}

// owner names the process that listens at the other end.
func owner(conn *net.UnixConn) string {
	_, pid, err := credentials(conn)
	switch {
	case err != nil || pid <= 0:
		return "a process that cannot be seen from here"
	case pid == os.Getpid():
		return fmt.Sprintf("this very process (pid %d)", pid)
	default:
		return fmt.Sprintf("process %d", pid)
	}
}

// release removes the file if it is still ours. Our socket pins the inode, so
// no other file can have its number while we listen.
func (f *socketFile) release() error {
	defer f.home.close()
	if now, err := f.home.stat(f.name); err != nil || !now.same(f.made) {
		return nil
	}
	return f.home.remove(f.name)
}
