package archtest

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Package is a folder of Go files, as far as the rules look at it.
type Package struct {
	// Path is relative to Module; the root is ".".
	Path string
	Name string
	// Files are the base names of its Go files, tests included.
	Files []string
	// DocFiles are the base names of the files with a package comment.
	DocFiles []string
	// Imports are those of its code, tests aside.
	Imports []Import
	// TestImports are those of its tests.
	TestImports []Import
}

// Import is one import path and the file that has it.
type Import struct{ Path, File string }

// IsTest says whether the package holds nothing but tests.
func (p *Package) IsTest() bool {
	for _, file := range p.Files {
		if !isTest(file) {
			return false
		}
	}
	return true
}

// Root is the folder of the go.mod of Module, at or above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+Module+"\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of %s at or above the working directory", Module)
		}
		dir = filepath.Dir(dir)
	}
}

// Files are the slash-separated paths of the module's files, without hidden
// folders, test data, what make builds, and modules nested in this one.
func Files(tree fs.FS) ([]string, error) {
	var files []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && outside(tree, name) {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func outside(tree fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || base == "testdata" || dir == "bin" || dir == "dist" {
		return true
	}
	_, err := fs.Stat(tree, dir+"/go.mod")
	return err == nil
}

// Load reads the packages of a tree, sorted by path.
func Load(tree fs.FS) ([]*Package, error) {
	files, err := Files(tree)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	var packages []*Package
	byPath := map[string]*Package{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		dir := path.Dir(file)
		if byPath[dir] == nil {
			byPath[dir] = &Package{Path: dir}
			packages = append(packages, byPath[dir])
		}
		if err := byPath[dir].add(tree, file); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

func (p *Package) add(tree fs.FS, file string) error {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, path.Base(file))
	imports := &p.TestImports
	if !isTest(file) {
		imports = &p.Imports
		p.Name = parsed.Name.Name
		if parsed.Doc != nil {
			p.DocFiles = append(p.DocFiles, path.Base(file))
		}
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		*imports = append(*imports, Import{imported, file})
	}
	return nil
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }
