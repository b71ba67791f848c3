package archtest

import (
	"io/fs"
	"os"
	"reflect"
	"testing"
	"testing/fstest"
)

// repository is the tree that these tests are part of.
func repository(t *testing.T) (dir string, tree fs.FS, packages []*Package) {
	t.Helper()
	dir, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	tree = os.DirFS(dir)
	packages, err = Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	return dir, tree, packages
}

// expect fails with every fault of the real tree.
func expect(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}

// same compares what a rule says about a made-up tree.
func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLoad(t *testing.T) {
	tree := fstest.MapFS{
		"Makefile":         {},
		".ci/x.go":         {Data: []byte("not go")},
		"bin/x.go":         {Data: []byte("not go")},
		"a/testdata/x.go":  {Data: []byte("not go")},
		"tools/go.mod":     {},
		"tools/x.go":       {Data: []byte("not go")},
		"a/doc.go":         {Data: []byte("// Package a is first.\npackage a\n")},
		"a/a_windows.go":   {Data: []byte("//go:build windows\n\npackage a\n\nimport \"syscall\"\n")},
		"a/a_test.go":      {Data: []byte("package a_test\n\nimport (\n\t\"testing\"\n\n\t_ \"a\"\n)\n")},
		"a/deep/b_test.go": {Data: []byte("package deep\n")},
	}
	got, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Package{
		{
			Path: "a", Name: "a", DocFiles: []string{"doc.go"},
			Files:       []string{"a_test.go", "a_windows.go", "doc.go"},
			Imports:     []Import{{"syscall", "a/a_windows.go"}},
			TestImports: []Import{{"testing", "a/a_test.go"}, {"a", "a/a_test.go"}},
		},
		{Path: "a/deep", Files: []string{"b_test.go"}},
	}
	if !reflect.DeepEqual(got, want) {
		for i := range got {
			t.Logf("got %+v", got[i])
		}
		t.Errorf("want %+v, %+v", want[0], want[1])
	}
	if got[0].IsTest() || !got[1].IsTest() {
		t.Errorf("got IsTest %v, %v, want false, true", got[0].IsTest(), got[1].IsTest())
	}
}

func TestLoad_brokenFile(t *testing.T) {
	if got, err := Load(fstest.MapFS{"a/a.go": {Data: []byte("package")}}); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

func TestRoot_outside(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, err := Root(); err == nil {
		t.Errorf("got %q, want an error", got)
	}
}
