package kit

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Links are not followed, wherever they lead.
func TestSec_F02_Links(t *testing.T) {
	dir := newTree(t)
	for name, target := range map[string]string{
		"out":         "../secret",
		"out-dir":     "../root-secret",
		"absolute":    dir + "/../secret",
		"in":          "notes.txt",
		"in-dir":      "docs",
		"self":        "self",
		"docs/out":    "../../secret",
		"magic":       "/proc/self/root",
		"through-out": "out-dir/key",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	tests := map[string]string{ // name: what a plain read gives, if anything
		"out": secret, "out-dir/key": secret, "absolute": secret, "through-out": secret, "docs/out": secret,
		"in": "one\ntwo\n", "in-dir/plan.md": "# Plan\nthe budget is 3\n",
		"self": "", "magic" + dir + "/../secret": secret,
	}
	r := native(t, dir)
	for name, plain := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := os.ReadFile(dir + "/" + name); string(got) != plain {
				t.Fatalf("control: plain read = %q, %v; want %q", got, err, plain)
			}
			got, err := readAll(r, name)
			wantCode(t, err, notAFile)
			if got != "" {
				t.Errorf("read = %q, want nothing", got)
			}
		})
	}
	t.Run("search passes them by", func(t *testing.T) {
		found, err := r.search(context.Background(), SearchArgs{Text: "secret", Path: ".", Max: 10})
		if err != nil || len(found.Matches) != 0 || found.Skipped != 9 {
			t.Errorf("search = %+v, %v; want no match and 9 skipped", found, err)
		}
	})
}

// The fallback follows links that stay inside, and no others.
func TestSec_F02_LinksByOSRoot(t *testing.T) {
	dir := newTree(t)
	must(t, os.Symlink("../secret", filepath.Join(dir, "out")))
	must(t, os.Symlink("notes.txt", filepath.Join(dir, "in")))
	r := both(t, dir)["os.Root"]
	_, err := readAll(r, "out")
	wantCode(t, err, outsideRoot)
	if got, err := readAll(r, "in"); err != nil || got != "one\ntwo\n" {
		t.Errorf("read in = %q, %v; want the notes", got, err)
	}
}

// Another process swaps a good name for a link to the secret, as fast as it
// can, while the guest reads. Looking first and opening afterwards is caught.
func TestSec_F02_SwapRace(t *testing.T) {
	races := []struct {
		name, good, bad, target, read string
	}{
		{"file", "good", "bad", "../secret", "good"},
		{"directory", "dir", "bad-dir", "../root-secret", "dir/key"},
	}
	for _, race := range races {
		dir := newTree(t)
		write(t, filepath.Join(dir, "good"), "harmless")
		write(t, dir+"/dir/key", "harmless")
		must(t, os.Symlink(race.target, filepath.Join(dir, race.bad)))
		swap(t, filepath.Join(dir, race.good), filepath.Join(dir, race.bad))
		r := native(t, dir)

		t.Run(race.name, func(t *testing.T) {
			var read, refused int
			for range 20_000 {
				got, err := readAll(r, race.read)
				switch {
				case err == nil && got == "harmless":
					read++
				case errors.Is(err, notAFile):
					refused++
				default:
					t.Fatalf("read = %q, %v; want the good file or a refusal", got, err)
				}
			}
			if read == 0 || refused == 0 {
				t.Errorf("%d reads, %d refusals: the two never raced", read, refused)
			}
		})
		t.Run(race.name+" control", func(t *testing.T) {
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
				name := filepath.Join(dir, race.read)
				real, err := filepath.EvalSymlinks(name) // look …
				if err != nil || !strings.HasPrefix(real, dir+"/") {
					continue
				}
				if got, _ := os.ReadFile(name); string(got) == secret { // … then open
					return
				}
			}
			t.Error("check-then-open never gave the secret: the race proves nothing")
		})
	}
}

// swap exchanges two names until the test ends.
func swap(t *testing.T, a, b string) {
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { // joined by the cleanup
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				done <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-done; err != nil {
			t.Errorf("swap: %v", err)
		}
	})
}

