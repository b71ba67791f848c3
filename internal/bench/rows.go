package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/archtest"
	"github.com/agentos-go/agentos/toolkit"
)

// callsPerRound is how many processes a shell loop starts in one measurement.
const callsPerRound = 20

// shellLoop is one call from a shell loop, against the least that a Go program
// can do on the same socket.
func shellLoop(dir string) (Row, error) {
	if err := errors.Join(buildShim(dir, "agentos-math"), build(dir, "minimal", "./internal/bench/minimal")); err != nil {
		return Row{}, err
	}
	socket := filepath.Join(dir, "agentos.sock")
	stop, err := serve(socket, kits(1, 2))
	if err != nil {
		return Row{}, err
	}
	defer stop()
	loop := func(command string) func() error { return loop(dir, "unix://"+socket, callsPerRound, command) }
	row, err := compare("one call from a shell loop", "minimal Go program, one frame each way", 1.4, 40,
		loop("agentos-math add --a 2 --b 3"), loop("minimal "+socket))
	row.Ours /= callsPerRound
	row.Theirs /= callsPerRound
	return row, err
}

// build builds a program as it is released.
func build(dir, name, pkg string) error {
	return archtest.Build(".", pkg, runtime.GOARCH, filepath.Join(dir, name))
}

// loop is a shell that runs a command of dir so many times.
func loop(dir, addr string, times int, command string) func() error {
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s >/dev/null || exit 1; i=$((i+1)); done", times, command)
	return func() error {
		cmd := exec.Command("sh", "-c", script)
		cmd.Env = []string{"AGENTOS_ADDR=" + addr, "PATH=" + dir}
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
}

// batch is ten thousand calls by one process, half of them command lines, against a
// process for each. There are fewer of these, and their time is scaled.
func batch(dir string) (Row, error) {
	const calls, processes = 10_000, 200
	if err := errors.Join(build(dir, "agentos", "./shim/agentos"), build(dir, "agentos-math", "./shim/agentos")); err != nil {
		return Row{}, err
	}
	const lines = `{"toolkit":"math","tool":"add","input":{"a":2,"b":3}}` + "\n" + `{"argv":["math","add","--a","2","--b","3"]}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "calls"), []byte(strings.Repeat(lines, calls/2)), 0o600); err != nil {
		return Row{}, err
	}
	return withHost(dir, "raised", func(*process, *guest.Client) (Row, error) {
		row, err := compare("10,000 calls by agentos batch", fmt.Sprintf("%d processes of agentos-math, scaled", processes), 0.15, 5,
			loop(dir, address(dir), 1, "agentos batch <"+filepath.Join(dir, "calls")), loop(dir, address(dir), processes, "agentos-math add --a 2 --b 3"))
		row.Theirs *= calls / processes
		row.Ratio = row.Ours / row.Theirs
		return row, err
	})
}

// newHost is host.New with 200 tools in 20 toolkits, against its bar of 50 ms.
func newHost(string) (Row, error) {
	return newHostOf("host.New, 200 tools in 20 toolkits", kits(20, 10))
}

// newRichHost is the same with formats, patterns and an example in each tool.
func newRichHost(string) (Row, error) {
	return newHostOf("host.New, 200 tools with formats, patterns and examples", richKits(20, 10))
}

func newHostOf(name string, kits []*toolkit.Toolkit) (Row, error) {
	const bar = 50 * time.Millisecond
	row, err := compare(name, "a sleep of 50 ms", 1, 11, func() error {
		h, err := host.New(&host.Options{Toolkits: kits, Log: slog.New(slog.DiscardHandler)})
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

type order struct {
	ID    string    `json:"id" help:"Order number" validate:"required,uuid"`
	Email string    `json:"email" help:"Who ordered" validate:"required,email"`
	Day   string    `json:"day" help:"Delivery day" validate:"required,datetime=2006-01-02"`
	At    time.Time `json:"at" help:"When it was ordered"`
	Size  string    `json:"size" help:"Size of the parcel" validate:"oneof=small medium large"`
	Items []string  `json:"items" help:"Article numbers" validate:"required,min=1,max=20,dive,min=3,max=20"`
	Site  string    `json:"site,omitempty" help:"Where it was ordered" validate:"omitempty,url"`
}

// richKits are toolkits whose tools say as much of their inputs as they can.
func richKits(count, tools int) []*toolkit.Toolkit {
	example := toolkit.Example{Summary: "Two articles", Input: order{
		ID: "6ba7b810-9dad-41d1-80b4-00c04fd430c8", Email: "a@example.org", Day: "2026-01-31", At: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC),
		Size: "small", Items: []string{"abc-1", "abc-2"}, Site: "https://example.org/shop",
	}}
	all := make([]*toolkit.Toolkit, count)
	for i := range all {
		all[i] = &toolkit.Toolkit{Name: fmt.Sprintf("shop%d", i), Summary: "Orders"}
		for j := range tools {
			spec := toolkit.Spec{Name: fmt.Sprintf("order%d", j), Summary: "Place an order", Examples: []toolkit.Example{example}}
			all[i].Tools = append(all[i].Tools, toolkit.Func(spec, func(context.Context, order) (total, error) { return total{}, nil }))
		}
	}
	return all
}

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
