package prompt

import (
	"fmt"
	"slices"
	"strings"
)

// detail is how much is said of each tool of a toolkit. Each level leaves out one
// thing more.
type detail int

const (
	complete    detail = iota
	noExamples         // a line for each tool, with all that it takes
	noOptional         // with what it must be given; a text is written …
	noFlags            // with what it does
	namesOnly          // a line for the toolkit, with the names of its tools
	summaryOnly        // with what it is for
	levels      = iota
)

// hidden counts what a section does not show: examples, and tools by what of
// theirs is missing.
type hidden struct{ tools, examples, optional, flags, summaries int }

// hides is what the section does not show at the level.
func (s *section) hides(level detail) hidden {
	if level == summaryOnly {
		return hidden{tools: len(s.tools)}
	}
	var h hidden
	for i := range s.tools {
		h.add(&s.tools[i], level)
	}
	return h
}

func (h *hidden) add(e *entry, level detail) {
	h.examples += e.declared
	if level == complete {
		h.examples -= len(e.examples)
	}
	switch {
	case level <= noOptional && e.cut, level == noOptional && e.full != e.required:
		h.optional++
	case level >= noFlags && e.full != "":
		h.flags++
	}
	if level >= namesOnly && e.summary+e.marks != "" {
		h.summaries++
	}
}

// leftOut says what is not shown of toolkits whose sections have so many bytes at
// most, how much of it, and where it is; "" where all is shown.
func leftOut(kits []section, share int) string {
	l := newLosses(kits, share)
	note := ""
	if things := l.things(); len(things) > 0 {
		note = "Left out: " + strings.Join(things, ", ") + ". `--help` shows them.\n"
	}
	if tools := l.sum(func(h hidden) int { return h.tools }); tools > 0 {
		note += missing(count(tools, "tool"))
	}
	return note
}

// missing is the note about tools of which not even the names are there.
func missing(tools string) string {
	return "Left out: " + tools + ". `agentos search '<words>'` finds them.\n"
}

// losses are what each toolkit's section does not show.
type losses struct {
	kits  []section
	hides []hidden
	alike bool // all are shown at the same level
}

func newLosses(kits []section, share int) *losses {
	l := &losses{kits: kits, alike: true}
	for i := range kits {
		level := kits[i].within(share)
		l.hides = append(l.hides, kits[i].hides(level))
		l.alike = l.alike && level == kits[0].within(share)
	}
	return l
}

// things are what is left out of tools that are shown. Flags are told with their
// toolkits: elsewhere a tool that is shown without any has none.
func (l *losses) things() []string {
	var things []string
	examples := func(h hidden) int { return h.examples }
	if n := l.sum(examples); n > 0 {
		things = append(things, count(n, "example"))
	}
	optional := func(h hidden) int { return h.optional }
	if n := l.sum(optional); n > 0 {
		things = append(things, "the optional flags of "+count(n, "tool")+l.where(optional))
	}
	flags := func(h hidden) int { return h.flags }
	if n := l.sum(flags); n > 0 {
		things = append(things, "the flags of "+count(n, "tool")+l.where(flags))
	}
	summaries := func(h hidden) int { return h.summaries }
	if n := l.sum(summaries); n > 0 {
		things = append(things, "the summaries and marks of "+count(n, "tool"))
	}
	return things
}

// sum is how much of one kind is left out.
func (l *losses) sum(of func(hidden) int) int {
	n := 0
	for _, h := range l.hides {
		n += of(h)
	}
	return n
}

// maxNamed is how many toolkits a note names; of more it says how many they are.
const maxNamed = 2

// where are the toolkits of which something of the kind is left out, "" where all
// are shown alike.
func (l *losses) where(of func(hidden) int) string {
	var names []string
	for i, h := range l.hides {
		if of(h) > 0 {
			names = append(names, "agentos-"+l.kits[i].name)
		}
	}
	switch {
	case l.alike:
		return ""
	case len(names) > maxNamed:
		return " of " + count(len(names), "toolkit")
	}
	return " of " + strings.Join(names, " and ")
}

// within is the most detailed level at which the section has so many bytes at
// most, or else the least detailed one.
func (s *section) within(share int) detail {
	if i := slices.IndexFunc(s.sizes[:], func(size int) bool { return size <= share }); i >= 0 {
		return detail(i)
	}
	return summaryOnly
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
