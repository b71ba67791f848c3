package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/shim"
)

// guestRun is one run of today's guest, and what it left behind.
type guestRun struct {
	stdin io.Reader // nil for a terminal

	stdout, stderr, written bytes.Buffer
	exit                    int
}

// run runs the scene's command, or its program, against the host that dial reaches.
// Every file of the guest reads "a file\n", and what is written is kept.
func (r *guestRun) run(ctx context.Context, s *hostScene, dial guest.DialFunc) {
	if s.ask != nil {
		r.ask(ctx, s, dial)
		return
	}
	r.exit = shim.Run(ctx, &shim.Process{
		Args: strings.Fields(s.line), Stdin: r.stdin, Stdout: &r.stdout, Stderr: &r.stderr, Dial: dial,
		Env:        func(string) (string, bool) { return "", false },
		ReadFile:   func(string) ([]byte, error) { return []byte("a file\n"), nil },
		CreateFile: func(string) io.Writer { return &r.written },
	})
}

func (r *guestRun) ask(ctx context.Context, s *hostScene, dial guest.DialFunc) {
	c, err := guest.Dial(ctx, &guest.Options{Dial: dial})
	if err != nil {
		fmt.Fprintln(&r.stderr, err)
		return
	}
	defer c.Close()
	answer := s.ask(ctx, c)
	r.exit = answer.Exit
	r.stdout.Write(answer.Document())
}

// check wants what the scene wants.
func (r *guestRun) check(s *hostScene) error {
	stdout, stderr := r.stdout.String(), r.stderr.String()
	wrong := r.exit != s.exit || stderr != s.stderr || r.written.String() != s.written
	if s.shows == nil {
		wrong = wrong || strings.TrimSuffix(stdout, "\n") != strings.TrimSuffix(s.stdout, "\n")
	}
	for _, part := range s.shows {
		wrong = wrong || !strings.Contains(stdout, part)
	}
	if wrong {
		return fmt.Errorf("exit %d, stdout %s\nstderr %q\nwant exit %d, stdout %s%q\nstderr %q", r.exit, stdout, stderr, s.exit, s.stdout, s.shows, s.stderr)
	}
	return nil
}

// switchboard connects a guest of today with a player that is the host.
type switchboard chan net.Conn

// Dial is the guest's side.
func (s switchboard) Dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case s <- far:
		return near, nil
	case <-ctx.Done():
		_, _ = near.Close(), far.Close()
		return nil, ctx.Err()
	}
}

// answer is the host's side, until it is over.
func (s switchboard) answer(over <-chan struct{}) guest.DialFunc {
	return func(context.Context) (net.Conn, error) {
		select {
		case conn := <-s:
			return conn, nil
		case <-over:
			return nil, os.ErrClosed
		}
	}
}

// hangUp is a host that is gone, until it is over.
func (s switchboard) hangUp(over <-chan struct{}) {
	answer := s.answer(over)
	for conn, err := answer(context.Background()); err == nil; conn, err = answer(context.Background()) {
		_ = conn.Close()
	}
}
