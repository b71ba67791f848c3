package kit

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Nothing is written through a link, in whatever place of the name it is.
func TestSec_F02_WriteThroughLinks(t *testing.T) {
	dir := newTree(t)
	links := map[string]string{
		"out": "../secret", "absolute": dir + "/../secret", "dangling": "../new", "in": "notes.txt", "self": "self",
		"out-dir": "../root-secret", "in-dir": "docs", "magic": "/proc/self/root", "docs/up": "../..",
	}
	for name, target := range links {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for way, r := range both(t, dir) {
		for _, name := range []string{"out", "absolute", "dangling", "in", "self"} {
			_, err := r.put(name, strings.NewReader("x"), maxBytes)
			if !errors.Is(err, notAFile) {
				t.Errorf("%s: put %s = %v, want %s", way, name, err, notAFile.Code)
			}
		}
		for _, name := range []string{"out-dir/new", "out-dir/key", "magic" + dir + "/../new", "docs/up/new", "docs/up/secret"} {
			want := notAFile
			if way == "os.Root" { // which follows links, and finds that they lead out
				want = outsideRoot
			}
			_, err := r.put(name, strings.NewReader("x"), maxBytes)
			if !errors.Is(err, want) {
				t.Errorf("%s: put %s = %v, want %s", way, name, err, want.Code)
			}
		}
	}
	_, err := native(t, dir).put("in-dir/new", strings.NewReader("x"), maxBytes)
	wantCode(t, err, notAFile)
	wantUntouched(t, dir)
	noDrafts(t, dir)
	for name, target := range links {
		if got, err := os.Readlink(filepath.Join(dir, name)); got != target {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, target)
		}
	}
	t.Run("control: a plain write follows them", func(t *testing.T) {
		must(t, os.WriteFile(filepath.Join(dir, "dangling"), []byte("x"), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "out-dir/new"), []byte("x"), 0o644))
		for _, name := range []string{"../new", "../root-secret/new"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	})
}

// A link that takes the name while the file is written is replaced, not followed.
func TestSec_F02_LinkWhileWriting(t *testing.T) {
	for _, name := range []string{"native", "os.Root"} {
		t.Run(name, func(t *testing.T) {
			dir := newTree(t)
			link := reader(func([]byte) (int, error) {
				must(t, os.Remove(filepath.Join(dir, "notes.txt")))
				must(t, os.Symlink("../secret", filepath.Join(dir, "notes.txt")))
				return 0, io.EOF
			})
			_, err := both(t, dir)[name].put("notes.txt", io.MultiReader(strings.NewReader("new"), link), maxBytes)
			if got, _ := readAll(native(t, dir), "notes.txt"); err != nil || got != "new" {
				t.Errorf("put = %v, and there is %q; want new", err, got)
			}
			wantUntouched(t, dir)
		})
	}
}

// Another process swaps a directory for a link that leads out, as fast as it can,
// while the guest writes into it. Looking first and writing afterwards is caught.
func TestSec_F02_WriteSwapRace(t *testing.T) {
	dir := newTree(t)
	write(t, dir+"/dir/here", "")
	must(t, os.Symlink("../root-secret", filepath.Join(dir, "bad-dir")))
	swap(t, filepath.Join(dir, "dir"), filepath.Join(dir, "bad-dir"))
	r := native(t, dir)
	var written, refused int
	for end := time.Now().Add(20 * time.Second); written+refused < 3000 || (written == 0 || refused == 0) && time.Now().Before(end); {
		switch _, err := r.put("dir/new", strings.NewReader("x"), maxBytes); {
		case err == nil:
			written++
		case errors.Is(err, notAFile):
			refused++
		default:
			t.Fatalf("put = %v, want success or %s", err, notAFile.Code)
		}
	}
	if written == 0 || refused == 0 {
		t.Errorf("%d writes, %d refusals: the two never raced", written, refused)
	}
	wantUntouched(t, dir)
	t.Run("control", func(t *testing.T) {
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, "dir")) // look …
			if err != nil || !strings.HasPrefix(real, dir+"/") {
				continue
			}
			_ = os.WriteFile(filepath.Join(dir, "dir/new"), nil, 0o644) // … then write
			if _, err := os.Stat(filepath.Join(dir, "../root-secret/new")); err == nil {
				return
			}
		}
		t.Error("check-then-write never wrote outside: the race proves nothing")
	})
}

// What is no file is neither opened nor replaced, and a mount is not the root's.
func TestSec_F03_Write(t *testing.T) {
	dir := newTree(t)
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666))
	for way, r := range both(t, dir) {
		_, err := r.put("fifo", strings.NewReader("x"), maxBytes)
		wantCode(t, err, notAFile)
		_, err = r.put("fifo/new", strings.NewReader("x"), maxBytes)
		wantCode(t, err, notADir)
		if info, err := os.Lstat(filepath.Join(dir, "fifo")); err != nil || info.Mode().Type() != os.ModeNamedPipe {
			t.Errorf("%s: the FIFO is %v, %v", way, info, err)
		}
	}
	top := native(t, "/")
	for _, name := range []string{"proc/self/comm", "proc/new", "proc"} {
		_, err := top.put(name, strings.NewReader("x"), maxBytes)
		wantCode(t, err, outsideRoot)
	}
}

// A file with a second name may be one elsewhere: it is left alone.
func TestSec_F04_Write(t *testing.T) {
	dir := newTree(t)
	must(t, os.Link(dir+"/../secret", filepath.Join(dir, "twin")))
	for _, r := range both(t, dir) {
		_, err := r.put("twin", strings.NewReader("x"), maxBytes)
		wantCode(t, err, notAFile)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "twin")); err != nil || string(got) != secret {
		t.Errorf("the twin is %q, %v; want it as it was", got, err)
	}
	wantUntouched(t, dir)
}
