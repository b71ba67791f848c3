package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/agentos-go/agentos/toolkit"
)

// lab is a toolkit that makes visible what a link does.
func lab() *toolkit.Toolkit {
	w, m := &watch{seen: map[string]*seen{}}, &meeting{}
	return &toolkit.Toolkit{Name: "lab", Summary: "What a link does", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "whoami", Summary: "Say for whom this guest is taken", ReadOnly: true}, whoami),
		toolkit.Func(toolkit.Spec{Name: "sum", Summary: "Compute the SHA-256 of stdin", ReadOnly: true}, sum),
		toolkit.Func(toolkit.Spec{Name: "cat", Summary: "Copy stdin to stdout", ReadOnly: true}, cat),
		toolkit.Func(toolkit.Spec{Name: "endless", Summary: "Write to stdout until nobody reads", ReadOnly: true}, endless),
		toolkit.Func(toolkit.Spec{Name: "meet", Summary: "Wait until that many calls are here at once", ReadOnly: true}, m.meet),
		toolkit.Func(toolkit.Spec{Name: "wait", Summary: "Wait until the call is cancelled"}, w.wait),
		toolkit.Func(toolkit.Spec{Name: "seen", Summary: "Say how calls of wait went", ReadOnly: true}, w.report),
		toolkit.Func(toolkit.Spec{Name: "crash", Summary: "Kill the host, as kill -9 does"}, crash),
	}}
}

type identity struct {
	Guest string `json:"guest"`
}

func whoami(ctx context.Context, _ toolkit.None) (identity, error) {
	return identity{toolkit.CallFrom(ctx).Guest.ID}, nil
}

type source struct {
	In io.Reader `stdin:"" validate:"required"`
}

type digest struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

func sum(_ context.Context, in source) (digest, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, in.In)
	return digest{hex.EncodeToString(hash.Sum(nil)), n}, err
}

type copying struct {
	In  io.Reader `stdin:"" validate:"required"`
	Out io.Writer `stdout:"" validate:"required"`
}

func cat(_ context.Context, in copying) (toolkit.None, error) {
	_, err := io.Copy(in.Out, in.In)
	return toolkit.None{}, err
}

type sink struct {
	Out io.Writer `stdout:"" validate:"required"`
}

func endless(_ context.Context, in sink) (toolkit.None, error) {
	for block := make([]byte, 64<<10); ; {
		if _, err := in.Out.Write(block); err != nil {
			return toolkit.None{}, err
		}
	}
}

// meeting is where calls wait for each other.
type meeting struct {
	mu     sync.Mutex // guards both
	here   int
	opened chan struct{}
}

type party struct {
	Calls int `json:"calls" help:"How many" validate:"min=1"`
}

func (m *meeting) meet(ctx context.Context, in party) (party, error) {
	m.mu.Lock()
	if m.here == 0 {
		m.opened = make(chan struct{})
	}
	opened := m.opened
	if m.here++; m.here == in.Calls {
		close(opened)
		m.here = 0
	}
	m.mu.Unlock()
	select {
	case <-opened:
		return in, nil
	case <-ctx.Done():
		return party{}, ctx.Err()
	}
}

// watch remembers the calls of wait.
type watch struct {
	mu   sync.Mutex // guards seen
	seen map[string]*seen
}

type seen struct {
	Began     int `json:"began"`
	Cancelled int `json:"cancelled"`
}

type name struct {
	Name string `json:"name" validate:"required"`
}

// of is what was seen of that name, to look at or change.
func (w *watch) of(name string, do func(*seen)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[name] == nil {
		w.seen[name] = &seen{}
	}
	do(w.seen[name])
}

func (w *watch) wait(ctx context.Context, in name) (toolkit.None, error) {
	w.of(in.Name, func(s *seen) { s.Began++ })
	<-ctx.Done()
	w.of(in.Name, func(s *seen) { s.Cancelled++ })
	return toolkit.None{}, ctx.Err()
}

func (w *watch) report(_ context.Context, in name) (s seen, err error) {
	w.of(in.Name, func(of *seen) { s = *of })
	return s, nil
}

func crash(context.Context, toolkit.None) (toolkit.None, error) {
	return toolkit.None{}, syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
