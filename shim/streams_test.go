package shim_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// pipes is the toolkit "s", whose tools stream. What they do beyond that they say on
// the host's stdout.
func pipes() *toolkit.Toolkit {
	type none struct {
		Fail bool `json:"fail"`
	}
	type stdout struct {
		none
		Out io.Writer `stdout:"text/plain" validate:"required"`
	}
	type stderr struct {
		none
		Log io.Writer `stderr:"text/x-log"`
	}
	type both struct {
		none
		Out io.Writer `stdout:"text/plain"`
		Log io.Writer `stderr:"text/x-log"`
	}
	type cat struct {
		In  io.Reader `stdin:"image/png,image/webp" validate:"required"`
		Out io.Writer `stdout:"" validate:"required"`
	}
	type hash struct {
		In   io.Reader `stdin:""`
		Name string    `json:"name"`
	}
	type flood struct {
		Name  string    `json:"name" validate:"required"`
		Bytes int64     `json:"bytes" help:"0 means no end"`
		Out   io.Writer `stdout:"application/octet-stream"`
		Log   io.Writer `stderr:""`
	}
	type noise struct {
		Name string    `json:"name" validate:"required"`
		Log  io.Writer `stderr:""`
	}
	type pack struct {
		Files []toolkit.File   `json:"files" help:"Files to pack" arg:"positional"`
		Into  *toolkit.OutFile `json:"into" help:"Where to"`
		Name  string           `json:"name"`
		Fail  bool             `json:"fail"`
		Wait  string           `json:"wait" help:"FIFO that is waited for before anything is read"`
		Stay  bool             `json:"stay" help:"Wait for the end of the call"`
	}
	return &toolkit.Toolkit{Name: "s", Summary: "Streams", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "plain"}, func(_ context.Context, in none) (string, error) {
			return "done", broken(in.Fail)
		}),
		toolkit.Func(toolkit.Spec{Name: "out"}, func(_ context.Context, in stdout) (string, error) {
			fmt.Fprint(in.Out, "out\x00\xff")
			return "done", broken(in.Fail)
		}),
		toolkit.Func(toolkit.Spec{Name: "err"}, func(_ context.Context, in stderr) (string, error) {
			fmt.Fprint(in.Log, "log\x00\xff\n")
			return "done", broken(in.Fail)
		}),
		toolkit.Func(toolkit.Spec{Name: "both"}, func(_ context.Context, in both) (string, error) {
			fmt.Fprint(in.Log, "log\x00\xff\n")
			fmt.Fprint(in.Out, "out\x00\xff")
			return "done", broken(in.Fail)
		}),
		toolkit.Func(toolkit.Spec{Name: "cat"}, func(_ context.Context, in cat) (int64, error) { return io.Copy(in.Out, in.In) }),
		toolkit.Func(toolkit.Spec{Name: "hash"}, func(_ context.Context, in hash) (string, error) {
			if in.In == nil {
				return "no stdin", nil
			}
			return sum(in.In)
		}),
		toolkit.Func(toolkit.Spec{Name: "flood"}, func(ctx context.Context, in flood) (int64, error) {
			fmt.Fprintln(in.Log, "flooding")
			n, err := io.Copy(in.Out, pattern(in.Bytes))
			if err != nil {
				<-ctx.Done()
				fmt.Println("cancelled", in.Name)
			}
			return n, err
		}),
		toolkit.Func(toolkit.Spec{Name: "noise"}, func(ctx context.Context, in noise) (toolkit.None, error) {
			_, err := io.Copy(in.Log, pattern(0))
			<-ctx.Done()
			fmt.Println("cancelled", in.Name)
			return toolkit.None{}, err
		}),
		toolkit.Func(toolkit.Spec{Name: "pack"}, func(ctx context.Context, in pack) ([]string, error) {
			got := []string{}
			if in.Wait != "" {
				fmt.Println("waiting", in.Name)
				if _, err := os.ReadFile(in.Wait); err != nil {
					return nil, err
				}
			}
			for _, f := range in.Files {
				size, digest := &counter{}, ""
				digest, err := sum(io.TeeReader(f, size))
				if err != nil {
					return nil, &toolkit.Error{Code: "UNREADABLE", Message: err.Error()}
				}
				got = append(got, fmt.Sprintf("%s %d %s %d %s", f.Name, f.Size, f.MIME, size.n, digest))
			}
			if in.Into != nil {
				fmt.Fprint(in.Into, "packed "+in.Name)
			}
			if in.Stay {
				fmt.Println("wrote", in.Name)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return got, broken(in.Fail)
		}),
	}}
}

