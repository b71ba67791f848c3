package argv

import (
	"encoding/json"
	"testing"
)

// tenOptions is a line with ten options of different kinds.
var tenOptions = []string{
	"t", "--n", "5", "--f", "1.5", "--s", "text", "--xs", "a", "--xs", "b", "--o", `{"a":1}`, "--e", "red", "--z", "x",
	"--d", "2026-01-31T12:00:00Z", "--labels", "a=b", "--b",
}

func BenchmarkParse(b *testing.B) {
	def := definition(b, fixture)
	line := &Line{Program: "agentos-x", Args: tenOptions}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(def, line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseWrongLine(b *testing.B) {
	def := definition(b, fixture)
	line := &Line{Program: "agentos-x", Args: append([]string{}, append(tenOptions, "--limt", "5")...)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(def, line); err == nil {
			b.Fatal("got no error")
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	def := definition(b, fixture)
	inv, err := Parse(def, &Line{Args: tenOptions})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Complete(def, []string{"t"}, json.RawMessage(inv.Input)); err != nil {
			b.Fatal(err)
		}
	}
}

// Parsing stands in front of every call: what it allocates is kept in sight.
func TestParseAllocatesLittle(t *testing.T) {
	def := definition(t, fixture)
	line := &Line{Program: "agentos-x", Args: tenOptions}
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := Parse(def, line); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 120 {
		t.Errorf("a line of ten options: got %v allocations, want at most 120", allocs)
	}
}
