package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// notes say what a parameter's syntax and description leave open: whether it is
// required, its type where the syntax shows something else, its bounds, how it
// is repeated or nested, its default and where else its value may come from.
func (s *scope) notes(p *param) []string {
	var notes []string
	add := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				notes = append(notes, text)
			}
		}
	}
	if p.demanded() {
		add("required")
	}
	add(s.typeNote(p), choicesNote(s.valueName(p), s.element(p)))
	add(s.bounds(p)...)
	add(s.nullNote(p), s.bareNote(p))
	if len(p.fallback) > 0 {
		add("default " + s.shownDefault(p))
	}
	if p.env != "" {
		add("env " + inline(p.env))
	}
	for _, alias := range p.aliases {
		add("alias " + s.form(p, alias))
	}
	add(s.fileNote(p))
	return notes
}

// shownDefault is the default as the line would give it.
func (s *scope) shownDefault(p *param) string {
	if element := s.element(p); kindOf(element) == "" && len(element.Enum) == 0 {
		return clip(literal(p.fallback), maxValue)
	}
	return shownValue(p.fallback)
}

// typeNote is the type and how a value that is no scalar is written; empty where
// the syntax shows the type.
func (s *scope) typeNote(p *param) string {
	element := s.element(p)
	kind := kindOf(element)
	shape := shapeOf(s.refs(), element)
	isText := kind == toolkit.TypeString && len(alternatives(element)) > 0
	isChoice := len(element.Enum) > 0 && (kind == "" || kind == toolkit.TypeString)
	if isText {
		shape = s.refs().textForms(element)
	}
	switch {
	case p.kind == flag && p.flag.Count && p.flag.Max > 0:
		return fmt.Sprintf("count, up to %d", p.flag.Max)
	case p.kind == flag && p.flag.Count:
		return "count"
	case p.kind == flag && s.negation(p) == "":
		return "boolean, false by " + p.dashed() + "=false"
	case p.kind == flag:
		return "boolean"
	case s.isMap(p):
		return "map of " + shapeOf(s.refs(), s.plain(p).AdditionalProperties) + ": repeat it or give a JSON object"
	case p.kind == tail:
		return "list of " + shape
	case s.isList(p) && (isChoice || isScalar(kind) && !isText):
		return "list: " + repeatNote(p)
	case s.isList(p):
		return "list of " + shape + ": " + repeatNote(p)
	case isChoice:
		return ""
	case isText:
		return shape
	case kind == toolkit.TypeObject && p.kind == option:
		return shape + " in JSON, or " + p.dashed() + "." + firstProperty(element) + " VALUE"
	case shape == "any":
		return "any JSON value, " + textNote
	case kind == "" && len(element.Type) == 0 && s.refs().allowsText(element):
		return shape + " in JSON, " + textNote
	case !isScalar(kind):
		return shape + " in JSON"
	case len(element.Type) > 1 && element.Kind() == "":
		return shape + ", other than text by " + s.bridgeName("json")
	case s.valueName(p) == kind:
		return ""
	}
	return kind
}

// textNote says how text is written where the value is JSON.
const textNote = `text as '"text"'`