// broken is how a tool fails that is to.
func broken(fail bool) error {
	if !fail {
		return nil
	}
	return &toolkit.Error{Code: "BROKEN", Message: "no more", Exit: 7}
}

// sum is the beginning of the digest of all bytes.
func sum(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)[:6]), err
}

func sumOf(text string) string {
	digest, _ := sum(strings.NewReader(text)) // which never fails
	return digest
}

type counter struct{ n int }

// Write counts.
func (c *counter) Write(b []byte) (int, error) {
	c.n += len(b)
	return len(b), nil
}

// pattern is that many bytes; 0 means no end. They repeat after a length that no
// buffer has.
func pattern(bytes int64) io.Reader {
	if bytes > 0 {
		return io.LimitReader(&patternReader{}, bytes)
	}
	return &patternReader{}
}

type patternReader struct{ at int }

// Read reads on.
func (r *patternReader) Read(b []byte) (int, error) {
	n := copy(b, patternBytes()[r.at:])
	r.at = (r.at + n) % len(patternBytes())
	return n, nil
}

var patternBytes = sync.OnceValue(func() []byte {
	bytes := make([]byte, 1<<20-3)
	mathrand.NewChaCha8([32]byte{}).Read(bytes) // it never fails
	return bytes
})

func newPipes(t *testing.T) *world {
	t.Helper()
	return newWorld(t, pipes())
}

const isBroken = `{"ok":false,"error":"BROKEN","message":"no more"`

