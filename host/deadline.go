package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// limit is the one that ends a call, and who set it.
type limit struct {
	name  string // caller, tool, toolkit or default
	after time.Duration
}

// limitOf is the least of the limits that were given, and the host's default
// when none was. It is the only place where a deadline is chosen.
func (h *Host) limitOf(caller time.Duration, body *toolkit.Body, kit *toolkit.Toolkit) limit {
	given := []limit{
		{"caller", caller},
		{"tool", time.Duration(body.TimeoutMS) * time.Millisecond},
		{"toolkit", kit.Timeout},
	}
	least := limit{}
	for _, l := range given {
		if l.after > 0 && (least.after == 0 || l.after < least.after) {
			least = l
		}
	}
	if least.after == 0 {
		return limit{"default", h.timeout}
	}
	return least
}

// bound is the context of the call's handler: it ends with the limit, the
// cause being the TIMEOUT that the guest is told.
func (c *call) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.limit.after, &toolkit.Error{
		Code:    toolkit.CodeTimeout,
		Message: fmt.Sprintf("%s did not finish within %s (%s limit) and was cancelled", c.name(), c.limit.after, c.limit.name),
		Hint:    c.longer(),
		Details: limitDetails(c.limit.name),
	})
}

// limitDetails are the details of an error that a limit caused.
func limitDetails(name string) any { return []map[string]string{{"limit": name}} }

// longer is the same command with twice the time where repeating it is safe and
// the limit was the caller's to set; else where to read about the tool.
func (c *call) longer() string {
	program := "agentos-" + c.inv.Toolkit
	own := c.limit.name == "caller" || c.limit.name == "default"
	_, cmd, err := argv.Resolve(c.entry.def, c.inv.Path)
	if err == nil && own && (cmd.Body.Annotations.ReadOnly || cmd.Body.Annotations.Idempotent) {
		if line, err := argv.CommandLine(program, c.entry.def, c.inv.Path, c.inv.Input); err == nil {
			return fmt.Sprintf("%s --timeout %s", line, 2*c.limit.after)
		}
	}
	return strings.Join(append([]string{program}, c.inv.Path...), " ") + " --help"
}
