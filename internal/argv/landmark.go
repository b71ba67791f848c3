package argv

import (
	"encoding/json"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// landmarks are the schemas of one command that references find by a name: an
// anchor ("#name"), an $id, or the place of a definition as older drafts have it
// ("#/definitions/name"). An $id counts both as it is written and as a URI.
type landmarks map[string]*toolkit.Schema

// landmark is the schema of that name, or nil. Names are looked for once, by the
// first reference that has one.
func (r refs) landmark(name string) *toolkit.Schema {
	s := r.scope
	if s == nil {
		return nil
	}
	if s.surveyed != s.command() {
		s.surveyed, s.landmarks = s.command(), landmarks{}
		base := s.landmarks.visit(r.root, "", 0)
		for _, p := range s.params {
			s.landmarks.visit(p.schema, base, 0)
		}
	}
	return s.landmarks[name]
}

// identified is the schema whose $id the text is, alone or relative to the root's.
func (r refs) identified(id string) *toolkit.Schema {
	if schema := r.landmark(id); schema != nil || r.root == nil {
		return schema
	}
	return r.landmark(joinURI(keywordText(r.root, "$id"), id))
}

// visit notes the names of the schema and those inside of it. The base is what an
// $id is relative to; the result is the base inside of the schema.
func (l landmarks) visit(schema *toolkit.Schema, base string, depth int) string {
	if schema == nil || depth > strictjson.MaxDepth {
		return base
	}
	if id := strings.TrimSuffix(keywordText(schema, "$id"), "#"); id != "" {
		l.add(id, schema)
		base = joinURI(base, id)
		l.add(base, schema)
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := keywordText(schema, keyword); anchor != "" {
			l.add("#"+anchor, schema)
		}
	}
	l.definitions(schema, base, depth)
	for _, group := range []map[string]*toolkit.Schema{schema.Defs, schema.Properties} {
		for _, one := range group {
			l.visit(one, base, depth+1)
		}
	}
	for _, group := range [][]*toolkit.Schema{schema.AllOf, schema.AnyOf, schema.OneOf, {schema.Items, schema.AdditionalProperties, schema.Not}} {
		for _, one := range group {
			l.visit(one, base, depth+1)
		}
	}
	return base
}

// definitions notes what the keyword of that name holds.
func (l landmarks) definitions(schema *toolkit.Schema, base string, depth int) {
	var definitions map[string]*toolkit.Schema
	if json.Unmarshal(schema.Extra["definitions"], &definitions) != nil {
		return
	}
	for name, one := range definitions {
		l.add("#/definitions/"+escapedToken.Replace(name), one)
		l.visit(one, base, depth+1)
	}
}

// escapedToken undoes pointerToken.
var escapedToken = strings.NewReplacer("~", "~0", "/", "~1")

// add keeps the first schema of a name.
func (l landmarks) add(name string, schema *toolkit.Schema) {
	if _, taken := l[name]; !taken {
		l[name] = schema
	}
}

// keywordText is a keyword that is a string, or "".
func keywordText(schema *toolkit.Schema, keyword string) string {
	var text string
	if json.Unmarshal(schema.Extra[keyword], &text) != nil {
		return ""
	}
	return text
}

// joinURI resolves a relative reference (RFC 3986 §5.2) without dot segments, which
// a schema has no use for.
func joinURI(base, ref string) string {
	scheme, rest, hierarchical := strings.Cut(base, "://")
	if !hierarchical || strings.Contains(ref, ":") {
		return ref
	}
	folder := rest[:strings.LastIndexByte(rest, '/')+1]
	if folder == "" || strings.HasPrefix(ref, "/") {
		folder, _, _ = strings.Cut(rest, "/")
		folder += "/"
	}
	return scheme + "://" + folder + strings.TrimPrefix(ref, "/")
}
