package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// shown is how many tools an answer shows.
const shown = 5

// Answer is what whoever searched is told: the best five tools, as Text and JSON
// give them. The error, a VALIDATION_ERROR *toolkit.Error, is that of a query
// which finds nothing because it has no words, or only those of any sentence.
func Answer(defs []*toolkit.Definition, query string) (text string, found json.RawMessage, err error) {
	hits, total := Search(defs, query, shown)
	switch telling, little := parted(query); {
	case total > 0 || len(telling) > 0:
		found, err = JSON(hits, total)
		return Text(hits, total), found, err
	case len(little) > 0:
		return "", nil, refused("too common to tell one tool from another; say what is to be done and what it is done to, as in 'open a ticket'",
			"a word that says something of a tool", "agentos list-tools")
	}
	return "", nil, refused("required, with a letter or digit in them", "a word", "agentos search --help")
}

// refused is the error of the words of a query, of which it repeats nothing.
func refused(why, expected, hint string) *toolkit.Error {
	return &toolkit.Error{
		Code: toolkit.CodeValidationError, Message: "words: " + why, Hint: hint,
		Details: []toolkit.Problem{{Path: "words", Expected: expected}},
	}
}

// Text is the hits as lines for whoever searched: the command, what it takes and
// what it does. The last line says how many tools fit and how to go on.
func Text(hits []Hit, total int) string {
	if total == 0 {
		return "No tool fits these words. Try others, for what is to be done and what it is done to; agentos list-tools shows all tools.\n"
	}
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(h.line())
	}
	fmt.Fprintf(&b, "\nTools shown: %d of %d that fit. Details: --help after a command. More: search with other words, or agentos list-tools.\n", len(hits), total)
	return b.String()
}

func (h *Hit) line() string {
	words := append([]string{"agentos-" + h.Definition.Name}, h.Path...)
	if signature := argv.Signature(h.Definition, h.Path); signature != "" {
		words = append(words, signature)
	}
	line := strings.Join(words, " ")
	if summary := argv.Inline(h.Command.Summary); summary != "" {
		line += "   " + summary
	}
	return line + "\n"
}

// The document of --json. Its keys and their order are part of the contract.
type (
	document struct {
		Total int     `json:"total"`
		Tools []entry `json:"tools"`
	}
	entry struct {
		Toolkit     string `json:"toolkit"`
		Tool        string `json:"tool"`
		Signature   string `json:"signature"`
		Description string `json:"description"`
	}
)

// JSON is the hits as a JSON object. A nested tool's name is its path, joined by
// spaces; the description is the summary.
func JSON(hits []Hit, total int) (json.RawMessage, error) {
	doc := document{Total: total, Tools: []entry{}}
	for _, h := range hits {
		doc.Tools = append(doc.Tools, entry{
			h.Definition.Name, strings.Join(h.Path, " "), argv.Signature(h.Definition, h.Path), argv.Inline(h.Command.Summary),
		})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode tools found: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
