package argv

import (
	"bytes"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// optionWords are the words of the option's occurrences: of the ways to write the
// value the first that is read back as the value, and none when no way is. What
// reads a line decides that, so that both directions cannot disagree.
func (sp *spelling) optionWords(p *param, value *strictjson.Value) []string {
	for _, words := range sp.candidates(p, value) {
		if sp.readsAs(p, value, words) {
			return words
		}
	}
	return nil
}

// candidates are the ways to write the value, the most readable first: a list or
// map one element an occurrence, any other value in one word.
func (sp *spelling) candidates(p *param, value *strictjson.Value) [][]string {
	whole := []string{sp.word(p.schema, value)}
	schema := sp.refs.plain(p.schema)
	switch kind := kindOf(schema); {
	case kind == toolkit.TypeArray && value.Kind == strictjson.Array:
		return [][]string{sp.elementWords(schema.Items, p.shape, value), whole}
	case isMap(schema) && value.Kind == strictjson.Object:
		return [][]string{sp.entryWords(schema.AdditionalProperties, value), whole}
	}
	return [][]string{whole}
}

// elementWords are the elements of a list, in one word where it is split.
func (sp *spelling) elementWords(item *toolkit.Schema, shape toolkit.Shape, value *strictjson.Value) []string {
	words := make([]string, len(value.Elems))
	for i, elem := range value.Elems {
		words[i] = sp.word(item, elem)
	}
	if shape.Delimiter != "" && !shape.Repeats {
		return []string{strings.Join(words, shape.Delimiter)}
	}
	return words
}

// entryWords are the entries of a map as KEY=VALUE.
func (sp *spelling) entryWords(schema *toolkit.Schema, value *strictjson.Value) []string {
	words := make([]string, len(value.Members))
	for i, member := range value.Members {
		words[i] = member.Name + "=" + sp.word(schema, member.Value)
	}
	return words
}

// members adds the members of an object, each in the dotted form.
func (sp *spelling) members(p *param, object *strictjson.Value) bool {
	words := make([][2]string, len(object.Members))
	for i, member := range object.Members {
		schema := sp.refs.plain(p.schema)
		name := toolkit.CLIName(member.Name)
		if found, _ := property(schema, name); found != member.Name {
			name = member.Name
		}
		word := sp.word(schema.Properties[member.Name], member.Value)
		part := &given{param: p}
		f := part.add(sp.refs, &occurrence{param: p, path: []string{name}, text: word})
		if f != nil || !isVisible(name+word) || strings.ContainsAny(name, ".=") || !equal(part.parts[0].value, member.Value) {
			return false
		}
		words[i] = [2]string{p.cli + "." + name, word}
	}
	for _, word := range words {
		sp.addOption(word[0], word[1])
	}
	return true
}

// word is the value as one word: the text of a string, else JSON. A string of a
// schema without a type is JSON too.
func (sp *spelling) word(schema *toolkit.Schema, value *strictjson.Value) string {
	schema = sp.refs.plain(schema)
	if value.Kind == strictjson.String && (kindOf(schema) != "" || len(schema.Enum) > 0) {
		return value.Text
	}
	return string(visibleJSON(value.Append(nil)))
}

// readsAs reports whether the words, as occurrences of the parameter, give the
// value, and can be seen on a line.
func (sp *spelling) readsAs(p *param, value *strictjson.Value, words []string) bool {
	read := &given{param: p}
	for _, word := range words {
		if !isVisible(word) || read.add(sp.refs, &occurrence{param: p, text: word}) != nil {
			return false
		}
	}
	return read.value != nil && bytes.Equal(read.value.Append(nil), value.Append(nil))
}

// isMap reports whether the schema is that of a map: any name, one type of value.
func isMap(plain *toolkit.Schema) bool {
	return kindOf(plain) == toolkit.TypeObject && len(plain.Properties) == 0 && isOpen(plain)
}
