package shim_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newStreams is a host in a process of its own, and a directory for scripts.
func newStreams(t *testing.T) (h *hostProcess, dir string) {
	t.Helper()
	h = newHostProcess(t, 1)
	h.start()
	return h, t.TempDir()
}

// inShells runs the script in every shell, in a directory of its own.
func inShells(t *testing.T, text string, test func(t *testing.T, h *hostProcess, dir string, got output)) {
	h := newHostProcess(t, 1)
	h.start()
	for _, shell := range shellsHere() {
		t.Run(shell, func(t *testing.T) {
			dir := t.TempDir()
			test(t, h, dir, runs(t, h.script(shell, dir, "cd $D\n"+text)))
		})
	}
}

// wantOutput checks all that a command left behind.
func wantOutput(t *testing.T, got output, exit int, stdout, stderr string) {
	t.Helper()
	if got.exit != exit || got.stdout != stdout || got.stderr != stderr {
		t.Errorf("exit %d, stdout %q, stderr %q\nwant exit %d, stdout %q, stderr %q", got.exit, got.stdout, got.stderr, exit, stdout, stderr)
	}
}

// wantFiles checks the contents of the files of a directory, and that no others are
// there.
func wantFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Errorf("the directory has %v, %v, want %d files", entries, err, len(files))
	}
	for name, want := range files {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestSlots_InShells(t *testing.T) {
	inShells(t, `
for tool in plain out err both; do
	agentos-s $tool >$tool.out 2>$tool.err </dev/null || exit
	agentos-s $tool --fail --result-file $tool.result >$tool.failed </dev/null 2>/dev/null
	[ $? = 7 ] || exit
done
rm plain.result err.result || exit
agentos-s both --result-file result >/dev/null 2>&1
agentos-s out >/dev/null 2>none
`, func(t *testing.T, _ *hostProcess, dir string, got output) {
		const ok, out, log = `{"ok":true,"result":"done"}` + "\n", "out\x00\xff", "log\x00\xff\n"
		wantOutput(t, got, 0, "", "")
		wantFiles(t, dir, map[string]string{
			"plain.out": ok, "out.out": out, "err.out": ok, "both.out": out, "plain.err": "", "out.err": "", "err.err": log, "both.err": log,
			"plain.failed": "", "out.failed": out, "err.failed": "", "both.failed": out, "result": ok, "none": "",
		})
	})
}

// Bytes of all values pass through two commands and a pipe.
func TestSlots_Pipelines(t *testing.T) {
	needs(t, "cmp", "head")
	inShells(t, `
head -c 3000017 /dev/urandom >in; agentos-s cat <in | agentos-s cat | cmp - in && echo same
agentos-s cat <in >out && cmp in out && echo same
printf 'a\0\377\n\r\n' | agentos-s cat
agentos-s cat </dev/null
agentos-s cat <&-
echo "exit $?"
agentos-s hash <&- --output text
agentos-s hash </dev/null --output text
`, func(t *testing.T, _ *hostProcess, _ string, got output) {
		wantOutput(t, got, 0, "same\nsame\na\x00\xff\n\r\nexit 0\nno stdin\nno stdin\n", "")
	})
}

// A reader that has enough ends the call, and then the command as any other: nobody
// is told.
func TestSlots_AClosedPipe(t *testing.T) {
	inShells(t, `
{ agentos-s flood --name $D/a; echo "exit $?" >a; } 2>a.err | head -c 10 | wc -c
{ agentos-s flood --name $D/b --bytes 100000; echo "exit $?" >b; } 2>b.err | head -c 1 | wc -c
{ agentos-s noise --name $D/c; echo "exit $?" >c; } 2>&1 >/dev/null | head -c 10 | wc -c
{ agentos-s plain; echo "exit $?" >d; } 2>d.err | exec true
`, func(t *testing.T, h *hostProcess, dir string, got output) {
		if fields := strings.Join(strings.Fields(got.stdout), " "); fields != "10 1 10" || got.stderr != "" {
			t.Errorf("got %+v, want 10, 1 and 10 bytes", got)
		}
		for _, name := range []string{"a", "b", "c"} {
			if text := read(t, filepath.Join(dir, name)); text != "exit 141\n" {
				t.Errorf("%s: %q, want exit 141", name, text)
			}
		}
		for _, name := range []string{"a.err", "b.err"} {
			if text := read(t, filepath.Join(dir, name)); text != "flooding\n" {
				t.Errorf("%s is %q, want what the tool said alone", name, text)
			}
		}
		h.whenSaid("cancelled " + filepath.Join(dir, "a"))
		h.whenSaid("cancelled " + filepath.Join(dir, "c"))
	})
}

// A command whose parent ignores SIGPIPE, as some runtimes do, ends too.
func TestSlots_AClosedPipeThatIsIgnored(t *testing.T) {
	h, dir := newStreams(t)
	got := runs(t, h.script("sh", dir, `trap "" PIPE; { agentos-s flood --name a; echo "exit $?" >$D/a; } 2>/dev/null | head -c 10 | wc -c`))
	if strings.TrimSpace(got.stdout) != "10" {
		t.Errorf("got %+v, want 10 bytes", got)
	}
	h.whenSaid("cancelled a")
	if text := read(t, filepath.Join(dir, "a")); text == "exit 0\n" {
		t.Errorf("%q, want a failure", text)
	}
}

// While nobody reads stdout, stderr and other calls go on.
func TestSlots_ASlowReader(t *testing.T) {
	h, dir := newStreams(t)
	log, goOn := newFIFO(t, dir, "log"), newFIFO(t, dir, "go")
	slow := starts(t, h.script("sh", dir, `agentos-s flood --name slow --bytes 2000000 2>$D/log | { cat $D/go >/dev/null; wc -c; }`))
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if line, err := bufio.NewReader(f).ReadString('\n'); err != nil || line != "flooding\n" {
		t.Errorf("stderr says %q, %v", line, err)
	}
	wantOutput(t, h.run(0, "agentos-s", "both"), 0, "out\x00\xff", "log\x00\xff\n")
	release(t, goOn)
	if got := slow.ends(); strings.TrimSpace(got.stdout) != "2000000" {
		t.Errorf("got %+v, want 2000000 bytes", got)
	}
}

// A stdout that is full is told, and the tool hears of it.
func TestSlots_AFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	h, dir := newStreams(t)
	got := runs(t, h.script("sh", dir, `agentos-s both >/dev/full`))
	if got.exit != 74 || !strings.Contains(got.stderr, `{"ok":false,"error":"OUTPUT_ERROR","message":"the call is done, but its stream stdout is not whole: `) {
		t.Errorf("got %+v, want OUTPUT_ERROR", got)
	}
	wantEnded(t, runs(t, h.script("sh", dir, `agentos-s pack --into /dev/full`)), 74, `{"ok":false,"error":"OUTPUT_ERROR"`, "no space left")
}

