package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agentos-go/agentos/toolkit"
	"github.com/agentos-go/agentos/toolkit/toolkittest"
)

const picture = "\x89PNG\r\n\x1a\n\x00\xff" // no text

// newKit is the toolkit over a new tree, with a picture in it.
func newKit(t *testing.T) (kit *toolkit.Toolkit, dir string) {
	t.Helper()
	dir = newTree(t)
	write(t, filepath.Join(dir, "picture.png"), picture)
	kit, err := Toolkit(dir)
	must(t, err)
	return kit, dir
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s = %q, %v; want %q", path, got, err, want)
	}
}

func TestCat(t *testing.T) {
	kit, _ := newKit(t)
	for line, want := range map[string]string{"cat picture.png": picture, "cat empty": "", "cat docs/plan.md": "# Plan\nthe budget is 3\n"} {
		got := toolkittest.Run(t, kit, line)
		got.OK()
		if got.Stdout != want || got.Stderr != "" {
			t.Errorf("%s: %s; want %q", line, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	kit, dir := newKit(t)
	for _, name := range []string{"new", "docs/plan.md"} {
		var got Copied
		(&toolkittest.Guest{Stdin: strings.NewReader(picture)}).Run(t, kit, "write "+name).Result(&got)
		if want := (Copied{int64(len(picture))}); got != want {
			t.Errorf("write %s = %+v, want %+v", name, got, want)
		}
		wantFile(t, filepath.Join(dir, name), picture)
	}
}

func TestWriteOfWhatBreaksOff(t *testing.T) {
	kit, dir := newKit(t)
	stdin := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("gone")))
	if got := (&toolkittest.Guest{Stdin: stdin}).Run(t, kit, "write notes.txt"); got.Exit == 0 {
		t.Errorf("write: %s; want a failure", got)
	}
	wantFile(t, filepath.Join(dir, "notes.txt"), "one\ntwo\n")
	noDrafts(t, dir)
}

func TestHash(t *testing.T) {
	kit, _ := newKit(t)
	for _, text := range []string{"", picture, strings.Repeat("0123456789abcdef", 200_000)} {
		sum := sha256.Sum256([]byte(text))
		var got Digest
		(&toolkittest.Guest{Stdin: strings.NewReader(text)}).Run(t, kit, "hash").Result(&got)
		if want := (Digest{hex.EncodeToString(sum[:]), int64(len(text))}); got != want {
			t.Errorf("hash of %d bytes = %+v, want %+v", len(text), got, want)
		}
	}
}

func TestCopy(t *testing.T) {
	kit, dir := newKit(t)
	var copied Copied
	got := toolkittest.Run(t, kit, "copy picture.png --to /tmp/out.png")
	got.Result(&copied)
	if want := map[string]string{"/tmp/out.png": picture}; copied.Bytes != int64(len(picture)) || !maps.Equal(got.Files, want) {
		t.Errorf("copy --to = %+v, files %q; want %q", copied, got.Files, want)
	}
	guest := &toolkittest.Guest{Files: map[string]string{"screenshot.png": picture}}
	guest.Run(t, kit, "copy docs/shot.png --from screenshot.png").Result(&copied)
	if copied.Bytes != int64(len(picture)) {
		t.Errorf("copy --from = %+v, want %d bytes", copied, len(picture))
	}
	wantFile(t, filepath.Join(dir, "docs/shot.png"), picture)
}

// An error is a declared one, and leaves no file on either side.
func TestStreamsThatAreRefused(t *testing.T) {
	kit, dir := newKit(t)
	for line, code := range map[string]string{
		"cat nope":                  "NOT_FOUND",
		"cat ../secret":             "OUTSIDE_ROOT",
		"cat docs":                  "NOT_A_FILE",
		"write nope/new":            "NOT_FOUND",
		"write ../secret":           "OUTSIDE_ROOT",
		"write docs":                "NOT_A_FILE",
		"write notes.txt/new":       "NOT_A_DIRECTORY",
		"copy docs --to out":        "NOT_A_FILE",
		"copy ../secret --to out":   "OUTSIDE_ROOT",
		"copy ../secret --from in":  "OUTSIDE_ROOT",
		"copy new --from nope":      toolkit.CodeUsageError,
		"copy new":                  toolkit.CodeValidationError,
		"copy new --from in --to o": toolkit.CodeValidationError,
	} {
		guest := &toolkittest.Guest{Stdin: strings.NewReader("x"), Files: map[string]string{"in": "x"}}
		got := guest.Run(t, kit, line)
		if err := got.Error(); err.Code != code || len(got.Files) != 0 {
			t.Errorf("%s: %v, files %q; want %s and none", line, err, got.Files, code)
		}
	}
	wantUntouched(t, dir)
	noDrafts(t, dir)
}
