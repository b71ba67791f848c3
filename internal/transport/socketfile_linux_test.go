package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listenTest listens until the test ends.
func listenTest(t *testing.T, text string) *Listener {
	t.Helper()
	l, err := listenText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func listenText(t *testing.T, text string) (*Listener, error) {
	t.Helper()
	addr, err := ParseListen(text)
	if err != nil {
		t.Fatal(err)
	}
	return Listen(t.Context(), addr)
}

// meet dials the path and accepts the connection.
func meet(t *testing.T, l *Listener, path string) (guest, host net.Conn, peer Peer) {
	t.Helper()
	guest, err := Dial(t.Context(), Address{Scheme: "unix", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	host, peer, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(guest); discard(host) })
	return guest, host, peer
}

// leaveStale leaves a socket that nobody listens on.
func leaveStale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
}

// setUmask is for tests that do not run in parallel, as none here do.
func setUmask(t *testing.T, mask int) {
	old := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(old) })
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func checkNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("files in %s: got %q, want %q", dir, got, want)
	}
}

func TestModesOfSocketAndDirectory(t *testing.T) {
	self, other := os.Geteuid(), os.Getegid()
	for _, test := range []struct {
		query                   string
		socket, directory, root fs.FileMode
	}{
		{"", 0o600, 0o700, 0o711},
		{fmt.Sprintf("?uid=%d", self), 0o600, 0o700, 0o711},
		{fmt.Sprintf("?gid=%d", other), 0o660, 0o710, 0o711},
		{"?mode=0666", 0o666, 0o711, 0o711},
		{"?mode=0640", 0o640, 0o710, 0o711},
	} {
		for _, umask := range []int{0, 0o022, 0o077} {
			t.Run(fmt.Sprintf("%s umask %03o", test.query, umask), func(t *testing.T) {
				base := t.TempDir()
				setUmask(t, umask)
				listenTest(t, "unix://"+base+"/agentos/vm7/s"+test.query)
				for path, want := range map[string]fs.FileMode{
					"agentos/vm7/s": test.socket, "agentos/vm7": test.directory, "agentos": test.root,
				} {
					if got := modeOf(t, filepath.Join(base, path)); got != want {
						t.Errorf("mode of %s: got %04o, want %04o", path, got, want)
					}
				}
			})
		}
	}
}

// A path is taken as it is, with what means something in an address, and the socket
// is this user's alone whatever the umask.
func TestListenUnix(t *testing.T) {
	setUmask(t, 0)
	path := filepath.Join(t.TempDir(), "made", "100% mine?mode=0777 #1")
	l, err := ListenUnix(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, dir := modeOf(t, path), modeOf(t, filepath.Dir(path)); got != 0o600 || dir != 0o700 {
		t.Errorf("modes: got %o in %o, want 600 in 700", got, dir)
	}
	guest, host, _ := meet(t, l, path)
	checkByte(t, guest, host)
	for _, wrong := range []string{"", "relative", "/", "/a/../b", "/a\x00b"} {
		if l, err := ListenUnix(t.Context(), wrong); err == nil || !strings.HasPrefix(err.Error(), "listen on ") {
			t.Errorf("%q: got %v, %v, want an error that says where", wrong, l, err)
		}
	}
	if _, err := ListenUnix(t.Context(), path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("again: got %v, want it in use", err)
	}
}

func TestDirectoryThatExistsKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	listenTest(t, "unix://"+dir+"/s?mode=0666")
	if got := modeOf(t, dir); got != 0o750 {
		t.Errorf("mode of the directory: got %04o, want 0750", got)
	}
}

// watch makes the socket again and again with make, and collects every mode that
// the path is seen with meanwhile: a hundred times, and on a busy machine as often
// as it takes to see the mode that must be there.
func watch(t *testing.T, path string, certain fs.FileMode, make func()) map[fs.FileMode]bool {
	t.Helper()
	seen := map[fs.FileMode]bool{}
	for range 200 {
		observe(path, seen, closedAfter(func() {
			for range 100 {
				make()
			}
		}))
		if seen[certain] {
			break
		}
	}
	return seen
}