// Files that are no regular ones are read to their end.
func TestFiles_Pipes(t *testing.T) {
	needs(t, "bash", "mkfifo")
	h, dir := newStreams(t)
	got := runs(t, h.script("bash", dir, `
cd $D
mkfifo f
(printf one >f &) ; agentos-s pack f --output text
agentos-s pack <(printf one) <(head -c 700000 /dev/zero) --output text
agentos-s pack /dev/null --output text
printf one | agentos-s pack /dev/stdin --output text
agentos-s pack --into >(cat >out) --name x >/dev/null; cat out 2>/dev/null || { sleep 1; cat out; }
`))
	zeros, _ := sum(io.LimitReader(zero{}, 700000)) // which never fails
	lines := strings.Split(got.stdout, "\n")
	for i, want := range []string{
		`["f -1  3 ` + sumOf("one") + `"]`,
		` -1  3 ` + sumOf("one") + `",`,
		`["null -1  0 ` + sumOf("") + `"]`,
		`["stdin -1  3 ` + sumOf("one") + `"]`,
		"packed x",
	} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d of %+v\nlacks %s", i, got, want)
		}
	}
	if !strings.Contains(got.stdout, " -1  700000 "+zeros) {
		t.Errorf("%+v\nlacks the second of two pipes", got)
	}
}

