package shim

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Main runs the program that this process is and returns its exit status. A
// signal that ends processes cancels the running call; when the answer is
// printed, the process dies of that signal, so that a shell loop stops too. A
// second signal, unless it is the first one's echo, ends it at once.
//
// To hear signals costs a process two threads, which is a tenth of a short call.
// So they are heard from a moment on in which most calls have been answered; one
// that comes before ends the process as any other, and the host cancels the call
// as it does for a lost caller.
func Main() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &signals{heard: make(chan os.Signal, 1), cancel: cancel}
	p := System()
	p.hear, p.begins = s.hear, s.begins
	hearing := time.AfterFunc(hearAfter, s.wait)
	defer hearing.Stop()
	p.keepPipe, p.brokenPipe = keepPipe, brokenPipe
	exit := Run(ctx, p)
	if got, ok := s.got.Load().(syscall.Signal); ok {
		die(got)
	}
	return exit
}

// lastWords is how long a process may take to answer after a signal.
const lastWords = 3 * time.Second

// hearAfter is how long a process runs before it hears signals.
const hearAfter = 5 * time.Millisecond

// echo is how long after a signal another one counts as the same: timeout(1) signals
// its child and then its process group, and wrappers pass on what the terminal has
// sent to all of them.
const echo = 200 * time.Millisecond

// signals are those that end the process.
type signals struct {
	hearing sync.Once
	heard   chan os.Signal
	cancel  context.CancelCauseFunc
	got     atomic.Value // the syscall.Signal that came first

	mu   sync.Mutex // guards left
	left []string   // files that must not outlive the process
}

func (s *signals) begins(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, path)
}

// hear has no signal end the process at once from here on. Further calls do nothing.
func (s *signals) hear() {
	s.hearing.Do(func() { signal.Notify(s.heard, notIgnored(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)...) })
}

// wait waits for a signal, remembers it and cancels the call; another one ends the
// process. It ends with the process.
func (s *signals) wait() {
	s.hear()
	got := <-s.heard
	s.got.Store(got)
	s.cancel(errors.New(got.String()))
	// The answer may wait for a reader that never comes.
	time.AfterFunc(lastWords, func() { s.die(got) })
	<-time.After(echo)
	select {
	case <-s.heard: // the echo
	default:
	}
	s.die(<-s.heard)
}

// die ends the process by the signal, without its answer.
func (s *signals) die(got os.Signal) {
	s.mu.Lock() // for good: no further file begins
	for _, path := range s.left {
		_ = os.Remove(path) // it may be gone, or have taken its place
	}
	if ending, ok := got.(syscall.Signal); ok {
		die(ending)
	}
}

// keepPipe has a write to a stdout or stderr that nobody reads fail, as it does while
// somebody is told of SIGPIPE (os/signal).
func keepPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// brokenPipe ends the process by SIGPIPE: the runtime ignores one that is sent, and
// raises its own at a write. It returns where the write does not fail.
func brokenPipe(w io.Writer) {
	signal.Reset(syscall.SIGPIPE)
	_, _ = w.Write([]byte{'\n'})
}

// notIgnored leaves out the signals that the parent made this process ignore,
// as nohup does.
func notIgnored(signals ...os.Signal) []os.Signal {
	var heeded []os.Signal
	for _, s := range signals {
		if !signal.Ignored(s) {
			heeded = append(heeded, s)
		}
	}
	return heeded
}

// die ends the process by the signal, whose default action is restored.
func die(s syscall.Signal) {
	signal.Reset(s)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		select {} // until the signal arrives
	}
}
