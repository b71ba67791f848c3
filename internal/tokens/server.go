package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// The limits, in percent of the tokens of tools/list.
const (
	maxFull     = 45
	maxRequired = 20
)

// serverCost is what the tools of one MCP server cost.
type serverCost struct {
	name     string
	tools    int
	list     int // tools/list
	schemas  int // names, descriptions and input schemas of it
	full     int // the prompt with all flags and without examples
	required int // the prompt without optional flags
}

func costOfServer(name string, count func(string) int) (*serverCost, error) {
	def, list, err := fixture.MCP(name)
	if err != nil {
		return nil, err
	}
	schemas, err := schemasOf(list)
	if err != nil {
		return nil, fmt.Errorf("read tools of %s: %w", name, err)
	}
	return &serverCost{
		name: name, tools: len(def.Commands), list: count(string(list)), schemas: count(schemas),
		full:     count(withoutExamples(def)),
		required: count(withoutOptional(def)),
	}, nil
}

// schemasOf is what remains of a tools/list when titles, annotations and the schemas
// of results are left out.
func schemasOf(list []byte) (string, error) {
	var answer struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(list, &answer); err != nil {
		return "", err
	}
	text, err := json.Marshal(answer.Tools)
	return string(text), err
}

// withoutExamples is the prompt that has every flag. These servers' tools have no
// examples, so it is the whole of it.
func withoutExamples(def *toolkit.Definition) string {
	return prompt.Render([]*toolkit.Definition{def}, nil)
}

// withoutOptional is the first prompt that has no optional flag.
func withoutOptional(def *toolkit.Definition) string {
	return prompt.Render([]*toolkit.Definition{def}, &prompt.Options{Budget: 1, Count: func(text string) int {
		if strings.Contains(text, " [--") {
			return 2
		}
		return 1
	}})
}