type zero struct{}

// Read is zeros.
func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// What is sent of a file that changes is what is there when it is read; its size is
// that of the beginning.
func TestFiles_ThatChange(t *testing.T) {
	h, dir := newStreams(t)
	const size = 4 << 20
	text := make([]byte, size)
	_, _ = pattern(size).Read(text) // which never fails
	for _, tt := range []struct {
		name  string
		after int64
	}{{"grows", size + 1<<20}, {"shrinks", 1 << 20}} {
		file, wait := filepath.Join(dir, tt.name), newFIFO(t, dir, tt.name+".wait")
		write(t, file, string(text), 0o600)
		call := starts(t, h.command(0, "agentos-s", "pack", file, "--name", tt.name, "--wait", wait, "--output", "text"))
		h.whenSaid("waiting " + tt.name)
		if err := os.Truncate(file, tt.after); err != nil {
			t.Fatal(err)
		}
		release(t, wait)
		want := fmt.Sprintf(`["%s %d  %d %s"]`+"\n", tt.name, size, tt.after, sumOf(read(t, file)))
		wantOutput(t, call.ends(), 0, want, "")
	}
}

// unprivileged makes a command one that the permissions of files bind, also where root
// runs the tests.
func unprivileged(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		return cmd
	}
	needs(t, "setpriv")
	path, err := exec.LookPath("setpriv")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append([]string{"setpriv", "--bounding-set=-all", "--inh-caps=-all", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = path
	return cmd
}

func TestFiles_Permissions(t *testing.T) {
	h, dir := newStreams(t)
	private, fixed, closed := filepath.Join(dir, "private"), filepath.Join(dir, "fixed"), filepath.Join(dir, "closed")
	write(t, private, "secret", 0)
	write(t, fixed, "fixed", 0o400)
	write(t, filepath.Join(dir, "open"), "one", 0o600)
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) output {
		return runs(t, unprivileged(t, h.command(0, "agentos-s", append([]string{"pack"}, args...)...)))
	}
	for _, dry := range [][]string{nil, {"--dry-run"}} {
		const isUsage = `{"ok":false,"error":"USAGE_ERROR"`
		wantEnded(t, call(append(dry, fixed)...), 0, isOK) // the control
		wantEnded(t, call(append(dry, private)...), 2, isUsage, private+" cannot be opened: permission denied; nothing was called")
		wantEnded(t, call(append(dry, "--into", fixed)...), 2, isUsage, fixed+" cannot be opened: permission denied")
		wantEnded(t, call(append(dry, "--into", filepath.Join(closed, "x"))...), 2, isUsage, "permission denied")
		wantEnded(t, call(append(dry, "--into", filepath.Join(dir, "open"))...), 0, isOK) // the control
		empty(t, closed)
	}
	if got := read(t, fixed); got != "fixed" {
		t.Errorf("the file is %q, want it as it was", got)
	}
}

// Nothing is left of a file whose call ends by a signal, be it the second one.
func TestOutFiles_ASignal(t *testing.T) {
	heedSignals(t)
	for _, tt := range []struct {
		name    string
		signals int
		stdout  string
	}{{"once", 1, isCancelled}, {"twice, and nobody answers", 2, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			h, dir := newStreams(t)
			out := filepath.Join(dir, "out")
			write(t, out, "old", 0o600)
			call := starts(t, h.command(0, "agentos-s", "pack", "--name", "x", "--stay", "--into", out))
			h.whenSaid("wrote x")
			<-hearing()
			if tt.signals > 1 {
				h.signal(syscall.SIGSTOP)
			}
			call.signal(syscall.SIGTERM)
			if tt.signals > 1 {
				<-time.After(400 * time.Millisecond) // past the echo of the first
				call.signal(syscall.SIGTERM)
			}
			got := call.ends()
			h.signal(syscall.SIGCONT)
			wantEnded(t, got, 143, tt.stdout)
			wantFiles(t, dir, map[string]string{"out": "old"})
		})
	}
}

