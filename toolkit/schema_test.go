package toolkit

import (
	"encoding/json"
	"testing"
)

// TestSchemaKeepsEveryKeyword: what has no field is kept as it came, and what
// has one keeps its literal text.
func TestSchemaKeepsEveryKeyword(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`true`, `{}`},
		{`false`, `false`},
		{`{"not":{}}`, `false`},
		{`{"type":"integer","minimum":9007199254740993,"maximum":1.50e3}`, `{"type":"integer","minimum":9007199254740993,"maximum":1.50e3}`},
		{`{"type":["string","null"]}`, `{"type":["string","null"]}`},
		{`{"const":null,"default":null}`, `{"const":null,"default":null}`},
		{`{"z":1,"type":"string","a":{"b":[1.0]}}`, `{"type":"string","a":{"b":[1.0]},"z":1}`},
		{`{"$anchor":"x"}`, `{"$anchor":"x"}`},
		{`{"properties":{"a":true,"b":false},"additionalProperties":false}`, `{"properties":{"a":{},"b":false},"additionalProperties":false}`},
		{`{"minItems":0,"maxLength":0}`, `{"minItems":0,"maxLength":0}`},
		{`{"type":"array","items":[{"type":"string"},true]}`, `{"type":"array","items":[{"type":"string"},true]}`},
		{`{"minimum":1,"exclusiveMinimum":true,"exclusiveMaximum":false}`, `{"minimum":1,"exclusiveMaximum":false,"exclusiveMinimum":true}`},
		{`{"minLength":2.0,"maxItems":1e1,"minItems":1}`, `{"minItems":1,"maxItems":1e1,"minLength":2.0}`},
	} {
		var schema Schema
		if err := json.Unmarshal([]byte(row.text), &schema); err != nil {
			t.Errorf("%s: got %v, want a schema", row.text, err)
			continue
		}
		if got := asJSON(t, &schema); got != row.want {
			t.Errorf("%s: got %s, want %s", row.text, got, row.want)
		}
	}
	for _, text := range []string{`5`, `{"type":5}`, `{"properties":[]}`, `"string"`, `{"items":5}`, `{"minLength":"2.0"}`} {
		if err := json.Unmarshal([]byte(text), new(Schema)); err == nil {
			t.Errorf("%s: got no error, want one", text)
		}
	}
}

func TestKindAndNullable(t *testing.T) {
	for _, row := range []struct {
		types    Types
		kind     string
		nullable bool
	}{
		{nil, "", false},
		{Types{TypeString}, TypeString, false},
		{Types{TypeString, TypeNull}, TypeString, true},
		{Types{TypeNull}, "", false},
		{Types{TypeString, TypeInteger}, "", false},
		{Types{TypeString, TypeInteger, TypeNull}, "", true},
	} {
		schema := &Schema{Type: row.types}
		if got := schema.Kind(); got != row.kind {
			t.Errorf("kind of %v: got %q, want %q", row.types, got, row.kind)
		}
		if got := schema.Nullable(); got != row.nullable {
			t.Errorf("nullable %v: got %t, want %t", row.types, got, row.nullable)
		}
	}
	if (*Schema)(nil).Kind() != "" || (*Schema)(nil).Nullable() || (*Schema)(nil).IsFalse() {
		t.Errorf("a nil schema: want no kind, not nullable, not false")
	}
	if !Types(nil).Has(TypeString) || (Types{TypeString}).Has(TypeNull) {
		t.Errorf("no types allow all, some allow only themselves")
	}
	if !False().IsFalse() || (&Schema{Not: &Schema{}, Pattern: "a"}).IsFalse() {
		t.Errorf("False alone is false")
	}
}
