package shim_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// hostProgram is the name by which this binary is a host in a process of its own.
const hostProgram = "host-of-tests"

// serveWork is that process: it serves the toolkits "work" and "s" on each socket that its
// arguments name, each for a guest of its own, until it is told to end, or the test
// that started it is no more. On stdout it says "ready", and what its tools do.
func serveWork() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.Stdin) // which the test holds open
		os.Exit(0)
	}()
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{work(), pipes()}, Log: slog.New(slog.DiscardHandler)})
	for i, socket := range os.Args[1:] {
		if err == nil {
			err = h.AddGuest(ctx, host.Guest{ID: fmt.Sprintf("g%d", i), Addr: "unix://" + socket})
		}
	}
	if err != nil {
		fmt.Println(err)
		stop()
		os.Exit(1) //nolint:gocritic // it is deferred for the other end
	}
	fmt.Println("ready")
	<-ctx.Done()
	h.Close()
}

// work is a toolkit whose tool "run" has an effect, which is a line on stdout, and
// then takes its time, or waits until somebody writes to a FIFO.
func work() *toolkit.Toolkit {
	type in struct {
		Name  string `json:"name" validate:"required"`
		MS    int    `json:"ms"`
		Until string `json:"until"`
	}
	return &toolkit.Toolkit{Name: "work", Timeout: time.Minute, Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(ctx context.Context, in in) (string, error) {
			fmt.Println("began", in.Name)
			done := make(chan struct{})
			time.AfterFunc(time.Duration(in.MS)*time.Millisecond, func() { // ends with the FIFO's writer, or the process
				if in.Until != "" {
					_, _ = os.ReadFile(in.Until)
				}
				close(done)
			})
			select {
			case <-done:
				fmt.Println("finished", in.Name)
				return in.Name, nil
			case <-ctx.Done():
				fmt.Println("cancelled", in.Name)
				return "", ctx.Err()
			}
		})}}
}

// hostProcess is a host in a process of its own, which can be killed and started
// again at the same sockets, one for each guest.
type hostProcess struct {
	t       *testing.T
	sockets []string
	process *exec.Cmd
	told    chan struct{} // closed when the process has said its last

	mu    sync.Mutex // guards heard
	heard *sync.Cond
	said  map[string]int // how often each line was said, in all lives
}

// newHostProcess is not started yet.
func newHostProcess(t *testing.T, guests int) *hostProcess {
	t.Helper()
	h := &hostProcess{t: t, said: map[string]int{}}
	h.heard = sync.NewCond(&h.mu)
	dir := t.TempDir()
	for i := range guests {
		h.sockets = append(h.sockets, filepath.Join(dir, fmt.Sprintf("%d.sock", i)))
	}
	t.Cleanup(h.kill)
	return h
}

// start starts the process and waits until it listens.
func (h *hostProcess) start() {
	h.t.Helper()
	h.process = exec.Command(hostProgram, h.sockets...)
	h.process.Stderr = os.Stderr
	out, err := h.process.StdoutPipe()
	if err == nil {
		_, err = h.process.StdinPipe() // open for as long as this process lives; closed by Wait
	}
	if err == nil {
		err = h.process.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	lives := h.count("ready")
	h.told = make(chan struct{})
	go func() { // kill waits for told
		defer close(h.told)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			h.mu.Lock()
			h.said[lines.Text()]++
			h.heard.Broadcast()
			h.mu.Unlock()
		}
	}()
	h.when(fmt.Sprintf("life %d is ready", lives+1), func() bool { return h.said["ready"] > lives })
}

// end ends the process by a signal and waits until it is gone.
func (h *hostProcess) end(sig os.Signal) {
	if h.process == nil {
		return
	}
	_ = h.process.Process.Signal(sig) // it may have ended
	<-h.told
	_ = h.process.Wait()
	h.process = nil
}

func (h *hostProcess) kill() { h.end(syscall.SIGKILL) }

func (h *hostProcess) signal(sig os.Signal) {
	h.t.Helper()
	if err := h.process.Process.Signal(sig); err != nil {
		h.t.Fatal(err)
	}
}

// count is how often the process has said a line, in all its lives.
func (h *hostProcess) count(line string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said[line]
}

// counts is how often each line with that first word was said, by the rest.
func (h *hostProcess) counts(word string) map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := map[string]int{}
	for line, n := range h.said {
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			counts[rest] = n
		}
	}
	return counts
}

// longestWait is how long a test waits for what must come, on a machine that is busy.
const longestWait = 60 * time.Second

// when waits until a condition on what was said holds. The condition is asked with
// the lock held.
func (h *hostProcess) when(what string, holds func() bool) {
	h.t.Helper()
	late := time.AfterFunc(longestWait, func() { h.heard.Broadcast() })
	defer late.Stop()
	end := time.Now().Add(longestWait)
	h.mu.Lock()
	defer h.mu.Unlock()
	for !holds() {
		if !time.Now().Before(end) {
			h.t.Fatalf("%s: not within %s; the host said %v", what, longestWait, h.said)
		}
		h.heard.Wait()
	}
}

// whenSaid waits for a line.
func (h *hostProcess) whenSaid(line string) {
	h.t.Helper()
	h.when(line, func() bool { return h.said[line] > 0 })
}

// env is the environment of a guest's commands. Hosts are waited for as long as a
// busy machine may need.
func (h *hostProcess) env(guest int) []string {
	return append(os.Environ(), "AGENTOS_ADDR=unix://"+h.sockets[guest], "AGENTOS_DIAL_WAIT=30s")
}

// command is a guest's command that has not been started.
func (h *hostProcess) command(guest int, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(h.t.Context(), name, args...)
	cmd.Env = h.env(guest)
	return cmd
}

// script is a script in a shell of guest 0, with a directory for it in $D.
func (h *hostProcess) script(shell, dir, text string) *exec.Cmd {
	cmd := h.command(0, shell, "-c", text)
	cmd.Env = append(cmd.Env, "D="+dir)
	return cmd
}

// run runs a guest's command to its end.
func (h *hostProcess) run(guest int, name string, args ...string) output {
	h.t.Helper()
	return runs(h.t, h.command(guest, name, args...))
}
