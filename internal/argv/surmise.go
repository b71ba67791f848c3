package argv

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// surmise notes what an occurrence with a fault was likely meant to say: the text
// itself where only another one stands in its way, JSON with its slips mended, or
// a member of an object.
func (p *parser) surmise(o *occurrence, f *fault) {
	whole := target{param: o.param, path: o.path}
	switch {
	case o.param.secret:
	case f.again:
		p.guess(whole, o.text)
	case looksLikeJSON(o.text):
		if text := mended([]byte(o.text)); text != nil {
			p.guess(whole, string(text))
		}
	case p.scope.isList(o.param) && len(o.path) == 0:
		p.surmiseList(o)
	case o.param.kind == option:
		p.surmisePart(o)
	}
}

// surmiseList notes the elements of a list that stand in one word, with commas
// between them, where no other word gives some.
func (p *parser) surmiseList(o *occurrence) {
	isOther := func(other occurrence) bool { return other.param == o.param && other.text != o.text }
	if o.param.kind != option || o.form != plainForm || slices.ContainsFunc(p.occurrences, isOther) {
		return
	}
	list, item := strictjson.NewArray(), p.scope.plain(o.param).Items
	for text := range strings.SplitSeq(o.text, ",") {
		value, f := p.scope.refs().value(item, text)
		if f != nil {
			return
		}
		list.Elems = append(list.Elems, value)
	}
	p.guess(target{param: o.param}, string(list.Append(nil)))
}

// surmisePart notes which member of an object a bare word, or one of the form
// NAME=VALUE, is. Where that is not clear no other object stands in for it.
func (p *parser) surmisePart(o *occurrence) {
	r := p.scope.refs()
	_, schema, f := r.descend(o.param.schema, o.path)
	if f != nil || kindOf(schema) != toolkit.TypeObject || isMap(schema) {
		return
	}
	name, text := r.soleMember(schema), o.text
	if key, rest, found := strings.Cut(text, "="); found {
		name, _ = property(schema, key)
		text = rest
	}
	if member := schema.Properties[name]; member == nil || !r.reads(member, text) {
		p.helpMeant = true
		return
	}
	p.guess(target{param: o.param, path: append(slices.Clone(o.path), name)}, text)
}

// doubt gives up on a guess about a part of what other words give too: these are
// lost with the fault, and the hint would leave them out.
func (p *parser) doubt() {
	for i := range p.guesses {
		o := &p.guesses[i]
		if g := o.param.given; len(o.path) > 0 && g != nil && g.bad && (g.value != nil || len(g.parts) > 0) {
			p.unsure = true
		}
	}
}

// reads reports whether the text is a value of the schema.
func (r refs) reads(schema *toolkit.Schema, text string) bool {
	_, f := r.value(schema, text)
	return f == nil
}

// soleMember is the member that a single value of the object is: the only one
// that it requires, else the only one that is a string. It is "" for none.
func (r refs) soleMember(schema *toolkit.Schema) string {
	if len(schema.Required) == 1 {
		return schema.Required[0]
	}
	sole := ""
	for name, member := range schema.Properties {
		if kindOf(r.plain(member)) != toolkit.TypeString {
			continue
		}
		if sole != "" {
			return ""
		}
		sole = name
	}
	return sole
}

// mended is JSON text without the slips that can mean one thing only: commas with
// no value after them, and single quotes where there are no others. It is nil for
// text that is no JSON after that either.
func mended(text []byte) []byte {
	if len(text) > maxMended {
		return nil
	}
	if !bytes.ContainsAny(text, `"\`) {
		text = bytes.ReplaceAll(text, []byte("'"), []byte(`"`))
	}
	text = withoutLastCommas(text)
	if strictjson.Check(text) != nil {
		return nil
	}
	return text
}

// withoutLastCommas is JSON text without the commas before closing brackets.
func withoutLastCommas(text []byte) []byte {
	out := make([]byte, 0, len(text))
	comma := -1 // where the last comma is in out, if only white space follows
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			inString, comma = !inString, -1
		case inString || strings.IndexByte(" \t\r\n", c) >= 0:
		case c == ',':
			comma = len(out)
		case (c == '}' || c == ']') && comma >= 0:
			out = slices.Delete(out, comma, comma+1)
			comma = -1
		default:
			comma = -1
		}
		out = append(out, c)
	}
	return out
}
