package argv

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// occurrence is one appearance of a parameter, with the text that it was given.
type occurrence struct {
	param *param
	path  []string // below the parameter, of the dotted form
	label string   // how messages name it: "--n", "city"
	text  string
	form  form
}

// form is how an occurrence was written.
type form uint8

const (
	plainForm    form = iota // --name VALUE, a flag, a place
	exactForm                // --arg:NAME VALUE: one element, never a list
	fileForm                 // --NAME-file, once its file is read
	bareForm                 // an optional scalar without a value
	variableForm             // from the environment
)

// given is what the line says of one parameter.
type given struct {
	param *param
	label string
	value *strictjson.Value // nil until an occurrence gave the whole value
	keys  map[string]int    // where a map's keys are among its members
	parts []part
	count int  // occurrences
	bad   bool // one of them could not be read
}

// part is a value of the dotted form.
type part struct {
	path  []string
	value *strictjson.Value
}

// add reads one more occurrence. After a fault the parameter still counts as
// given.
func (g *given) add(r refs, o *occurrence) *fault {
	g.count++
	f := g.read(r, o)
	if f != nil && f.below == "" {
		f.count(r.unit(g.param))
	}
	g.bad = g.bad || f != nil
	return f
}

func (g *given) read(r refs, o *occurrence) *fault {
	schema := r.plain(g.param.schema)
	kind := kindOf(schema)
	switch {
	case g.param.secret && o.form != fileForm:
		return exposedSecret(r, g.param)
	case len(o.path) > 0:
		return g.addPart(r, o)
	case o.form == bareForm:
		return g.addBare()
	case g.param.kind == flag:
		return g.addFlag(r, schema, o)
	case o.text == "null" && r.meansNull(schema):
		return g.set(&strictjson.Value{})
	case g.value != nil && g.value.Kind == strictjson.Null:
		return g.twice(g.value, strictjson.Text(o.text), "")
	case kind == toolkit.TypeArray:
		return g.addElements(r, schema, o)
	case kind == toolkit.TypeObject && len(schema.Properties) == 0 && isOpen(schema):
		return g.addEntries(r, schema, o)
	}
	value, f := r.value(schema, o.text)
	if f != nil {
		return f
	}
	return g.set(value)
}

// meansNull reports whether the word null is null for the value as a whole: not
// where it may be text, be it that of a list's element.
func (r refs) meansNull(schema *toolkit.Schema) bool {
	kind := kindOf(schema)
	if kind == toolkit.TypeArray {
		kind = kindOf(r.plain(schema.Items))
	}
	return schema.Nullable() && kind != toolkit.TypeString
}

// set gives the whole value. Given again it must be the same.
func (g *given) set(value *strictjson.Value) *fault {
	if g.value != nil && !equal(g.value, value) {
		return g.twice(g.value, value, "")
	}
	g.value = value
	return nil
}

// twice is the fault of two different values for one path.
func (g *given) twice(first, second *strictjson.Value, below string) *fault {
	got := jsonText(first) + " and " + jsonText(second)
	f := &fault{below: below, got: got, expected: "one value", usage: true, again: true}
	f.clause = "given twice, as " + got
	if g.param.secret {
		f.got, f.clause = "", "given twice with different values"
	}
	return f
}

// jsonText is a value as an error repeats it.
func jsonText(value *strictjson.Value) string {
	text := shortened(string(appendHead(nil, value)))
	return shortened(string(visibleJSON([]byte(text))))
}

// appendHead appends the canonical text of the value, as far as an error shows it
// and a little further: the value may be large.
func appendHead(dst []byte, v *strictjson.Value) []byte {
	switch v.Kind {
	case strictjson.Array:
		dst = append(dst, '[')
		for i := 0; i < len(v.Elems) && len(dst) <= maxShown; i++ {
			dst = append(appendHead(dst, v.Elems[i]), ',')
		}
		return closed(dst, len(v.Elems), ']')
	case strictjson.Object:
		members := strictjson.Sorted(v.Members)
		dst = append(dst, '{')
		for i := 0; i < len(members) && len(dst) <= maxShown; i++ {
			dst = append(appendHead(dst, strictjson.Text(members[i].Name)), ':')
			dst = append(appendHead(dst, members[i].Value), ',')
		}
		return closed(dst, len(members), '}')
	case strictjson.String:
		head := v.Text[:min(len(v.Text), maxShown+utf8.UTFMax)]
		return strictjson.Text(strings.ToValidUTF8(head, "\uFFFD")).Append(dst)
	}
	return v.Append(dst)
}

// closed puts the bracket after the last of n elements, in place of its comma.
func closed(dst []byte, n int, bracket byte) []byte {
	if n > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, bracket)
}

// addBare gives an optional scalar its default.
func (g *given) addBare() *fault {
	value, err := strictjson.Parse(g.param.fallback)
	if err != nil {
		return &fault{clause: "a value is required, as --" + g.param.cli + "=VALUE", expected: "an attached value", usage: true}
	}
	return g.set(value)
}

// addFlag sets a boolean, of which the last one wins, or adds to a count.
func (g *given) addFlag(r refs, schema *toolkit.Schema, o *occurrence) *fault {
	value, f := r.value(schema, o.text)
	if f != nil {
		return f
	}
	if g.param.flag.Count && g.value != nil && value.Kind == strictjson.Number && g.value.Kind == strictjson.Number {
		value = strictjson.Literal(strconv.FormatInt(clamped(g.value.Text)+clamped(value.Text), 10))
	}
	g.value = value
	return nil
}

