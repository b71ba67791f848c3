package prompt

import (
	"fmt"
	"strings"
)

// detail is how much is said of each tool. Each level leaves out one thing more.
type detail int

const (
	complete     detail = iota
	noExamples          // a line for each tool, with all that it takes
	noOptional          // with what it must be given; a text is written …
	noFlags             // with what it does
	namesOnly           // a line for each toolkit, with the names of its tools
	toolkitsOnly        // with what it is for
	least               // how many tools there are
)

// leftOut says what the level does not show, how much of it, and where it is; "" at
// a level that shows all there is.
func leftOut(kits []section, level detail) string {
	hidden := tally(kits, level)
	if level >= toolkitsOnly {
		text := "Left out: " + count(hidden.tools, "tool")
		if level == least {
			text += " of " + count(len(kits), "toolkit")
		}
		return text + ". `agentos search '<words>'` finds them."
	}
	var things []string
	if hidden.examples > 0 {
		things = append(things, count(hidden.examples, "example"))
	}
	if hidden.optional > 0 {
		things = append(things, "the optional flags of "+count(hidden.optional, "tool"))
	}
	if hidden.flags > 0 {
		things = append(things, "the flags of "+count(hidden.flags, "tool"))
	}
	if hidden.summaries > 0 {
		things = append(things, "the summaries and marks of "+count(hidden.summaries, "tool"))
	}
	if len(things) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(things, ", ") + ". `--help` shows them."
}

// hidden counts what a level does not show: examples, and tools by what of theirs
// is missing.
type hidden struct{ tools, examples, optional, flags, summaries int }

func tally(kits []section, level detail) hidden {
	var h hidden
	for i := range kits {
		for j := range kits[i].tools {
			h.add(&kits[i].tools[j], level)
		}
	}
	return h
}

func (h *hidden) add(e *entry, level detail) {
	h.tools++
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

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
