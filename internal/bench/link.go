package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
)

// withHost runs a measurement against a host in a process of its own.
func withHost(dir, limits string, measure func(h *process, client *guest.Client) (Row, error)) (Row, error) {
	h, err := play("host", 2, dir, limits)
	if err != nil {
		return Row{}, err
	}
	client, err := guest.Dial(context.Background(), &guest.Options{Addr: address(dir)})
	if err != nil {
		return Row{}, errors.Join(err, h.stop())
	}
	row, err := measure(h, client)
	return row, errors.Join(err, client.Close(), h.stop())
}

func address(dir string) string { return "unix://" + filepath.Join(dir, "quiet.sock") }

// ask calls a tool; out is what its result is decoded into, or nil.
func ask(client *guest.Client, kit, tool, input string, out any) error {
	answer := client.Call(context.Background(), &guest.Call{Toolkit: kit, Path: []string{tool}, Input: json.RawMessage(input)})
	if err := answer.Error(); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, out)
}

func sumOf(client *guest.Client) error { return ask(client, "math", "add", `{"a":2,"b":3}`, nil) }

// atOnce is a hundred calls of a tool that takes a second, against that second.
func atOnce(dir string) (Row, error) {
	return withHost(dir, "raised", func(_ *process, client *guest.Client) (Row, error) {
		return compare("100 calls of a 1-s handler at once", "a sleep of 1 s", 1.3, 5, func() error {
			var group sync.WaitGroup
			errs := make([]error, 100)
			for i := range errs {
				group.Go(func() { errs[i] = ask(client, "host", "sleep", `{"seconds":1}`, nil) })
			}
			group.Wait()
			return errors.Join(errs...)
		}, func() error {
			time.Sleep(time.Second)
			return nil
		})
	})
}

// oneCall is a call of a client that lives on, against one frame that is echoed.
func oneCall(dir string) (Row, error) {
	echo, err := play("echo", 1, dir)
	if err != nil {
		return Row{}, err
	}
	row, err := withHost(dir, "raised", func(_ *process, client *guest.Client) (Row, error) {
		conn, err := net.Dial("unix", echoSocket(dir))
		if err != nil {
			return Row{}, err
		}
		defer conn.Close()
		frame := wire.AppendFrame(nil, wire.Frame{Type: 3, Payload: []byte(`{"id":"0123456789","toolkit":"math","path":["add"],"input":{"a":2,"b":3}}`)})
		return compare("one call by a client", "one frame echoed on a socket", 3, 3000, func() error { return sumOf(client) }, func() error {
			if _, err := conn.Write(frame); err != nil {
				return err
			}
			_, err := wire.ReadFrame(conn, nil)
			return err
		})
	})
	return row, errors.Join(err, echo.stop())
}

// idle is the host's memory for a connection that idles after a call, against the
// bar of 40 KiB.
func idle(dir string) (Row, error) {
	const connections, bar = 10_000, 40
	return withHost(dir, "raised", func(_ *process, client *guest.Client) (Row, error) {
		var before, after state
		if err := ask(client, "host", "state", "{}", &before); err != nil {
			return Row{}, err
		}
		var open []*guest.Client
		defer func() {
			for _, c := range open {
				c.Close()
			}
		}()
		for range connections {
			c, err := guest.Dial(context.Background(), &guest.Options{Addr: address(dir)})
			if err != nil {
				return Row{}, err
			}
			open = append(open, c)
			if err := sumOf(c); err != nil {
				return Row{}, err
			}
		}
		err := ask(client, "host", "state", "{}", &after)
		row := Row{Name: "10,000 connections idle after a call", Reference: "the bar", Unit: "KiB each", Bar: 1, Theirs: bar}
		row.Ours = float64(after.RSS-before.RSS) / connections / 1024
		row.Ratio = row.Ours / row.Theirs
		return row, err
	})
}

// leftBehind is the host's memory that a hundred thousand calls leave, against the
// bar of 8 MiB. Goroutines and descriptors must be as many as before.
func leftBehind(dir string) (Row, error) {
	const calls, workers, bar = 100_000, 8, 8
	return withHost(dir, "raised", func(_ *process, client *guest.Client) (Row, error) {
		round := func(calls int) error {
			var group sync.WaitGroup
			errs := make([]error, workers)
			for w := range workers {
				group.Go(func() {
					for range calls / workers {
						errs[w] = errors.Join(errs[w], sumOf(client))
					}
				})
			}
			group.Wait()
			return errors.Join(errs...)
		}
		var before, after state
		if err := errors.Join(round(5000), ask(client, "host", "state", "{}", &before)); err != nil { // the memory of calls is full
			return Row{}, err
		}
		if err := errors.Join(round(calls), ask(client, "host", "state", "{}", &after)); err != nil {
			return Row{}, err
		}
		row := Row{Name: "what 100,000 calls leave", Reference: "the bar", Unit: "MiB", Bar: 1, Theirs: bar}
		row.Ours = float64(after.RSS-before.RSS) / (1 << 20)
		row.Ratio = row.Ours / row.Theirs
		if after.Goroutines != before.Goroutines || after.Descriptors != before.Descriptors {
			return row, fmt.Errorf("%s: %+v before, %+v after", row.Name, before, after)
		}
		return row, nil
	})
}

// isolation is the 99th percentile of a guest's call at 50 calls a second while
// another guest floods the host, against twice its quiet one and 5 ms.
func isolation(dir string) (Row, error) {
	return withHost(dir, "", func(h *process, client *guest.Client) (Row, error) {
		if err := sumOf(client); err != nil {
			return Row{}, err
		}
		quiet, err := percentile(client)
		if err != nil {
			return Row{}, err
		}
		before := rss(h.cmd.Process.Pid)
		f, err := play("flood", 1, dir)
		if err != nil {
			return Row{}, err
		}
		peak := make(chan int, 1)
		done := make(chan struct{})
		go func() { peak <- peakRSS(h.cmd.Process.Pid, done) }() // ends with done, waited for below
		flooded, err := percentile(client)
		close(done)
		cost := float64(<-peak-before) / (1 << 20)
		allowed := 2*quiet + 5*time.Millisecond
		row := Row{
			Name: fmt.Sprintf("p99 beside a flood that costs %.0f MiB (bar 64)", cost), Reference: fmt.Sprintf("2 × quiet p99 (%v) + 5 ms", quiet.Round(time.Microsecond)),
			Unit: "µs", Ours: float64(flooded.Nanoseconds()) / 1e3, Theirs: float64(allowed.Nanoseconds()) / 1e3, Bar: 1,
		}
		row.Ratio = row.Ours / row.Theirs
		return row, errors.Join(err, f.stop())
	})
}

// percentile is the 99th of 500 calls, 50 a second. All must succeed.
func percentile(client *guest.Client) (time.Duration, error) {
	const calls, every = 500, 20 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	var took []time.Duration
	for range calls {
		<-tick.C
		start := time.Now()
		if err := sumOf(client); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[calls*99/100], nil
}

// peakRSS is the highest resident memory of the process until done.
func peakRSS(pid int, done <-chan struct{}) (peak int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, rss(pid))
		select {
		case <-tick.C:
		case <-done:
			return peak
		}
	}
}
