package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// Schema is a tool as the APIs of model providers are told of it.
type Schema struct {
	// Name is at most 64 of the characters a-z, 0-9, _ and -, and no other tool of
	// the definitions has it: toolkit and path joined by _, shortened where that is
	// too long.
	Name string
	// Toolkit and Path are the tool that a call of Name means.
	Toolkit string
	Path    []string
	// Description is one line of at most 1,024 characters, marks first.
	Description string
	// Input is the JSON Schema of the tool's input, an object.
	Input json.RawMessage
}

// Schemas are the tools that can be called with JSON alone, sorted by toolkit and
// path: all but those that need a stream for their input. Nil means no marks but the
// declared ones.
func Schemas(defs []*toolkit.Definition, m *Marks) []Schema {
	if m == nil {
		m = &Marks{}
	}
	schemas := []Schema{}
	for _, def := range distinct(defs) {
		for _, t := range distinctTools(def) {
			if t.Body.Stdin != nil && t.Body.Stdin.Required {
				continue
			}
			schemas = append(schemas, Schema{
				Name: schemaName(def.Name, t.path), Toolkit: def.Name, Path: t.path,
				Description: describe(def, t, m), Input: inputSchema(def, t.path),
			})
		}
	}
	return schemas
}

// OpenAI is the list for the field tools of OpenAI's Chat Completions API, which
// many other providers speak too.
// https://platform.openai.com/docs/api-reference/chat/create
func OpenAI(schemas []Schema) json.RawMessage {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	tools := make([]tool, len(schemas))
	for i, s := range schemas {
		tools[i] = tool{"function", function{s.Name, s.Description, s.Input}}
	}
	return encode(tools)
}

// Anthropic is the list for the field tools of Anthropic's Messages API.
// https://docs.anthropic.com/en/api/messages
func Anthropic(schemas []Schema) json.RawMessage {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	tools := make([]tool, len(schemas))
	for i, s := range schemas {
		tools[i] = tool{s.Name, s.Description, s.Input}
	}
	return encode(tools)
}

// maxSchemaName is the length of a tool's name that every provider takes.
const maxSchemaName = 64

// schemaName joins the names, which have no _ of their own. What is too long ends in
// a digest of the whole, behind a double _ that no other name has.
func schemaName(kit string, path []string) string {
	name := strings.Join(append([]string{kit}, path...), "_")
	if len(name) <= maxSchemaName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	digest := "__" + hex.EncodeToString(sum[:8])
	return name[:maxSchemaName-len(digest)] + digest
}

// Limits of descriptions in characters: OpenAI refuses a longer one of a tool.
const (
	maxDescription         = 1024
	maxPropertyDescription = 500
)

// describe is the tool's whole description, behind its marks.
func describe(def *toolkit.Definition, t tool, m *Marks) string {
	text := plain(t.Summary)
	if more := plain(t.Description); more != "" && more != text {
		text = strings.TrimPrefix(strings.TrimSuffix(text, ".")+". "+more, ". ")
	}
	rules := argv.Rules(def, t.path)
	if refused(t.Body.Input) {
		rules = append(rules, "Not every combination of parameters is valid")
	}
	for _, rule := range rules {
		text = strings.TrimPrefix(strings.TrimSuffix(text, ".")+". "+plain(rule)+".", ". ")
	}
	marks := m.of(def, t)
	if m.untrusted(def) {
		marks += " " + markUntrusted
	}
	return clipped(strings.TrimSpace(marks+" "+text), maxDescription)
}

// encode is the value as JSON with sorted keys. What is none is null, which only a
// definition that was not vetted can give.
func encode(value any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(text.Bytes())
}
