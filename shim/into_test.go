package shim_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

const (
	begin = "<!-- agentos:begin -->"
	end   = "<!-- agentos:end -->"
)

func TestInto(t *testing.T) {
	const block = begin + "\nnew\n" + end
	const crlf = begin + "\r\nnew\r\n" + end
	tests := []struct{ name, file, want string }{
		{"an empty file", "", block + "\n"},
		{"no block", "# Mine\n", "# Mine\n\n" + block + "\n"},
		{"no block, an empty line at the end", "# Mine\n\n", "# Mine\n\n" + block + "\n"},
		{"no block, no line end", "# Mine", "# Mine\n\n" + block + "\n"},
		{"a block alone", begin + "\nold\n" + end + "\n", block + "\n"},
		{"a block in the middle", "a\n" + begin + "\nold\nold\n" + end + "\nb\n", "a\n" + block + "\nb\n"},
		{"an empty block", begin + "\n" + end + "\n", block + "\n"},
		{"a block at the end, no line end", "a\n" + begin + "\nold\n" + end, "a\n" + block},
		{"white space after the marks", begin + "  \nold\n" + end + "\t\nb", begin + "  \nnew\n" + end + "\t\nb"},
		{"marks indented as a comment may be", "a\n " + begin + "\nold\n   " + end + "\nb\n", "a\n " + begin + "\nnew\n   " + end + "\nb\n"},
		{"other line ends", "a\r\n" + begin + "\r\nold\r\n" + end + "\r\nb\r\n", "a\r\n" + crlf + "\r\nb\r\n"},
		{"other line ends, no block", "a\r\n", "a\r\n\r\n" + crlf + "\r\n"},
		{"mixed line ends", "a\nb\r\nc\n" + begin + "\n" + end + "\n\r\n", "a\nb\r\nc\n" + block + "\n\r\n"},
		{"marks within lines are text", "say `" + begin + "`\n> " + end + "\n", "say `" + begin + "`\n> " + end + "\n\n" + block + "\n"},
		{"a block of other line ends than the file", "a\r\n" + begin + "\nold\n" + end + "\nb\r\n", "a\r\n" + block + "\nb\r\n"},
		{"a byte order mark", "\ufeff" + begin + "\nold\n" + end + "\n", "\ufeff" + block + "\n"},
		{"bytes that are not UTF-8", "\xff\xfe\n", "\xff\xfe\n\n" + block + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "AGENTS.md")
			write(t, path, tt.file, 0o640)
			for _, changes := range []bool{true, false} { // the second time nothing does
				changed, err := shim.Into(path, "new\n")
				if got := read(t, path); err != nil || got != tt.want || changed != changes {
					t.Fatalf("Into = %v, %v, and the file is\n%q\nwant %v, and\n%q", changed, err, got, changes, tt.want)
				}
			}
			if mode := stat(t, path).Mode(); mode != 0o640 {
				t.Errorf("the mode is %v, want that of before", mode)
			}
			alone(t, path)
		})
	}
}

// Marks in a code fence are an example: they are as they were, and the block is
// elsewhere or comes to the end.
func TestInto_MarksInACodeFence(t *testing.T) {
	const example, block = begin + "\n" + end + "\n", begin + "\nnew\n" + end + "\n"
	tests := []struct{ name, fenced string }{
		{"back-ticks", "```md\n" + example + "```\n"},
		{"tildes, and back-ticks within", "~~~ `md`\n```\n" + example + "~~~\n"},
		{"a longer fence", "````\n```\n" + example + "````  \n"},
		{"a longer end", "```\n" + example + "`````\n"},
		{"an item within", "```\n- ```\n" + example + "```\n"},
		{"what opens a fence ends none", "```\n```md\n" + example + "```\n"},
		{"in a list", "1. - ```\n  " + begin + "\n  " + end + "\n     ```\n"},
		{"below a list", "- a\n\n    ```\n    " + begin + "\n    " + end + "\n    ```\n"},
		{"other line ends", "```\r\n" + begin + "\r\n```\r\n"},
		{"half an example", "```\n" + end + "\n```\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "AGENTS.md")
			into := func(file, want string) {
				t.Helper()
				write(t, path, file, 0o600)
				if _, err := shim.Into(path, "new"); err != nil || read(t, path) != want {
					t.Errorf("%q: got %v and\n%q\nwant\n%q", file, err, read(t, path), want)
				}
			}
			lineEnd := "\n"
			if strings.Contains(tt.fenced, "\r\n") {
				lineEnd = "\r\n"
			}
			into(tt.fenced, tt.fenced+lineEnd+strings.ReplaceAll(block, "\n", lineEnd))
			into(example+tt.fenced, block+tt.fenced)
			into(tt.fenced+example, tt.fenced+block)
			into("```go``` is code\n"+example+tt.fenced, "```go``` is code\n"+block+tt.fenced)
			into(example+"```\n"+end, block+"```\n"+end) // open to the end
		})
	}
}

