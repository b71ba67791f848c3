package shim_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agentos-go/agentos/shim"
)

// otherUser owns nothing, and may do what the permissions give to all.
const otherUser = 65534

func TestInto_KeepsTheOwner(t *testing.T) {
	path := ownedBy(t, 1234, 0o640, 0o700)
	if changed, err := shim.Into(path, "new"); !changed || err != nil {
		t.Fatalf("got %v, %v", changed, err)
	}
	after := stat(t, path)
	if status := after.Sys().(*syscall.Stat_t); status.Uid != 1234 || status.Gid != 1234 || after.Mode() != 0o640 {
		t.Errorf("it belongs to %d:%d with mode %v, want 1234:1234 with 0640", status.Uid, status.Gid, after.Mode())
	}
}

// A directory that is open to all is no licence to replace the files of others.
func TestInto_OtherUsers(t *testing.T) {
	tests := []struct {
		name            string
		owner           int
		file, directory fs.FileMode
		want            string // of the error after "write FILE: "
	}{
		{"control: a file of its own", otherUser, 0o600, 0o777, ""},
		{"one to read", 1234, 0o644, 0o777, "permission denied"},
		{"one to write, which would change hands", 1234, 0o666, 0o777, "keep its owner: operation not permitted: run this as the owner"},
		{"one in a directory that is not writable", otherUser, 0o600, 0o755, "make a new file in its directory: permission denied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := ownedBy(t, tt.owner, tt.file, tt.directory)
			var changed bool
			var err error
			asOtherUser(t, func() { changed, err = shim.Into(path, "new") })
			if tt.want == "" {
				if !changed || err != nil {
					t.Errorf("got %v, %v, want it written", changed, err)
				}
				return
			}
			hinted(t, err, "write "+path+": "+tt.want, "")
			if got := read(t, path); got != "a\n" || changed {
				t.Errorf("the file is %q, want it as it was", got)
			}
			alone(t, path)
		})
	}
}

// ownedBy is a file with a line, in a directory of root's.
func ownedBy(t *testing.T, owner int, file, directory fs.FileMode) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "AGENTS.md")
	write(t, path, "a\n", file)
	for _, err := range []error{
		os.Chown(path, owner, owner), os.Chmod(path, file),
		os.Chmod(dir, directory), os.Chmod(filepath.Dir(dir), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// asOtherUser does something with the file permissions of another user, which Linux
// keeps for each thread; do starts no goroutine.
func asOtherUser(t *testing.T, do func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	set := func(id int) {
		t.Helper()
		unix.Setfsgid(id)
		unix.Setfsuid(id)
		if now, _ := unix.SetfsuidRetUid(-1); now != id {
			t.Fatalf("the thread has the permissions of user %d, want %d", now, id)
		}
	}
	set(otherUser)
	defer set(0)
	do()
}
