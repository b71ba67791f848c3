package argv

import (
	"encoding/json"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// landmarks are the schemas of one command that references find by a name, and where
// references stand. They are looked for once, by the first reference.
type landmarks struct {
	// byURI are schemas by the URI of their $id, and under the URI of the resource
	// that they are in by an anchor ("#name") or by the place of a definition as
	// older drafts have it ("#/definitions/name").
	byURI map[string]*toolkit.Schema
	// homes are the resources of schemas that do not belong to the root's.
	homes map[*toolkit.Schema]resource
	root  resource
}

// resource is a schema with an $id, or the root: what the fragments of references
// inside of it count from.
type resource struct {
	uri    string // "" for a root without an $id
	schema *toolkit.Schema
}

// landmark is the schema of that name, or nil.
func (r refs) landmark(name string) *toolkit.Schema {
	if r.marks == nil {
		return nil
	}
	r.survey()
	return r.marks.byURI[name]
}

// home is the resource that the schema belongs to.
func (r refs) home(schema *toolkit.Schema) resource {
	if r.marks == nil {
		return resource{schema: r.root}
	}
	r.survey()
	if home, elsewhere := r.marks.homes[schema]; elsewhere {
		return home
	}
	return r.marks.root
}

// survey looks for the landmarks, unless that is done.
func (r refs) survey() {
	l := r.marks
	if l.byURI != nil {
		return
	}
	l.byURI, l.homes = map[string]*toolkit.Schema{}, map[*toolkit.Schema]resource{}
	l.root = resource{schema: r.root}
	if r.root != nil {
		l.root.uri = joinURI("", resourceName(r.root))
	}
	l.visit(r.root, l.root, 0)
	if r.scope == nil {
		return
	}
	for _, p := range r.scope.params {
		l.visit(p.schema, l.root, 0)
	}
}

// resourceName is the schema's $id without an empty fragment, "" where it has none or
// the $id is an anchor, as in older drafts.
func resourceName(schema *toolkit.Schema) string {
	id, fragment, _ := strings.Cut(keywordText(schema, "$id"), "#")
	if fragment != "" {
		return ""
	}
	return id
}

// visit notes the names of the schema and those inside of it, which is in a resource.
func (l *landmarks) visit(schema *toolkit.Schema, home resource, depth int) {
	if schema == nil || depth > strictjson.MaxDepth {
		return
	}
	if id := resourceName(schema); id != "" {
		home = resource{joinURI(home.uri, id), schema}
		l.add(home.uri, schema)
	}
	if _, known := l.homes[schema]; !known && home.schema != l.root.schema {
		l.homes[schema] = home
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := keywordText(schema, keyword); anchor != "" {
			l.add(home.uri+"#"+anchor, schema)
		}
	}
	if id := keywordText(schema, "$id"); strings.HasPrefix(id, "#") {
		l.add(home.uri+id, schema)
	}
	l.definitions(schema, home, depth)
	for _, group := range []map[string]*toolkit.Schema{schema.Defs, schema.Properties} {
		for _, one := range group {
			l.visit(one, home, depth+1)
		}
	}
	for _, group := range [][]*toolkit.Schema{schema.AllOf, schema.AnyOf, schema.OneOf, {schema.Items, schema.AdditionalProperties, schema.Not}} {
		for _, one := range group {
			l.visit(one, home, depth+1)
		}
	}
}

// definitions notes what the keyword of that name holds.
func (l *landmarks) definitions(schema *toolkit.Schema, home resource, depth int) {
	raw, given := schema.Extra["definitions"]
	if !given {
		return
	}
	var definitions map[string]*toolkit.Schema
	if json.Unmarshal(raw, &definitions) != nil {
		return
	}
	for name, one := range definitions {
		l.add(home.uri+"#/definitions/"+escapedToken.Replace(name), one)
		l.visit(one, home, depth+1)
	}
}

// escapedToken undoes pointerToken.
var escapedToken = strings.NewReplacer("~", "~0", "/", "~1")

// add keeps the first schema of a name.
func (l *landmarks) add(name string, schema *toolkit.Schema) {
	if _, taken := l.byURI[name]; !taken {
		l.byURI[name] = schema
	}
}

// keywordText is a keyword that is a string, or "".
func keywordText(schema *toolkit.Schema, keyword string) string {
	raw, given := schema.Extra[keyword]
	if !given {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
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
