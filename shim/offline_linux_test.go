package shim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentos-go/agentos/guest"
)

// A pipe in the place of a file of the installer's is not waited for, and a directory
// is none either.
func TestInstalledFilesAreFiles(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		s := newX(t).install(false)
		if got := s.line("agentos-x --help"); got.exit != 0 {
			t.Fatalf("control: %+v, want help", got)
		}
		for _, path := range []string{guest.DefinitionsPath, guest.AddrPath} {
			file := filepath.Join(s.root, path)
			if err := errors.Join(os.Remove(file), put(file)); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"agentos-x --help", "agentos list-tools"} {
			s.unreachable(line)
			if got := s.line(line).stdout; !strings.Contains(got, "definitions.json: not a regular file") {
				t.Errorf("%s: %s: stdout %s, want what the file is", name, line, got)
			}
		}
		if got := s.line("agentos doctor"); got.exit != 69 {
			t.Errorf("%s: doctor: %+v, want exit 69", name, got)
		}
	}
}