// textForms are the alternatives of a union of texts, in words.
func (r refs) textForms(union *toolkit.Schema) string {
	var forms []string
	for _, branch := range alternatives(union) {
		form := "string"
		branch = r.plain(branch)
		bounds := slices.DeleteFunc(schemaBounds(branch), func(text string) bool { return text == "" })
		switch {
		case kindOf(branch) == toolkit.TypeNull:
			continue
		case len(branch.Enum) > 0:
			form = choiceList(branch)
		case len(bounds) > 0:
			form = strings.Join(bounds, ", ")
		}
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	if rest := len(forms) - maxUnion; rest > 0 {
		forms = append(forms[:maxUnion], fmt.Sprintf("%d more", rest))
	}
	return enumeration(forms, "or")
}

// firstProperty is one that the dotted form can name as it is, or else a word that
// stands for such a name.
func firstProperty(schema *toolkit.Schema) string {
	for _, name := range propertyNames(schema) {
		if name = toolkit.CLIName(name); isBare(name) && !strings.ContainsAny(name, ".=") {
			return name
		}
	}
	return "NAME"
}

// repeatNote says how a list is given on the line.
func repeatNote(p *param) string {
	switch {
	case p.shape.Delimiter == "":
		return "repeat it or give a JSON array"
	case p.shape.Repeats:
		return "repeat it or separate by " + quotedText(p.shape.Delimiter)
	}
	return "separate by " + quotedText(p.shape.Delimiter)
}

// maxListed is how many choices are listed; Describe has them all.
const maxListed = 24

// choicesNote lists the choices that the syntax does not show.
func choicesNote(valueName string, schema *toolkit.Schema) string {
	if len(schema.Enum) == 0 || valueName == shortChoices(schema) {
		return ""
	}
	return "one of " + choiceList(schema)
}

// choiceList are the choices, at most maxListed of them.
func choiceList(schema *toolkit.Schema) string {
	var texts []string
	for _, value := range schema.Enum[:min(len(schema.Enum), maxListed)] {
		texts = append(texts, shownValue(value))
	}
	if rest := len(schema.Enum) - maxListed; rest > 0 {
		texts = append(texts, fmt.Sprintf("… %d more", rest))
	}
	return strings.Join(texts, ", ")
}

// bounds are the limits of the value, for a list those of each item and of
// their number.
func (s *scope) bounds(p *param) []string {
	if p.kind == flag {
		return nil
	}
	texts := schemaBounds(s.element(p))
	if format := fileFormat(p); format != "" {
		texts = []string{fileNotes[format]}
	}
	if !s.isList(p) {
		return texts
	}
	for i, text := range texts {
		if text != "" {
			texts[i] = "each " + text
		}
	}
	return append(texts, s.countNote(p))
}

// fileNotes say what becomes of a file of the guest, by its format.
var fileNotes = map[string]string{
	toolkit.FormatFile: "a file here, whose contents are sent", toolkit.FormatOutFile: "a file here, written if the call succeeds",
}

// schemaBounds are the schema's limits in words.
func schemaBounds(schema *toolkit.Schema) []string {
	texts := []string{numberRange(schema), amount(schema.MinLength, schema.MaxLength, "character")}
	if schema.Format != "" {
		texts = append(texts, "format "+inline(schema.Format))
	}
	if schema.Pattern != "" {
		texts = append(texts, "matching "+inline(schema.Pattern))
	}
	if multiple := schema.Extra["multipleOf"]; len(multiple) > 0 {
		texts = append(texts, "a multiple of "+literal(multiple))
	}
	return texts
}

// numberRange is 1–16, or in words where a side is open or excluded.
func numberRange(schema *toolkit.Schema) string {
	if schema.ExclusiveMinimum == "" && schema.ExclusiveMaximum == "" {
		return between(numberText(schema.Minimum), numberText(schema.Maximum))
	}
	var sides []string
	for _, side := range []struct {
		words  string
		number json.Number
	}{
		{"at least ", schema.Minimum}, {"more than ", schema.ExclusiveMinimum},
		{"at most ", schema.Maximum}, {"less than ", schema.ExclusiveMaximum},
	} {
		if side.number != "" {
			sides = append(sides, side.words+numberText(side.number))
		}
	}
	return strings.Join(sides, ", ")
}

// between is a closed range, either side of which may be empty.
func between(low, high string) string {
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return "at least " + low
	case low == "":
		return "at most " + high
	case low == high:
		return "exactly " + low
	}
	return low + "–" + high
}

func numberText(n json.Number) string { return inline(string(n)) }

// amount is how many of the unit there may be.
func amount(low, high *int, unit string) string {
	var texts [2]string
	most := 0
	for i, n := range []*int{low, high} {
		if n != nil {
			texts[i], most = strconv.Itoa(*n), *n
		}
	}
	text := between(texts[0], texts[1])
	switch {
	case text == "":
		return ""
	case most == 1:
		return text + " " + unit
	}
	return text + " " + unit + "s"
}

// countNote is how many items a list has.
func (s *scope) countNote(p *param) string {
	schema := s.plain(p)
	low, high := schema.MinItems, schema.MaxItems
	if t := p.tail; t != nil {
		low, high = positive(t.Min), positive(t.Max)
	}
	text := amount(low, high, "item")
	if schema.UniqueItems {
		return strings.TrimPrefix(text+", no item twice", ", ")
	}
	return text
}

// nullNote says how null is given. For a string the word null is text.
func (s *scope) nullNote(p *param) string {
	schema := s.plain(p)
	switch {
	case !schema.Nullable():
		return ""
	case p.kind == flag:
		return "or null by " + p.dashed() + "=null"
	case kindOf(schema) == toolkit.TypeString:
		return "null only by " + s.bridgeName("json")
	}
	return "or null"
}

// bareNote says what an optional scalar without a value means.
func (s *scope) bareNote(p *param) string {
	if !p.shape.Optional || len(p.fallback) == 0 {
		return ""
	}
	return p.dashed() + " alone means " + shownValue(p.fallback)
}

// fileNote says how a value is given that must not stand on the line.
func (s *scope) fileNote(p *param) string {
	schema := s.plain(p)
	switch {
	case s.isFile(p):
		return "secret"
	case p.secret:
		return "secret: by " + s.bridgeName("json") + " @PATH or as JSON on stdin"
	case s.refs().takesFile(p) && schema.ContentEncoding != "":
		return inline(schema.ContentEncoding) + ", or the bytes by " + p.dashed() + "-file PATH"
	}
	return ""
}

// maxValue is the length in characters of a value in a sentence.
const maxValue = 80

// shownValue is a JSON value for a sentence: a string without its quotes where
// they make no difference.
func shownValue(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil || text == "" || inline(text) != text {
		text = literal(raw)
	}
	return clip(text, maxValue)
}