// Text comes and goes, and the rest of the file is as it was.
func TestInto_ThereAndBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "AGENTS.md")
	write(t, path, "a\n\n"+begin+"\n"+end+"\nb", 0o600)
	before := read(t, path)
	for _, text := range []string{"one\n", "one\ntwo", "", "one\n", ""} {
		if _, err := shim.Into(path, text); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, path); got != before {
		t.Errorf("got %q, want %q", got, before)
	}
}

// What is as it should be is not written again.
func TestInto_LeavesAFileThatIsUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "AGENTS.md")
	if changed, err := shim.Into(path, "text\n"); !changed || err != nil {
		t.Fatalf("a new file: got %v, %v", changed, err)
	}
	before := stat(t, path)
	if changed, err := shim.Into(path, "text\n"); changed || err != nil {
		t.Fatalf("the same text: got %v, %v, want no change", changed, err)
	}
	if after := stat(t, path); !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the file was replaced")
	}
}

func TestInto_ANewFileHasTheUsualMode(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "AGENTS.md")
	if _, err := shim.Into(path, "text\n"); err != nil {
		t.Fatal(err)
	}
	if got := stat(t, path).Mode(); got != 0o640 {
		t.Errorf("the mode is %v, want 0666 less the umask 0027", got)
	}
}

// What cannot be kept up to date without a guess is left as it is, and the error
// says what to do.
func TestInto_Refuses(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"no end", "a\n" + begin + "\nold\n", "new", "line 2 begins a block (" + begin + ") that no line ends: add the line " + end},
		{"no begin", "a\n" + end + "\n", "new", "line 2 ends a block (" + end + ") that no line before it begins: delete it"},
		{"the wrong way round", end + "\n" + begin + "\n", "new", "line 1 ends a block"},
		{"two blocks", begin + "\n" + end + "\n" + begin + "\n" + end + "\n", "new", "lines 1 and 3 both begin a block (" + begin + "): delete one block"},
		{"two ends", begin + "\n" + end + "\n" + end + "\n", "new", "line 3 ends a block"},
		{"two begins", begin + "\n" + begin + "\n" + end + "\n", "new", "lines 1 and 2 both begin a block"},
		{"indented like code", "a\n\n    " + begin + "\n    " + end + "\n", "new", "line 3 has the mark " + begin + ", indented like code: move it to the start of the line, or put an example in a code fence"},
		{"indented by a tab", begin + "\n\t" + end + "\n", "new", "line 2 has the mark " + end},
		{"an open fence", "a\n~~~~\n" + begin + "\n" + end + "\n~~~\n", "new", "line 2 opens a code fence (~~~~) that no line closes: close it"},
		{"an end in a fence", begin + "\n```\n" + end + "\n```\n", "new", "line 1 begins a block"},
		{"an end in an open fence", begin + "\n```\n" + end + "\n", "new", "line 2 opens a code fence"},
		{"text with an open fence", "a\n", "```\n", "the prompt text itself has"},
		{"text with the marks", "a\n", end + "\n" + begin, "the prompt text itself has"},
		{"binary", "a\x00b", "new", "not a text file"},
		{"text with a mark", "a\n", "x\n" + end + "\n# Mine", "the prompt text itself has one of the marks or an open code fence"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "AGENTS.md")
			write(t, path, tt.file, 0o600)
			changed, err := shim.Into(path, tt.text)
			refused(t, err, toolkit.CodeUsageError, tt.want)
			if got := read(t, path); got != tt.file || changed {
				t.Errorf("the file is %q, want it as it was", got)
			}
			alone(t, path)
		})
	}
}

// The block is written to the file that was named, or to none.
func TestSec_F02_IntoFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "CLAUDE.md")
	write(t, target, "a\n", 0o600)
	if err := os.Symlink("AGENTS.md", link); err != nil {
		t.Fatal(err)
	}
	_, err := shim.Into(link, "new")
	refused(t, err, toolkit.CodeUsageError, `CLAUDE.md is a symbolic link to "AGENTS.md": name the file itself`)
	if got := read(t, target); got != "a\n" {
		t.Errorf("the target is %q, want it as it was", got)
	}
	if _, err := shim.Into(target, "new"); err != nil {
		t.Errorf("control: the file itself: %v", err)
	}
}