// observe notes the modes of the path until done is closed.
func observe(path string, seen map[fs.FileMode]bool, done <-chan struct{}) {
	for {
		if info, err := os.Lstat(path); err == nil {
			seen[info.Mode().Perm()] = true
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// closedAfter runs f; its channel is closed when it is done.
func closedAfter(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() { // whoever receives from done waits
		defer close(done)
		f()
	}()
	return done
}

func TestSocketIsNeverMoreOpenThanAskedFor(t *testing.T) {
	setUmask(t, 0)
	path := t.TempDir() + "/s"
	seen := watch(t, path, 0o600, func() {
		l, err := listenText(t, "unix://"+path)
		if err != nil {
			t.Error(err)
			return
		}
		_ = os.Chmod(path, 0o600) // give the watcher time, as the control does
		_ = l.Close()
	})
	for mode := range seen {
		if mode != 0o600 {
			t.Errorf("mode seen while listening: got %04o, want 0600 only", mode)
		}
	}
	if len(seen) == 0 {
		t.Error("the socket was never seen")
	}
	control := watch(t, path, 0o777, func() {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Error(err)
			return
		}
		_ = os.Chmod(path, 0o600)
		_ = l.Close()
	})
	if !control[0o777] {
		t.Errorf("control, bind and then chmod: got modes %v, want 0777 among them", control)
	}
}

func TestPeerIsTheListenersGuestAndTheKernelsUser(t *testing.T) {
	l := listenTest(t, "unix://"+t.TempDir()+"/s?guest=vm7")
	_, _, got := meet(t, l, l.Addr().Path)
	if want := (Peer{Guest: "vm7", UID: os.Geteuid(), PID: os.Getpid()}); got != want {
		t.Errorf("peer: got %+v, want %+v", got, want)
	}
}

func TestHybridListensWhereTheVMMConnects(t *testing.T) {
	dir := t.TempDir()
	l := listenTest(t, "hybrid://"+dir+"/v.sock?port=5000&guest=vm7")
	_, _, peer := meet(t, l, dir+"/v.sock_5000")
	if peer.Guest != "vm7" {
		t.Errorf("peer: got guest %q, want vm7", peer.Guest)
	}
	checkNames(t, dir, "v.sock_5000")
}

func TestCase_B074_LongPaths(t *testing.T) {
	for _, length := range []int{106, 107, 108, 109, 200, 1000} {
		for _, scheme := range []string{"unix", "hybrid"} {
			t.Run(fmt.Sprint(scheme, length), func(t *testing.T) {
				const suffix = "_5000"
				path := pathOfLength(t, length)
				text := "unix://" + path
				if scheme == "hybrid" {
					text = "hybrid://" + strings.TrimSuffix(path, suffix) + "?port=5000"
				}
				l := listenTest(t, text)
				guest, host, _ := meet(t, l, path)
				checkByte(t, guest, host)
				checkByte(t, host, guest)
				checkNames(t, filepath.Dir(path), filepath.Base(path))
				if err := l.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
				checkNames(t, filepath.Dir(path))
				leaveStaleThrough(t, path)
				listenTest(t, text)
			})
		}
	}
}

// pathOfLength is a path of just so many bytes that ends in "_5000".
func pathOfLength(t *testing.T, length int) string {
	t.Helper()
	root, err := os.MkdirTemp("", "t") // t.TempDir is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	dir := root
	for length-len(dir) > 200 {
		dir += "/" + strings.Repeat("d", min(200, length-len(dir)-20))
	}
	name := strings.Repeat("n", length-len(dir)-len("/_5000")) + "_5000"
	path := dir + "/" + name
	if len(path) != length {
		t.Fatalf("path %s: got %d bytes, want %d", path, len(path), length)
	}
	return path
}

// leaveStaleThrough leaves a stale socket at a path of any length.
func leaveStaleThrough(t *testing.T, path string) {
	t.Helper()
	short := t.TempDir() + "/s"
	leaveStale(t, short)
	if err := os.Rename(short, path); err != nil {
		t.Fatal(err)
	}
}

func checkByte(t *testing.T, from, to net.Conn) {
	t.Helper()
	if _, err := from.Write([]byte{7}); err != nil {
		t.Fatal(err)
	}
	var got [1]byte
	if _, err := to.Read(got[:]); err != nil || got[0] != 7 {
		t.Errorf("byte: got %d, %v; want 7", got[0], err)
	}
}

func TestLongPathThatIsMissing(t *testing.T) {
	_, err := Dial(t.Context(), Address{Scheme: "unix", Path: pathOfLength(t, 200)})
	checkReason(t, err, Missing)
}

func TestDialReasons(t *testing.T) {
	dir := t.TempDir()
	leaveStale(t, dir+"/stale")
	for path, want := range map[string]Reason{"/stale": Refused, "/missing": Missing, "/stale/below": Missing} {
		_, err := Dial(t.Context(), Address{Scheme: "unix", Path: dir + path})
		checkReason(t, err, want)
	}
}

func TestCloseRemovesItsOwnFileOnly(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		name string
		move func(path string) // what happens to the file meanwhile
		left []string
	}{
		{"in place", func(string) {}, nil},
		{"gone", func(path string) { _ = os.Remove(path) }, nil},
		{"replaced", func(path string) { _ = os.Remove(path); leaveStale(t, path) }, []string{"s"}},
		{"renamed", func(path string) { _ = os.Rename(path, path+"2") }, []string{"s2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(dir, test.name, "s")
			l := listenTest(t, "unix://"+path)
			test.move(path)
			for range 2 {
				if err := l.Close(); err != nil {
					t.Errorf("close: got %v, want nil", err)
				}
			}
			checkNames(t, filepath.Dir(path), test.left...)
		})
	}
}

func TestCloseEndsAccept(t *testing.T) {
	l := listenTest(t, "unix://"+t.TempDir()+"/s")
	accepted := make(chan error, 2)
	for range 2 {
		go func() { // joined by the receives below
			_, _, err := l.Accept()
			accepted <- err
		}()
	}
	_ = l.Close()
	for range 2 {
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: got %v, want net.ErrClosed", err)
		}
	}
}

