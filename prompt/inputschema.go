package prompt

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// compositions are the keywords that the APIs refuse beside the properties, though
// not inside of one. The host checks them all the same.
var compositions = []string{"allOf", "anyOf", "enum", "not", "oneOf"}

// refused reports whether the schema has one of them.
func refused(s *toolkit.Schema) bool {
	return s != nil && (len(s.AllOf) > 0 || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || len(s.Enum) > 0 || s.Not != nil)
}

// inputSchema is the schema of the tool's input with plain descriptions.
func inputSchema(def *toolkit.Definition, path []string) json.RawMessage {
	var schema map[string]any
	decoder := json.NewDecoder(bytes.NewReader(encode(argv.InputSchema(def, path))))
	decoder.UseNumber() // a number is its text
	if err := decoder.Decode(&schema); err != nil {
		return json.RawMessage(`{"type":"object"}`) // only where a definition that was not vetted holds text that is no JSON
	}
	for _, keyword := range compositions {
		delete(schema, keyword)
	}
	if schema["properties"] == nil {
		schema["properties"] = map[string]any{} // OpenAI misses it
	}
	clean(schema)
	return encode(schema)
}

// The keywords whose value is no schema, and those whose value is schemas by name.
var (
	valueKeywords = []string{"const", "default", "dependentRequired", "enum", "examples"}
	namedKeywords = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// clean makes the texts for people in a schema plain. Names and values stay as they
// are: with another character they would be others.
func clean(schema map[string]any) {
	delete(schema, "title")
	delete(schema, "$comment")
	if schema["type"] == toolkit.TypeArray && schema["items"] == nil {
		schema["items"] = map[string]any{} // OpenAI misses it
	}
	for keyword, value := range schema {
		switch {
		case keyword == "description":
			text, _ := value.(string)
			schema[keyword] = clipped(plain(text), maxPropertyDescription)
		case slices.Contains(valueKeywords, keyword):
		case slices.Contains(namedKeywords, keyword):
			named, _ := value.(map[string]any)
			for _, below := range named {
				cleanBelow(below)
			}
		default:
			cleanBelow(value)
		}
	}
}

// cleanBelow cleans the value of a keyword: a schema, a list of them, or neither.
func cleanBelow(value any) {
	switch value := value.(type) {
	case map[string]any:
		clean(value)
	case []any:
		for _, item := range value {
			cleanBelow(item)
		}
	}
}
