package shim_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// loop is a script that makes so many calls at once, each with a name that begins
// with its first argument, and prints name, exit status and envelope of each. One in
// four is short.
const loop = `
i=0
while [ $i -lt $2 ]; do
	ms=3000
	[ $((i % 4)) -eq 0 ] && ms=10
	{ out=$(agentos-work run --name $1-$i --ms $ms --timeout 30s); echo "$1-$i $? $out"; } &
	i=$((i + 1))
done
wait`

// repeating is loop with calls that are made again when they fail, whatever the error
// says.
var repeating = strings.Replace(loop, "--timeout 30s)", "--timeout 30s || agentos-work run --name $1-$i --ms 10 --output result)", 1)

// ended is one line of loop's output.
type ended struct {
	name     string
	exit     int
	envelope struct {
		OK                        bool
		Result, Error, Call, Hint string
	}
}

// killedDuring runs a script in so many shells, kills the host when so many of their
// calls have begun and some have finished, restarts it, and is what the shells
// printed and how long they lived on after the kill.
func killedDuring(t *testing.T, h *hostProcess, script string, many, calls, begun, finished int) (printed []string, took time.Duration) {
	t.Helper()
	h.start()
	var running []*child
	shells := shellsHere()
	for i := range many {
		running = append(running, starts(t, h.command(0, shells[i%len(shells)], "-c", script, "loop", fmt.Sprint("s", i), strconv.Itoa(calls))))
	}
	h.when("enough calls run", func() bool { return h.started("began ") >= begun && h.started("finished ") >= finished })
	h.kill()
	killed := time.Now()
	h.start()
	for _, shell := range running {
		got := shell.ends()
		if got.exit != 0 || got.stderr != "" {
			t.Errorf("a shell ended with %d, stderr %s", got.exit, got.stderr)
		}
		printed = append(printed, strings.Split(strings.TrimSpace(got.stdout), "\n")...)
	}
	return printed, time.Since(killed)
}

// started is how many lines that begin so were said; the lock is held.
func (h *hostProcess) started(prefix string) (n int) {
	for line := range h.said {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

func parseEnded(t *testing.T, line string) ended {
	t.Helper()
	words := strings.SplitN(line, " ", 3)
	if len(words) != 3 {
		t.Fatalf("a shell printed %q, want name, exit status and envelope", line)
	}
	e := ended{name: words[0]}
	var err error
	if e.exit, err = strconv.Atoi(words[1]); err == nil {
		err = json.Unmarshal([]byte(words[2]), &e.envelope)
	}
	if err != nil {
		t.Fatalf("a shell printed %q: %v", line, err)
	}
	return e
}

// TestCase_B079_TheHostIsKilledUnder200Calls: the host is killed in the middle of
// what ten shells do, and comes back. Every shell has an envelope and a true exit
// status for each call, none hangs, and nothing ran twice.
func TestCase_B079_TheHostIsKilledUnder200Calls(t *testing.T) {
	const shells, calls = 10, 20
	h := newHostProcess(t, 1)
	printed, took := killedDuring(t, h, loop, shells, calls, 100, 10)
	if took > 35*time.Second {
		t.Errorf("the last shell ended %s after the kill, want all calls over in their 30s", took)
	}
	h.kill() // all that it said is heard then
	began, finished := h.counts("began"), h.counts("finished")
	seen, exits := map[string]bool{}, map[int]int{}
	for _, line := range printed {
		e := parseEnded(t, line)
		isTold := e.exit == 0 && e.envelope.OK && e.envelope.Result == e.name && finished[e.name] == 1
		isUnknown := e.exit == 76 && e.envelope.Error == "OUTCOME_UNKNOWN" && e.envelope.Call != "" && e.envelope.Hint == "agentos calls "+e.envelope.Call
		if !isTold && !isUnknown {
			t.Errorf("%+v, finished %d times, want its result and 0, or OUTCOME_UNKNOWN with the call's id and 76", e, finished[e.name])
		}
		seen[e.name] = true
		exits[e.exit]++
	}
	if len(printed) != shells*calls || len(seen) != shells*calls {
		t.Errorf("%d envelopes of %d calls, want %d", len(printed), len(seen), shells*calls)
	}
	for name, n := range began {
		if n > 1 {
			t.Errorf("%s ran %d times", name, n)
		}
	}
	if exits[0] < 10 || exits[76] < 10 {
		t.Errorf("exit statuses %v, want many of 0 and 76", exits)
	}
	t.Logf("exit statuses %v, %s after the kill", exits, took.Round(time.Millisecond))
}

// TestCase_B079_TheControl: callers that repeat what they were told not to are found
// by the same count.
func TestCase_B079_TheControl(t *testing.T) {
	h := newHostProcess(t, 1)
	killedDuring(t, h, repeating, 2, 4, 8, 2)
	for _, n := range h.counts("began") {
		if n > 1 {
			return
		}
	}
	t.Errorf("began %v, want calls that ran twice", h.counts("began"))
}