// full is a listening socket whose queue takes no more connections.
func full(t *testing.T, path string) (accept func()) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	conn, err := Dial(t.Context(), Address{Scheme: "unix", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(conn) })
	return func() {
		if nfd, _, err := unix.Accept(fd); err == nil {
			_ = unix.Close(nfd)
		}
	}
}

func TestDialWaitsWhileTheQueueIsFull(t *testing.T) {
	path := t.TempDir() + "/s"
	accept := full(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, Address{Scheme: "unix", Path: path})
	checkReason(t, err, Timeout)
	if errors.Is(err, syscall.EAGAIN) {
		t.Errorf("dial: got %v, EAGAIN must not surface", err)
	}

	dialed := make(chan error, 1)
	go func() { // joined by the receive below
		conn, err := Dial(t.Context(), Address{Scheme: "unix", Path: path})
		discard(conn)
		dialed <- err
	}()
	accept()
	if err := <-dialed; err != nil {
		t.Errorf("dial when the queue has room again: got %v, want a connection", err)
	}
}

func TestListenBesideAFullQueue(t *testing.T) {
	path := t.TempDir() + "/s"
	full(t, path)
	_, err := listenText(t, "unix://"+path)
	if err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("listen: got %v, want in use", err)
	}
	checkNames(t, filepath.Dir(path), "s")
}

func TestDescriptorsCloseOnExec(t *testing.T) {
	before := descriptors(t)
	path := pathOfLength(t, 200)
	l := listenTest(t, "unix://"+path)
	meet(t, l, path)
	opened := 0
	for fd, target := range descriptors(t) {
		if before[fd] == target {
			continue
		}
		opened++
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("descriptor %d (%s): got flags %d, %v; want FD_CLOEXEC", fd, target, flags, err)
		}
	}
	if opened < 4 {
		t.Errorf("new descriptors: got %d, want the directory, the listener and two connections at least", opened)
	}
}

// descriptors are the open files of this process.
func descriptors(t *testing.T) map[int]string {
	t.Helper()
	open := map[int]string{}
	for fd := range 256 {
		if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil {
			open[fd] = target
		}
	}
	return open
}

func TestListenLeavesNothingOpenWhenItFails(t *testing.T) {
	path := t.TempDir() + "/s"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(descriptors(t))
	for range 10 {
		if _, err := listenText(t, "unix://"+path); err == nil {
			t.Fatal("listen on a regular file: got nil, want an error")
		}
	}
	if after := len(descriptors(t)); after > before+2 { // the poller's own may be among them
		t.Errorf("open descriptors: got %d after ten failures, %d before", after, before)
	}
}

// The path of a hybrid address is the VMM's own, without the port.
func TestListen_HybridPathWithItsPort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.sock")
	l, err := Listen(t.Context(), Address{Scheme: "hybrid", Path: path, Port: 52, Guest: "g"})
	if err != nil { // the control
		t.Fatal(err)
	}
	l.Close()
	if _, err := Listen(t.Context(), Address{Scheme: "hybrid", Path: path + "_52", Port: 52, Guest: "g"}); err == nil || !strings.Contains(err.Error(), "appends _52 itself") {
		t.Errorf("listen: %v, want that the VMM appends the port", err)
	}
}
