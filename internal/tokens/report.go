package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/fixture"
)

// report is all figures.
type report struct {
	servers []serverCost
	crowds  []crowdCost
	task    taskCost
}

func newReport(count func(string) int) (*report, error) {
	r := &report{}
	for _, name := range fixture.MCPServers {
		cost, err := costOfServer(name, count)
		if err != nil {
			return nil, err
		}
		r.servers = append(r.servers, *cost)
	}
	for _, kits := range []int{1, 10, 800} {
		for _, length := range []int{3, 63} {
			r.crowds = append(r.crowds, costOfCrowd(kits, length, count))
		}
	}
	task, err := loadTask()
	if err != nil {
		return nil, err
	}
	r.task = task.cost(count)
	return r, nil
}

// text is the report for people.
func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tokens of o200k_base.\n\nThe prompt text for the tools of three MCP servers, header included, beside their tools/list\n"+
		"as the server sends it, and in parentheses beside the part of it that most clients give to a\nmodel: names, descriptions and input schemas.\n\n")
	fmt.Fprintf(&b, "  %-11s %5s  %16s  %26s  %26s\n", "server", "tools", "tools/list", "full signatures", "without optional flags")
	for _, s := range r.servers {
		fmt.Fprintf(&b, "  %-11s %5d  %7d (%6d)  %6d, %4.1f %% (%4.1f %%)  %9d, %4.1f %% (%4.1f %%)\n", s.name, s.tools, s.list, s.schemas,
			s.full, percent(s.full, s.list), percent(s.full, s.schemas), s.required, percent(s.required, s.list), percent(s.required, s.schemas))
	}
	fmt.Fprintf(&b, "  %-11s %5s  %16s  %18s  %26s\n\n", "limit", "", "", fmt.Sprintf("≤ %d %%", maxFull), fmt.Sprintf("≤ %d %%", maxRequired))
	fmt.Fprintf(&b, "Many tools within %d tokens:\n\n", crowdBudget)
	for _, c := range r.crowds {
		fmt.Fprintf(&b, "  %3d × %3d tools, names of %2d bytes: %5d tokens. %s\n", c.kits, crowdTools/c.kits, c.length, c.tokens, c.note)
	}
	return b.String() + "\n" + r.task.text()
}

// missed names the limits that are not kept.
func (r *report) missed() error {
	var errs []error
	for _, s := range r.servers {
		errs = append(errs,
			within(s.name+", full signatures", s.full, s.list, maxFull),
			within(s.name+", without optional flags", s.required, s.list, maxRequired))
	}
	for _, c := range r.crowds {
		if c.tokens > crowdBudget || c.note == "" {
			errs = append(errs, fmt.Errorf("%d × %d tools: %d tokens with the note %q, want at most %d and a note", c.kits, crowdTools/c.kits, c.tokens, c.note, crowdBudget))
		}
	}
	return errors.Join(errs...)
}

func within(what string, tokens, of, limit int) error {
	if tokens*100 <= of*limit {
		return nil
	}
	return fmt.Errorf("%s: %d of %d tokens are %.1f %%, want at most %d %%", what, tokens, of, percent(tokens, of), limit)
}

func percent(part, of int) float64 { return float64(part) / float64(of) * 100 }
