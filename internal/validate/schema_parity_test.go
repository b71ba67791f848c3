package validate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// simple draws a schema of the keywords that argv judges, some of them in ways that it
// does not.
func simple(t *rapid.T, depth int) string {
	kinds := []string{"string", "integer", "number", "boolean", "any", "nullable", "enum", "const", "ref", "branch"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "map")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "string":
		return fmt.Sprintf(`{"type":"string","minLength":%d}`, rapid.IntRange(0, 2).Draw(t, "length"))
	case "integer":
		return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":2}`, rapid.IntRange(-1, 1).Draw(t, "minimum"))
	case "number":
		return `{"type":"number","exclusiveMinimum":0.5}`
	case "boolean":
		return `{"type":"boolean"}`
	case "nullable":
		return `{"type":["integer","null"],"minimum":1}`
	case "enum":
		return rapid.SampledFrom([]string{`{"enum":["a",1]}`, `{"type":"string","enum":["a"]}`, `{"type":["string","null"],"enum":["a"]}`, `{"type":["string","null"],"enum":["a",null]}`}).Draw(t, "enum")
	case "const":
		return rapid.SampledFrom([]string{`{"const":1.0}`, `{"type":"integer","const":1}`, `{"type":"integer","const":1,"enum":[1,2]}`}).Draw(t, "const")
	case "ref":
		return rapid.SampledFrom([]string{`{"$ref":"#/$defs/o"}`, `{"$ref":"#/$defs/s"}`, `{"$ref":"#/$defs/s","maxLength":1}`, `{"$ref":"#/$defs/r"}`}).Draw(t, "ref")
	case "branch":
		return rapid.SampledFrom([]string{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":["string","null"]},{"type":"null"}]}`, `{"allOf":[{"type":"string"}],"minLength":3}`}).Draw(t, "branch")
	case "array":
		return fmt.Sprintf(`{"type":"array","items":%s,"maxItems":%d}`, simple(t, depth-1), rapid.IntRange(1, 2).Draw(t, "items"))
	case "object":
		closed := rapid.SampledFrom([]string{"", `,"additionalProperties":false`, `,"required":["b"]`, `,"minProperties":1`}).Draw(t, "closed")
		return fmt.Sprintf(`{"type":"object","properties":{"a":%s,"b":%s}%s}`, simple(t, depth-1), simple(t, depth-1), closed)
	case "map":
		return fmt.Sprintf(`{"type":"object","additionalProperties":%s}`, simple(t, depth-1))
	}
	return `{}`
}

// value draws JSON that such schemas like or nearly like.
func value(t *rapid.T, depth int) string {
	scalars := []string{`null`, `true`, `"a"`, `""`, `"abc"`, `1`, `1.0`, `0`, `2`, `2.5`, `-1`, `7`}
	if depth > 0 {
		switch rapid.IntRange(0, 3).Draw(t, "container") {
		case 0:
			return "[" + strings.Join([]string{value(t, depth-1), value(t, depth-1)}[:rapid.IntRange(0, 2).Draw(t, "n")], ",") + "]"
		case 1:
			members := []string{`"a":` + value(t, depth-1), `"b":` + value(t, depth-1), `"c":` + value(t, depth-1)}
			return "{" + strings.Join(members[:rapid.IntRange(0, 3).Draw(t, "n")], ",") + "}"
		}
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

// TestNothingPassesBetween: what argv.Complete lets pass, and the validator does not
// look at, fits the schema all the same.
func TestNothingPassesBetween(t *testing.T) {
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf(`{"name":"x","body":{"options":[{"name":"p","schema":%s}],"input":{"$defs":{
			"o":{"type":"object","properties":{"a":{"type":"integer"},"o":{"$ref":"#/$defs/o"}},"required":["a"]},
			"s":{"type":"string"},"r":{"$ref":"#/$defs/s"}}}}}`, simple(t, 2))
		def, err := toolkit.ParseDefinition([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		left, err := validate.Compile(argv.InputSchema(def, nil), &validate.Options{Completed: true})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := validate.Compile(argv.InputSchema(def, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		input, err := argv.Complete(def, nil, json.RawMessage(`{"p":`+value(t, 3)+`}`))
		if err != nil || left.Validate(input) != nil {
			return
		}
		passed++
		if report := whole.Validate(input); report != nil {
			t.Fatalf("%s by %s: passed, but %s", input, text, report.Message())
		}
	})
	if passed == 0 { // of a hundred, where some 15 do
		t.Error("control: no input passed")
	}
}

// A problem is told in the same words by either of the two that judge an input: argv
// has the numbers as they are written and this package has them as values, so each
// makes its own.
func TestProblemsAreToldAlike(t *testing.T) {
	for _, tt := range []struct{ schema, value, want string }{
		{`{"type":"integer","minimum":1,"maximum":16}`, `17`, "integer from 1 to 16"},
		{`{"type":"integer","minimum":1,"maximum":16}`, `"a"`, "integer from 1 to 16"},
		{`{"type":"integer","minimum":1}`, `0`, "integer of at least 1"},
		{`{"type":"number","exclusiveMinimum":1,"maximum":2.5}`, `1`, "number above 1 and of at most 2.5"},
		{`{"type":"number","minimum":-1,"exclusiveMaximum":1}`, `1`, "number of at least -1 and below 1"},
		{`{"type":["integer","null"],"minimum":1}`, `0`, "integer of at least 1 or null"},
		{`{"type":["integer","string"]}`, `true`, "integer or string"},
		{`{"type":["integer","string","null"]}`, `true`, "integer or string or null"},
		{`{"type":["integer","array","null"]}`, `true`, "integer or array or null"},
		{`{"type":"string","minLength":1,"maxLength":5}`, `""`, "1 to 5 characters"},
		{`{"type":"string","minLength":2,"maxLength":2}`, `"a"`, "exactly 2 characters"},
		{`{"type":"string","maxLength":1}`, `"ab"`, "at most 1 character"},
		{`{"type":"array","items":{"type":"integer"},"minItems":2}`, `[1]`, "at least 2 items"},
		{`{"type":"object","additionalProperties":{},"minProperties":1,"maxProperties":3}`, `{}`, "1 to 3 keys"},
		{`{"type":"boolean"}`, `1`, "true or false"},
		{`{"type":"string","enum":["a","b"]}`, `"c"`, "one of a, b"},
	} {
		def, err := toolkit.ParseDefinition(fmt.Appendf(nil, `{"name":"x","body":{"options":[{"name":"p","schema":%s}]}}`, tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := validate.Compile(argv.InputSchema(def, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		input := json.RawMessage(`{"p":` + tt.value + `}`)
		var completed *toolkit.Error
		if _, err := argv.Complete(def, nil, input); !errors.As(err, &completed) {
			t.Errorf("%s by %s: argv: %v", tt.value, tt.schema, err)
			continue
		}
		report := schema.Validate(input)
		if report == nil {
			t.Errorf("%s by %s: passed", tt.value, tt.schema)
			continue
		}
		argvs, ours := completed.Problems(), report.Details()
		if !slices.Equal(argvs, ours) || len(ours) != 1 || ours[0].Expected != tt.want {
			t.Errorf("%s by %s: argv tells %+v, and validate %+v, want that they expect %q", tt.value, tt.schema, argvs, ours, tt.want)
		}
	}
}
