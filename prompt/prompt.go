package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// Options say how long the text may be.
type Options struct {
	// Budget is the most tokens that the text may cost; 0 means no limit. A
	// token is estimated as four bytes.
	Budget int
}

// bytesPerToken is the estimate behind Options.Budget.
const bytesPerToken = 4

// header stands above the toolkits.
const header = "## Host tools\n" +
	"Commands that run on the host, outside this machine. Output is JSON: {\"ok\":true,\"result\":…} or {\"ok\":false,\"error\":…,\"message\":…}; the exit status is 0 only on success.\n" +
	"`agentos-<toolkit> <tool> --help` shows details, `agentos list-tools` lists all. Nested input: --json '{…}'. Over 100 kB: --json-file or stdin.\n"

// detail is how much is said of each tool. Each level leaves out one thing more.
type detail int

const (
	withExamples detail = iota
	withOptional
	withRequired
	withSummaries
	namesOnly
	toolkitsOnly
	lowest
)

// leftOut says what a level does not show.
var leftOut = [lowest]string{
	withOptional:  "Examples are left out: see `--help`.",
	withRequired:  "Examples and optional flags are left out: see `--help`.",
	withSummaries: "Flags are left out: see `--help`.",
	namesOnly:     "Summaries and flags are left out: see `--help`.",
	toolkitsOnly:  "%d tools are left out: see `agentos list-tools`.",
}

// Render is the prompt text for the definitions, as detailed as the budget
// allows: it leaves out one kind of thing after the other, for all tools alike,
// and says which. Without definitions it is empty.
func Render(defs []*toolkit.Definition, o *Options) string {
	if len(defs) == 0 {
		return ""
	}
	sorted := slices.Clone(defs)
	slices.SortFunc(sorted, func(a, b *toolkit.Definition) int { return cmp.Compare(a.Name, b.Name) })
	var text string
	for level := withExamples; level < lowest; level++ {
		text = render(sorted, level)
		if o == nil || o.Budget <= 0 || len(text) <= o.Budget*bytesPerToken {
			break
		}
	}
	return text
}

// render is the text at one level of detail.
func render(defs []*toolkit.Definition, level detail) string {
	var b strings.Builder
	b.WriteString(header)
	total := 0
	for _, def := range defs {
		fmt.Fprintf(&b, "\n### agentos-%s", def.Name)
		if def.Summary != "" {
			fmt.Fprintf(&b, " — %s", argv.Inline(def.Summary))
		}
		b.WriteByte('\n')
		tools := argv.Tools(def)
		total += len(tools)
		if level == namesOnly {
			fmt.Fprintf(&b, "Tools: %s\n", strings.Join(names(tools), ", "))
		}
		if level < namesOnly {
			for _, path := range tools {
				writeTool(&b, def, path, level)
			}
		}
	}
	if note := leftOut[level]; note != "" {
		if level == toolkitsOnly {
			note = fmt.Sprintf(note, total)
		}
		b.WriteString("\n" + note + "\n")
	}
	return b.String()
}

func names(tools [][]string) []string {
	out := make([]string, len(tools))
	for i, path := range tools {
		out[i] = strings.Join(path, " ")
	}
	return out
}

// writeTool writes a tool's line and its examples.
func writeTool(b *strings.Builder, def *toolkit.Definition, path []string, level detail) {
	_, cmd, err := argv.Resolve(def, path)
	if err != nil {
		return // path is one of def's own
	}
	words := append([]string{"agentos-" + def.Name}, path...)
	switch level {
	case withExamples, withOptional:
		words = append(words, argv.Signature(def, path))
	case withRequired:
		words = append(words, argv.RequiredSignature(def, path))
	}
	fmt.Fprintf(b, "- `%s`", strings.TrimSpace(strings.Join(words, " ")))
	if cmd.Summary != "" {
		fmt.Fprintf(b, " — %s", argv.Inline(cmd.Summary))
	}
	if d := cmd.Body.Annotations.Destructive; d != nil && *d {
		b.WriteString(" (destructive)")
	}
	b.WriteByte('\n')
	if level == withExamples {
		writeExamples(b, def, path, cmd)
	}
}

func writeExamples(b *strings.Builder, def *toolkit.Definition, path []string, cmd *toolkit.Command) {
	for _, example := range cmd.Examples {
		line, err := argv.CommandLine("agentos-"+def.Name, def, path, example.Input)
		if err != nil {
			continue // a vetted definition has none
		}
		summary := cmp.Or(argv.Inline(example.Summary), "Example")
		fmt.Fprintf(b, "    %s: `%s`\n", summary, line)
	}
}
