package shim_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A terminal is the stdin of a tool that demands one, and of no other.
func TestSlots_StdinOfATerminal(t *testing.T) {
	h, _ := newStreams(t)
	typed := func(tool string) output {
		cmd := h.command(0, "agentos-s", tool)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		term, c := onTerminal(t, cmd)
		if _, err := term.user.WriteString("one\n\x04"); err != nil { // the end, on a line of its own
			t.Fatal(err)
		}
		exit := c.ends().exit
		return output{stdout.String(), stderr.String(), exit}
	}
	wantOutput(t, typed("cat"), 0, "one\n", "")
	wantOutput(t, typed("hash"), 0, `{"ok":true,"result":"no stdin"}`+"\n", "")
}

// Who may give a file away leaves it to its owner.
func TestOutFiles_KeepsTheOwner(t *testing.T) {
	w := newPipes(t)
	path := ownedBy(t, 1234, 0o604, 0o700)
	if got := w.line("agentos-s pack --into " + path); got.exit != 0 {
		t.Fatalf("got %+v", got)
	}
	after := stat(t, path)
	if status := after.Sys().(*syscall.Stat_t); status.Uid != 1234 || status.Gid != 1234 || after.Mode() != 0o604 {
		t.Errorf("it belongs to %d:%d with mode %v, want 1234:1234 with 0604", status.Uid, status.Gid, after.Mode())
	}
	alone(t, path)
}

// A link to what this user may not write is no way around that: the link is replaced
// only where it could be written to.
func TestOutFiles_ALinkToAnothersFile(t *testing.T) {
	h, dir := newStreams(t)
	target, link := filepath.Join(t.TempDir(), "target"), filepath.Join(dir, "link")
	write(t, target, "old", 0o400)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	got := runs(t, unprivileged(t, h.command(0, "agentos-s", "pack", "--into", link)))
	wantEnded(t, got, 2, `{"ok":false,"error":"USAGE_ERROR"`, "permission denied")
	if text := read(t, link); text != "old" {
		t.Errorf("the file is %q, want it as it was", text)
	}
}