// What is no file is opened without waiting for anyone, and refused.
func TestSec_F03(t *testing.T) {
	dir := newTree(t)
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	listener, err := net.Listen("unix", filepath.Join(dir, "socket"))
	must(t, err)
	defer listener.Close()
	names := []string{"fifo", "socket"}
	switch err := unix.Mknod(filepath.Join(dir, "device"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); {
	case errors.Is(err, unix.EPERM):
		t.Log("no device node among them: only root may make one")
	default:
		must(t, err)
		names = append(names, "device")
	}
	for way, r := range both(t, dir) {
		for _, name := range names {
			t.Run(way+" "+name, func(t *testing.T) {
				_, err := readAll(r, name)
				wantCode(t, err, notAFile)
				_, err = r.list(context.Background(), ListArgs{Path: name})
				wantCode(t, err, notAFile)
			})
		}
		t.Run(way+" search passes them by", func(t *testing.T) {
			found, err := r.search(context.Background(), SearchArgs{Text: "budget", Path: ".", Max: 10})
			if err != nil || len(found.Matches) != 2 || found.Skipped != len(names) {
				t.Errorf("search = %+v, %v; want 2 matches, %d skipped", found, err, len(names))
			}
		})
	}
	t.Run("control: a plain open does hand out a FIFO", func(t *testing.T) {
		file, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_RDONLY|unix.O_NONBLOCK, 0)
		must(t, err)
		defer file.Close()
		if info, err := file.Stat(); err != nil || info.Mode().Type() != os.ModeNamedPipe {
			t.Errorf("stat = %v, %v; want a FIFO", info, err)
		}
	})
}

// A file system mounted below the root is not the root's, be it /proc.
func TestSec_F03_Proc(t *testing.T) {
	r := native(t, "/")
	for _, name := range []string{"proc/self/environ", "proc/self/root/etc/passwd", "proc/version"} {
		t.Run(name, func(t *testing.T) {
			if got, err := os.ReadFile("/" + name); err != nil {
				t.Fatalf("control: plain read = %q, %v; want success", got, err)
			}
			_, err := readAll(r, name)
			wantCode(t, err, outsideRoot)
		})
	}
	t.Run("list leaves its mount point out", func(t *testing.T) {
		listing, err := r.list(context.Background(), ListArgs{Path: "."})
		must(t, err)
		for _, entry := range listing.Entries {
			if entry.Name == "proc" {
				t.Errorf("list shows %+v, want no proc", entry)
			}
		}
	})
}

// A second name may belong to a file elsewhere.
func TestSec_F04(t *testing.T) {
	dir := newTree(t)
	must(t, os.Link(dir+"/../secret", filepath.Join(dir, "twin")))
	if got, err := os.ReadFile(filepath.Join(dir, "twin")); err != nil || string(got) != secret {
		t.Fatalf("control: plain read = %q, %v; want the secret", got, err)
	}
	for way, r := range both(t, dir) {
		t.Run(way, func(t *testing.T) {
			_, err := readAll(r, "twin")
			wantCode(t, err, notAFile)
			found, err := r.search(context.Background(), SearchArgs{Text: "secret", Path: ".", Max: 10})
			if err != nil || len(found.Matches) != 0 || found.Skipped != 1 {
				t.Errorf("search = %+v, %v; want no match, 1 skipped", found, err)
			}
			listing, err := r.list(context.Background(), ListArgs{Path: "."})
			must(t, err)
			last := listing.Entries[len(listing.Entries)-1]
			if want := (Entry{Name: "twin", Type: "other"}); last != want {
				t.Errorf("list shows %+v, want %+v: not even its size", last, want)
			}
		})
	}
}

// The kernel refuses to walk up while something is renamed anywhere; so it is
// never asked to.
func TestDotsWhileNamesMove(t *testing.T) {
	dir := newTree(t)
	swap(t, filepath.Join(dir, "notes.txt"), filepath.Join(dir, "empty"))
	r := native(t, dir)
	for range 20_000 {
		if _, err := readAll(r, "docs/a/../plan.md"); err != nil {
			t.Fatalf("read = %v, want the plan", err)
		}
	}
}

// Every tool gives back what it opened, refused or not.
func TestDescriptors(t *testing.T) {
	dir := newTree(t)
	must(t, os.Symlink("notes.txt", filepath.Join(dir, "link")))
	must(t, os.Link(filepath.Join(dir, "empty"), filepath.Join(dir, "twin")))
	r := native(t, dir)
	before := descriptors(t)
	_, _ = r.search(context.Background(), SearchArgs{Text: "budget", Path: ".", Max: 1})
	for _, name := range []string{".", "notes.txt", "link", "twin", "nope"} {
		_, _ = r.list(context.Background(), ListArgs{Path: name})
		_, _ = readAll(r, name)
		_, _ = r.put(name, strings.NewReader("x"), 1)
		_, _ = r.put(name+"/new", strings.NewReader("x"), 0)
	}
	if after := descriptors(t); after > before { // fewer, when earlier roots are collected
		t.Errorf("%d descriptors open after the calls, want at most %d as before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}
