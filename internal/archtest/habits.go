package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Nowhere are names that say nothing about what is inside, so no folder or package
// bears one: a helper lives with its user, and with two users it gets a noun.
var Nowhere = []string{
	"common", "helper", "helpers", "misc", "pkg", "types", "util", "utils",
}

// Placeholders are words that postpone. What is not done belongs in the issue
// tracker, where somebody reads it.
var Placeholders = []string{"TODO", "FIXME", "XXX", "HACK"}

// Names is one sentence for each folder and package whose name is in Nowhere.
func Names(packages []*Package) []string {
	var faults []string
	for _, pkg := range packages {
		for _, name := range append(strings.Split(pkg.Path, "/"), pkg.Name) {
			if slices.Contains(Nowhere, name) {
				faults = append(faults, fmt.Sprintf("%s: %q names nothing", pkg.Path, name))
			}
		}
	}
	return faults
}

// Undocumented is one sentence for each package without its comment in doc.go,
// or with another one elsewhere. A program's may stand in main.go instead.
func Undocumented(packages []*Package) []string {
	var faults []string
	for _, pkg := range packages {
		home := []string{"doc.go"}
		if pkg.Name == "main" && slices.Contains(pkg.DocFiles, "main.go") {
			home[0] = "main.go"
		}
		if !pkg.IsTest() && !slices.Equal(pkg.DocFiles, home) {
			faults = append(faults, fmt.Sprintf("%s: package comment in %q, want it in doc.go", pkg.Path, pkg.DocFiles))
		}
	}
	return faults
}

// Postponed is one sentence for each line of code or documentation that has one
// of the words as a note to oneself: at the start of a comment, or before a colon
// or parenthesis. Elsewhere it is a word like any other.
func Postponed(tree fs.FS, words []string) ([]string, error) {
	files, err := Files(tree)
	if err != nil {
		return nil, err
	}
	either := `(` + strings.Join(words, "|") + `)`
	pattern, err := regexp.Compile(`(//|/\*|#|<!--)\s*` + either + `\b|\b` + either + `[:(]`)
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, file := range files {
		if !isText(file) {
			continue
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if note := pattern.FindString(line); note != "" {
				faults = append(faults, fmt.Sprintf("%s:%d: %s", file, i+1, note))
			}
		}
	}
	return faults, nil
}

func isText(file string) bool {
	switch path.Ext(file) {
	case ".go", ".md", ".sh", ".mod", ".yml", ".yaml":
		return true
	}
	return path.Base(file) == "Makefile"
}
