package validate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestCase_B048: the dialect is the one that $schema names, else 2020-12. What has the
// form of another one is a mistake that says so, or is adapted and reported.
func TestCase_B048(t *testing.T) {
	const older = `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}}}`
	const today = `{"properties":{"a":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}}`
	rows := []struct{ value, older, today string }{
		{`{"a":["x",1]}`, "", ""},
		{`{"a":["x"]}`, "", ""},
		{`{"a":[1]}`, `a.0: got 1, expected string`, `a.0: got 1, expected string`},
		{`{"a":["x",1,2]}`, `a: got 3 items, expected at most 2 items`, `a.2: not allowed`},
	}
	for _, row := range rows {
		checkRulings(t, compiled(t, older, nil), ruling{row.value, row.older})
		checkRulings(t, compiled(t, today, nil), ruling{row.value, row.today})
	}
	for keyword, schema := range map[string]string{
		"items":            `{"items":[{"type":"string"}]}`,
		"exclusiveMinimum": `{"minimum":1,"exclusiveMinimum":true}`,
	} {
		if got := mistakesOf(t, schema); !strings.HasPrefix(got, keyword+": expected") || !strings.Contains(got, "draft-0") {
			t.Errorf("%s: got %q, want a mistake that names the older draft", schema, got)
		}
	}
	draft04 := compiled(t, `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, nil)
	checkRulings(t, draft04, ruling{"1", "got 1, expected number above 1"}, ruling{"2", ""})

	const beside = `"$ref":"#/definitions/S","const":"zzz","propertyNames":{"maxLength":1},"definitions":{"S":{"type":["string","object"]}}`
	alone := compiled(t, `{"$schema":"http://json-schema.org/draft-07/schema#",`+beside+`}`, nil)
	checkRulings(t, alone, ruling{`"abc"`, ""}, ruling{`{"abc":1}`, ""}, ruling{"1", "got 1, expected string or object"})
	checkRulings(t, compiled(t, `{`+beside+`}`, nil), ruling{`"abc"`, `got "abc", expected zzz`})

	unknown := compiled(t, `{"$schema":"https://example.org/own","prefixItems":[{"type":"string"}]}`, nil)
	checkRulings(t, unknown, ruling{`[1]`, `0: got 1, expected string`})
	if got := strings.Join(unknown.Notes(), "\n"); got != `$schema "https://example.org/own" is not known: the schema is read as https://json-schema.org/draft/2020-12/schema` {
		t.Errorf("notes: got %q", got)
	}
	nullable := compiled(t, `{"type":"string","nullable":true}`, nil)
	if verdict(nullable, `null`) == "" || !strings.Contains(strings.Join(nullable.Notes(), ""), "OpenAPI 3.0") {
		t.Errorf("nullable: got %q, notes %q, want null refused and a note", verdict(nullable, `null`), nullable.Notes())
	}
}

func TestAdapt(t *testing.T) {
	tests := []struct {
		name, schema, want string
		notes              []string
	}{
		{"nothing to do", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, nil},
		{
			"nullable", `{"properties":{"a":{"type":"string","nullable":true,"enum":["x"]},"b":{"$ref":"#/$defs/c","nullable":true},"d":{"nullable":true}},"$defs":{"c":{"type":"integer","nullable":false}}}`,
			`{"$defs":{"c":{"type":"integer","nullable":false}},"properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"anyOf":[{"$ref":"#/$defs/c"},{"type":"null"}]},"d":{}}}`,
			[]string{"properties.a: nullable is of OpenAPI 3.0: null is one of its types now", "properties.b: nullable is of OpenAPI 3.0: null is one of its types now", "properties.d: nullable is of OpenAPI 3.0: null is one of its types now"},
		},
		{
			"bounds", `{"items":{"minimum":1,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false}}`,
			`{"items":{"maximum":5,"exclusiveMinimum":1}}`,
			[]string{"items: exclusiveMinimum: true is of OpenAPI 3.0: the bound is a number now", "items: exclusiveMaximum: false is of OpenAPI 3.0: the bound is a number now"},
		},
		{
			"a list of items", `{"properties":{"a":{"items":[{"type":"string"}]}}}`,
			`{"properties":{"a":{"items":[{"type":"string"}]}},"$schema":"http://json-schema.org/draft-07/schema#"}`,
			[]string{"properties.a: items has the form of older drafts: the schema is read as draft-07"},
		},
		{"a schema that names its dialect", `{"$schema":"https://example.org","nullable":true}`, `{"$schema":"https://example.org","nullable":true}`, nil},
	}
	for _, test := range tests {
		source := schemaOf(t, test.schema)
		before := string(must(json.Marshal(source)))
		adapted, notes := Adapt(source)
		if got := string(must(json.Marshal(adapted))); got != test.want {
			t.Errorf("%s: got %s\nwant %s", test.name, got, test.want)
		}
		if !slices.Equal(notes, test.notes) {
			t.Errorf("%s: notes: got %q\nwant %q", test.name, notes, test.notes)
		}
		if after := string(must(json.Marshal(source))); after != before {
			t.Errorf("%s: the source is changed to %s", test.name, after)
		}
		if _, err := Compile(adapted, nil); err != nil {
			t.Errorf("%s: compile %s: %v", test.name, test.want, err)
		}
	}
	if adapted, notes := Adapt(nil); adapted != nil || notes != nil {
		t.Error("nothing adapted is nothing")
	}
}
