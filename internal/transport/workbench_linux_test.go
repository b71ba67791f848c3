package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestCase_B075_StaleAfterKill(t *testing.T) {
	path := t.TempDir() + "/s"
	owner := start(t, "listen", "unix://"+path, 0)
	if got := owner.line(t); got != "ready" {
		t.Fatalf("child: got %q, want it to listen", got)
	}

	_, err := listenText(t, "unix://"+path)
	if want := fmt.Sprintf("in use by process %d", owner.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("listen beside a live owner: got %v, want %q", err, want)
	}
	owner.stop()
	if _, err := os.Lstat(path); err != nil {
		t.Fatalf("after kill -9 the socket should be left: %v", err)
	}
	l := listenTest(t, "unix://"+path)
	meet(t, l, path)
	checkNames(t, filepath.Dir(path), "s")
}

func TestCase_B075_LiveInThisProcess(t *testing.T) {
	path := t.TempDir() + "/s"
	l := listenTest(t, "unix://"+path)
	_, err := listenText(t, "unix://"+path)
	if err == nil || !strings.Contains(err.Error(), "this very process") {
		t.Fatalf("listen twice: got %v, want it to name this process", err)
	}
	conn, _, err := l.Accept() // of the second listener's question
	if err != nil {
		t.Fatal(err)
	}
	discard(conn)
	meet(t, l, path)
}

func TestCase_B075_NeverRemovesWhatIsNoSocket(t *testing.T) {
	for kind, put := range map[string]func(path string) error{
		"a regular file":  func(path string) error { return os.WriteFile(path, []byte("precious"), 0o600) },
		"a directory":     func(path string) error { return os.Mkdir(path, 0o700) },
		"a FIFO":          func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a symbolic link": func(path string) error { return os.Symlink("/nowhere", path) },
	} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			if err := put(dir + "/s"); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(dir + "/s")
			_, err := listenText(t, "unix://"+dir+"/s")
			if want := "is " + kind + ", not a socket"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("listen: got %v, want %q", err, want)
			}
			if after, err := os.Lstat(dir + "/s"); err != nil || !os.SameFile(before, after) {
				t.Errorf("the file: got %v, %v; want it untouched", after, err)
			}
			checkNames(t, dir, "s")
		})
	}
}

func TestCase_B075_RaceForOnePath(t *testing.T) {
	path := t.TempDir() + "/s"
	for round := range 20 {
		leaveStale(t, path)
		winners, losers := race(t, path, 6)
		if len(winners) != 1 {
			t.Fatalf("round %d: got %d listeners on one path, want 1", round, len(winners))
		}
		for _, err := range losers {
			if !strings.Contains(err.Error(), "in use by") {
				t.Errorf("round %d: got %v, want in use", round, err)
			}
		}
		if err := winners[0].Close(); err != nil {
			t.Error(err)
		}
		checkNames(t, filepath.Dir(path))
	}
}

// race listens on one path several times at once.
func race(t *testing.T, path string, n int) (winners []*Listener, losers []error) {
	t.Helper()
	var mutex sync.Mutex // guards winners and losers
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			l, err := Listen(t.Context(), Address{Scheme: "unix", Path: path})
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				losers = append(losers, err)
			} else {
				winners = append(winners, l)
			}
		})
	}
	group.Wait()
	return winners, losers
}

func TestCase_B075_RaceOfProcesses(t *testing.T) {
	path := t.TempDir() + "/s"
	leaveStale(t, path)
	first, second := start(t, "listen", "unix://"+path, 0), start(t, "listen", "unix://"+path, 0)
	lines := []string{first.line(t), second.line(t)}
	ready := 0
	for _, line := range lines {
		switch {
		case line == "ready":
			ready++
		case !strings.Contains(line, "in use by process"):
			t.Errorf("the loser: got %q, want in use", line)
		}
	}
	if ready != 1 {
		t.Errorf("two processes: got %q, want one ready", lines)
	}
}

func TestListenWaitsForAClaim(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/s.lock", 0o700); err != nil {
		t.Fatal(err)
	}
	holder, err := os.Open(dir + "/s.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Close() }()
	if err := unix.Flock(int(holder.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = Listen(ctx, Address{Scheme: "unix", Path: dir + "/s"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "s.lock is locked") {
		t.Errorf("listen while another claims the path: got %v, want it to name the lock", err)
	}
	_ = holder.Close()
	listenTest(t, "unix://"+dir+"/s")
	checkNames(t, dir, "s")
}

func TestListenUsesALeftoverClaimAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/s.lock", 0o755); err != nil {
		t.Fatal(err)
	}
	leaveStale(t, dir+"/s.lock/socket")
	listenTest(t, "unix://"+dir+"/s")
	checkNames(t, dir, "s")
}

// newFile is the place of a socket that nobody has claimed yet.
func newFile(t *testing.T, dir string) *socketFile {
	t.Helper()
	home, err := openDirectory(unix.AT_FDCWD, dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(home.close)
	return &socketFile{home: home, name: "s"}
}

func claimTest(t *testing.T, file *socketFile) *workbench {
	t.Helper()
	bench, err := file.claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return bench
}

// Whoever opened the directory before its holder removed it has the lock of a
// directory that is nowhere, while somebody else makes and locks a new one.
func TestLockOfARemovedDirectoryIsNoClaim(t *testing.T) {
	dir := t.TempDir()
	file := newFile(t, dir)
	holder := claimTest(t, file)
	opened, err := openDirectory(file.home.fd, "s.lock", dir+"/s.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	late := &workbench{opened, file}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"while it is held", func() {}},
		{"after it is gone", holder.release},
		{"beside the next holder's", func() { t.Cleanup(claimTest(t, file).release) }},
	} {
		step.do()
		if ok, err := late.lock(); ok || err != nil {
			t.Errorf("lock %s: got %v, %v; want false", step.name, ok, err)
		}
	}
}

func TestClaimIsPrivateWhateverWasLeft(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/s.lock", 0o755); err != nil {
		t.Fatal(err)
	}
	leaveStale(t, dir+"/s.lock/socket")
	bench := claimTest(t, newFile(t, dir))
	defer bench.release()
	if got := modeOf(t, dir+"/s.lock"); got != 0o700 {
		t.Errorf("mode of the claim: got %04o, want 0700", got)
	}
	checkNames(t, dir+"/s.lock")
}

// What somebody puts at the path after it was found free stays there.
func TestPublishReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	bench := claimTest(t, newFile(t, dir))
	defer bench.release()
	socket, err := bench.bind(Address{Scheme: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	if err := os.WriteFile(dir+"/s", []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bench.publish(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("publish: got %v, want fs.ErrExist", err)
	}
	if got, err := os.ReadFile(dir + "/s"); string(got) != "precious" {
		t.Errorf("the file: got %q, %v; want it untouched", got, err)
	}
}
