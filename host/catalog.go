package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

// catalog is every toolkit of the host, vetted, by name.
type catalog struct {
	kits    []*toolkit.Toolkit
	entries map[string]*entry
	names   []string // sorted
}

// entry is one toolkit of the catalog.
type entry struct {
	kit *toolkit.Toolkit
	def *toolkit.Definition
	// tools by path joined by spaces.
	tools map[string]*served
	// notes are what their authors should know, and no mistakes.
	notes []string
	// measure is the digest of the definition's content and its size in bytes,
	// made when first asked for.
	measure func() (revision string, size int)
}

// newCatalog vets the toolkits; the error joins all their mistakes.
func newCatalog(kits []*toolkit.Toolkit) (*catalog, error) {
	c := &catalog{kits: kits, entries: make(map[string]*entry, len(kits))}
	var mistakes []error
	for _, kit := range kits {
		if kit == nil {
			mistakes = append(mistakes, errors.New("toolkit is nil"))
			continue
		}
		e, err := newEntry(kit)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		if _, taken := c.entries[kit.Name]; taken {
			mistakes = append(mistakes, fmt.Errorf("toolkit %q: another toolkit has the same name", kit.Name))
			continue
		}
		c.entries[kit.Name] = e
		c.names = append(c.names, kit.Name)
	}
	slices.Sort(c.names)
	return c, errors.Join(mistakes...)
}

func newEntry(kit *toolkit.Toolkit) (*entry, error) {
	def, err := kit.Definition()
	mistakes := append([]error{err}, argv.Vet(def)...)
	e := &entry{kit: kit, def: def, tools: map[string]*served{}}
	e.measure = sync.OnceValues(func() (string, int) { return measure(def) })
	kit.Walk(func(path []string, tool toolkit.Tool) {
		served, err := newServed(def, path, tool)
		e.tools[strings.Join(path, " ")] = served
		where := fmt.Sprintf("toolkit %q: tool %q: ", kit.Name, strings.Join(path, " "))
		mistakes = append(mistakes, prefixed(where, err)...)
		if errors.Join(mistakes...) == nil {
			served.addSample()
		}
		e.notes = append(e.notes, served.notes(where)...)
	})
	return e, errors.Join(mistakes...)
}

// prefixed are the joined errors, each with the text before it.
func prefixed(text string, err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{fmt.Errorf("%s%w", text, err)}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, prefixed(text, one)...)
	}
	return all
}

// vetInput checks the validation rules of the tool's input type.
func vetInput(tool toolkit.Tool) error {
	in, err := tool.Decode(json.RawMessage("{}"))
	if err != nil {
		return err
	}
	return validate.Vet(in)
}

// measure is a short digest of the definition's content, and its size as JSON.
func measure(def *toolkit.Definition) (string, int) {
	data, err := json.Marshal(def)
	if err != nil {
		return "", 0 // does not happen: a vetted definition encodes
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), len(data)
}

// find is the toolkit by name, or TOOLKIT_NOT_FOUND with the names there are.
func (c *catalog) find(name string) (*entry, error) {
	if e, ok := c.entries[name]; ok {
		return e, nil
	}
	return nil, c.notFound(name)
}

// longestName is how much of an unknown name is repeated, in bytes.
const longestName = 100

// notFound says which toolkits there are; to a guest, one that it may not use
// is one that is not there.
func (c *catalog) notFound(name string) *toolkit.Error {
	name = clip(name, longestName)
	message := fmt.Sprintf("No toolkit %q.", name)
	if near := argv.Nearest(strings.TrimPrefix(name, "agentos-"), c.names); len(near) > 0 {
		message += " Nearest: " + strings.Join(near, ", ") + "."
	}
	const most = 30
	available := strings.Join(c.names[:min(len(c.names), most)], ", ")
	switch {
	case available == "":
		message += " The host offers none."
	case len(c.names) > most:
		message += fmt.Sprintf(" Available: %s, … (agentos list-tools lists all %d)", available, len(c.names))
	default:
		message += " Available: " + available
	}
	return &toolkit.Error{Code: toolkit.CodeToolkitNotFound, Message: message, Hint: "agentos list-tools"}
}

// definitions are all of the catalog, sorted by name.
func (c *catalog) definitions() []*toolkit.Definition {
	defs := make([]*toolkit.Definition, len(c.names))
	for i, name := range c.names {
		defs[i] = c.entries[name].def
	}
	return defs
}

// tool is the handler of an invocation.
func (c *catalog) tool(inv *toolkit.Invocation) (*served, error) {
	e, err := c.find(inv.Toolkit)
	if err != nil {
		return nil, err
	}
	tool, ok := e.tools[strings.Join(inv.Path, " ")]
	if !ok {
		return nil, &toolkit.Error{Code: toolkit.CodeToolNotFound, Message: fmt.Sprintf("No tool %q in toolkit %q.", strings.Join(inv.Path, " "), inv.Toolkit)}
	}
	return tool, nil
}