// addElements appends to a list.
func (g *given) addElements(r refs, schema *toolkit.Schema, o *occurrence) *fault {
	shape := g.param.shape
	if shape.Delimiter != "" && !shape.Repeats && g.count > 1 {
		expected := "all elements in one, separated by " + quotedWord(shape.Delimiter)
		return &fault{got: "several", expected: expected, clause: "given twice, expected " + expected, usage: true}
	}
	elems, f := r.elements(schema.Items, shape.Delimiter, o)
	if f != nil {
		return f
	}
	if g.value == nil {
		g.value = strictjson.NewArray()
	}
	g.value.Elems = append(g.value.Elems, elems...)
	return nil
}

// elements are those of one occurrence: the members of a JSON array of the item
// type, the parts between delimiters, or the text as one element.
func (r refs) elements(item *toolkit.Schema, delimiter string, o *occurrence) ([]*strictjson.Value, *fault) {
	item = r.plain(item)
	texts := []string{o.text}
	if o.form != exactForm {
		if elems, f, ok := r.spliced(item, o.text); ok {
			return elems, f
		}
		if kind := kindOf(item); delimiter != "" && kind != toolkit.TypeObject && kind != toolkit.TypeArray {
			texts = strings.Split(o.text, delimiter)
		}
	}
	elems := make([]*strictjson.Value, len(texts))
	for i, text := range texts {
		var f *fault
		if elems[i], f = r.value(item, text); f != nil {
			if delimiter == "" && strings.Contains(text, ",") {
				f.clause += "; repeat it or give a JSON array"
			}
			return nil, f
		}
	}
	return elems, nil
}

// spliced are the elements of text that is a JSON array of the item type; ok is
// false for any other text. Strings are read like words, so that the case of an
// enumerated value does not matter here either.
func (r refs) spliced(item *toolkit.Schema, text string) (elems []*strictjson.Value, f *fault, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "[") {
		return nil, nil, false
	}
	list, err := strictjson.Parse([]byte(text))
	if err != nil {
		return nil, nil, false
	}
	for i, elem := range list.Elems {
		if !hasType(item, elem) {
			return nil, nil, false
		}
		if elem.Kind == strictjson.String && kindOf(item) == toolkit.TypeString {
			if list.Elems[i], f = r.value(item, elem.Text); f != nil {
				return nil, f, true
			}
		}
	}
	return list.Elems, nil, true
}

// addEntries adds KEY=VALUE or the members of a JSON object to a map.
func (g *given) addEntries(r refs, schema *toolkit.Schema, o *occurrence) *fault {
	entries := strictjson.NewObject()
	key, text, found := strings.Cut(o.text, "=")
	switch {
	case looksLikeJSON(o.text) || !found:
		object, f := r.jsonValue(schema, toolkit.TypeObject, o.text)
		if f != nil {
			return f
		}
		entries = object
	case invalidAt(key) >= 0:
		_, f := stringValue(key)
		return f
	default:
		value, f := r.value(schema.AdditionalProperties, text)
		if f != nil {
			f.below = key
			return f
		}
		entries.Set(key, value)
	}
	if g.value == nil {
		g.value = strictjson.NewObject()
	}
	return g.merge(entries)
}

// merge adds entries to a map, whose keys may repeat only where it says so.
func (g *given) merge(entries *strictjson.Value) *fault {
	if g.keys == nil {
		g.keys = map[string]int{}
	}
	for _, entry := range entries.Members {
		i, given := g.keys[entry.Name]
		switch {
		case !given:
			g.keys[entry.Name] = len(g.value.Members)
			g.value.Members = append(g.value.Members, entry)
		case g.param.shape.LastWins:
			g.value.Members[i] = entry
		case !equal(g.value.Members[i].Value, entry.Value):
			return g.twice(g.value.Members[i].Value, entry.Value, entry.Name)
		}
	}
	return nil
}

// addPart reads the dotted form. A part that is a list grows by each occurrence.
func (g *given) addPart(r refs, o *occurrence) *fault {
	path, schema, f := r.descend(g.param.schema, o.path)
	if f != nil {
		return f
	}
	i := slices.IndexFunc(g.parts, func(p part) bool { return slices.Equal(p.path, path) })
	value, f := r.partValue(schema, o)
	below := strings.Join(path, ".")
	switch {
	case f != nil:
		f.below = below
		return f
	case i < 0:
		g.parts = append(g.parts, part{path, value})
	case kindOf(schema) == toolkit.TypeArray:
		g.parts[i].value.Elems = append(g.parts[i].value.Elems, value.Elems...)
	case g.param.shape.LastWins:
		g.parts[i].value = value
	case !equal(g.parts[i].value, value):
		return g.twice(g.parts[i].value, value, below)
	}
	return nil
}

func (r refs) partValue(schema *toolkit.Schema, o *occurrence) (*strictjson.Value, *fault) {
	if kindOf(schema) != toolkit.TypeArray {
		return r.value(schema, o.text)
	}
	elems, f := r.elements(schema.Items, "", o)
	return strictjson.NewArray(elems...), f
}
