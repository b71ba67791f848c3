package validate

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// library is what the library alone makes of the value, and whether it can read the
// schema at all.
func library(t *testing.T, schema, value any) (fits, ok bool) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.UseLoader(loader((&Options{}).loadOrRefuse))
	if err := c.AddResource(rootPlace, schema); err != nil {
		return false, false
	}
	compiled, err := c.Compile(rootPlace)
	if err != nil {
		return false, false
	}
	return compiled.Validate(value) == nil, true
}

// FuzzSchema: no schema and no value makes the host panic or wait, what is compiled late
// compiles, and the verdict is that of the library alone.
func FuzzSchema(f *testing.F) {
	for _, seed := range []struct{ schema, value string }{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"]}`, `{"a":0}`},
		{`{"oneOf":[{"const":1},{"enum":["a",1.0]},{"pattern":"^a"}],"not":{"type":"null"}}`, `"ab"`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"},"uniqueItems":true}}}`, `[[],[[]],[[]]]`},
		{`{"patternProperties":{"^x":{"multipleOf":0.1}},"propertyNames":{"maxLength":3},"unevaluatedProperties":false}`, `{"xy":0.35,"y":1}`},
		{`{"if":{"required":["a"]},"then":{"dependentRequired":{"a":["b"]}},"contains":{"type":"string"}}`, `{"a":null}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"},false],"additionalItems":{"format":"date"}}`, `["x"]`},
		{`{"$dynamicAnchor":"a","anyOf":[{"$dynamicRef":"#a"},true]}`, `1e5`},
		{`{"minimum":1e499,"examples":[1],"title":"T","default":-0.0}`, `1E+500`},
	} {
		f.Add(seed.schema, seed.value)
	}
	f.Fuzz(func(t *testing.T, schemaText, valueText string) {
		source := new(toolkit.Schema)
		doc, err := strictjson.Parse([]byte(valueText))
		if err != nil || strictjson.Check([]byte(schemaText)) != nil || json.Unmarshal([]byte(schemaText), source) != nil {
			t.Skip("no schema, or no value")
		}
		start := time.Now()
		schema, err := Compile(source, &Options{AnnotateFormats: true})
		if err != nil {
			return
		}
		report := schema.Validate(json.RawMessage(valueText))
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("took %s", took)
		}
		value, wrong := (&converter{limit: maxValues}).convert(doc)
		if wrong != nil || schema.open || report != nil && strings.Contains(report.Message(), "steps") {
			return
		}
		plain, err := json.Marshal(source)
		if err != nil {
			t.Fatal(err)
		}
		fits, ok := library(t, convertible(t, string(plain)), value)
		if ok && fits != (report == nil) {
			t.Errorf("%s by %s: got %v, the library says %t", valueText, schemaText, report, fits)
		}
	})
}

// TestVerdictsAreTheLibrarys: taking keywords over changes no verdict on any value of
// the suite by any schema of the same file.
func TestVerdictsAreTheLibrarys(t *testing.T) {
	tests := suite(t)
	checked := 0
	for _, entry := range must(fs.ReadDir(tests, "draft2020-12")) {
		if path.Ext(entry.Name()) != ".json" || strings.Contains(entry.Name(), "Remote") {
			continue
		}
		var groups []suiteGroup
		if err := json.Unmarshal(must(fs.ReadFile(tests, path.Join("draft2020-12", entry.Name()))), &groups); err != nil {
			t.Fatal(err)
		}
		var values []json.RawMessage
		for _, group := range groups {
			for _, test := range group.Tests {
				values = append(values, test.Data)
			}
		}
		for _, group := range groups {
			schema, err := Compile(schemaOf(t, string(group.Schema)), &Options{AnnotateFormats: true})
			if err != nil {
				continue
			}
			for _, value := range values {
				fits, ok := library(t, convertible(t, string(group.Schema)), convertible(t, string(value)))
				if got := schema.Validate(value) == nil; ok && got != fits {
					t.Errorf("%s by %s: got %t, the library says %t", value, group.Schema, got, fits)
				}
				checked++
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("checked %d values, want many", checked)
	}
}