// All four combinations of a stdout and a stderr slot: which bytes and which document
// are where.
func TestSlots_StdoutAndStderr(t *testing.T) {
	const ok = `{"ok":true,"result":"done"}` + "\n"
	w := newPipes(t)
	for _, tt := range []struct{ line, stdout, stderr, file string }{
		{"plain", ok, "", ""},
		{"out", "out\x00\xff", "", ""},
		{"err", ok, "log\x00\xff\n", ""},
		{"both", "out\x00\xff", "log\x00\xff\n", ""},
		{"plain --result-file FILE", "", "", ok},
		{"out --result-file FILE", "out\x00\xff", "", ok},
		{"err --result-file FILE", "", "log\x00\xff\n", ok},
		{"both --result-file FILE", "out\x00\xff", "log\x00\xff\n", ok},
		{"both --result-file FILE --output text", "out\x00\xff", "log\x00\xff\n", "done\n"},
		{"plain --output text", "done\n", "", ""},
		{"err --output text", "done\n", "log\x00\xff\n", ""},
		{"both --output text", "out\x00\xff", "log\x00\xff\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "result")
		got := w.line(strings.ReplaceAll("agentos-s "+tt.line, "FILE", file))
		if got.exit != 0 || got.stdout != tt.stdout || got.stderr != tt.stderr {
			t.Errorf("%s: %+v, want stdout %q, stderr %q, exit 0", tt.line, got, tt.stdout, tt.stderr)
		}
		switch text, err := os.ReadFile(file); {
		case (err == nil) != (tt.file != "") || string(text) != tt.file:
			t.Errorf("%s: the file is %q, %v, want %q", tt.line, text, err, tt.file)
		case err == nil && stat(t, file).Mode() != 0o600:
			t.Errorf("%s: the file's mode is %v, want 0600", tt.line, stat(t, file).Mode())
		}
	}
}

// What a call streamed before it failed is kept. The envelope goes to stderr where
// stdout is the tool's, and to no file.
func TestSlots_AFailure(t *testing.T) {
	w := newPipes(t)
	for _, tt := range []struct{ line, stdout, stderr string }{
		{"plain", isBroken, ""},
		{"out", "out\x00\xff", isBroken},
		{"err", isBroken, "log\x00\xff\n"},
		{"both", "out\x00\xff", "log\x00\xff\n" + isBroken},
		{"both --output text", "out\x00\xff", "log\x00\xff\n" + isBroken},
		{"out --result-file FILE", "out\x00\xff", isBroken},
	} {
		file := filepath.Join(t.TempDir(), "result")
		got := w.line(strings.ReplaceAll("agentos-s "+tt.line+" --fail", "FILE", file))
		if got.exit != 7 || !strings.HasPrefix(got.stdout, tt.stdout) || !strings.HasPrefix(got.stderr, tt.stderr) {
			t.Errorf("%s: %+v, want stdout %q, stderr %q, exit 7", tt.line, got, tt.stdout, tt.stderr)
		}
		if strings.HasPrefix(tt.line, "out") && got.stdout != tt.stdout {
			t.Errorf("%s: stdout %q, want the stream alone", tt.line, got.stdout)
		}
		empty(t, filepath.Dir(file))
	}
}

// A line that is not called says so on stderr too: stdout may be a file that the
// stream was to go to.
func TestSlots_ALineThatIsNotCalled(t *testing.T) {
	w := newPipes(t)
	for _, line := range []string{"agentos-s out --nosuch", "agentos-s both --fail=x", "agentos-s flood", "agentos-s cat --json -"} {
		if got := w.line(line); got.exit != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, `{"ok":false,"error":"`) {
			t.Errorf("%s: %+v, want the failure on stderr alone", line, got)
		}
	}
	w.wantFailure(w.line("agentos-s err --nosuch"), 2, "USAGE_ERROR", "nosuch")
	w.wantFailure(w.line("agentos-s nosuch"), 2, "TOOL_NOT_FOUND", "nosuch")
}

// empty checks that nothing is in a directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, %v, want nothing", entries, err)
	}
}

func TestSlots_StdinThatIsMissing(t *testing.T) {
	w := newPipes(t)
	got := w.line("agentos-s cat") // a terminal, of a caller that has no other stdin
	if got.exit != 2 || got.stdout != "" || !strings.HasPrefix(got.stderr, `{"ok":false,"error":"USAGE_ERROR","message":"stdin: expected a stream image/png, image/webp"`) {
		t.Errorf("got %+v, want USAGE_ERROR on stderr that says what stdin is", got)
	}
	w.want(w.line("agentos-s hash"), 0, `{"ok":true,"result":"no stdin"}`+"\n")
	w.stdin = strings.NewReader("")
	w.want(w.line("agentos-s cat"), 0, "")
	w.want(w.line("agentos-s hash"), 0, `{"ok":true,"result":"`+sumOf("")+`"}`+"\n")
	w.stdin = strings.NewReader("a")
	w.want(w.line("agentos-s hash --name x"), 0, `{"ok":true,"result":"`+sumOf("a")+`"}`+"\n")
}

// untouched is a stdin that must not be read.
type untouched struct{ t *testing.T }

// Read is a mistake.
func (u untouched) Read([]byte) (int, error) {
	u.t.Error("stdin was read")
	return 0, io.EOF
}

// What is no stream of the tool is not read.
func TestSlots_StdinThatIsNotDeclared(t *testing.T) {
	w := newPipes(t)
	w.stdin = untouched{t}
	w.want(w.line("agentos-s plain"), 0, `{"ok":true,"result":"done"}`+"\n")
	w.want(w.line("agentos-s out"), 0, "out\x00\xff")
}

