package argv

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// The document of describe. Its keys and order are part of the contract.
type (
	toolDocument struct {
		Toolkit     string              `json:"toolkit"`
		Tool        string              `json:"tool"`
		Summary     string              `json:"summary"`
		Description string              `json:"description"`
		Input       json.RawMessage     `json:"input"`
		Result      json.RawMessage     `json:"result"`
		Errors      []errorDocument     `json:"errors"`
		Annotations annotationsDocument `json:"annotations"`
		Examples    []exampleDocument   `json:"examples"`
		// The streams, where there are any.
		Stdin  *toolkit.Slot `json:"stdin,omitempty"`
		Stdout *toolkit.Slot `json:"stdout,omitempty"`
		Stderr *toolkit.Slot `json:"stderr,omitempty"`
	}
	errorDocument struct {
		Name    string            `json:"name"`
		Summary string            `json:"summary"`
		Kind    toolkit.ErrorKind `json:"kind,omitempty"`
		Exit    int               `json:"exit"`
		Payload json.RawMessage   `json:"payload,omitempty"`
	}
	annotationsDocument struct {
		ReadOnly    bool `json:"read_only"`
		Destructive bool `json:"destructive"`
		Idempotent  bool `json:"idempotent"`
		OpenWorld   bool `json:"open_world"`
	}
	exampleDocument struct {
		Summary string          `json:"summary"`
		Input   json.RawMessage `json:"input"`
		Command string          `json:"command"`
	}
)

// Describe is the JSON object that describes the command at the path in full:
// the JSON Schemas of its input and result, its declared errors, its promises with
// the defaults filled in, its examples, its streams if it has any. Its constraints are part of the input's
// description, since no keyword says them as plainly. A tool without a result has
// the result null. For a command that only has others below it, it is the object that
// ListToolkitJSON gives, from that command on; for a path that names none, null.
func Describe(def *toolkit.Definition, path []string) json.RawMessage {
	s := scopeAt(def, path)
	switch {
	case s == nil:
		return json.RawMessage("null")
	case s.body() == nil:
		return s.toolkitJSON()
	}
	cmd, body := s.command(), s.body()
	return encode(toolDocument{
		Toolkit:     def.Name,
		Tool:        strings.Join(s.names(), " "),
		Summary:     cmd.Summary,
		Description: cmp.Or(cmd.Description, cmd.Summary),
		Input:       schemaText(ruled(InputSchema(def, path), Rules(def, path))),
		Result:      schemaText(body.Result),
		Errors:      errorDocuments(body.Errors),
		Annotations: promises(&body.Annotations),
		Examples:    s.exampleDocuments(def.Name),
		Stdin:       body.Stdin, Stdout: body.Stdout, Stderr: body.Stderr,
	})
}

// ruled is the schema with the rules in its description, a sentence each.
func ruled(schema *toolkit.Schema, rules []string) *toolkit.Schema {
	if len(rules) == 0 {
		return schema
	}
	with := *schema
	with.Description = spaced(schema.Description, strings.Join(rules, ". ")+".")
	return &with
}

// schemaText is the schema as canonical JSON, null where there is none.
func schemaText(schema *toolkit.Schema) json.RawMessage {
	if schema == nil {
		return json.RawMessage("null")
	}
	text, err := json.Marshal(schema)
	if err == nil {
		text, err = strictjson.Canonical(text)
	}
	if err != nil {
		// Only text that is no JSON inside of a definition that was not vetted.
		return json.RawMessage("null")
	}
	return text
}

func errorDocuments(errors []toolkit.ErrorCase) []errorDocument {
	docs := []errorDocument{}
	for _, e := range errors {
		doc := errorDocument{Name: e.Name, Summary: e.Summary, Kind: e.Kind, Exit: max(e.Exit, 1)}
		if e.Payload != nil {
			doc.Payload = schemaText(e.Payload)
		}
		docs = append(docs, doc)
	}
	return docs
}

// promises are the annotations with what absence means.
func promises(a *toolkit.Annotations) annotationsDocument {
	return annotationsDocument{
		ReadOnly:    a.ReadOnly,
		Destructive: a.Destructive == nil && !a.ReadOnly || a.Destructive != nil && *a.Destructive,
		Idempotent:  a.Idempotent,
		OpenWorld:   a.OpenWorld == nil || *a.OpenWorld,
	}
}

func (s *scope) exampleDocuments(name string) []exampleDocument {
	docs := []exampleDocument{}
	for _, example := range s.command().Examples {
		line, err := s.commandLine("agentos-"+name, s.withSecrets(example.Input))
		if err != nil {
			continue
		}
		docs = append(docs, exampleDocument{example.Summary, example.Input, line})
	}
	return docs
}
