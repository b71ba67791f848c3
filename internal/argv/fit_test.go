package argv

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// suite is the folder of JSON Schema's official tests in the module cache.
func suite(t *testing.T) fs.FS {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("find the suite's module: %v", err)
	}
	return os.DirFS(path.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata"))
}

// TestVerdictsAreRight: what is told of a value is what the official tests say. For
// most values something is told.
func TestVerdictsAreRight(t *testing.T) {
	tests := suite(t)
	names, err := fs.Glob(tests, "draft2020-12/*.json")
	if err != nil || len(names) < 40 {
		t.Fatalf("got the files %v, %v", names, err)
	}
	told, all := 0, 0
	for _, name := range names {
		data, err := fs.ReadFile(tests, name)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Schema *toolkit.Schema
			Tests  []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			for _, test := range group.Tests {
				value, err := strictjson.Parse(test.Data)
				if err != nil {
					continue // such as a key twice
				}
				j := &judge{refs: alone(group.Schema), left: maxJudged}
				got := j.verdict(group.Schema, value)
				all++
				if got == unsure {
					continue
				}
				told++
				if got != verdictOf(test.Valid) {
					t.Errorf("%s: %s: %s: got %v, want valid %v", name, test.Description, test.Data, got, test.Valid)
				}
			}
		}
	}
	if told < all/2 {
		t.Errorf("told %d of %d values, want more than half", told, all)
	}
	t.Logf("told %d of %d", told, all)
}

// TestSamplesEnd: what takes too long to make up is given up.
func TestSamplesEnd(t *testing.T) {
	const twice = `[{"$ref":"#/$defs/S"},{"$ref":"#/$defs/S"}]`
	wide := "[" + strings.TrimSuffix(strings.Repeat(`{"type":"object","properties":{"a":{}},"required":["a","b"]},`, 300), ",") + "]"
	for _, schema := range []string{
		`{"allOf":` + twice + `}`, `{"anyOf":` + twice + `}`, `{"oneOf":` + twice + `,"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/S"},"b":{"$ref":"#/$defs/S"}},"required":["a","b"]}`,
		`{"type":"array","items":{"$ref":"#/$defs/S"},"minItems":4}`, `{"allOf":` + twice + `,"type":"object","unevaluatedProperties":false}`,
		`{"anyOf":` + wide + `,"not":{"oneOf":` + wide + `}}`,
	} {
		body := `{"options":[{"name":"p","schema":{"$ref":"#/$defs/S"},"required":true}],"input":{"required":["p"],"allOf":[{"$ref":"#/$defs/S"}],"$defs":{"S":` + schema + `}}}`
		def := bodied(t, body)
		vetted(def)
		if got, _ := Sample(def, []string{"t"}, nil); got != nil {
			t.Errorf("%s: got %s, want none", schema, got)
		}
	}
}

// TestVerdictsEnd: a schema without an end is given up on.
func TestVerdictsEnd(t *testing.T) {
	for _, text := range []string{`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"not":{"$ref":"#"}}`} {
		schema := schemaOf(t, text)
		if got := (&judge{refs: alone(schema), left: maxJudged}).verdict(schema, strictjson.Text("a")); got != unsure {
			t.Errorf("%s: got %v, want unsure", text, got)
		}
	}
}

func TestIsMultiple(t *testing.T) {
	for _, row := range []struct {
		text, step string
		is, known  bool
	}{
		{"21", "7", true, true}, {"22", "7", false, true}, {"-21", "7", true, true}, {"0", "7", true, true},
		{"0.3", "0.1", true, true}, {"0.35", "0.1", false, true}, {"1e3", "0.25", true, true}, {"1", "0.0003", false, true},
		{"5", "0", false, false}, {"1e300", "3", false, false}, {"12345678901234567890123", "1", false, false},
	} {
		if is, known := isMultiple(row.text, row.step); is != row.is || known != row.known {
			t.Errorf("%s of %s: got %v, %v, want %v, %v", row.text, row.step, is, known, row.is, row.known)
		}
	}
}
