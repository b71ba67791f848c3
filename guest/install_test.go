package guest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/toolkit"
)

func definitions(names ...string) []*toolkit.Definition {
	var defs []*toolkit.Definition
	for _, name := range names {
		defs = append(defs, &toolkit.Definition{Command: toolkit.Command{Name: name}})
	}
	return defs
}

func install(t *testing.T, root string, names ...string) (*guest.Installed, error) {
	t.Helper()
	return guest.Install(root, definitions(names...), &guest.InstallOptions{
		Shim: strings.NewReader("#!/bin/sh\necho shim\n"), Addr: "vsock://2:5000", Prompt: "## Host tools\n",
	})
}

// tree lists what is below a root: mode, name, and where a link points.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var lines []string
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		line := info.Mode().String() + " " + strings.TrimPrefix(path, root)
		if target, err := os.Readlink(path); err == nil {
			line += " -> " + target
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestInstallBelowNothing says what to do about it.
func TestInstallBelowNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "nosuch")
	_, err := install(t, root)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), root) || !strings.HasSuffix(err.Error(), "; mount the guest's image there first, or make the directory") {
		t.Errorf("got %v, want that there is no such root, and what to do", err)
	}
}

func TestInstall(t *testing.T) {
	root := t.TempDir()
	installed, err := install(t, root, "math", "weather")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"agentos", "agentos-math", "agentos-weather"}; installed.LinkDir != "/usr/local/bin" || !slices.Equal(installed.Links, want) {
		t.Errorf("Install = %+v, want %q in /usr/local/bin", installed, want)
	}
	want := []string{
		"-rw-r--r-- /etc/agentos/addr",
		"-rw-r--r-- /etc/agentos/definitions.json",
		"-rw-r--r-- /etc/agentos/prompt.md",
		"Lrwxrwxrwx /usr/local/bin/agentos -> ../../../usr/local/lib/agentos/agentos",
		"Lrwxrwxrwx /usr/local/bin/agentos-math -> ../../../usr/local/lib/agentos/agentos",
		"Lrwxrwxrwx /usr/local/bin/agentos-weather -> ../../../usr/local/lib/agentos/agentos",
		"-rwxr-xr-x /usr/local/lib/agentos/agentos",
	}
	if got := tree(t, root); !slices.Equal(got, want) {
		t.Errorf("installed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInstallAgainFollowsTheToolkits(t *testing.T) {
	root := t.TempDir()
	if _, err := install(t, root, "math", "weather"); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	if _, err := install(t, root, "math", "weather"); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, root); !slices.Equal(before, after) {
		t.Errorf("a second time changed\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	foreign := filepath.Join(root, "usr/local/bin/agentos-theirs")
	if err := os.Symlink("/bin/true", foreign); err != nil {
		t.Fatal(err)
	}
	if _, err := install(t, root, "math"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(root, "usr/local/bin/agentos-weather")); !os.IsNotExist(err) {
		t.Errorf("the link of a toolkit that is gone: %v, want it removed", err)
	}
	if _, err := os.Lstat(foreign); err != nil {
		t.Errorf("a link that is not ours: %v, want it kept", err)
	}
}

// An image that an agent could write to is not trusted. The control is
// TestInstall, which differs only in what is in the way.
func TestInstallRefusesWhatIsInTheWay(t *testing.T) {
	tests := []struct {
		name  string
		plant func(root string) error
	}{
		{"a link for a directory", func(root string) error {
			return os.Symlink(t.TempDir(), filepath.Join(root, "usr"))
		}},
		{"a relative link for a directory, inside", func(root string) error {
			if err := os.Mkdir(filepath.Join(root, "real"), 0o755); err != nil {
				return err
			}
			return os.Symlink("real", filepath.Join(root, "usr"))
		}},
		{"a link for the binary", func(root string) error {
			dir := filepath.Join(root, "usr/local/lib/agentos")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			return os.Symlink("/bin/sh", filepath.Join(dir, "agentos"))
		}},
		{"a foreign command in every directory of links", func(root string) error {
			for _, dir := range guest.LinkDirs {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(root, dir, "agentos-math"), []byte("theirs"), 0o755); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			if err := test.plant(root); err != nil {
				t.Fatal(err)
			}
			if _, err := install(t, root, "math"); err == nil {
				t.Errorf("Install = nil error, want a refusal; installed:\n%s", strings.Join(tree(t, root), "\n"))
			}
		})
	}
}

// A toolkit's name becomes a path, so it must be a name.
func TestCase_B111_InstallRefusesNamesThatArePaths(t *testing.T) {
	for _, name := range []string{"x/../git", "../../../tmp/p", "a/b", ".", "", "x\x00y", strings.Repeat("a", 300), "Git"} {
		root := t.TempDir()
		if _, err := install(t, root, name); err == nil {
			t.Errorf("Install takes the toolkit name %q", name)
		}
		if left := tree(t, root); len(left) != 0 {
			t.Errorf("%q left %q behind", name, left)
		}
	}
}

func TestInstallForASharedImageWritesNothingOfOneGuest(t *testing.T) {
	root := t.TempDir()
	_, err := guest.Install(root, definitions("math"), &guest.InstallOptions{Shim: strings.NewReader("x"), Prompt: "p", Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "etc/agentos/definitions.json")); !os.IsNotExist(err) {
		t.Errorf("definitions.json: %v, want none", err)
	}
}
