package validate

import (
	"encoding/json"
	"runtime"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Options say how a schema is read and what is told of values. Nil means the
// defaults.
type Options struct {
	// Dialect is the $schema of a schema that names none; empty means that of
	// draft 2020-12.
	Dialect string
	// AnnotateFormats makes every format a note for readers. By default date, date-time,
	// time, duration, email, ipv4, ipv6, uri and uuid are asserted.
	AnnotateFormats bool
	// Completed says that every value has passed argv.Complete, so that only what
	// it leaves open is judged: for most tools nothing.
	Completed bool
	// Secret are the members of the value of which nothing is told.
	Secret []string
	// TypesOnly tells of a wrong value no more than its type.
	TypesOnly bool

	// load reads documents of other places, which only tests may do.
	load func(place string) (any, error)
}

// Schema judges values by a JSON Schema. It is safe for concurrent use.
type Schema struct {
	source  *toolkit.Schema
	options Options
	notes   []string
	// open schemas leave nothing to judge. Doubtful ones were compiled at once.
	open, doubtful bool
	// idle machines wait for the next value.
	idle chan *machine
}

// Compile makes a Schema; the caller must not change its source afterwards. The
// error joins a *Mistake for each thing that is wrong. What cannot be wrong is
// compiled when it is first needed, so that a host with many tools starts quickly.
func Compile(source *toolkit.Schema, o *Options) (*Schema, error) {
	s := &Schema{source: source, idle: make(chan *machine, runtime.GOMAXPROCS(0))}
	if o != nil {
		s.options = *o
	}
	seen, err := newSurvey(source)
	if err != nil {
		return nil, err
	}
	s.open = !seen.asserts || s.options.Completed && !seen.beyond
	s.doubtful = seen.doubtful
	if !s.doubtful {
		return s, nil
	}
	m, err := newMachine(s)
	if err != nil {
		return nil, err
	}
	s.notes = m.notes
	if seen.nullable {
		s.notes = append(s.notes, `nullable is of OpenAPI 3.0 and says nothing here; a type like ["string","null"] does`)
	}
	s.put(m)
	return s, nil
}

// Notes are what the schema's author should know although it is no mistake: a
// $schema that is not known, a nullable.
func (s *Schema) Notes() []string {
	if s == nil {
		return nil
	}
	return s.notes
}

// IsOpen reports whether there is nothing to judge: every value is allowed, or what
// argv.Complete judges is all there is.
func (s *Schema) IsOpen() bool { return s == nil || s.open }

// Validate reports what is wrong with the value, nil when nothing is. A nil Schema
// allows everything. Of a wrong value with tens of thousands of members it may say no
// more than that.
func (s *Schema) Validate(value json.RawMessage) *Report {
	if s.IsOpen() {
		return nil
	}
	doc, err := strictjson.Parse(value)
	if err != nil {
		return reject(nil, "JSON", err.Error())
	}
	m, err := s.take()
	if err != nil { // does not happen: what is compiled late has no mistakes
		return reject(nil, "a schema that is valid", "its schema is not valid: "+err.Error())
	}
	defer s.put(m)
	return m.report(doc, len(value))
}

// take is a machine that judges nothing else.
func (s *Schema) take() (*machine, error) {
	select {
	case m := <-s.idle:
		return m, nil
	default:
		return newMachine(s)
	}
}

// put lets the machine wait, if no more do than can run at a time.
func (s *Schema) put(m *machine) {
	select {
	case s.idle <- m:
	default:
	}
}
