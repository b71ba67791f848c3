package argv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// samples are made-up examples for a command that declares none: one of what it
// requires, or where nothing is, of its first parameter. There is none where no
// such value is known to satisfy the definition.
func (s *scope) samples() []toolkit.ExampleCase {
	input := strictjson.NewObject()
	for _, p := range s.params {
		if p.demanded() && !p.secret {
			input.Set(p.wire, s.placeholder(p))
		}
	}
	requires := slices.ContainsFunc(s.params, (*param).demanded)
	for _, p := range s.shown() {
		if !requires && len(input.Members) == 0 && !p.global && !p.secret {
			input.Set(p.wire, s.placeholder(p))
		}
	}
	text := json.RawMessage(input.Append(nil))
	if _, problems := complete(s, text); len(problems.except(s.secrets())) > 0 {
		return nil
	}
	return []toolkit.ExampleCase{{Input: text}}
}

// definition is the toolkit that the scope is in.
func (s *scope) definition() *toolkit.Definition {
	return &toolkit.Definition{Command: *s.nodes[0]}
}

// placeholder is a value of the parameter's type, null where none can be made up.
func (s *scope) placeholder(p *param) *strictjson.Value {
	schema := s.plain(p)
	switch {
	case s.isList(p):
		return strictjson.NewArray(s.standIn(p, schema.Items))
	case s.isMap(p):
		return strictjson.NewObject(strictjson.Member{Name: "KEY", Value: s.standIn(p, schema.AdditionalProperties)})
	}
	return s.standIn(p, schema)
}

// formatSamples are texts of the formats that are asserted.
var formatSamples = map[string]string{
	"date":      "2026-01-31",
	"date-time": "2026-01-31T12:00:00Z",
	"duration":  "PT5M",
	"email":     "user@example.com",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"uri":       "https://example.com/",
	"uuid":      "123e4567-e89b-42d3-a456-426614174000",
}

// standIn is a value of the schema. Text without a form of its own is the
// parameter's name in capitals.
func (s *scope) standIn(p *param, schema *toolkit.Schema) *strictjson.Value {
	r := s.refs()
	schema = r.plain(schema)
	format := formatSamples[schema.Format]
	switch kind := kindOf(schema); {
	case kind == toolkit.TypeObject:
		return r.exampleObject(schema)
	case kind == "" && len(schema.Enum) == 0:
		return r.exampleValue(schema, maxHops)
	case kind != toolkit.TypeString || len(schema.Enum) > 0:
		return r.sample(schema)
	case len(alternatives(schema)) > 0:
		return r.sampleText(p, schema)
	case format != "":
		return strictjson.Text(format)
	case schema.Pattern != "" || schema.ContentEncoding != "":
		return &strictjson.Value{}
	}
	return strictjson.Text(strings.ToUpper(inline(p.cli)))
}

// sampleText is a text that a union of texts allows: a choice, if there is one.
func (r refs) sampleText(p *param, union *toolkit.Schema) *strictjson.Value {
	for _, branch := range alternatives(union) {
		if branch = r.plain(branch); len(branch.Enum) > 0 {
			return r.sample(branch)
		}
	}
	for _, branch := range alternatives(union) {
		if text := formatSamples[r.plain(branch).Format]; text != "" {
			return strictjson.Text(text)
		}
	}
	return strictjson.Text(strings.ToUpper(inline(p.cli)))
}
