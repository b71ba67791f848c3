package argv

import (
	"encoding/json"
	"fmt"
	"strings"
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

// largeInputs are inputs as large as they may be, right and wrong, for the body large.
func largeInputs() map[string]string {
	object := func(value string) string {
		var members []string
		for i := range 10_000 {
			members = append(members, fmt.Sprintf(`"key%d":%s`, i, value))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	list := func(value string) string { return "[" + strings.Repeat(value+",", 990_000) + value + "]" }
	text := strings.Repeat("x", 15<<20)
	return map[string]string{
		"unknown_members": object("1"), "map": `{"m":` + object(`"v"`) + `}`,
		"numbers": `{"xs":` + list("1234567") + `}`, "no_numbers": `{"xs":` + list(`"1"`) + `}`,
		"choices": `{"es":` + list(`"hhh"`) + `}`, "no_choices": `{"es":` + list(`"zzz"`) + `}`,
		"text": `{"s":"` + text + `"}`, "text_beside_a_mistake": `{"s":"` + text + `","n":9}`,
		"list_for_a_number": `{"n":` + list("1234567") + `}`, "text_for_a_number": `{"n":"` + text + `"}`,
	}
}

const large = `"options": [
	{"name": "m", "schema": {"type": "object", "additionalProperties": {"type": "string"}}},
	{"name": "xs", "schema": {"type": "array", "items": {"type": "number"}}},
	{"name": "es", "schema": {"type": "array", "items": {"type": "string", "enum": ["aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg", "hhh"]}}},
	{"name": "s", "schema": {"type": "string"}}, {"name": "n", "schema": {"type": "integer", "maximum": 5}}]`

func BenchmarkCompleteHostile(b *testing.B) {
	def := command(b, large)
	for name, input := range largeInputs() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Complete(def, nil, json.RawMessage(input)) // some are refused
			}
		})
	}
}

func BenchmarkCommandLineHostile(b *testing.B) {
	def := command(b, large)
	for name, input := range largeInputs() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := CommandLine("x", def, nil, json.RawMessage(input)); err != nil {
					b.Fatal(err)
				}
			}
		})
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