func TestSlots_JSONOnAStdinThatIsAStream(t *testing.T) {
	w := newPipes(t)
	w.stdin = untouched{t}
	if got := w.line("agentos-s cat --json -"); got.exit != 2 || !strings.Contains(got.stderr, "stdin is this command's stream") {
		t.Errorf("got %+v, want USAGE_ERROR", got)
	}
	w.wantFailure(w.line("agentos-s hash --json -"), 2, "USAGE_ERROR", "stdin is this command's stream")
	w.stdin = strings.NewReader(`{"name":`) // a stream, whatever it looks like
	w.want(w.line(`agentos-s hash --json {"name":"x"}`), 0, `{"ok":true,"result":"`+sumOf(`{"name":`)+`"}`+"\n")
}

// Every byte passes as it is, on every way of input and output.
func TestSlots_BinaryBytes(t *testing.T) {
	text := make([]byte, 1<<20+17)
	if _, err := rand.Read(text); err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		text[i] = byte(i)
	}
	w := newPipes(t)
	w.stdin = bytes.NewReader(text)
	w.want(w.line("agentos-s cat"), 0, string(text))
}

func TestSlots_DryRunTouchesNothing(t *testing.T) {
	w := newPipes(t)
	w.stdin = untouched{t}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	write(t, in, "in", 0o600)
	write(t, out, "old", 0o600)
	before := stat(t, dir).ModTime()
	w.want(w.line("agentos-s cat --dry-run"), 0, "")
	w.want(w.line("agentos-s hash --dry-run"), 0, `{"ok":true,"dry_run":true}`+"\n")
	file := filepath.Join(t.TempDir(), "result")
	w.want(w.line("agentos-s both --dry-run --result-file "+file), 0, "")
	if got := read(t, file); got != `{"ok":true,"dry_run":true}`+"\n" {
		t.Errorf("the file says %q of a dry run", got)
	}
	w.want(w.line("agentos-s pack "+in+" --dry-run --into "+out), 0, `{"ok":true,"dry_run":true}`+"\n")
	w.want(w.line("agentos-s pack --dry-run --into "+filepath.Join(dir, "new")), 0, `{"ok":true,"dry_run":true}`+"\n")
	w.want(w.line("agentos-s pack --dry-run "+newFIFO(t, t.TempDir(), "fifo")), 0, `{"ok":true,"dry_run":true}`+"\n")
	w.want(w.line("agentos-s pack --dry-run --into "+newFIFO(t, t.TempDir(), "fifo")), 0, `{"ok":true,"dry_run":true}`+"\n")
	if got := read(t, out); got != "old" {
		t.Errorf("the file is %q, want it as it was", got)
	}
	if after := stat(t, dir).ModTime(); after != before {
		t.Error("the directory was written to")
	}
	w.wantFailure(w.line("agentos-s pack "+in+"x --dry-run"), 2, "USAGE_ERROR", "files.0", "no such file")
	w.wantFailure(w.line("agentos-s pack --dry-run --into "+dir+"/no/x"), 2, "USAGE_ERROR", "into", "no such file")
	w.wantFailure(w.line("agentos-s pack --dry-run --into "+dir), 2, "USAGE_ERROR", "into", "is a directory")
}

// A call that is asked for again has no streams any more, and no file is written.
func TestSlots_AReplay(t *testing.T) {
	w := newPipes(t)
	out := filepath.Join(t.TempDir(), "out")
	line := "agentos-s pack --call-id k --into " + out
	w.want(w.line(line), 0, `{"ok":true,"result":[]}`+"\n")
	write(t, out, "mine", 0o600)
	w.wantFailure(w.line(line), 74, "OUTPUT_ERROR", "made before")
	if got := read(t, out); got != "mine" {
		t.Errorf("the file is %q, want it as it was", got)
	}
	alone(t, out)
}

