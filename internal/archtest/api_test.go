package archtest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

func TestPublicAPI(t *testing.T) {
	dir, _, packages := repository(t)
	var paths []string
	for _, pkg := range packages {
		if pkg.IsPublic() {
			paths = append(paths, Module+"/"+pkg.Path)
		}
	}
	loaded, err := Types(dir, paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range loaded {
		expect(t, Leaks(pkg))
	}
}

func TestIsPublic(t *testing.T) {
	tests := []struct {
		pkg  Package
		want bool
	}{
		{Package{Path: "toolkit", Name: "toolkit", Files: []string{"tool.go"}}, true},
		{Package{Path: "host/oplog", Name: "oplog", Files: []string{"log.go"}}, true},
		{Package{Path: "internal/wire", Name: "wire", Files: []string{"frame.go"}}, false},
		{Package{Path: "host/agentosd", Name: "main", Files: []string{"main.go"}}, false},
		{Package{Path: "examples/files/kit", Name: "kit", Files: []string{"kit.go"}}, false},
		{Package{Path: "host/crash", Files: []string{"kill_test.go"}}, false},
	}
	for _, tt := range tests {
		if got := tt.pkg.IsPublic(); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.pkg.Path, got, tt.want)
		}
	}
}

func TestLeaks(t *testing.T) {
	const leak = "shows go.etcd.io/bbolt.DB"
	tests := []struct{ name, decl, want string }{
		{"nothing", "func F(string) error { return nil }", ""},
		{"parameter", "func F(*bbolt.DB) {}", "host.F " + leak},
		{"result", "func F() (int, []bbolt.DB) { return 0, nil }", "host.F " + leak},
		{"body", "func F() { var db bbolt.DB; _ = db }", ""},
		{"unexported function", "func f(*bbolt.DB) {}", ""},
		{"field", "type T struct { A map[string]*bbolt.DB }", "host.T.A " + leak},
		{"unexported field", "type T struct { db *bbolt.DB }", ""},
		{"embedded", "type T struct { *bbolt.DB }", "host.T.DB " + leak},
		{"embedded, by an unexported struct", "type T struct { t }; type t struct { DB chan bbolt.DB }", "host.T.t.DB " + leak},
		{"method", "type T int; func (T) M([2]bbolt.DB) {}", "host.T.M " + leak},
		{"unexported method", "type T int; func (T) m(bbolt.DB) {}", ""},
		{"interface", "type T interface { M() bbolt.DB }", "host.T.M " + leak},
		{"defined type", "type T bbolt.DB", ""},
		{"alias", "type T = bbolt.DB", "host.T " + leak},
		{"alias of an alias", "type T = t; type t = bbolt.DB", "host.T " + leak},
		{"unexported result", "func F() *t { return nil }; type t struct { DB bbolt.DB }", "host.F.DB " + leak},
		{"inferred variable", "var V = bbolt.Open()", "host.V " + leak},
		{"type argument", "type G[T any] struct{}; func F(G[bbolt.DB]) {}", "host.F " + leak},
		{"constraint", "func F[T interface{ int | bbolt.DB }](T) {}", "host.F " + leak},
		{"recursive", "type T struct { Next *T; DB bbolt.DB }", "host.T.DB " + leak},
	}
	dependency := check(t, "go.etcd.io/bbolt", "package bbolt; type DB struct{}; func Open() *DB { return nil }", nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source := "package host; import \"go.etcd.io/bbolt\"; var _ bbolt.DB; " + tt.decl
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			same(t, Leaks(check(t, Module+"/host", source, dependency)), want)
		})
	}
}

// check type-checks a package of one file that may import the dependency.
func check(t *testing.T, path, source string, dependency *types.Package) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: one{dependency}}
	pkg, err := config.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

type one struct{ pkg *types.Package }

func (o one) Import(path string) (*types.Package, error) {
	if path == o.pkg.Path() {
		return o.pkg, nil
	}
	return importer.Default().Import(path)
}

func TestTypes_noSuchPackage(t *testing.T) {
	dir, _, _ := repository(t)
	if got, err := Types(dir, []string{Module + "/nowhere"}); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}
