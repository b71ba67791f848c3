package argv

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// List is the text of all toolkits, sorted: a line for each and one for each of
// its tools, with what it takes and what it does.
func List(defs []*toolkit.Definition) string {
	if len(defs) == 0 {
		return "No toolkits.\n"
	}
	var b strings.Builder
	for _, def := range sortedDefinitions(defs) {
		b.WriteString(heading(&def.Command))
		for _, s := range tools(newScope(def)) {
			b.WriteString(s.toolLine())
		}
	}
	return b.String()
}

// ListToolkit is the text of one toolkit: its tools as List shows them, each
// with a line for every parameter.
func ListToolkit(def *toolkit.Definition) string {
	var b strings.Builder
	b.WriteString(heading(&def.Command))
	for _, s := range tools(newScope(def)) {
		b.WriteString(s.toolLine())
		var rows []row
		for _, p := range s.shown() {
			rows = append(rows, s.parameter(p))
		}
		b.WriteString(table(4, rows))
	}
	return b.String()
}

// heading is the line of a toolkit: NAME — summary.
func heading(cmd *toolkit.Command) string {
	line := inline(cmd.Name)
	if summary := inline(cmd.Summary); summary != "" {
		line += " — " + summary
	}
	return line + "\n"
}

// toolLine is the line of a tool: its name, what it takes, what it does.
func (s *scope) toolLine() string {
	line := "  " + s.toolName()
	if signature := s.signature(""); signature != "" {
		line += "  " + signature
	}
	if summary := inline(s.command().Summary); summary != "" {
		line += "   " + summary
	}
	return line + "\n"
}

// toolName is the tool's path, and for the toolkit's own body its command.
func (s *scope) toolName() string {
	if path := s.shownPath(); path != "" {
		return path
	}
	return "agentos-" + inline(s.command().Name)
}

// tools are the scopes of the commands with a body at and below the scope,
// sorted by path.
func tools(s *scope) []*scope {
	var found []*scope
	if s.body() != nil {
		found = append(found, s)
	}
	for _, child := range sortedCommands(s.command()) {
		found = append(found, tools(s.below(child))...)
	}
	return found
}

// below is the scope of a command below.
func (s *scope) below(child *toolkit.Command) *scope {
	below := &scope{nodes: slices.Clone(s.nodes), params: slices.Clone(s.params)}
	below.enter(child)
	return below
}

func sortedDefinitions(defs []*toolkit.Definition) []*toolkit.Definition {
	sorted := slices.Clone(defs)
	slices.SortStableFunc(sorted, func(a, b *toolkit.Definition) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// The documents of --json. Their keys and order are part of the contract.
type (
	toolkitsDocument struct {
		Toolkits []toolkitEntry `json:"toolkits"`
	}
	toolkitEntry struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Tools       []string `json:"tools"`
	}
	toolkitDocument struct {
		Name        string               `json:"name"`
		Description string               `json:"description"`
		Tools       map[string]toolEntry `json:"tools"`
	}
	toolEntry struct {
		Description string      `json:"description"`
		Flags       []flagEntry `json:"flags"`
	}
	flagEntry struct {
		Flag        string `json:"flag"`
		Type        string `json:"type"`
		Required    bool   `json:"required"`
		Description string `json:"description"`
	}
)

// ListJSON is the JSON object of all toolkits, sorted, with the names of their
// tools: a nested tool's name is its path, joined by spaces, and the toolkit's
// own body has the empty name.
func ListJSON(defs []*toolkit.Definition) json.RawMessage {
	doc := toolkitsDocument{Toolkits: []toolkitEntry{}}
	for _, def := range sortedDefinitions(defs) {
		entry := toolkitEntry{Name: def.Name, Description: def.Summary, Tools: []string{}}
		for _, s := range tools(newScope(def)) {
			entry.Tools = append(entry.Tools, strings.Join(s.names(), " "))
		}
		doc.Toolkits = append(doc.Toolkits, entry)
	}
	return encode(doc)
}

// ListToolkitJSON is the JSON object of one toolkit: its tools by name, each with
// its parameters in the order of help. A place is listed as <name>.
func ListToolkitJSON(def *toolkit.Definition) json.RawMessage {
	return newScope(def).toolkitJSON()
}

func (s *scope) toolkitJSON() json.RawMessage {
	cmd := s.command()
	doc := toolkitDocument{Name: cmd.Name, Description: cmd.Summary, Tools: map[string]toolEntry{}}
	for _, tool := range tools(s) {
		flags := []flagEntry{}
		for _, p := range tool.shown() {
			flags = append(flags, flagEntry{tool.label(p), tool.shortType(p), p.demanded(), tool.about(p)})
		}
		doc.Tools[strings.Join(tool.names(), " ")] = toolEntry{tool.command().Summary, flags}
	}
	return encode(doc)
}

// about is the parameter's description, and that a secret is one.
func (s *scope) about(p *param) string {
	switch {
	case s.isFile(p):
		return spaced(p.text(), "(secret: the path of a file that holds it)")
	case p.secret:
		return spaced(p.text(), "("+s.fileNote(p)+")")
	}
	return p.text()
}

// shortType is the parameter's type in a word: string, integer[], object.
func (s *scope) shortType(p *param) string {
	kind := kindOf(s.element(p))
	if kind == "" {
		kind = "any"
	}
	if s.isList(p) {
		return kind + "[]"
	}
	return kind
}

// encode is the document as JSON text in which every character can be seen.
func encode(doc any) json.RawMessage {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		// Only text that is no JSON inside of a definition that was not vetted.
		return json.RawMessage("null")
	}
	return visibleJSON(bytes.TrimSpace(text.Bytes()))
}