// packed is what "pack" tells of a file of that content.
func packed(name, mime, text string) string {
	return fmt.Sprintf("%s %d %s %d %s", name, len(text), mime, len(text), sumOf(text))
}

func (w *world) wantPacked(got output, files ...string) {
	w.t.Helper()
	list, err := json.Marshal(files)
	if err != nil {
		w.t.Fatal(err)
	}
	w.want(got, 0, `{"ok":true,"result":`+string(list)+"}\n")
}

func TestFiles_Several(t *testing.T) {
	w := newPipes(t)
	dir := t.TempDir()
	t.Chdir(dir)
	large := strings.Repeat("0123456789abcdef", 100_000)
	write(t, "a.txt", "one", 0o600)
	write(t, "b c.PNG", large, 0o600)
	write(t, "empty", "", 0o600)
	want := []string{packed("a.txt", "text/plain", "one"), packed("b c.PNG", "image/png", large), packed("empty", "", ""), packed("a.txt", "text/plain", "one")}
	w.wantPacked(w.run("agentos-s", "pack", "a.txt", "b c.PNG", filepath.Join(dir, "empty"), "./a.txt"), want...)
	w.wantPacked(w.run("agentos-s", "pack", "--json", `{"files":["a.txt"]}`), want[0])
	w.want(w.line("agentos-s pack"), 0, `{"ok":true,"result":[]}`+"\n")
	w.stdin = strings.NewReader(`{"files":["a.txt"]}`)
	w.wantPacked(w.run("agentos-s", "pack", "--json", "-"), want[0])
}

// Every path that cannot be opened is told, and nothing is called or left behind.
func TestFiles_ThatCannotBeOpened(t *testing.T) {
	w := newPipes(t)
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "a", "one", 0o600)
	w.wantFailure(w.line("agentos-s pack nosuch"), 2, "USAGE_ERROR", `"files.0: nosuch cannot be opened: no such file or directory; nothing was called"`)
	w.wantFailure(w.line("agentos-s pack a "+dir), 2, "USAGE_ERROR", "files.1: "+dir+" cannot be opened: is a directory")
	w.wantFailure(w.line("agentos-s pack a/b"), 2, "USAGE_ERROR", "not a directory")
	got := w.line("agentos-s pack no a no2 --into x/y")
	w.wantFailure(got, 2, "USAGE_ERROR", "files.0: no ", "files.2: no2 ", "into: x/y ",
		`"details":[{"path":"files.0","got":"no",`, `{"path":"files.2","got":"no2",`, `{"path":"into","got":"x/y",`)
	w.wantFailure(w.line("agentos-s pack nosuch --into out"), 2, "USAGE_ERROR", "nosuch")
	alone(t, filepath.Join(dir, "a"))
}

// As many files as a call may have slots; more are refused by name.
func TestFiles_TooMany(t *testing.T) {
	w := newPipes(t)
	t.Chdir(t.TempDir())
	write(t, "a", "one", 0o600)
	words := []string{"agentos-s", "pack"}
	for range 61 {
		words = append(words, "a")
	}
	if got := w.run(words...); got.exit != 0 {
		t.Errorf("61 files: %+v", got)
	}
	w.wantFailure(w.run(append(words, "a")...), 2, "USAGE_ERROR", "62 files, a call takes at most 61")
}