// A command that waits for the other end of a FIFO ends by a signal at once.
func TestFiles_ASignalWhileAFIFOIsOpened(t *testing.T) {
	heedSignals(t)
	h, dir := newStreams(t)
	fifo, out := newFIFO(t, dir, "fifo"), filepath.Join(dir, "out")
	call := starts(t, h.command(0, "agentos-s", "pack", fifo, "--into", out))
	call.whenConnected()
	<-hearing()
	call.signal(syscall.SIGTERM)
	wantEnded(t, call.ends(), 143, isCancelled, "cancelled while "+fifo+" was opened", "nothing was called")
	alone(t, fifo)
}

// The names of descriptors stay what they are.
func TestOutFiles_Descriptors(t *testing.T) {
	before, err := os.Readlink("/dev/stdout")
	if err != nil {
		t.Skip("no /dev/stdout here")
	}
	h, dir := newStreams(t)
	got := runs(t, h.script("sh", dir, `
echo old >$D/f
agentos-s pack --name x --into /dev/stdout >>$D/f || exit
agentos-s out --result-file /dev/stderr 2>>$D/f >/dev/null || exit
agentos-s pack --name x --into /dev/stdout | cat
`))
	wantOutput(t, got, 0, `packed x{"ok":true,"result":[]}`+"\n", "")
	wantFiles(t, dir, map[string]string{"f": "old\n" + `packed x{"ok":true,"result":[]}` + "\n" + `{"ok":true,"result":"done"}` + "\n"})
	if after, err := os.Readlink("/dev/stdout"); err != nil || after != before {
		t.Errorf("/dev/stdout leads to %q, %v, and led to %q", after, err, before)
	}
}

// resident is the memory of a process in bytes.
func resident(t *testing.T, pid int) (bytes int) {
	t.Helper()
	status := read(t, fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(status, "VmRSS:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes << 10
}

// What goes to stdout arrives whole, however much it is, and is held nowhere.
func TestCase_B043_ALargeStream(t *testing.T) {
	size, warm, rest, most := int64(1)<<30, int64(16)<<20, int64(1)<<20, 32<<20 // a rest that no pipe holds
	if testing.Short() {
		size = 64 << 20
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	h, _ := newStreams(t)
	cmd := h.command(0, "agentos-s", "flood", "--name", "x", "--bytes", fmt.Sprint(size))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	call := starts(t, cmd)
	w.Close()
	wanted := pattern(size)
	equal(t, r, io.LimitReader(wanted, warm))
	shim, host := resident(t, cmd.Process.Pid), resident(t, h.process.Process.Pid)
	equal(t, r, io.LimitReader(wanted, size-warm-rest))
	shim, host = resident(t, cmd.Process.Pid)-shim, resident(t, h.process.Process.Pid)-host
	if shim > most || host > most {
		t.Errorf("the command has grown by %d bytes, its host by %d; want %d at most", shim, host, most)
	}
	equal(t, r, wanted)
	if n, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("%d bytes more, %v", n, err)
	}
	wantOutput(t, call.ends(), 0, "", "flooding\n")
}

// equal checks that the bytes wanted come.
func equal(t *testing.T, got, want io.Reader) {
	t.Helper()
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(want, b)
		if m, gotErr := io.ReadFull(got, a[:n]); gotErr != nil && n > 0 || !bytes.Equal(a[:m], b[:n]) {
			t.Fatalf("%d bytes, %v, are not the %d wanted", m, gotErr, n)
		}
		if err != nil {
			return
		}
	}
}
