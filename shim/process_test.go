package shim_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// A stdin that stays silent is waited for, and said to be.
func TestCase_B024_ASilentStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newX(t)
		r, slow := io.Pipe()
		w.stdin = r
		time.AfterFunc(3*time.Second, func() {
			io.WriteString(slow, `{"s":"v"}`)
			slow.Close()
		})
		got := w.line("agentos-x r")
		w.want(got, 0, `{"ok":true,"result":{"s":"v"}}`+"\n")
		if !strings.Contains(got.stderr, "stdin") {
			t.Errorf("stderr = %q, want a notice after a second", got.stderr)
		}
		w.stdin, slow = io.Pipe()
		got = w.line("agentos-x r")
		w.wantFailure(got, 124, "TIMEOUT", "stdin")
		slow.Close()
	})
}

// real is a host on a Unix socket, for shims that are processes.
type real struct {
	t      *testing.T
	socket string
}

func newReal(t *testing.T, kits ...*toolkit.Toolkit) *real {
	t.Helper()
	r := &real{t: t, socket: filepath.Join(t.TempDir(), "agentos.sock")}
	newHostAt(t, r.socket, kits...)
	return r
}

// newHostAt is a host on a Unix socket.
func newHostAt(t *testing.T, socket string, kits ...*toolkit.Toolkit) *host.Host {
	t.Helper()
	h, err := host.New(&host.Options{Toolkits: kits, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Addr: "unix://" + socket}); err != nil {
		t.Fatal(err)
	}
	return h
}

// program is the guest's program under a name of its own.
func (r *real) program(name string) string {
	r.t.Helper()
	link := filepath.Join(r.t.TempDir(), name)
	if err := os.Symlink(shimProgram, link); err != nil {
		r.t.Fatal(err)
	}
	return link
}

func (r *real) env() []string { return []string{"AGENTOS_ADDR=unix://" + r.socket} }

// A stdout that does not block, as some harnesses hand out, loses nothing.
func TestCase_B030_NonBlockingStdout(t *testing.T) {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	r := newReal(t, x)
	shim := r.program("agentos-x")
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(ends[1], true); err != nil {
		t.Fatal(err)
	}
	pid, err := syscall.ForkExec(shim, []string{shim, "big", "--bytes", "300000"}, &syscall.ProcAttr{
		Env: r.env(), Files: []uintptr{0, uintptr(ends[1]), 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	syscall.Close(ends[1])
	out := os.NewFile(uintptr(ends[0]), "stdout")
	defer out.Close()
	got, err := io.ReadAll(out)
	if err != nil || len(got) != 300024 {
		t.Errorf("read %d bytes, %v, want 300024", len(got), err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status.ExitStatus() != 0 {
		t.Errorf("exit %d, %v, want 0", status.ExitStatus(), err)
	}
}

// A signal cancels the call; when its outcome is printed, the process dies of
// that signal, so that a shell loop stops too.
func TestASignalCancelsTheCall(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan error, 1)
			kit := &toolkit.Toolkit{Name: "x", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "wait"},
				func(ctx context.Context, _ struct{}) (toolkit.None, error) {
					<-time.After(300 * time.Millisecond) // well past the moment from which the shim hears signals
					close(started)
					<-ctx.Done()
					ended <- context.Cause(ctx)
					return toolkit.None{}, ctx.Err()
				})}}
			r := newReal(t, kit)
			var stdout bytes.Buffer
			cmd := exec.Command(r.program("agentos-x"), "wait")
			cmd.Env, cmd.Stdout = r.env(), &stdout
			// A signal that is heard here has its default action in the child,
			// also where whoever runs the tests ignores it.
			heard := make(chan os.Signal, 1)
			signal.Notify(heard, sig)
			defer signal.Stop(heard)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-started
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if cause := <-ended; !strings.Contains(cause.Error(), sig.String()) {
				t.Errorf("the handler's cause = %v, want the signal's name", cause)
			}
			err := cmd.Wait()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != sig {
				t.Errorf("the shim ended with %v, want death by %v", err, sig)
			}
			if !strings.HasPrefix(stdout.String(), `{"ok":false,"error":"CANCELLED"`) {
				t.Errorf("stdout = %q, want the envelope of the outcome", stdout.String())
			}
		})
	}
}

// An installed command finds its host by what was installed with it, below
// whatever root that is.
func TestAnInstalledCommandKnowsItsHost(t *testing.T) {
	r := newReal(t, fixture.Kits()...)
	binary, err := os.Open(shimProgram)
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	root := t.TempDir()
	defs := []*toolkit.Definition{{Command: toolkit.Command{Name: "math"}}}
	installed, err := guest.Install(root, defs, &guest.InstallOptions{Shim: binary, Addr: "unix://" + r.socket})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(root, installed.LinkDir, "agentos-math"), "add", "--a", "2", "--b", "3")
	cmd.Env = []string{}
	got, err := cmd.Output()
	if want := `{"ok":true,"result":{"sum":5}}` + "\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
