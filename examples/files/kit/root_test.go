package kit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name that leads upwards or starts at the top is refused by all three tools.
func TestSec_F01(t *testing.T) {
	dir := newTree(t)
	escapes := []string{
		"..",
		"../secret",
		"./../secret",
		"docs/../../secret",
		"docs/../../root/../secret",
		"../root-secret/key", // a twin: the root's path is a prefix of its own
		"../root/notes.txt",  // inside in the end, but it left on the way
		"/etc/passwd",
		filepath.Join(dir, "notes.txt"),
		"",
	}
	for way, r := range both(t, dir) {
		for _, name := range escapes {
			t.Run(way+" "+name, func(t *testing.T) {
				_, err := readAll(r, name)
				wantCode(t, err, outsideRoot)
				_, err = r.list(context.Background(), ListArgs{Path: name})
				wantCode(t, err, outsideRoot)
				_, err = r.search(context.Background(), SearchArgs{Text: "x", Path: name, Max: 1})
				wantCode(t, err, outsideRoot)
			})
		}
	}
	t.Run("control: without the root the same names lead to the secret", func(t *testing.T) {
		for _, name := range []string{"../secret", "docs/../../secret", "../root-secret/key"} {
			got, err := os.ReadFile(dir + "/" + name)
			if err != nil || string(got) != secret {
				t.Errorf("plain read of %q = %q, %v; want the secret", name, got, err)
			}
		}
	})
}

func TestNamesWithin(t *testing.T) {
	dir := newTree(t)
	for way, r := range both(t, dir) {
		for _, name := range []string{"notes.txt", "./notes.txt", "docs/../notes.txt", "docs//a/../../notes.txt"} {
			if got, err := readAll(r, name); err != nil || got != "one\ntwo\n" {
				t.Errorf("%s: read %q = %q, %v; want the notes", way, name, got, err)
			}
		}
	}
}

func TestNothingThere(t *testing.T) {
	dir := newTree(t)
	for way, r := range both(t, dir) {
		for _, name := range []string{"nope", "nope/deeper", "notes.txt/below", "nul\x00byte", strings.Repeat("n", 5000)} {
			t.Run(way, func(t *testing.T) {
				_, err := readAll(r, name)
				wantCode(t, err, notFound)
			})
		}
	}
}

// A message repeats at most a part of what the guest sent.
func TestMessageIsBounded(t *testing.T) {
	_, err := readAll(native(t, newTree(t)), strings.Repeat("n", 1<<20))
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("message = %.80v…, want a short one", err)
	}
}

func TestNoRoot(t *testing.T) {
	dir := newTree(t)
	for _, name := range []string{"nope", "notes.txt"} {
		if _, err := Toolkit(filepath.Join(dir, name)); err == nil {
			t.Errorf("Toolkit(%q) = no error, want one", name)
		}
	}
}

// The root is the directory, not its name.
func TestRootMoved(t *testing.T) {
	dir := newTree(t)
	r := native(t, dir)
	must(t, os.Rename(dir, dir+"-moved"))
	if got, err := readAll(r, "notes.txt"); err != nil || got != "one\ntwo\n" {
		t.Errorf("read after the move = %q, %v; want the notes", got, err)
	}
}
