package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// roleVariable makes this program something else than the bench: the host, in a
// process of its own whose memory can be told from the bench's, a flood, or an end of
// a bare copy.
const roleVariable = "AGENTOS_BENCH_ROLE"

// child plays the role that the environment names, until its stdin ends.
func child(role string, args []string) error {
	if role == "copy" {
		return copyBare(args[0], os.Stdin, os.Stdout)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with the process
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		cancel()
	}()
	switch role {
	case "flood":
		return flood(ctx, args[0])
	case "echo":
		return echo(ctx, args[0])
	}
	limits := &host.Limits{}
	if len(args) > 1 && args[1] == "raised" {
		limits = &host.Limits{Connections: 1 << 20, ConnectRate: host.Rate{PerSecond: 1 << 20, Burst: 1 << 20}, CallRate: host.Rate{PerSecond: 1 << 20, Burst: 1 << 20}}
	}
	h, err := host.New(&host.Options{
		Toolkits: append(kits(1, 2), observed(), pipes()), Limits: limits, Log: slog.New(slog.DiscardHandler),
		Listening: func(string) { fmt.Println("listening") },
	})
	if err != nil {
		return err
	}
	defer h.Close()
	return h.ListenAndServe(ctx, "unix://"+filepath.Join(args[0], "quiet.sock")+"?guest=quiet", "unix://"+filepath.Join(args[0], "flood.sock")+"?guest=flood")
}

// process is a child in its role.
type process struct {
	cmd  *exec.Cmd
	stop func() error
}

// play starts a child and waits until it has said that many lines.
func play(role string, lines int, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	said := bufio.NewReader(stdout)
	for range lines {
		if _, err := said.ReadString('\n'); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", role, err), stdin.Close(), cmd.Wait())
		}
	}
	return &process{cmd: cmd, stop: func() error { return errors.Join(stdin.Close(), cmd.Wait()) }}, nil
}

// state is what the host's process has.
type state struct {
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
	RSS         int `json:"rss"` // bytes
}

// observed is a toolkit that tells the state of its process, rid of garbage.
func observed() *toolkit.Toolkit {
	type args struct {
		Seconds float64 `json:"seconds,omitempty"`
	}
	return &toolkit.Toolkit{Name: "host", Summary: "The host's process", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "state", ReadOnly: true}, func(context.Context, toolkit.None) (state, error) {
			runtime.GC()
			debug.FreeOSMemory()
			open, err := os.ReadDir("/proc/self/fd")
			return state{runtime.NumGoroutine(), len(open), rss(os.Getpid())}, err
		}),
		toolkit.Func(toolkit.Spec{Name: "sleep", ReadOnly: true}, func(ctx context.Context, in args) (toolkit.None, error) {
			select {
			case <-time.After(time.Duration(in.Seconds * float64(time.Second))):
			case <-ctx.Done():
			}
			return toolkit.None{}, ctx.Err()
		}),
	}}
}

// rss is the resident memory of a process in bytes, 0 if it is not there.
func rss(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		return 0
	}
	return kib << 10
}

// flood does what a guest can do wrong, as fast as it can, until the context ends:
// connections, frames, calls and long inputs.
func flood(ctx context.Context, dir string) error {
	runtime.GOMAXPROCS(1) // one guest with one processor
	socket := filepath.Join(dir, "flood.sock")
	dial := func() net.Conn {
		for ctx.Err() == nil {
			if conn, err := net.Dial("unix", socket); err == nil {
				return conn
			}
			time.Sleep(time.Millisecond)
		}
		return nil
	}
	repeat := func(do func(net.Conn)) {
		go func() { // ends with the process
			for ctx.Err() == nil {
				if conn := dial(); conn != nil {
					do(conn)
					conn.Close()
				}
			}
		}()
	}
	ping := wire.AppendFrame(nil, wire.Frame{Type: 13, Payload: []byte("{}")})
	half := wire.AppendFrame(nil, wire.Frame{Type: 3, Payload: make([]byte, 1<<20)})[:512<<10]
	for range 4 {
		repeat(func(net.Conn) {})
	}
	for range 20 {
		repeat(func(conn net.Conn) { // frames
			for many := slices.Repeat(ping, 1000); ; {
				if _, err := conn.Write(many); err != nil {
					return
				}
			}
		})
		repeat(func(conn net.Conn) { // half an input, and silence
			if _, err := conn.Write(half); err == nil {
				_, _ = conn.Read(make([]byte, 1))
			}
		})
	}
	for range 200 {
		client, err := guest.Dial(ctx, &guest.Options{Addr: "unix://" + socket})
		if err != nil {
			continue
		}
		go func() { // ends with the process
			for ctx.Err() == nil {
				client.Call(ctx, &guest.Call{Toolkit: "math", Path: []string{"add"}, Input: []byte(`{"a":2,"b":3}`)})
			}
		}()
	}
	fmt.Println("flooding")
	<-ctx.Done()
	return nil
}
