package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	_ "github.com/google/jsonschema-go/jsonschema" // its module carries the suite
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentos-go/agentos/toolkit"
)

// suiteGroup is a schema of the official suite, with values to judge.
type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suite is the folder of the official tests in the module cache.
func suite(t *testing.T) fs.FS {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("find the suite's module: %v", err)
	}
	return os.DirFS(path.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata"))
}

// TestSuite runs the required tests of the official suite as they are published,
// formats as annotations, every schema through toolkit.Schema like a tool's own. No
// test of the module is left out. The module itself leaves out three required files of
// draft 2020-12, for which TestSuite_leftOut stands.
func TestSuite(t *testing.T) {
	tests := suite(t)
	for _, run := range []struct {
		dir, dialect string
		files, tests int
	}{
		{"draft2020-12", "https://json-schema.org/draft/2020-12/schema", 43, 1099},
		{"draft7", "http://json-schema.org/draft-07/schema#", 37, 913},
	} {
		t.Run(run.dir, func(t *testing.T) {
			o := &Options{Dialect: run.dialect, AnnotateFormats: true, load: remotes(tests)}
			files, count := 0, 0
			for _, entry := range must(fs.ReadDir(tests, run.dir)) {
				if path.Ext(entry.Name()) != ".json" {
					continue
				}
				files++
				t.Run(entry.Name(), func(t *testing.T) {
					count += runFile(t, must(fs.ReadFile(tests, path.Join(run.dir, entry.Name()))), o)
				})
			}
			if files < run.files || count < run.tests {
				t.Errorf("ran %d tests of %d files, want %d and %d at least", count, files, run.tests, run.files)
			}
		})
	}
}

// remotes reads the documents that the suite serves from localhost:1234.
func remotes(tests fs.FS) func(place string) (any, error) {
	return func(place string) (any, error) {
		name, ok := strings.CutPrefix(place, "http://localhost:1234/")
		if !ok {
			return nil, fmt.Errorf("load %s: not of the suite", place)
		}
		data, err := fs.ReadFile(tests, path.Join("remotes", name))
		if err != nil {
			return nil, err
		}
		return jsonschema.UnmarshalJSON(bytes.NewReader(data))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// runFile runs the tests of one file, and counts them.
func runFile(t *testing.T, file []byte, o *Options) int {
	var groups []suiteGroup
	if err := json.Unmarshal(file, &groups); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, group := range groups {
		source := new(toolkit.Schema)
		if err := json.Unmarshal(group.Schema, source); err != nil {
			t.Errorf("%s: read %s: %v", group.Description, group.Schema, err)
			continue
		}
		schema, err := Compile(source, o)
		if err != nil {
			t.Errorf("%s: compile %s: %v", group.Description, group.Schema, err)
			continue
		}
		for _, test := range group.Tests {
			count++
			report := schema.Validate(test.Data)
			switch {
			case report != nil && test.Valid:
				t.Errorf("%s: %s: %s by %s: got %s, want nothing", group.Description, test.Description, test.Data, group.Schema, report.Message())
			case report == nil && !test.Valid:
				t.Errorf("%s: %s: %s by %s: got nothing, want a problem", group.Description, test.Description, test.Data, group.Schema)
			}
		}
	}
	return count
}

// TestSuite_leftOut stands for content.json, format.json and vocabulary.json of draft
// 2020-12: contents and formats are annotations, and a schema of schemas without the
// vocabulary of validation switches that off.
func TestSuite_leftOut(t *testing.T) {
	o := &Options{AnnotateFormats: true, load: remotes(suite(t))}
	for _, row := range []struct{ schema, value string }{
		{`{"contentMediaType":"application/json"}`, `"{:}"`},
		{`{"contentMediaType":"application/json","contentEncoding":"base64","contentSchema":{"required":["a"]}}`, `"%iI6"`},
		{`{"format":"email"}`, `"2962"`},
		{`{"format":"regex"}`, `"^(abc]"`},
		{`{"$schema":"http://localhost:1234/draft2020-12/metaschema-no-validation.json","properties":{"n":{"minimum":10}}}`, `{"n":1}`},
		{`{"$schema":"http://localhost:1234/draft2020-12/metaschema-optional-vocabulary.json","type":"number"}`, `20`},
	} {
		checkRulings(t, compiled(t, row.schema, o), ruling{row.value, ""})
	}
	off := compiled(t, `{"$schema":"http://localhost:1234/draft2020-12/metaschema-no-validation.json","properties":{"a":false}}`, o)
	checkRulings(t, off, ruling{`{"a":1}`, "a: not allowed"})
	optional := compiled(t, `{"$schema":"http://localhost:1234/draft2020-12/metaschema-optional-vocabulary.json","type":"number"}`, o)
	checkRulings(t, optional, ruling{`"x"`, `got "x", expected number`})
}
