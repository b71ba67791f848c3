package archtest

import (
	"testing"
	"testing/fstest"
)

func TestHabits(t *testing.T) {
	_, tree, packages := repository(t)
	expect(t, Names(packages))
	expect(t, Undocumented(packages))
	postponed, err := Postponed(tree, Placeholders)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, postponed)
}

func TestNames(t *testing.T) {
	same(t, Names([]*Package{
		{Path: "host/oplog", Name: "oplog"},
		{Path: "toolkit/utility", Name: "utility"},
		{Path: "internal/util/argv", Name: "argv"},
		{Path: "internal/argv", Name: "common"},
	}), []string{
		`internal/util/argv: "util" names nothing`,
		`internal/argv: "common" names nothing`,
	})
}

func TestUndocumented(t *testing.T) {
	tests := []struct {
		name string
		pkg  Package
		want []string
	}{
		{"library", Package{Path: "p", Name: "p", Files: []string{"p.go"}, DocFiles: []string{"doc.go"}}, nil},
		{"tests only", Package{Path: "p", Name: "p", Files: []string{"p_test.go"}}, nil},
		{"program", Package{Path: "p", Name: "main", Files: []string{"p.go"}, DocFiles: []string{"main.go"}}, nil},
		{"program with doc.go", Package{Path: "p", Name: "main", Files: []string{"p.go"}, DocFiles: []string{"doc.go"}}, nil},
		{
			"nothing", Package{Path: "p", Name: "p", Files: []string{"p.go"}},
			[]string{`p: package comment in [], want it in doc.go`},
		},
		{
			"elsewhere", Package{Path: "p", Name: "p", Files: []string{"p.go"}, DocFiles: []string{"main.go"}},
			[]string{`p: package comment in ["main.go"], want it in doc.go`},
		},
		{
			"twice", Package{Path: "p", Name: "p", Files: []string{"p.go"}, DocFiles: []string{"doc.go", "p.go"}},
			[]string{`p: package comment in ["doc.go" "p.go"], want it in doc.go`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, Undocumented([]*Package{&tt.pkg}), tt.want) })
	}
}

func TestPostponed(t *testing.T) {
	tree := fstest.MapFS{
		"a/a.go":          {Data: []byte("package a\n\n// LATER finish\nvar a = 1 // see LATER(me)\n")},
		"README.md":       {Data: []byte("<!-- LATER -->\n# LATER\nLATER: more\nagentos-files search LATER docs\n")},
		"Makefile":        {Data: []byte("# LATERAL thinking, sooner or LATER\n")},
		"a/a.png":         {Data: []byte("LATER:")},
		"a/testdata/a.md": {Data: []byte("LATER:")},
	}
	got, err := Postponed(tree, []string{"LATER"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []string{
		"README.md:1: <!-- LATER", "README.md:2: # LATER", "README.md:3: LATER:",
		"a/a.go:3: // LATER", "a/a.go:4: LATER(",
	})
}
