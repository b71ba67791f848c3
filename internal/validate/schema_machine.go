package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// What is judged takes at most so many steps; a step is about a microsecond. Where
// schemas are combined and refer to themselves, a short value can take more steps
// than there is time.
const (
	baseSteps     = 250_000
	stepsPerValue = 8
	// explainSteps is for finding the problems of a wrong value, each of which
	// takes memory.
	explainSteps = 200_000
)

// meter counts the steps of one validation. Since the library cannot be told to
// stop, spending more than there is panics.
type meter struct{ left int }

// errSpent is what an empty meter panics with.
var errSpent = errors.New("too many steps")

// errBroken stands for a panic of the library.
var errBroken = errors.New("the validator failed")

func (m *meter) spend(steps int) {
	if m.left -= steps; m.left < 0 {
		panic(errSpent)
	}
}

// machine is a compiled copy of a schema. It judges one value at a time.
type machine struct {
	options *Options
	meter   meter
	root    *jsonschema.Schema
	// opposite is the negation of root: the library gathers no problems for it,
	// and stops at the first.
	opposite *jsonschema.Schema
	nodes    map[string]*subschema // by the library's locations
	notes    []string
}

// The places of the documents. Nothing is ever read from there: what a schema refers
// to must be inside of it. The library holds every schema against the schema of
// schemas, which takes half of its time, unless json-schema.org is the author.
const (
	rootPlace     = "https://agentos.invalid/schema"
	surePlace     = "https://json-schema.org/agentos/schema" // of a schema without doubts
	oppositePlace = "https://json-schema.org/agentos/opposite"
)

// newMachine compiles the schema.
func newMachine(s *Schema) (m *machine, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &Mistake{Reason: fmt.Sprintf("it cannot be read: %v", fault)}
		}
	}()
	m = &machine{options: &s.options, nodes: map[string]*subschema{}}
	doc, err := m.document(s)
	if err != nil {
		return nil, err
	}
	place := surePlace
	if s.doubtful {
		place = rootPlace
	}
	if err := m.attempt(doc, place); err != nil {
		return nil, err
	}
	if err := m.circles(); err != nil {
		return nil, err
	}
	return m, nil
}

// maxMistakes is how many mistakes are looked for in one schema.
const maxMistakes = 20

// attempt compiles the document. Since the library stops at the first mistake, what
// is wrong is taken out of the document and the rest compiled again.
func (m *machine) attempt(doc any, place string) error {
	var all []error
	for goesOn := true; goesOn && len(all) < maxMistakes; {
		err := m.compile(doc, place)
		if err == nil {
			break
		}
		goesOn = true
		for _, one := range split(mistakes(err, doc)) {
			all = append(all, one)
			mistake, ok := errors.AsType[*Mistake](one)
			goesOn = goesOn && ok && cut(doc, mistake.Path)
		}
	}
	return errors.Join(all...)
}

// split are the joined errors.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// cut takes the keyword at the path out of the document, or the one that it is in. It
// reports whether what remains says no less of anything else: without a name nothing
// that refers to it can be found.
func cut(doc any, path []string) bool {
	var within map[string]any
	keyword := ""
	for _, step := range path {
		switch v := doc.(type) {
		case map[string]any:
			within, keyword = v, step
			doc = v[step]
		case []any:
			doc = nil
			if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(v) {
				doc = v[i]
			}
		}
	}
	_, there := within[keyword]
	delete(within, keyword)
	isName := strings.HasPrefix(keyword, "$") && keyword != "$ref" && keyword != "$dynamicRef"
	return there && !isName
}

// compile has the library compile the document, as that of the place.
func (m *machine) compile(doc any, place string) error {
	c, err := m.compiler(doc, place)
	if err != nil {
		return err
	}
	if m.root, err = c.Compile(place); err != nil {
		return err
	}
	if m.opposite, err = c.Compile(oppositePlace); err != nil {
		return err
	}
	m.take(m.root)
	for _, pointer := range dynamicAnchors(doc, "") {
		if target, err := c.Compile(place + "#" + pointer); err == nil {
			m.take(target)
		}
	}
	return nil
}

