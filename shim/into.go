package shim

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/toolkit"
)

// The lines between which a file has the prompt text.
const (
	beginMark = "<!-- agentos:begin -->"
	endMark   = "<!-- agentos:end -->"
)

// promptText is the text of `agentos prompt`; with --into it goes into that file,
// and stdout says what became of it.
func promptText(ctx context.Context, client *guest.Client, in ownInput) (string, error) {
	text, err := client.Prompt(ctx, in.Budget)
	if err != nil || in.Into == "" {
		return text, err
	}
	switch changed, err := Into(in.Into, text); {
	case err != nil:
		return "", err
	case changed:
		return in.Into + ": tools written\n", nil
	}
	return in.Into + ": tools are up to date\n", nil
}

// Into keeps a block with the prompt text in a file that agents read, such as
// AGENTS.md. A file without the block has it added at its end, and a missing file is
// created; any other byte stays as it is. It reports whether that changed anything.
//
// The file is replaced whole or not at all, and keeps its mode and owner. A symbolic
// link is refused: it would be replaced by a file, or lead to one that the caller
// did not mean. The error, a *toolkit.Error, says what to do.
func Into(path, text string) (changed bool, err error) {
	old, info, err := readMarked(path)
	if err != nil {
		return false, &toolkit.Error{Code: toolkit.CodeUsageError, Message: err.Error()}
	}
	merged, err := withBlock(old, text)
	if err != nil {
		return false, &toolkit.Error{Code: toolkit.CodeUsageError, Message: path + ": " + err.Error()}
	}
	if info != nil && bytes.Equal(merged, old) {
		return false, nil
	}
	if err := replaceLike(info, path, merged); err != nil {
		return false, &toolkit.Error{Code: toolkit.CodeOutputError, Message: err.Error()}
	}
	return true, nil
}

// readMarked reads the file; without one, info is nil.
func readMarked(path string) (text []byte, info fs.FileInfo, err error) {
	info, err = os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return nil, nil, errors.Join(fmt.Errorf("%s is a symbolic link to %q: name the file itself", path, target), err)
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err = io.ReadAll(f)
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = fmt.Errorf("%s is not a text file: it has a NUL byte", path)
	}
	return text, info, err
}

// withBlock is the file with the text in its block, which is added at the end where
// there is none.
func withBlock(file []byte, text string) ([]byte, error) {
	if strings.Contains(text, beginMark) || strings.Contains(text, endMark) {
		return nil, errors.New("the prompt text itself has one of the marks")
	}
	begin, end, err := findBlock(file)
	if err != nil {
		return nil, err
	}
	lineEnd := lineEndOf(file)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	block := strings.ReplaceAll(beginMark+"\n"+text+endMark, "\n", lineEnd)
	if begin < 0 {
		return slices.Concat(file, []byte(gap(file, lineEnd)+block+lineEnd)), nil
	}
	return slices.Concat(file[:begin], []byte(block), file[end:]), nil
}

// lineEndOf is how the file's first line ends.
func lineEndOf(file []byte) string {
	if i := bytes.IndexByte(file, '\n'); i > 0 && file[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// gap is what makes an empty line between the file and a block after it.
func gap(file []byte, lineEnd string) string {
	switch {
	case len(file) == 0 || bytes.HasSuffix(file, []byte(lineEnd+lineEnd)):
		return ""
	case bytes.HasSuffix(file, []byte(lineEnd)):
		return lineEnd
	}
	return lineEnd + lineEnd
}

// findBlock is where the block is, from the mark that begins it to the end of the
// other; begin is negative where there is none. A mark is a line of its own.
func findBlock(file []byte) (begin, end int, err error) {
	begin, end = -1, -1
	beginLine, number, offset := 0, 0, 0
	for line := range bytes.Lines(file) {
		number++
		mark := string(bytes.TrimRight(line, " \t\r\n"))
		switch {
		case mark == beginMark && begin >= 0:
			return 0, 0, fmt.Errorf("lines %d and %d both begin a block (%s): delete one block", beginLine, number, beginMark)
		case mark == beginMark:
			begin, beginLine = offset, number
		case mark == endMark && (begin < 0 || end >= 0):
			return 0, 0, fmt.Errorf("line %d ends a block (%s) that no line before it begins: delete it", number, endMark)
		case mark == endMark:
			end = offset + len(endMark)
		}
		offset += len(line)
	}
	if begin >= 0 && end < 0 {
		return 0, 0, fmt.Errorf("line %d begins a block (%s) that no line ends: add the line %s after it, or delete it", beginLine, beginMark, endMark)
	}
	return begin, end, nil
}

// replaceLike puts a new file in the place of path, with the mode and owner of the
// one that was there, if there was one.
func replaceLike(old fs.FileInfo, path string, data []byte) error {
	mode := fs.FileMode(0o666) // less the umask
	if old != nil {
		mode = old.Mode().Perm()
	}
	temporary := filepath.Join(filepath.Dir(path), ".agentos-"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if old != nil {
		err = errors.Join(err, keepOwner(f, old), f.Chmod(mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// keepOwner gives the file to the owner and group of the old one.
func keepOwner(f *os.File, old fs.FileInfo) error {
	owner, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("keep the owner of %s: %w", old.Name(), err)
	}
	return nil
}
