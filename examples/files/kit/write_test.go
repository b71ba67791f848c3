package kit

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPut(t *testing.T) {
	for _, name := range []string{"new", "docs/new", "docs/../new", "notes.txt", "docs/plan.md", "empty"} {
		dir := newTree(t)
		for way, r := range both(t, dir) {
			for _, text := range []string{"longer than what was there before\n", "", "short"} {
				n, err := r.put(name, strings.NewReader(text), maxBytes)
				got, _ := os.ReadFile(filepath.Join(dir, name))
				if err != nil || n != int64(len(text)) || string(got) != text {
					t.Errorf("%s: put %s = %d, %v, and there is %q; want %q", way, name, n, err, got, text)
				}
			}
		}
		noDrafts(t, dir)
	}
}

// noDrafts fails if a file is left that was never finished.
func noDrafts(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".agentos-") {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}

// Whatever fails, the old file is there as it was, and nothing of the new one.
func TestPutThatFails(t *testing.T) {
	gone := errors.New("gone")
	dir := newTree(t)
	for way, r := range both(t, dir) {
		for _, name := range []string{"new", "notes.txt"} {
			_, err := r.put(name, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(gone)), maxBytes)
			if !errors.Is(err, gone) {
				t.Errorf("%s: put %s = %v, want %v", way, name, err, gone)
			}
			_, err = r.put(name, strings.NewReader("12345"), 4)
			wantCode(t, err, tooLarge)
		}
		if n, err := r.put("docs/full", strings.NewReader("1234"), 4); n != 4 || err != nil {
			t.Errorf("%s: put of as much as may be = %d, %v; want 4", way, n, err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	if _, missing := os.Stat(filepath.Join(dir, "new")); string(got) != "one\ntwo\n" || !errors.Is(missing, fs.ErrNotExist) {
		t.Errorf("the old file is %q, %v, the new one %v; want the notes, and none", got, err, missing)
	}
	noDrafts(t, dir)
}

// Until it is whole, a file is not there under its name.
func TestPutUnderWay(t *testing.T) {
	dir := newTree(t)
	for way, r := range both(t, dir) {
		write(t, filepath.Join(dir, "notes.txt"), "before")
		var during string
		look := reader(func([]byte) (int, error) {
			got, _ := os.ReadFile(filepath.Join(dir, "notes.txt"))
			during = string(got)
			return 0, io.EOF
		})
		_, err := r.put("notes.txt", io.MultiReader(strings.NewReader("after"), look), maxBytes)
		if after, _ := readAll(r, "notes.txt"); err != nil || during != "before" || after != "after" {
			t.Errorf("%s: %v; there is %q during the write and %q after, want before and after", way, err, during, after)
		}
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }

func TestPutRefuses(t *testing.T) {
	dir := newTree(t)
	write(t, filepath.Join(dir, "fixed"), "as it is")
	must(t, os.Chmod(filepath.Join(dir, "fixed"), 0o444))
	for way, r := range both(t, dir) {
		for name, want := range map[string]error{
			".": notAFile, "docs": notAFile, "nope/new": notFound, "notes.txt/new": notADir, "nul\x00byte": notFound,
			strings.Repeat("n", 5000): notFound, "fixed": notWritable,
		} {
			if _, err := r.put(name, strings.NewReader("x"), maxBytes); !errors.Is(err, want) {
				t.Errorf("%s: put %.20q = %v, want %v", way, name, err, want)
			}
		}
	}
	noDrafts(t, dir)
}

// The new file may be read and run by those who could the old one, and by the
// umask when there was none.
func TestPutKeepsPermissions(t *testing.T) {
	dir := newTree(t)
	write(t, filepath.Join(dir, "made-here"), "")
	for way, r := range both(t, dir) {
		modes := map[string]fs.FileMode{"new " + way: mode(t, filepath.Join(dir, "made-here"))}
		for _, perm := range []fs.FileMode{0o600, 0o755, 0o666} {
			name := perm.String()
			write(t, filepath.Join(dir, name), "")
			must(t, os.Chmod(filepath.Join(dir, name), perm))
			modes[name] = perm
		}
		for name, want := range modes {
			_, err := r.put(name, strings.NewReader("x"), maxBytes)
			if got := mode(t, filepath.Join(dir, name)); err != nil || got&0o755 != want&0o755 {
				t.Errorf("%s: put %s = %v, mode %v; want %v", way, name, err, got, want)
			}
		}
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode().Perm()
}

// A name that leads upwards or starts at the top is refused; without the root it
// would not be.
func TestSec_F01_Write(t *testing.T) {
	dir := newTree(t)
	escapes := []string{
		"", "..", "../new", "../secret", "docs/../../new", "../root/new", "../root-secret/new", "/new", filepath.Join(dir, "new"),
	}
	for way, r := range both(t, dir) {
		for _, name := range escapes {
			_, err := r.put(name, strings.NewReader("x"), maxBytes)
			if !errors.Is(err, outsideRoot) {
				t.Errorf("%s: put %q = %v, want %s", way, name, err, outsideRoot.Code)
			}
		}
	}
	wantUntouched(t, dir)
	must(t, os.WriteFile(dir+"/docs/../../new", nil, 0o644))
	if got := names(t, filepath.Dir(dir)); !slices.Contains(got, "new") {
		t.Errorf("control: beside the root are %q, want a new file", got)
	}
}

// wantUntouched fails if anything beside the root is not as newTree made it.
func wantUntouched(t *testing.T, dir string) {
	t.Helper()
	base := filepath.Dir(dir)
	if got, want := names(t, base), []string{"root", "root-secret", "secret"}; !slices.Equal(got, want) {
		t.Errorf("beside the root are %q, want %q", got, want)
	}
	if got := names(t, filepath.Join(base, "root-secret")); !slices.Equal(got, []string{"key"}) {
		t.Errorf("root-secret has %q, want key", got)
	}
	for _, name := range []string{"secret", "root-secret/key"} {
		if got, err := os.ReadFile(filepath.Join(base, name)); string(got) != secret {
			t.Errorf("%s is %q, %v; want the secret", name, got, err)
		}
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
