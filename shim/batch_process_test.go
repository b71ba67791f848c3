package shim_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// A program may keep a batch beside it: each line is answered before the next one
// has to come.
func TestBatchAnswersEachLineAtOnce(t *testing.T) {
	r := newReal(t, fixture.Kits()...)
	for _, parallel := range []string{"1", "4"} {
		cmd := exec.Command(r.program("agentos"), "batch", "--parallel", parallel)
		cmd.Env = r.env()
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(stdout)
		for range 50 {
			if _, err := io.WriteString(stdin, `{"argv":["math","add","--a","2","--b","3"]}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if got, err := answers.ReadString('\n'); got != ok(`{"sum":5}`)+"\n" {
				t.Fatalf("got %s, %v", got, err)
			}
		}
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("--parallel %s: %v", parallel, err)
		}
	}
}

// A signal cancels the calls that run; when their outcomes are printed, in order, the
// process dies of that signal, though stdin is open.
func TestASignalCancelsTheBatch(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			started := make(chan struct{})
			kit := &toolkit.Toolkit{Name: "x", Tools: []toolkit.Tool{
				toolkit.Func(toolkit.Spec{Name: "t"}, func(context.Context, struct{}) (int, error) { return 1, nil }),
				toolkit.Func(toolkit.Spec{Name: "wait"}, func(ctx context.Context, _ struct{}) (toolkit.None, error) {
					started <- struct{}{}
					<-ctx.Done()
					return toolkit.None{}, ctx.Err()
				}),
			}}
			r := newReal(t, kit)
			cmd := exec.Command(r.program("agentos"), "batch", "--parallel", "2")
			cmd.Env = r.env()
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			heard := make(chan os.Signal, 1)
			signal.Notify(heard, sig) // so that the child does not inherit that it is ignored
			defer signal.Stop(heard)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			quick, wait := `{"toolkit":"x","tool":"t"}`+"\n", `{"toolkit":"x","tool":"wait"}`+"\n"
			if _, err := io.WriteString(stdin, strings.Repeat(quick, 500)+wait+wait+quick); err != nil {
				t.Fatal(err)
			}
			stdout := bufio.NewReader(out)
			for range 500 { // by then it hears signals
				if got, err := stdout.ReadString('\n'); got != ok("1")+"\n" {
					t.Fatalf("got %s, %v", got, err)
				}
			}
			<-started
			<-started
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(stdout)
			if answers := bytes.Split(rest, []byte("\n")); err != nil || len(answers) != 3 || bytes.Count(rest, []byte(`{"ok":false,"error":"CANCELLED"`)) != 2 {
				t.Errorf("printed %s, %v, want CANCELLED twice and no more", rest, err)
			}
			err = cmd.Wait()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != sig {
				t.Errorf("ended with %v, want death by %v", err, sig)
			}
		})
	}
}
