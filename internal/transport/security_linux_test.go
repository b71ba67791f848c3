package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two users that own nothing here.
const (
	guestUser = 65534
	otherUser = 65533
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of other users")
	}
}

// publicDirectory is a directory that every user can reach, unlike t.TempDir.
func publicDirectory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "transport")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// welcome accepts peers, and sends each a byte, until the listener is closed.
func welcome(t *testing.T, l *Listener) (peers chan Peer) {
	t.Helper()
	peers = make(chan Peer, 10)
	done := closedAfter(func() {
		for {
			conn, peer, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte{1})
			discard(conn)
			peers <- peer
		}
	})
	t.Cleanup(func() { _ = l.Close(); <-done })
	return peers
}

func checkConnect(t *testing.T, path string, uid int, want string) *process {
	t.Helper()
	child := start(t, "connect", "unix://"+path, uid)
	if got := child.line(t); got != want {
		t.Errorf("uid %d connects to %s: got %q, want %q", uid, path, got, want)
	}
	return child
}

// T02: whoever connects at a guest's listener is that guest, and no other.
func TestSec_T02(t *testing.T) {
	dir := t.TempDir()
	a := listenTest(t, "unix://"+dir+"/a/s?guest=a")
	b := listenTest(t, "unix://"+dir+"/b/s?guest=b")
	for l, want := range map[*Listener]string{a: "a", b: "b"} {
		if _, _, peer := meet(t, l, l.Addr().Path); peer.Guest != want {
			t.Errorf("peer at %s: got guest %q, want %q", l.Addr(), peer.Guest, want)
		}
	}
}

// T02 with users: guest a's user cannot even open guest b's socket.
func TestSec_T02_Users(t *testing.T) {
	needRoot(t)
	dir := publicDirectory(t)
	a := listenTest(t, "unix://"+dir+"/agentos/a/s?guest=a&uid=65534")
	b := listenTest(t, "unix://"+dir+"/agentos/b/s?guest=b&uid=65533")
	welcome(t, a)
	welcome(t, b)
	checkConnect(t, b.Addr().Path, guestUser, "forbidden")
	checkConnect(t, a.Addr().Path, guestUser, "welcome")
	checkConnect(t, b.Addr().Path, otherUser, "welcome")
}

// T06: another local user does not get through to the host.
func TestSec_T06(t *testing.T) {
	needRoot(t)
	for _, test := range []struct {
		name, query  string
		guest, other string // what the two users get
	}{
		{"socket of the host alone", "", "forbidden", "forbidden"},
		{"socket of one user", "?uid=65534", "welcome", "forbidden"},
		{"socket of one user and group", "?uid=65534&gid=65534", "welcome", "forbidden"},
		{"socket of a group", "?gid=65534", "welcome", "forbidden"},
		{"socket open to all, but for one user", "?mode=0666&uid=65534", "welcome", "turned away"},
		{"control: open to all", "?mode=0666", "welcome", "welcome"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := publicDirectory(t) + "/agentos/vm7/s"
			l := listenTest(t, "unix://"+path+test.query)
			reports := make(chan error, 10)
			l.Report = func(err error) { reports <- err }
			welcome(t, l)
			checkConnect(t, path, otherUser, test.other)
			checkConnect(t, path, guestUser, test.guest)
			got := "nothing"
			if len(reports) > 0 {
				got = (<-reports).Error()
			}
			if strings.Contains(got, "is of uid 65533") != (test.other == "turned away") {
				t.Errorf("report: got %s, and the other user was to be %s", got, test.other)
			}
		})
	}
}

func TestPeerOfAnotherUser(t *testing.T) {
	needRoot(t)
	l := listenTest(t, "unix://"+publicDirectory(t)+"/s?guest=vm7&uid=65534")
	peers := welcome(t, l)
	child := checkConnect(t, l.Addr().Path, guestUser, "welcome")
	if got, want := <-peers, (Peer{Guest: "vm7", UID: guestUser, PID: child.Process.Pid}); got != want {
		t.Errorf("peer: got %+v, want %+v", got, want)
	}
}

// T07: a symbolic link in the way is neither followed nor replaced.
func TestSec_T07(t *testing.T) {
	for _, test := range []struct {
		name, link, target string // below the test's directory
		want               string // in the error; empty: it listens
	}{
		{"the socket, to a file", "home/s", "victim/file", "is a symbolic link, not a socket"},
		{"the socket, to a stale socket", "home/s", "victim/stale", "is a symbolic link, not a socket"},
		{"the socket, to nothing", "home/s", "victim/nothing", "is a symbolic link, not a socket"},
		{"the lock", "home/s.lock", "victim", "is a symbolic link to"},
		{"control: another name", "home/other", "victim/file", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := setUpVictim(t)
			if err := os.Symlink(filepath.Join(base, test.target), filepath.Join(base, test.link)); err != nil {
				t.Fatal(err)
			}
			checkListen(t, "unix://"+base+"/home/s", test.want)
			checkVictim(t, base)
			if got, err := os.Readlink(filepath.Join(base, test.link)); err != nil {
				t.Errorf("the link: got %q, %v; want it untouched", got, err)
			}
		})
	}
}

// T07: the directory itself may not be a link, those above it may.
func TestSec_T07_Directory(t *testing.T) {
	for _, test := range []struct{ name, target, path, want string }{
		{"last directory", "victim", "link/s", "is a symbolic link to"},
		{"last directory, to nothing", "victim/nothing", "link/s", "is a symbolic link to"},
		{"control: a directory above", "home", "link/below/s", ""},
		{"control: no link", "home", "home/s", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := setUpVictim(t)
			if err := os.Symlink(filepath.Join(base, test.target), base+"/link"); err != nil {
				t.Fatal(err)
			}
			checkListen(t, "unix://"+base+"/"+test.path, test.want)
			checkVictim(t, base)
		})
	}
}

// setUpVictim makes a home for sockets, and a directory that must not change.
func setUpVictim(t *testing.T) (base string) {
	t.Helper()
	base = t.TempDir()
	for _, dir := range []string{"/home", "/victim"} {
		if err := os.Mkdir(base+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(base+"/victim/file", []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	leaveStale(t, base+"/victim/stale")
	return base
}

func checkVictim(t *testing.T, base string) {
	t.Helper()
	checkNames(t, base+"/victim", "file", "stale")
	for path, want := range map[string]os.FileMode{"/victim": 0o755, "/victim/file": 0o644} {
		if got := modeOf(t, base+path); got != want {
			t.Errorf("mode of %s: got %04o, want %04o", path, got, want)
		}
	}
}

// checkListen wants an error with the text, or a listener that can be reached.
func checkListen(t *testing.T, text, want string) {
	t.Helper()
	l, err := listenText(t, text)
	if want == "" {
		if err != nil {
			t.Fatalf("listen on %s: got %v, want a listener", text, err)
		}
		meet(t, l, l.Addr().Path)
		_ = l.Close()
		return
	}
	if err == nil {
		_ = l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("listen on %s: got %v, want %q", text, err, want)
	}
}

// A claim's directory that is somebody else's would let them at the socket.
func TestSec_T07_ForeignClaim(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/s.lock", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir+"/s.lock", otherUser, otherUser); err != nil {
		t.Fatal(err)
	}
	checkListen(t, "unix://"+dir+"/s", "belongs to uid 65533")
	checkNames(t, dir, "s.lock")
	if err := os.Chown(dir+"/s.lock", 0, 0); err != nil {
		t.Fatal(err)
	}
	checkListen(t, "unix://"+dir+"/s", "") // control: our own is used again
}
