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

// bound is the context of the call's handler: it ends with the limit.
func (c *call) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.limit.after, &timedOut{call: c, limit: c.limit})
}

// watched is the context of a handler that must report progress, and its reports
// to the caller: it ends when they stay away for too long.
func (c *call) watched(ctx context.Context) (_ context.Context, report func(string), stop func()) {
	if c.idle == 0 {
		return ctx, c.progress, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	end := &timedOut{call: c, limit: limit{"tool", c.idle}, idle: true}
	timer := time.AfterFunc(c.idle, func() { cancel(end) })
	report = func(text string) {
		if timer.Stop() { // else it is over
			timer.Reset(c.idle)
		}
		c.progress(text)
	}
	return ctx, report, func() {
		timer.Stop()
		cancel(nil)
	}
}

// timedOut is the end of a call by a limit.
type timedOut struct {
	call  *call
	limit limit
	// idle says that the limit is for the time without progress.
	idle bool
}

// Error is for logs; guests are told what forGuest says.
func (t *timedOut) Error() string {
	if t.idle {
		return fmt.Sprintf("%s reported no progress for %s (idle limit of the %s)", t.call.name, t.limit.after, t.limit.name)
	}
	return fmt.Sprintf("%s did not finish within %s (%s limit)", t.call.name, t.limit.after, t.limit.name)
}

// forGuest names the limit, and what to do.
func (t *timedOut) forGuest() *toolkit.Error {
	return &toolkit.Error{
		Code: toolkit.CodeTimeout, Message: t.Error() + " and was cancelled",
		Hint: t.call.longer(), Details: limitDetails(t.limit.name),
	}
}

// limitDetails are the details of an error that a limit caused.
func limitDetails(name string) any { return []map[string]string{{"limit": name}} }

// longestHint is the longest input, in bytes, that is worth repeating in a hint.
const longestHint = 1000

// longer is the same command with twice the time, where repeating it is safe and
// the limit was the caller's to set; else where to read about the tool.
func (c *call) longer() string {
	program := "agentos-" + c.inv.Toolkit
	own := c.limit.name == "caller" || c.limit.name == "default"
	_, cmd, err := argv.Resolve(c.entry.def, c.inv.Path)
	if err == nil && own && len(c.inv.Input) <= longestHint && (cmd.Body.Annotations.ReadOnly || cmd.Body.Annotations.Idempotent) {
		if line, err := argv.CommandLine(program, c.entry.def, c.inv.Path, c.inv.Input); err == nil {
			return fmt.Sprintf("%s --timeout %s", line, 2*c.limit.after)
		}
	}
	return strings.Join(append([]string{program}, c.inv.Path...), " ") + " --help"
}
