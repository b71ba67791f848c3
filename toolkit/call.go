package toolkit

import "context"

// Call is the scope of a running call, for handlers and middleware.
type Call struct {
	// ID is unique among the calls of one guest's life.
	ID      string
	Guest   Guest
	Toolkit string
	// Path are the names that lead to the tool, without the toolkit's.
	Path []string
	// Attempt counts from 1; a repeated attempt has a higher number.
	Attempt int
}

// Guest is who a call comes from, as the host registered it.
type Guest struct {
	ID string
	// Generation tells lives of one id apart: it changes when the guest is
	// removed and added again.
	Generation uint64
	// Labels are what the host's owner said of the guest: tenant, agent, end user.
	Labels map[string]string
}

type callKey struct{}

// CallFrom is the scope of the call that the context belongs to; the zero Call
// outside of one.
func CallFrom(ctx context.Context) Call {
	call, _ := ctx.Value(callKey{}).(Call)
	return call
}

// WithCall is a context that carries the scope. Hosts and tests of handlers use it.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}
