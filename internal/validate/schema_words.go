package validate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxNested is how deep the words go into schemas of schemas.
const maxNested = 3

// words say what the schema asks for: "integer from 1 to 16", "one of red, green".
func (m *machine) words(s *jsonschema.Schema) string {
	n := m.nodes[s.Location]
	if n == nil {
		return m.nested(s, 0)
	}
	if n.words == "" {
		n.words = m.nested(s, 0)
	}
	return n.words
}

func (m *machine) nested(s *jsonschema.Schema, level int) string {
	n := m.nodes[s.Location]
	switch {
	case n == nil || level > maxNested:
		return "another value"
	case s.Bool != nil && *s.Bool:
		return "any value"
	case s.Bool != nil:
		return "nothing"
	case n.literal != nil:
		return literalText(*n.literal)
	case n.choices != nil:
		return choiceWords(n.choices)
	case len(n.types) > 0:
		return typeWords(n)
	case s.Ref != nil:
		return m.nested(s.Ref, level+1)
	case len(s.AnyOf) > 0:
		return m.unionWords(s.AnyOf, level+1)
	case len(s.OneOf) > 0:
		return m.unionWords(s.OneOf, level+1)
	case len(s.AllOf) > 0:
		return m.nested(s.AllOf[0], level+1)
	case n.format != nil || s.Pattern != nil:
		return stringWords(n)
	case rangeWords(s) != "":
		return "number" + rangeWords(s)
	case s.Required != nil || s.Properties != nil:
		return objectWords(s)
	}
	return "another value"
}

// unionWords are those of the alternatives.
func (m *machine) unionWords(alternatives []*jsonschema.Schema, level int) string {
	all := make([]string, len(alternatives))
	for i, alternative := range alternatives {
		all[i] = m.nested(alternative, level)
	}
	return either(all)
}

// either joins the words of alternatives, each once.
func either(all []string) string {
	once := distinctWords(all)
	return strings.Join(once[:min(len(once), maxAlternatives)], " or ")
}

// maxAlternatives is how many alternatives the words of a union have.
const maxAlternatives = 8

// choiceWords name the choices.
func choiceWords(choices []any) string {
	var texts []string
	for _, choice := range choices[:min(len(choices), maxNames)] {
		texts = append(texts, literalText(choice))
	}
	return "one of " + strings.Join(texts, ", ") + andMore(len(choices)-len(texts))
}

// andMore is said of what is left out.
func andMore(rest int) string {
	if rest == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", rest)
}

// literalText is a value of a schema as an error shows it: text without quotes.
func literalText(v any) string {
	if text, ok := v.(string); ok {
		return shorten(text)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "another value"
	}
	return shorten(string(text))
}

// typeWords say the types and what is asked of each.
func typeWords(n *subschema) string {
	texts := make([]string, len(n.types))
	for i, name := range n.types {
		switch name {
		case "boolean":
			texts[i] = "true or false"
		case "integer", "number":
			texts[i] = name + rangeWords(n.Schema)
		case "string":
			texts[i] = stringWords(n)
		case "array":
			texts[i] = "array"
		case "object":
			texts[i] = objectWords(n.Schema)
		default:
			texts[i] = name
		}
	}
	if last := len(texts) - 1; slices.Contains(texts[:last], "null") {
		texts = append(slices.DeleteFunc(texts, func(text string) bool { return text == "null" }), "null")
	}
	return strings.Join(texts, " or ")
}

func stringWords(n *subschema) string {
	switch {
	case n.format != nil:
		return n.format.words
	case n.Pattern != nil:
		return "string that matches " + shorten(n.Pattern.String())
	}
	return "string"
}

func objectWords(s *jsonschema.Schema) string {
	if len(s.Required) == 0 {
		return "object"
	}
	return "object with " + capped(s.Required, maxAlternatives)
}

// rangeWords are " from 1 to 16", or what is known of it.
func rangeWords(s *jsonschema.Schema) string {
	if s.Minimum != nil && s.Maximum != nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil {
		return " from " + decimalText(s.Minimum) + " to " + decimalText(s.Maximum)
	}
	var parts []string
	for _, part := range []struct {
		words string
		bound *big.Rat
	}{
		{" of at least ", s.Minimum}, {" above ", s.ExclusiveMinimum},
		{" of at most ", s.Maximum}, {" below ", s.ExclusiveMaximum},
	} {
		if part.bound != nil {
			parts = append(parts, part.words+decimalText(part.bound))
		}
	}
	return strings.Join(parts, " and")
}

// countWords are "1 to 5 characters", or what is known of it.
func countWords(low, high *int, unit string) string {
	switch {
	case low != nil && high != nil && *low == *high:
		return "exactly " + plural(*low, unit)
	case low != nil && high != nil:
		return fmt.Sprintf("%d to %s", *low, plural(*high, unit))
	case low != nil:
		return "at least " + plural(*low, unit)
	case high != nil:
		return "at most " + plural(*high, unit)
	}
	return "another number of " + unit + "s"
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// capped is the names separated by commas, at most limit of them.
func capped(names []string, limit int) string {
	var short []string
	for _, name := range names[:min(len(names), limit)] {
		short = append(short, shorten(name))
	}
	return strings.Join(short, ", ") + andMore(len(names)-len(short))
}

// containsWords say how many items must be of a kind.
func (m *machine) containsWords(n *subschema) string {
	low, high := n.MinContains, n.MaxContains
	if low == nil {
		one := 1
		low = &one
	}
	words := countWords(low, high, "item")
	if strings.HasSuffix(words, "s") {
		return words + " that are each " + m.words(n.Contains)
	}
	return words + " that is " + m.words(n.Contains)
}

func (m *machine) notWords(n *subschema) string {
	if n == nil {
		return "another value"
	}
	return "anything but " + m.words(n.Not)
}

// wordsOf say what a rule of a single value asks for: those of the node, or where
// a schema itself is wrong, those of the kind of its error.
func (m *machine) wordsOf(n *subschema, k jsonschema.ErrorKind) string {
	if n != nil {
		return m.words(n.Schema)
	}
	switch k := k.(type) {
	case *kind.Type:
		return strings.Join(k.Want, " or ")
	case *kind.Enum:
		return choiceWords(k.Want)
	case *kind.Const:
		return literalText(k.Want)
	case *kind.Pattern:
		return "string that matches " + shorten(k.Want)
	case *kind.Minimum:
		return "number of at least " + decimalText(k.Want)
	case *kind.ExclusiveMinimum:
		return "number above " + decimalText(k.Want)
	case *kind.UniqueItems:
		return "items that all differ"
	}
	return "another value"
}
