package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Table is the floors and dependencies that a tree is held against.
type Table struct {
	Floors       []Row
	Dependencies []Dependency
}

// Covers says whether a pattern stands for a package: the package itself, a
// pattern of path.Match, or a folder and everything below it (examples/...).
func Covers(pattern, pkg string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return within(dir, pkg)
	}
	matched, err := path.Match(pattern, pkg)
	return err == nil && matched
}

// Row is the place of a package, or nil.
func (t *Table) Row(pkg string) *Row {
	for i := range t.Floors {
		if Covers(t.Floors[i].Package, pkg) {
			return &t.Floors[i]
		}
	}
	return nil
}

// Arrows is one sentence for each import, and each package, that the table does
// not foresee.
func (t *Table) Arrows(packages []*Package) []string {
	var faults []string
	for _, pkg := range packages {
		row := t.Row(pkg.Path)
		if row == nil {
			faults = append(faults, fmt.Sprintf("%s: the package has no row in Floors", pkg.Path))
			continue
		}
		for _, imported := range pkg.Imports {
			if fault := t.arrow(row, pkg, imported.Path); fault != "" {
				faults = append(faults, imported.File+": "+fault)
			}
		}
		for _, imported := range pkg.TestImports {
			if thirdParty(imported.Path) && t.dependency(imported.Path) == nil {
				faults = append(faults, fmt.Sprintf("%s: %s has no row in Dependencies", imported.File, imported.Path))
			}
		}
	}
	return faults
}

func (t *Table) arrow(row *Row, pkg *Package, imported string) string {
	ours, isOurs := strings.CutPrefix(imported, Module+"/")
	switch {
	case isOurs && row.Floor < Roof && !coversAny(row.Uses, ours):
		return fmt.Sprintf("%s may not import %s", pkg.Path, ours)
	case isOurs:
		return ""
	case thirdParty(imported):
		return t.thirdParty(pkg, imported)
	case row.Pure && slices.Contains(Impure, imported):
		return fmt.Sprintf("%s is pure and may not import %s", pkg.Path, imported)
	}
	return ""
}

func (t *Table) thirdParty(pkg *Package, imported string) string {
	dependency := t.dependency(imported)
	switch {
	case dependency == nil:
		return imported + " has no row in Dependencies"
	case len(dependency.Users) == 0:
		return dependency.Module + " is for tests alone"
	case !coversAny(dependency.Users, pkg.Path):
		return fmt.Sprintf("%s may not import %s, only %s may", pkg.Path, dependency.Module, strings.Join(dependency.Users, ", "))
	}
	return ""
}

func (t *Table) dependency(imported string) *Dependency {
	for i := range t.Dependencies {
		if within(t.Dependencies[i].Module, imported) {
			return &t.Dependencies[i]
		}
	}
	return nil
}

// Mistakes is one sentence for each row that contradicts the building order: a
// row may use only rows above it, and floors never descend.
func (t *Table) Mistakes() []string {
	var mistakes []string
	for i, row := range t.Floors {
		if i > 0 && row.Floor < t.Floors[i-1].Floor {
			mistakes = append(mistakes, fmt.Sprintf("%s: floor %d after floor %d", row.Package, row.Floor, t.Floors[i-1].Floor))
		}
		for _, use := range row.Uses {
			// Kits are toolkits like a user's own, which the daemon is built with.
			below := use == "examples/*/kit" || slices.ContainsFunc(t.Floors[:i], func(r Row) bool { return r.Package == use })
			if !below {
				mistakes = append(mistakes, fmt.Sprintf("%s uses %s, which is not a row above it", row.Package, use))
			}
		}
	}
	return mistakes
}

func coversAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return Covers(pattern, pkg) })
}

func within(dir, name string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// thirdParty says whether a path is neither ours nor of the standard library,
// whose paths have no dot in their first element.
func thirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".") && !within(Module, imported)
}
