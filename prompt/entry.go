package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// section is a toolkit of the text, made once for every level of detail.
type section struct {
	name      string
	summary   string
	untrusted bool
	tools     []entry
	sizes     [levels]int // its length in bytes at each level
}

// entry is a tool of the text.
type entry struct {
	name     string // its path
	command  string
	full     string // what it takes
	required string // what of that it must be given
	cut      bool   // full is no more than required, though there is more
	summary  string
	marks    string
	examples []string // lines
	declared int      // how many examples it has
}

// sections are the toolkits with their tools, all sorted.
func sections(defs []*toolkit.Definition, m *Marks) []section {
	var list []section
	for _, def := range distinct(defs) {
		s := section{name: def.Name, summary: sentence(def.Summary, def.Description), untrusted: m.untrusted(def)}
		for _, t := range distinctTools(def) {
			s.tools = append(s.tools, newEntry(def, t, m))
		}
		s.measure()
		list = append(list, s)
	}
	return list
}

// measure sets the sizes.
func (s *section) measure() {
	var b strings.Builder
	for level := range s.sizes {
		b.Reset()
		s.write(&b, detail(level))
		s.sizes[level] = b.Len()
	}
}

// distinct are the definitions sorted by name, without those whose name is none, or
// is shared: what the prompt said of it might be true of another toolkit. A host
// has neither; here they may come from anywhere.
func distinct(defs []*toolkit.Definition) []*toolkit.Definition {
	sorted := slices.SortedStableFunc(slices.Values(defs), func(a, b *toolkit.Definition) int { return cmp.Compare(a.Name, b.Name) })
	var kept []*toolkit.Definition
	for i, def := range sorted {
		shared := i > 0 && sorted[i-1].Name == def.Name || i+1 < len(sorted) && sorted[i+1].Name == def.Name
		if argv.IsName(def.Name) && !shared {
			kept = append(kept, def)
		}
	}
	return kept
}

// tool is a command with a body and the way to it.
type tool struct {
	path []string
	*toolkit.Command
}

// distinctTools are the definition's tools sorted by path, likewise: also without
// those whose name a sibling has for an alias.
func distinctTools(def *toolkit.Definition) []tool {
	paths := argv.Tools(def)
	times := map[string]int{}
	for _, path := range paths {
		times[strings.Join(path, " ")]++
	}
	var tools []tool
	for _, path := range paths {
		isNone := func(name string) bool { return !argv.IsName(name) }
		if times[strings.Join(path, " ")] > 1 || slices.ContainsFunc(path, isNone) {
			continue
		}
		reached, cmd, err := argv.Resolve(def, path)
		if err == nil && slices.Equal(reached, path) && cmd.Body != nil {
			tools = append(tools, tool{path, cmd})
		}
	}
	return tools
}

func newEntry(def *toolkit.Definition, t tool, m *Marks) entry {
	name := strings.Join(t.path, " ")
	command := strings.TrimSpace("agentos-" + def.Name + " " + name)
	full, required := argv.Signature(def, t.path), argv.RequiredSignature(def, t.path)
	e := entry{
		name: cmp.Or(name, command), command: command,
		full: signature(full, required), required: signature(required), cut: len(full) > maxSignature,
		summary: sentence(t.Summary, t.Description), marks: m.of(def, t), declared: len(t.Examples),
	}
	if !m.untrusted(def) {
		e.examples = examples(def, t)
	}
	return e
}

// examples are the lines of the tool's examples: what each is for, and the command.
func examples(def *toolkit.Definition, t tool) []string {
	var lines []string
	for _, example := range t.Examples {
		line, err := argv.ExampleLine("agentos-"+def.Name, def, t.path, example.Input)
		if err != nil || !standsInCode(line) {
			continue
		}
		lines = append(lines, cmp.Or(sentence(example.Summary, ""), "Example")+": `"+line+"`")
	}
	return lines
}
