package archtest

import "testing"

func TestFloors(t *testing.T) {
	_, _, packages := repository(t)
	table := &Table{Floors, Dependencies}
	expect(t, table.Mistakes())
	expect(t, table.Arrows(packages))
}

// A small building with every kind of row.
var model = &Table{
	Floors: []Row{
		{Package: "toolkit", Floor: 0},
		{Package: "internal/argv", Floor: 1, Uses: []string{"toolkit"}, Pure: true},
		{Package: "guest", Floor: 2, Uses: []string{"toolkit", "internal/argv"}},
		{Package: "host", Floor: 2, Uses: []string{"toolkit", "internal/argv"}},
		{Package: "host/agentosd", Floor: 3, Uses: []string{"host", "examples/*/kit"}},
		{Package: "examples/...", Floor: Roof},
	},
	Dependencies: []Dependency{
		{"go.etcd.io/bbolt", []string{"host"}},
		{"pgregory.net/rapid", nil},
	},
}

func TestArrows(t *testing.T) {
	const ours = Module + "/"
	tests := []struct {
		name, pkg, imported string
		want                string // empty: allowed
	}{
		{"down one floor", "internal/argv", ours + "toolkit", ""},
		{"down several floors", "host", ours + "toolkit", ""},
		{"up", "toolkit", ours + "host", "x.go: toolkit may not import host"},
		{"sideways", "host", ours + "guest", "x.go: host may not import guest"},
		{"down, but not listed", "host/agentosd", ours + "toolkit", "x.go: host/agentosd may not import toolkit"},
		{"to a pattern", "host/agentosd", ours + "examples/files/kit", ""},
		{"beside a pattern", "host/agentosd", ours + "examples/files", "x.go: host/agentosd may not import examples/files"},
		{"from the roof", "examples/files", ours + "host", ""},
		{"deep below the roof", "examples/files/kit", ours + "toolkit", ""},
		{"to the roof", "host", ours + "examples/files", "x.go: host may not import examples/files"},
		{"a package without a row", "host/rest", "fmt", "host/rest: the package has no row in Floors"},
		{"a twin of a listed name", "examples-old", "fmt", "examples-old: the package has no row in Floors"},
		{"standard library", "toolkit", "os", ""},
		{"pure", "internal/argv", "strings", ""},
		{"impure", "internal/argv", "os", "x.go: internal/argv is pure and may not import os"},
		{"a dependency of its user", "host", "go.etcd.io/bbolt", ""},
		{"a package of the dependency", "host", "go.etcd.io/bbolt/errors", ""},
		{"a dependency of somebody else", "guest", "go.etcd.io/bbolt", "x.go: guest may not import go.etcd.io/bbolt, only host may"},
		{"on the roof too", "examples/files", "go.etcd.io/bbolt", "x.go: examples/files may not import go.etcd.io/bbolt, only host may"},
		{"for tests alone", "host", "pgregory.net/rapid", "x.go: pgregory.net/rapid is for tests alone"},
		{"unknown", "host", "example.com/x", "x.go: example.com/x has no row in Dependencies"},
		{"a twin of a known module", "host", "go.etcd.io/bboltx", "x.go: go.etcd.io/bboltx has no row in Dependencies"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg := &Package{Path: tt.pkg, Imports: []Import{{tt.imported, "x.go"}}}
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			same(t, model.Arrows([]*Package{pkg}), want)
		})
	}
}

func TestArrows_ofTests(t *testing.T) {
	pkg := &Package{Path: "toolkit", TestImports: []Import{
		{Module + "/host", "a_test.go"},
		{"pgregory.net/rapid", "a_test.go"},
		{"go.etcd.io/bbolt", "a_test.go"},
		{"example.com/x", "a_test.go"},
	}}
	same(t, model.Arrows([]*Package{pkg}), []string{"a_test.go: example.com/x has no row in Dependencies"})
}

func TestMistakes(t *testing.T) {
	tests := []struct {
		name   string
		floors []Row
		want   []string
	}{
		{"the model", model.Floors, nil},
		{"up", []Row{
			{Package: "a", Floor: 0, Uses: []string{"b"}},
			{Package: "b", Floor: 1},
		}, []string{"a uses b, which is not a row above it"}},
		{"itself", []Row{
			{Package: "a", Floor: 0, Uses: []string{"a"}},
		}, []string{"a uses a, which is not a row above it"}},
		{"nobody", []Row{
			{Package: "a", Floor: 0, Uses: []string{"gone"}},
		}, []string{"a uses gone, which is not a row above it"}},
		{"descending", []Row{
			{Package: "a", Floor: 1},
			{Package: "b", Floor: 0},
		}, []string{"b: floor 0 after floor 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			same(t, (&Table{Floors: tt.floors}).Mistakes(), tt.want)
		})
	}
}
