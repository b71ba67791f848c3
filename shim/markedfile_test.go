package shim

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that somebody changes after it was read stays as they left it, and the next
// attempt begins with that.
func TestMarkedFile_ChangedMeanwhile(t *testing.T) {
	tests := []struct {
		name, before string // before is empty where there is no file
		change       func(path string) error
		want         string // the rest of the file in the end
	}{
		{"written to", "a\n", func(path string) error { return os.WriteFile(path, []byte("b\n"), 0o600) }, "b\n"},
		{"replaced", "a\n", func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("a\n"), 0o600), os.Rename(path+".new", path))
		}, "a\n"},
		{"closed to others", "a\n", func(path string) error { return os.Chmod(path, 0o600) }, "a\n"},
		{"created", "", func(path string) error { return os.WriteFile(path, []byte("b\n"), 0o600) }, "b\n"},
		{"removed", "a\n", os.Remove, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "AGENTS.md")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(tt.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file, err := openMarked(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.dir.Close()
			old, err := file.read()
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			changed, _ := os.ReadFile(path)
			if err := file.replace(old, []byte("lost")); !errors.Is(err, errChanged) {
				t.Errorf("got %v, want that the file has changed", err)
			}
			if got, _ := os.ReadFile(path); string(got) != string(changed) {
				t.Errorf("the file is %q, want %q", got, changed)
			}
			if temporary, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".agentos-*")); temporary != nil {
				t.Errorf("left behind: %v", temporary)
			}
			want, err := withBlock([]byte(tt.want), "new")
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := file.update("new"); !ok || err != nil {
				t.Fatalf("the next attempt: got %v, %v", ok, err)
			}
			if got, _ := os.ReadFile(path); string(got) != string(want) {
				t.Errorf("the file is %q, want %q", got, want)
			}
		})
	}
}

// A link that takes the file's place after it was read is not written through.
func TestSec_F02_MarkedFileSwapped(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"AGENTS.md", "target"} {
		if err := os.WriteFile(name, []byte("a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := openMarked("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.dir.Close()
	old, err := file.read()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove("AGENTS.md"), os.Symlink("target", "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if err := file.replace(old, []byte("new")); !errors.Is(err, errChanged) {
		t.Errorf("got %v, want that the file has changed", err)
	}
	if got, _ := os.ReadFile("target"); string(got) != "a\n" {
		t.Errorf("the target is %q", got)
	}
}
