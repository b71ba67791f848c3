package argv

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// parameter vets one parameter.
func (at site) parameter(s *scope, p *param) {
	at.parameterNames(p)
	at.text("description", p.help, maxDescription)
	at.word("value name", p.valueName)
	if p.env != "" && !isVariable(p.env) {
		at.report("the variable %s is not valid: letters, digits and underscores are, no digit first", quotedWord(p.env))
	}
	switch {
	case p.kind == flag:
		at.flag(p.flag)
	case p.kind == tail:
		at.declaredSchema(p.tail.Item)
	default:
		at.declaredSchema(p.schema)
	}
	at.shape(s, p)
	if p.secret {
		at.secret(p)
	} else {
		at.defaults(s, p)
	}
}

// isVariable reports whether a shell can set a variable of that name
// (POSIX.1-2024, Base Definitions, 8.1).
func isVariable(name string) bool { return madeOf(name, "_") && !isDigit(name[0]) }

func (at site) flag(f *toolkit.Flag) {
	switch {
	case f.Max < 0:
		at.report("it counts to %d at most; 0 means no limit, more is one", f.Max)
	case f.Max > 0 && !f.Count:
		at.report("it has a maximum but is no count; only counts have one")
	}
}

// declaredSchema vets the schema of a parameter, which must be there.
func (at site) declaredSchema(schema *toolkit.Schema) {
	if schema == nil {
		at.report(`it has no schema; {"type":"string"} is one, and {} allows any value`)
		return
	}
	at.schema("schema", schema)
}

// shape vets that the shape fits the type.
func (at site) shape(s *scope, p *param) {
	if p.kind != option {
		return
	}
	kind, shape := kindOf(s.plain(p)), p.shape
	if shape.Optional && !isScalar(kind) {
		at.report("its value is optional, which only a string, integer, number or boolean can be")
	}
	if shape.LastWins && kind != toolkit.TypeObject {
		at.report("last-wins is for maps, this is no map")
	}
	if shape.Repeats && shape.Delimiter == "" && kind != toolkit.TypeArray {
		at.report("it repeats, which only a list does")
	}
	if shape.Delimiter == "" {
		return
	}
	if kind != toolkit.TypeArray {
		at.report("it has the delimiter %s but is no list; only an array is split", quotedWord(shape.Delimiter))
	}
	if utf8.RuneCountInString(shape.Delimiter) != 1 || shape.Delimiter == "=" || !isVisible(shape.Delimiter) {
		at.report("the delimiter %s is not valid: one visible character other than = is", quotedWord(shape.Delimiter))
	}
}

// defaults vets the declared default and the one inside of the schema.
func (at site) defaults(s *scope, p *param) {
	var ofSchema json.RawMessage
	if p.schema != nil {
		ofSchema = p.schema.Default
	}
	at.fits(s, "schema's default", p.schema, ofSchema)
	if !bytes.Equal(p.fallback, ofSchema) {
		at.fits(s, "default", p.schema, p.fallback)
	}
}

// fits vets that the value, if there is one, satisfies the schema.
func (at site) fits(s *scope, what string, schema *toolkit.Schema, raw json.RawMessage) {
	if len(raw) == 0 || schema == nil {
		return
	}
	value, err := strictjson.Parse(raw)
	if err != nil {
		at.report("the %s is no JSON: %v", what, err)
		return
	}
	found := &problems{}
	judge := checker{refs: s.refs(), problems: found}
	judge.value(&spot{name: what}, schema, value)
	for _, wrong := range found.list {
		at.report("the %s", wrong.clause)
	}
}

// secret vets that nothing of a secret stands in the definition, and that it
// cannot come from where every process can read it.
func (at site) secret(p *param) {
	if len(p.fallback) > 0 || p.schema != nil && len(p.schema.Default) > 0 {
		at.report("it is secret but has a default; a secret has none")
	}
	if p.env != "" {
		at.report("it is secret but has the variable %s; a secret has none", quotedWord(p.env))
	}
}
