package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// DefaultTimeout limits a call when caller, tool and toolkit say nothing.
const DefaultTimeout = 30 * time.Second

// DefaultResultLimit is the longest result, in bytes of JSON. More than that
// ends as RESULT_TOO_LARGE.
const DefaultResultLimit = 8 << 20

// Options configure a host. Every toolkit is exposed to and permitted for
// every guest. Nil and zero values mean the defaults.
type Options struct {
	Toolkits []*toolkit.Toolkit
	// Timeout limits calls for which caller, tool and toolkit give no limit;
	// 0 means DefaultTimeout.
	Timeout time.Duration
	// Limits are those of each guest, unless AddGuest gives it its own; nil means
	// the defaults.
	Limits *Limits
	// Concurrency is how many calls of all guests run at once; guests wait in turn
	// for a place. 0 means DefaultConcurrency.
	Concurrency int
	// ResultLimit is the longest result in bytes; 0 means DefaultResultLimit.
	ResultLimit int
	// Listening is called with each address of ListenAndServe once it is open;
	// nil calls nothing.
	Listening func(addr string)
	// Log receives what guests must not see: the reasons of failed tools,
	// crashes, lost links. Nil means slog.Default().
	Log *slog.Logger
}

// Host exposes toolkits to guests. It is safe for concurrent use.
type Host struct {
	catalog     *catalog
	guests      *registry
	calls       *callTable
	places      *places
	deciders    []decider
	middleware  []toolkit.Middleware
	timeout     time.Duration
	resultLimit int
	listening   func(addr string)
	log         *slog.Logger
	// epoch names this life of the host; a guest that sees another one knows
	// that calls of the earlier life are gone.
	epoch string

	// ctx ends with Close; running calls and listeners of guests derive from it.
	ctx    context.Context //nolint:containedctx // it is the host's life, which no caller's context is
	cancel context.CancelCauseFunc
	// farewells holds one value for each peer that is being told why it is not served.
	farewells chan struct{}
	// work counts every goroutine that the host started; Close waits for it.
	work sync.WaitGroup
}

// New makes a host. The error joins every mistake in every definition, each
// naming toolkit, tool and parameter.
func New(o *Options) (*Host, error) {
	if o == nil {
		o = &Options{}
	}
	catalog, err := newCatalog(o.Toolkits)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancelCause(context.Background())
	h := &Host{
		ctx: life, cancel: end,
		catalog: catalog, guests: newRegistry(life, o.Limits.orDefaults()), calls: newCallTable(),
		places: newPlaces(cmp.Or(o.Concurrency, DefaultConcurrency)), farewells: make(chan struct{}, maxFarewells),
		timeout: o.Timeout, resultLimit: o.ResultLimit, listening: o.Listening, log: o.Log, epoch: rand.Text(),
	}
	if h.timeout <= 0 {
		h.timeout = DefaultTimeout
	}
	if h.resultLimit <= 0 {
		h.resultLimit = DefaultResultLimit
	}
	if h.listening == nil {
		h.listening = func(string) {}
	}
	if h.log == nil {
		h.log = slog.Default()
	}
	for _, name := range catalog.names {
		e := catalog.entries[name]
		for _, note := range append(argv.Lint(e.def), e.notes...) {
			h.log.Warn("definition", "note", note)
		}
	}
	return h, nil
}

// errClosing and errGuestRemoved end the calls that still run.
var (
	errClosing      = &toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled: the host is shutting down"}
	errGuestRemoved = &toolkit.Error{Code: toolkit.CodeCancelled, Message: "cancelled: the guest was removed"}
)

// closeGrace is how long Close waits for handlers that were told to stop.
const closeGrace = 5 * time.Second

// Close stops listening, cancels every running call and waits for what the host
// started. A handler that ignores its context is left behind after five seconds
// and named in the log. Close may be called again.
func (h *Host) Close() error {
	h.cancel(errClosing)
	h.guests.closeListeners()
	done := make(chan struct{})
	go func() { // ends with the last of the host's work
		h.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeGrace):
		for _, c := range h.calls.running() {
			h.log.Warn("handler abandoned", "guest", c.scope.Guest.ID, "call", c.scope.ID, "tool", c.name)
		}
	}
	return nil
}
