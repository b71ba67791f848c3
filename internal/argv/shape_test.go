package argv

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// schemaOf reads a schema written as JSON.
func schemaOf(t testing.TB, text string) *toolkit.Schema {
	t.Helper()
	schema := &toolkit.Schema{}
	if err := json.Unmarshal([]byte(text), schema); err != nil {
		t.Fatalf("schema %s: %v", text, err)
	}
	return schema
}

func TestShape(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct{ schema, want string }{
		{`{}`, `any`},
		{`{"type":"string"}`, `string`},
		{`{"type":["integer","null"]}`, `integer | null`},
		{`{"enum":["a","b",1,null]}`, `"a" | "b" | 1 | null`},
		{`{"type":"string","enum":["a","b","c","d","e","f","g"]}`, `string`},
		{`{"const":"a"}`, `"a"`},
		{`{"type":"array","items":{"type":"string"}}`, `string[]`},
		{`{"type":"array"}`, `any[]`},
		{`{"type":"array","items":{"type":["string","null"]}}`, `(string | null)[]`},
		{`{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, `number[][]`},
		{`{"type":"object"}`, `object`},
		{`{"type":"object","additionalProperties":{"type":"number"}}`, `{[name]: number}`},
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"}}}`, `{a?: number, b?: string}`},
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"}},"required":["b"]}`, `{b: string, a?: number}`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"number"}}`, `{a?: string, [name]: number}`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, `{a?: string, [name]: any}`},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{a?: string}`},
		{`{"properties":{"a b":{}}}`, `{"a b"?: any}`},
		{`{"items":{"type":"string"}}`, `string[]`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"string"}]}`, `string | integer`},
		{`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `string | null`},
		{`{"allOf":[{"type":"string"}]}`, `string`},
		{`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}}}}}`, `{a?: string}`},
		{`{"$ref":"#/$defs/Nosuch"}`, `any`},
		// A circle is shown as deep as it is readable.
		{`{"type":"object","properties":{"next":{"$ref":"#"},"value":{"type":"string"}}}`,
			`{next?: {next?: {next?: {next?: object, value?: string}, value?: string}, value?: string}, value?: string}`},
		{`{"$ref":"#"}`, `…`},
		// What is too long is shown with less.
		{`{"type":"object","properties":{"a":{"type":"object","properties":{"` + long + `":{}}}}}`, `{a?: object}`},
		{`{"const":"` + long + `"}`, `any`},
	}
	for _, test := range tests {
		schema := schemaOf(t, test.schema)
		if got := shapeOf(alone(schema), schema); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.schema, got, test.want)
		}
	}
}

func TestShapeOfManyProperties(t *testing.T) {
	schema := &toolkit.Schema{Type: toolkit.Types{"object"}, Properties: map[string]*toolkit.Schema{}}
	for i := range 40 {
		schema.Properties[fmt.Sprintf("property%02d", i)] = &toolkit.Schema{Type: toolkit.Types{"string"}}
	}
	got := shapeOf(alone(schema), schema)
	if !strings.HasPrefix(got, "{property00?: string, property01?: string, ") || !strings.HasSuffix(got, ", … 28 more}") {
		t.Errorf("got %s, want the first properties and how many more there are", got)
	}
}

// TestShapeIsBounded has a union of itself, which grows without end.
func TestShapeIsBounded(t *testing.T) {
	schema := schemaOf(t, `{"anyOf":[{"$ref":"#"},{"type":"array","items":{"$ref":"#"}},{"type":"object","properties":{"a":{"$ref":"#"}}}]}`)
	if got := shapeOf(alone(schema), schema); len(got) > maxShape {
		t.Errorf("got %d bytes, want at most %d: %s", len(got), maxShape, got)
	}
}

func TestInline(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain", "plain"},
		{" a \t b\r\n\r\nc ", "a b c"},
		{"a\u00a0b\u2028c", "a b c"},
		{"\x1b[31mred\x1b[0m", "[31mred[0m"},
		{"a\u202eb\u2066c\u2069", "abc"},
		{"a\u200bb\u200d\ufeffc\u00ad", "abc"},
		{"a\U000e0041\U000e0042b", "ab"},
		{"a\ufe0f\U000e0100b\u3164c", "abc"},
		{"a\x00\x07\x9b\xffb\ufffdc", "abc"},
		{"naïve 日本語 😀 ₤", "naïve 日本語 😀 ₤"},
	}
	for _, test := range tests {
		if got := inline(test.text); got != test.want {
			t.Errorf("inline(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	text := "{\"k\u202e\":\"a\u200bb\U000e0041é\u00a0\x7f\"}"
	got := string(visibleJSON([]byte(text)))
	want := `{"k\u202e":"a\u200bb\udb40\udc41é\u00a0\u007f"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var before, after map[string]string
	if json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(got), &after) != nil || before["k\u202e"] != after["k\u202e"] {
		t.Errorf("got %q, want the value %q to stay", after, before)
	}
}

func TestFirstSentence(t *testing.T) {
	tests := []struct{ text, want string }{
		{"One sentence", "One sentence"},
		{"One sentence.", "One sentence."},
		{"One sentence. Another.", "One sentence."},
		{"Really? Yes.", "Really?"},
		{"A city, e.g. Paris. More.", "A city, e.g. Paris."},
		{"Version 1.2 of it. More.", "Version 1.2 of it."},
		{"See No. 5 of them. More.", "See No. 5 of them."},
		{"To St. Gallen. More.", "To St. Gallen."},
		{"一つ。二つ。", "一つ。"},
		{"Over\ntwo lines. More.", "Over two lines."},
		{strings.Repeat("word ", 60), strings.TrimSpace(strings.Repeat("word ", 40)) + "…"},
	}
	for _, test := range tests {
		if got := firstSentence(test.text); got != test.want {
			t.Errorf("firstSentence(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
