package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"
)

// IsPublic says whether users may import the package, so that its exported names
// are a promise.
func (p *Package) IsPublic() bool {
	return !p.IsTest() && p.Name != "main" && !within("internal", p.Path) && !within("examples", p.Path)
}

// Types loads the packages at the import paths as their importers see them, from
// the compiler's export data. The go command compiles what is not in its cache.
func Types(dir string, paths []string) ([]*types.Package, error) {
	exports, err := exportData(dir, paths)
	if err != nil {
		return nil, err
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	packages := make([]*types.Package, len(paths))
	for i, path := range paths {
		if packages[i], err = compiled.Import(path); err != nil {
			return nil, fmt.Errorf("import %s: %w", path, err)
		}
	}
	return packages, nil
}

// exportData maps import paths to the files of their export data.
func exportData(dir string, paths []string) (map[string]string, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, paths...)
	out, err := goCommand(dir, linux(runtime.GOARCH), args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct{ ImportPath, Export string }
		switch err := dec.Decode(&listed); {
		case errors.Is(err, io.EOF):
			return exports, nil
		case err != nil:
			return nil, fmt.Errorf("read go list: %w", err)
		}
		exports[listed.ImportPath] = listed.Export
	}
}

// Leaks is one sentence for each place where the package's exported names show a
// type of a module that is not ours: such a type would make that module, and its
// version, part of our own promise.
func Leaks(pkg *types.Package) []string {
	w := walker{seen: map[*types.Named]bool{}}
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			w.walk(pkg.Name()+"."+name, object.Type())
		}
	}
	return w.leaks
}

type walker struct {
	seen  map[*types.Named]bool
	leaks []string
}

// walk visits what a user of the value at place can reach without naming more.
func (w *walker) walk(place string, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		w.named(place, t)
	case *types.Pointer:
		w.walk(place, t.Elem())
	case *types.Slice:
		w.walk(place, t.Elem())
	case *types.Array:
		w.walk(place, t.Elem())
	case *types.Chan:
		w.walk(place, t.Elem())
	case *types.Map:
		w.walk(place, t.Key())
		w.walk(place, t.Elem())
	case *types.Signature:
		w.tuple(place, t.Params())
		w.tuple(place, t.Results())
		for param := range t.TypeParams().TypeParams() {
			w.walk(place, param.Constraint())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				w.walk(place+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			w.walk(place, t.EmbeddedType(i))
		}
		for method := range t.ExplicitMethods() {
			w.walk(place+"."+method.Name(), method.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			w.walk(place, term.Type())
		}
	}
}

func (w *walker) tuple(place string, tuple *types.Tuple) {
	for v := range tuple.Variables() {
		w.walk(place, v.Type())
	}
}

func (w *walker) named(place string, t *types.Named) {
	for arg := range t.TypeArgs().Types() {
		w.walk(place, arg)
	}
	// The arguments of a generic type are done; its own names are the same for
	// every instance.
	t = t.Origin()
	pkg := t.Obj().Pkg()
	switch {
	case pkg == nil || w.seen[t]: // error and comparable have no package
	case within(Module, pkg.Path()):
		w.seen[t] = true
		w.walk(place, t.Underlying())
		for method := range t.Methods() {
			if method.Exported() {
				w.walk(place+"."+method.Name(), method.Type())
			}
		}
	case thirdParty(pkg.Path()):
		w.leaks = append(w.leaks, fmt.Sprintf("%s shows %s.%s", place, pkg.Path(), t.Obj().Name()))
	}
}
