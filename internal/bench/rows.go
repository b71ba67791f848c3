package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// callsPerRound is how many processes a shell loop starts in one measurement.
const callsPerRound = 20

// shellLoop is one call from a shell loop, against the least that a Go program
// can do on the same socket.
func shellLoop(dir string) (Row, error) {
	for bin, pkg := range map[string]string{"agentos-math": "./shim/agentos", "minimal": "./internal/bench/minimal"} {
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, bin), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return Row{}, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	socket := filepath.Join(dir, "agentos.sock")
	stop, err := serve(socket, kits(1, 2))
	if err != nil {
		return Row{}, err
	}
	defer stop()
	loop := func(command string) func() error {
		return func() error {
			script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s >/dev/null || exit 1; i=$((i+1)); done", callsPerRound, command)
			cmd := exec.Command("sh", "-c", script)
			cmd.Env = []string{"AGENTOS_ADDR=unix://" + socket, "PATH=" + dir}
			cmd.Stderr = os.Stderr
			return cmd.Run()
		}
	}
	row, err := compare("one call from a shell loop", "minimal Go program, one frame each way", 1.4, 40,
		loop("agentos-math add --a 2 --b 3"), loop("minimal "+socket))
	row.Ours /= callsPerRound
	row.Theirs /= callsPerRound
	return row, err
}

// newHost is host.New with 200 tools in 20 toolkits, against its bar of 50 ms.
func newHost(string) (Row, error) {
	const bar = 50 * time.Millisecond
	row, err := compare("host.New, 200 tools in 20 toolkits", "a sleep of 50 ms", 1, 11, func() error {
		h, err := host.New(&host.Options{Toolkits: kits(20, 10)})
		if err != nil {
			return err
		}
		return h.Close()
	}, func() error {
		time.Sleep(bar)
		return nil
	})
	return row, err
}

// manyTools is a call on a host with 2,000 tools, against one with 2.
func manyTools(string) (Row, error) {
	few, closeFew, err := inProcess(1, 2)
	if err != nil {
		return Row{}, err
	}
	defer closeFew()
	many, closeMany, err := inProcess(1, 2000)
	if err != nil {
		return Row{}, err
	}
	defer closeMany()
	return compare("a call with 2,000 tools", "a call with 2 tools", 1.1, 2000, many, few)
}

// inProcess is one presented call of a tool, over a connection in memory.
func inProcess(toolkits, tools int) (call func() error, stop func(), err error) {
	h, err := host.New(&host.Options{Toolkits: kits(toolkits, tools)})
	if err != nil {
		return nil, nil, err
	}
	client, err := guest.Dial(context.Background(), &guest.Options{Dial: h.Dialer("bench")})
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	call = func() error {
		shown, err := client.Present(ctx, "math", []string{"add"})
		if err != nil {
			return err
		}
		answer := client.Call(ctx, &guest.Call{Toolkit: "math", Path: []string{"add"}, Input: json.RawMessage(`{"a":2,"b":3}`), Revision: shown.Revision})
		if !answer.OK {
			return answer.Error()
		}
		return nil
	}
	return call, func() { client.Close(); h.Close() }, nil
}

// serve serves the toolkits on a socket until stop.
func serve(socket string, kits []*toolkit.Toolkit) (stop func(), err error) {
	h, err := host.New(&host.Options{Toolkits: kits})
	if err != nil {
		return nil, err
	}
	if err := h.AddGuest(context.Background(), host.Guest{ID: "bench", Addr: "unix://" + socket}); err != nil {
		return nil, err
	}
	return func() { h.Close() }, nil
}

type sum struct {
	A float64 `json:"a" help:"First number" validate:"required"`
	B float64 `json:"b" help:"Second number" validate:"required"`
}

type total struct {
	Sum float64 `json:"sum"`
}

func add(_ context.Context, in sum) (total, error) { return total{in.A + in.B}, nil }

// kits are toolkits with so many tools each; the first is math and has add.
func kits(count, tools int) []*toolkit.Toolkit {
	made := make([]*toolkit.Toolkit, count)
	for i := range made {
		name := "math"
		if i > 0 {
			name = fmt.Sprintf("math%d", i)
		}
		made[i] = &toolkit.Toolkit{Name: name, Summary: "Arithmetic", Tools: []toolkit.Tool{
			toolkit.Func(toolkit.Spec{Name: "add", Summary: "Add two numbers", ReadOnly: true}, add),
		}}
		for j := 1; j < tools; j++ {
			made[i].Tools = append(made[i].Tools, toolkit.Func(toolkit.Spec{Name: fmt.Sprintf("add%d", j), Summary: "Add two numbers", ReadOnly: true}, add))
		}
	}
	return made
}
