package host_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// schemaDraw draws schemas in which most keywords occur.
type schemaDraw struct{ *rand.Rand }

func (d schemaDraw) one(values ...any) any { return values[d.IntN(len(values))] }

func (d schemaDraw) kind() any {
	return d.one("string", "integer", "number", "boolean", "array", "object", "null")
}

func (d schemaDraw) value() any {
	return d.one(0, 1, 2.5, "a", "text", "P", true, nil, []any{1}, map[string]any{"a": 1})
}

func (d schemaDraw) schema(depth int) any {
	switch {
	case d.IntN(25) == 0:
		return d.IntN(3) > 0
	case depth <= 0:
		return map[string]any{"type": d.kind()}
	}
	sub := func() any { return d.schema(depth - 1) }
	subs := func() any { return []any{sub(), sub()}[:1+d.IntN(2)] }
	name := func() string { return d.one("a", "b", "c").(string) }
	keywords := map[string]func() any{
		"allOf": subs, "anyOf": subs, "oneOf": subs, "not": sub, "items": sub, "contains": sub, "additionalProperties": sub, "if": sub, "then": sub,
		"enum": func() any { return []any{d.value(), d.value()} }, "const": d.value, "examples": func() any { return []any{d.value()} },
		"properties":        func() any { return map[string]any{name(): sub(), name(): sub()} },
		"patternProperties": func() any { return map[string]any{"^a": sub()} },
		"required":          func() any { return []any{name()} },
		"dependentRequired": func() any { return map[string]any{"a": []any{"b"}} },
		"prefixItems":       subs, "uniqueItems": func() any { return true }, "unevaluatedProperties": func() any { return false },
		"minItems": func() any { return d.IntN(3) }, "minProperties": func() any { return d.IntN(3) }, "minLength": func() any { return d.IntN(9) },
		"maxItems": func() any { return 3 }, "maxLength": func() any { return 8 }, "minimum": func() any { return d.IntN(9) - 3 },
		"exclusiveMaximum": func() any { return d.IntN(12) }, "multipleOf": func() any { return d.one(0.1, 7, 3, 0.25) },
		"format": func() any { return d.one("date", "time", "email", "hostname", "uuid") }, "pattern": func() any { return "^a" },
		"contentEncoding": func() any { return "base64" }, "$ref": func() any { return d.one("#/$defs/A", "#/$defs/B", "#", "#/properties/p") },
	}
	schema := map[string]any{}
	if d.IntN(2) == 0 {
		schema["type"] = d.kind()
	}
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		if d.IntN(len(keywords)) < 3 {
			schema[keyword] = keywords[keyword]()
		}
	}
	return schema
}

// TestCase_B038_SamplesSatisfyTheirSchemas: what is made up for any schema is accepted
// by the validator.
func TestCase_B038_SamplesSatisfyTheirSchemas(t *testing.T) {
	made, all := 0, 0
	for seed := range uint64(2000) {
		d := schemaDraw{rand.New(rand.NewPCG(seed, 1))}
		text, err := json.Marshal(map[string]any{"name": "t", "commands": []any{map[string]any{"name": "run", "body": map[string]any{
			"options": []any{map[string]any{"name": "p", "schema": d.schema(3), "required": d.IntN(2) == 0}, map[string]any{"name": "a", "schema": d.schema(2)}},
			"input":   map[string]any{"$defs": map[string]any{"A": d.schema(2), "B": d.schema(2)}, "anyOf": []any{d.schema(1), true}},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		def, err := toolkit.ParseDefinition(text)
		if err != nil || len(argv.Vet(def)) > 0 {
			continue
		}
		path := []string{"run"}
		schema, err := validate.Compile(argv.InputSchema(def, path), nil)
		if err != nil {
			continue
		}
		all++
		sample, completed := argv.Sample(def, path, nil)
		if sample == nil {
			continue
		}
		made++
		if _, err := argv.Complete(def, path, sample); err != nil {
			t.Errorf("%s: %s: %v", text, sample, err)
		}
		if report := schema.Validate(completed); report != nil { // which was not asked
			t.Errorf("%s: %s: %s", text, sample, report.Message())
		}
	}
	if made < all/3 || all < 1000 {
		t.Errorf("made samples for %d of %d definitions, want more", made, all)
	}
}
