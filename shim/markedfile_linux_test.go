package shim

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever may write to the directory can put a link in the file's place at any time,
// also between the look at the file and its opening. What it leads to is not read.
func TestSec_F02_MarkedFileSwapRace(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"AGENTS.md": "mine", "secret": "secret"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("secret", "link"); err != nil {
		t.Fatal(err)
	}
	file, err := openMarked("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.dir.Close()
	ctx, stop := context.WithCancel(t.Context())
	var swapping sync.WaitGroup
	defer swapping.Wait()
	defer stop()
	swapping.Go(func() {
		for ctx.Err() == nil {
			if err := unix.Renameat2(unix.AT_FDCWD, "AGENTS.md", unix.AT_FDCWD, "link", unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for read, caught := 0, 0; (read < 100 || caught < 10) && !t.Failed(); {
		switch got, err := file.read(); {
		case err == nil && string(got.text) != "mine":
			t.Errorf("read %q through the link", got.text)
		case err == nil:
			read++
		case errors.Is(err, errChanged):
			caught++
		}
	}
}
