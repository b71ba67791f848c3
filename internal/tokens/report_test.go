package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func counter(t *testing.T) func(string) int {
	t.Helper()
	count, err := encoder()
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// The encoder is the one that it says: these counts are those of OpenAI's tiktoken.
func TestEncoder(t *testing.T) {
	count := counter(t)
	for text, want := range map[string]int{"": 0, "hello world": 2, "tiktoken is great!": 6, "2 + 2 = 4": 7, "お誕生日おめでとう": 8} {
		if got := count(text); got != want {
			t.Errorf("%q: got %d tokens, want %d", text, got, want)
		}
	}
}

func TestEveryLimitIsKept(t *testing.T) {
	r, err := newReport(counter(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.missed(); err != nil {
		t.Errorf("%v\n\n%s", err, r.text())
	}
	if r.task.script.conversation() >= r.task.calls.conversation() {
		t.Errorf("the script is no shorter than the calls:\n%s", r.text())
	}
}

// Every limit can be missed, and by one token.
func TestMissed(t *testing.T) {
	good := func() *report {
		return &report{
			servers: []serverCost{{name: "x", list: 1000, full: 450, required: 200}},
			crowds:  []crowdCost{{kits: 1, tokens: crowdBudget, note: "Left out"}},
		}
	}
	if err := good().missed(); err != nil {
		t.Fatalf("control: %v", err)
	}
	tests := []struct {
		spoil func(*report)
		want  string
	}{
		{func(r *report) { r.servers[0].full++ }, "x, full signatures: 451 of 1000 tokens are 45.1 %, want at most 45 %"},
		{func(r *report) { r.servers[0].required++ }, "x, without optional flags: 201 of 1000 tokens are 20.1 %, want at most 20 %"},
		{func(r *report) { r.crowds[0].tokens++ }, "1 × 800 tools: 1501 tokens"},
		{func(r *report) { r.crowds[0].note = "" }, "want at most 1500 and a note"},
	}
	for _, tt := range tests {
		r := good()
		tt.spoil(r)
		if err := r.missed(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// What is measured is what it is called.
func TestTheTextsAreWhatTheyAreCalled(t *testing.T) {
	for _, server := range []string{"filesystem", "github", "memory"} {
		c, err := costOfServer(server, func(text string) int { return len(text) })
		if err != nil {
			t.Fatal(err)
		}
		if !(c.required <= c.full && c.full < c.schemas && c.schemas < c.list) {
			t.Errorf("%s: got %+v, want each longer than the one that says less", server, c)
		}
	}
	defs := crowd(10, 63)
	longest := slices.MaxFunc(defs[0].Commands, func(a, b toolkit.Command) int { return len(a.Name) - len(b.Name) })
	if n := len(longest.Name); len(defs) != 10 || len(defs[0].Commands) != 80 || n < 50 || n > 63 {
		t.Errorf("got %d toolkits of %d tools with names of up to %d bytes, want 10 of 80 with 50 to 63", len(defs), len(defs[0].Commands), n)
	}
}

func TestExchangeCost(t *testing.T) {
	var c exchangeCost
	c.add(10, 5) // given 15 in the next turn
	c.add(1, 2)  // and 18 then
	if want := (exchangeCost{turns: 2, written: 11, read: 7, given: 33}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}