// document is the schema as the library reads it, within the limits.
func (m *machine) document(s *Schema) (any, error) {
	text, err := json.Marshal(s.source)
	if err != nil {
		return nil, &Mistake{Reason: fmt.Sprintf("it is no JSON: %v", err)}
	}
	if len(text) > maxSchemaBytes {
		return nil, &Mistake{Reason: fmt.Sprintf("it is longer than %d bytes", maxSchemaBytes)}
	}
	parsed, err := strictjson.Parse(text)
	if err != nil {
		return nil, &Mistake{Reason: fmt.Sprintf("it is no JSON: %v", err)}
	}
	c := &converter{limit: maxSchemaValues}
	doc, wrong := c.convert(parsed)
	switch {
	case wrong != nil && c.values > c.limit:
		return nil, tooManyValues()
	case wrong != nil:
		return nil, &Mistake{Path: wrong.place(), Reason: wrong.Error()}
	}
	m.dialect(doc)
	return doc, nil
}

// dialect takes out a $schema that is not known, and notes that.
func (m *machine) dialect(doc any) {
	root, _ := doc.(map[string]any)
	name, given := root["$schema"].(string)
	if !given || draftOf(name) != nil || m.options.load != nil {
		return
	}
	delete(root, "$schema")
	m.notes = append(m.notes, fmt.Sprintf("$schema %s is not known: the schema is read as %s", quote(name), m.draft()))
}

// draft is what schemas without $schema are read as.
func (m *machine) draft() *jsonschema.Draft {
	if draft := draftOf(m.options.Dialect); draft != nil {
		return draft
	}
	return jsonschema.Draft2020
}

// draftOf is the draft that a $schema names, or nil.
func draftOf(name string) *jsonschema.Draft {
	plain := func(name string) string {
		_, name, _ = strings.Cut(name, "://")
		return strings.TrimSuffix(name, "#")
	}
	for _, draft := range []*jsonschema.Draft{
		jsonschema.Draft2020, jsonschema.Draft2019, jsonschema.Draft7, jsonschema.Draft6, jsonschema.Draft4,
	} {
		if plain(name) == plain(draft.String()) {
			return draft
		}
	}
	return nil
}

// compiler is the library's, set up for the document and its opposite.
func (m *machine) compiler(doc any, place string) (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(m.draft())
	c.AssertFormat() // so that the names of formats are kept
	keepFormats(c)
	ps := &patternSet{meter: &m.meter, known: map[string]*pattern{}}
	c.UseRegexpEngine(ps.compile)
	c.UseLoader(loader(m.options.loadOrRefuse))
	opposite := map[string]any{"not": map[string]any{"$ref": place}}
	return c, errors.Join(c.AddResource(place, doc), c.AddResource(oppositePlace, opposite))
}

// loader lets a function read documents for the library.
type loader func(place string) (any, error)

// Load reads the document at the place.
func (l loader) Load(place string) (any, error) { return l(place) }

// errOutside is why a document of another place is not read.
var errOutside = errors.New("it is outside of the schema")

func (o *Options) loadOrRefuse(place string) (any, error) {
	if o.load != nil {
		return o.load(place)
	}
	return nil, errOutside
}

// dynamicAnchors are JSON pointers, as URI fragments, to the schemas that a
// $dynamicRef may lead to although nothing else refers to them.
func dynamicAnchors(v any, pointer string) []string {
	var found []string
	switch v := v.(type) {
	case map[string]any:
		if _, is := v["$dynamicAnchor"].(string); is {
			found = append(found, pointer)
		}
		for name, value := range v {
			if isContainer(value) {
				found = append(found, dynamicAnchors(value, pointer+"/"+pointerToken(name))...)
			}
		}
	case []any:
		for i, value := range v {
			if isContainer(value) {
				found = append(found, dynamicAnchors(value, fmt.Sprintf("%s/%d", pointer, i))...)
			}
		}
	}
	return found
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// holds reports whether the value satisfies the schema.
func (m *machine) holds(v any, values int) (bool, error) {
	err := m.run(m.opposite, v, baseSteps+stepsPerValue*values)
	var broken *jsonschema.ValidationError
	if err != nil && !errors.As(err, &broken) {
		return false, err
	}
	return err != nil, nil
}

// run judges the value in so many steps. The error is a
// *jsonschema.ValidationError, or the reason why there is no judgement.
func (m *machine) run(s *jsonschema.Schema, v any, steps int) (err error) {
	m.meter.left = steps
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case errSpent:
			err = errSpent
		default: // the library's own faults must not end the host
			err = errBroken
		}
	}()
	return s.Validate(v)
}