// What is written would be on one of the names alone from then on.
func TestSec_F04_IntoSeversNoHardLink(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "CLAUDE.md")
	write(t, path, "a\n", 0o600)
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	_, err := shim.Into(path, "new")
	refused(t, err, toolkit.CodeUsageError, path+" has 2 names (hard links), and the others would keep the old text: make it a copy of its own")
	if !os.SameFile(stat(t, path), stat(t, other)) || read(t, path) != "a\n" {
		t.Error("the file is not what it was")
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if changed, err := shim.Into(path, "new"); !changed || err != nil {
		t.Errorf("control: one name: got %v, %v", changed, err)
	}
}

func TestSec_F03_IntoRefusesWhatIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"dir": "dir is a directory: name a file in it", "dir/": "dir/ is a directory", ".": ". is a directory", "dir/..": "dir/.. is a directory",
		"fifo": "fifo is not a regular file", "/dev/null": "/dev/null is not a regular file",
		"-":                      "--into has no - for stdout, which is the default: leave it out, or name a file - as ./-",
		strings.Repeat("a", 300): "aaa: file name too long",
	} {
		_, err := shim.Into(path, "new")
		refused(t, err, toolkit.CodeUsageError, want)
	}
	if changed, err := shim.Into("./-", "new"); !changed || err != nil {
		t.Errorf("control: a file -: got %v, %v", changed, err)
	}
}

// The error has the next step, and names the file that the caller named.
func TestInto_RefusesWhatItMayNotWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "file", "a\n", 0o444)
	_, err := shim.Into("file", "new")
	hinted(t, err, "file is read-only (mode 0444)", "chmod u+w file")
	if got, mode := read(t, "file"), stat(t, "file").Mode(); got != "a\n" || mode != 0o444 {
		t.Errorf("got %q with mode %v, want what was there", got, mode)
	}
	alone(t, "file")
	_, err = shim.Into("no where/AGENTS.md", "new")
	hinted(t, err, "write no where/AGENTS.md: open its directory: no such file or directory", "mkdir -p 'no where'")
	_, err = shim.Into("file/AGENTS.md", "new")
	hinted(t, err, "write file/AGENTS.md: open its directory: not a directory", "")
}

// Nothing is wrong with a file that needs no change.
func TestInto_ReadOnlyButUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "AGENTS.md")
	write(t, path, begin+"\nnew\n"+end+"\n", 0o444)
	if changed, err := shim.Into(path, "new"); changed || err != nil {
		t.Errorf("got %v, %v, want no change", changed, err)
	}
}

// Several agents that start together write the block once, and none fails.
func TestInto_Together(t *testing.T) {
	for _, file := range []string{"", "# Mine\n"} {
		path := filepath.Join(t.TempDir(), "AGENTS.md")
		if file != "" {
			write(t, path, file, 0o600)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := shim.Into(path, "new"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := read(t, path); strings.Count(got, begin) != 1 || !strings.HasPrefix(got, file) {
			t.Errorf("got %q, want one block after %q", got, file)
		}
		alone(t, path)
	}
}

func TestAgentosPromptInto(t *testing.T) {
	w := newWorld(t, fixture.Kits()...)
	path := filepath.Join(t.TempDir(), "AGENTS.md")
	write(t, path, "# Mine\n", 0o600)
	text := w.line("agentos prompt --budget 300").stdout
	if got := w.line("agentos prompt --budget 300 --into " + path); got.exit != 0 || got.stdout != path+": tools written\n" {
		t.Errorf("got %+v, want that it is written", got)
	}
	if got, want := read(t, path), "# Mine\n\n"+begin+"\n"+text+end+"\n"; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	if got := w.line("agentos prompt --budget 300 --into " + path); got.exit != 0 || got.stdout != path+": tools are up to date\n" {
		t.Errorf("got %+v, want that it is up to date", got)
	}
	write(t, path, begin, 0o600)
	if got := w.line("agentos prompt --into " + path); got.exit != 2 || !strings.Contains(got.stdout, `"error":"USAGE_ERROR"`) {
		t.Errorf("got %+v, want the damaged block refused", got)
	}
	if got := w.line("agentos prompt --into -"); got.exit != 2 || !strings.Contains(got.stdout, "stdout, which is the default") {
		t.Errorf("got %+v, want - refused", got)
	}
}

func refused(t *testing.T, err error, code, want string) {
	t.Helper()
	var e *toolkit.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, want) {
		t.Errorf("got %v, want a %s with %q", err, code, want)
	}
}

// hinted checks an error of writing, and the command that it names.
func hinted(t *testing.T, err error, want, hint string) {
	t.Helper()
	refused(t, err, toolkit.CodeOutputError, want)
	var e *toolkit.Error
	if errors.As(err, &e) && (e.Hint != hint || strings.Contains(e.Message, ".agentos-")) {
		t.Errorf("got %q with the hint %q, want the hint %q and no temporary name", e.Message, e.Hint, hint)
	}
}

// alone checks that no other file is left beside the one.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v, want the file alone", entries, err)
	}
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
