package search

import (
	"fmt"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// eightHundred are the tools of the three servers, eight times over under other
// names: 808 tools.
func eightHundred(tb testing.TB) []*toolkit.Definition {
	var all []*toolkit.Definition
	for i := range 8 {
		for _, def := range servers(tb) {
			def.Name = fmt.Sprintf("%s-%d", def.Name, i)
			all = append(all, def)
		}
	}
	return all
}

func BenchmarkSearch(b *testing.B) {
	defs := eightHundred(b)
	for _, bm := range []struct{ name, query string }{
		{"plain", "open a ticket"},
		{"typos", "opne a tikcet in the repositroy"},
		{"hostile", hostile()["different words"]},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Search(defs, bm.query, 5)
			}
		})
	}
}
