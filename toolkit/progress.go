package toolkit

import "context"

type progressKey struct{}

// Progress tells the caller what the running call is doing: one line, shown
// on stderr in the guest. It never blocks a handler for long and never fails;
// outside of a call it does nothing.
func Progress(ctx context.Context, message string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok && report != nil {
		report(message)
	}
}

// WithProgress is a context whose calls of Progress go to report, which may be
// called from several goroutines. Hosts and tests of handlers use it.
func WithProgress(ctx context.Context, report func(message string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}