func TestOutFiles(t *testing.T) {
	const ok = `{"ok":true,"result":[]}` + "\n"
	for _, tt := range []struct {
		name, old string
		words     string
		exit      int
		want      string
	}{
		{"created", "", "--name a", 0, "packed a"},
		{"replaced", "old and longer than the new", "--name a", 0, "packed a"},
		{"a failure creates nothing", "", "--fail", 7, ""},
		{"a failure leaves the old one", "old", "--fail", 7, "old"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newPipes(t)
			out := filepath.Join(t.TempDir(), "out")
			if tt.old != "" {
				write(t, out, tt.old, 0o640)
			}
			got := w.line("agentos-s pack --into " + out + " " + tt.words)
			if got.exit != tt.exit || tt.exit == 0 && got.stdout != ok {
				t.Errorf("got %+v, want exit %d", got, tt.exit)
			}
			if tt.want == "" {
				empty(t, filepath.Dir(out))
				return
			}
			if text := read(t, out); text != tt.want {
				t.Errorf("the file is %q, want %q", text, tt.want)
			}
			if mode := stat(t, out).Mode(); tt.old != "" && mode != 0o640 {
				t.Errorf("the mode is %v, want that of before", mode)
			}
			alone(t, out)
		})
	}
}

// A file that is read and written is read whole before it changes.
func TestOutFiles_TheInputItself(t *testing.T) {
	w := newPipes(t)
	t.Chdir(t.TempDir())
	write(t, "a", "one", 0o600)
	w.wantPacked(w.line("agentos-s pack a --into a"), packed("a", "", "one"))
	if got := read(t, "a"); got != "packed " {
		t.Errorf("the file is %q", got)
	}
}

// A link is a name: the file takes the place of the link, and what it leads to is as
// it was. What is no file is written to as it is.
func TestOutFiles_LinksAndDevices(t *testing.T) {
	w := newPipes(t)
	dir := t.TempDir()
	target, link := filepath.Join(t.TempDir(), "target"), filepath.Join(dir, "link")
	write(t, target, "old", 0o600)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if got := w.line("agentos-s pack --fail --into " + link); got.exit != 7 || read(t, link) != "old" {
		t.Errorf("a failure: %+v, the file is %q", got, read(t, link))
	}
	if got := w.line("agentos-s pack --into " + link); got.exit != 0 || read(t, target) != "old" || read(t, link) != "packed " {
		t.Errorf("got %+v, target %q, link %q; want old, packed", got, read(t, target), read(t, link))
	}
	alone(t, link)
	if err := os.Symlink("/dev/null", filepath.Join(dir, "null")); err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"/dev/null", filepath.Join(dir, "null")} {
		before := stat(t, device)
		if got := w.line("agentos-s pack --into " + device); got.exit != 0 {
			t.Errorf("%s: %+v", device, got)
		}
		if after := stat(t, device); after.Mode() != before.Mode() {
			t.Errorf("%s was %v, and is %v", device, before.Mode(), after.Mode())
		}
	}
	w.wantFailure(w.line("agentos-s pack --into "+dir), 2, "USAGE_ERROR", "into: "+dir+" cannot be opened: is a directory")
	w.wantFailure(w.line("agentos-s pack --into /dev/null/x"), 2, "USAGE_ERROR", "not a directory")
}

func TestSlots_HelpAndDescriptions(t *testing.T) {
	w := newPipes(t)
	for line, wants := range map[string][]string{
		"agentos-s cat --help":    {"Stdin: image/png, image/webp (required)\n", "Stdout: any bytes (required)\n", "--result-file PATH"},
		"agentos-s both --help":   {"Stdout: text/plain\n", "Stderr: text/x-log\n"},
		"agentos-s hash --help":   {"Stdin: any bytes\n", "stdin is the tool's own stream"},
		"agentos-s pack --help":   {"<file>", "--into <file>"},
		"agentos describe s pack": {`"format":"agentos-file"`, `"format":"agentos-out-file"`},
		"agentos list-tools s":    {"cat", "pack", "<file>"},
		"agentos prompt":          {"agentos-s cat", "agentos-s pack", "<file>"},
	} {
		got := w.line(line)
		for _, want := range wants {
			if got.exit != 0 || !strings.Contains(got.stdout, want) {
				t.Errorf("%s: exit %d\n%s\nlacks %q", line, got.exit, got.stdout, want)
			}
		}
	}
}
