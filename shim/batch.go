package shim

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// maxParallel is how many calls of a batch may run at once. It is as many as a host
// runs for one guest unless it is told otherwise.
const maxParallel = 256

// What a batch holds of finished lines whose turn it is not yet, behind a slower
// one: no call starts beyond either.
const (
	windowPerCall = 16       // lines, for each call that may run at once
	maxHeld       = 16 << 20 // bytes of their documents
)

// maxAttempts is how often a line is tried that did not run: the host may be another
// one now, and its definition too.
const maxAttempts = 3

// batch makes the calls that stdin names, one a line, and prints an envelope for
// each in the order of the lines.
type batch struct {
	p    *Process
	host *batchHost
	// options are those of the command itself, which hold for every line that
	// gives none.
	options     argv.Options
	parallel    int
	stopOnError bool

	// The rest is run's alone.
	pending    []*batchJob // begun and not printed, in the order of the lines
	running    int
	held       int   // bytes of pending documents
	stopped    bool  // nothing more begins
	unwritable error // why stdout takes nothing more
	exit       int   // that of the first line that failed
}

// batchJob is a line that was begun.
type batchJob struct {
	id       string // of the call, if there was one
	document []byte
	exit     int
	done     bool
}

// batch runs the command `agentos batch`.
func (p *Process) batch(ctx context.Context, inv *argv.Invocation, in ownInput) int {
	// An exported variable is for single calls, so only the line itself counts.
	if output := argv.BridgeOptions(&argv.Line{Args: p.Args[1:]}).Output; output != "envelope" {
		return p.refuse(inv.Options, &toolkit.Error{Code: toolkit.CodeUsageError, Message: "--output " + output + ": a batch prints one envelope a line", Hint: "agentos batch --help"})
	}
	if _, err := p.dialWait(); err != nil {
		return p.refuse(inv.Options, err)
	}
	if p.Stdin == nil {
		p.note("stdin has no lines: it is a terminal or /dev/null")
		return 0
	}
	shared := *p // by all lines that run at once
	shared.Stderr = &lockedWriter{to: p.Stderr}
	b := &batch{
		p: &shared, host: &batchHost{p: &shared, turn: make(chan struct{}, 1)}, options: inv.Options,
		parallel: max(in.Parallel, 1), stopOnError: in.StopOnError,
	}
	b.options.Output = "envelope"
	defer b.host.close()
	return b.run(ctx)
}

// run goes through the lines until stdin ends, one fails where that is the end, or
// the context does, and then waits for what runs.
func (b *batch) run(ctx context.Context) int {
	quit := make(chan struct{})
	defer close(quit)
	lines, finished := make(chan *batchLine), make(chan *batchJob)
	go readLines(b.p.Stdin, lines, quit) // ends with quit, or with stdin, or with the process
	cancelled := ctx.Done()
	for !b.stopped || len(b.pending) > 0 {
		next := lines
		if !b.mayBegin() {
			next = nil
		}
		select {
		case line := <-next:
			if line == nil || ctx.Err() != nil {
				b.stopped = true
			} else {
				b.begin(ctx, line, finished)
			}
		case job := <-finished:
			b.finish(job)
		case <-cancelled:
			b.stopped, cancelled = true, nil
		}
	}
	if ctx.Err() != nil {
		return cmp.Or(b.exit, asError(cancelledBefore(ctx)).ExitStatus())
	}
	return b.exit
}

// mayBegin reports whether there is room for another line. Stdin is read no further
// than that, and one line.
func (b *batch) mayBegin() bool {
	return !b.stopped && b.running < b.parallel && len(b.pending) < windowPerCall*b.parallel && b.held < maxHeld
}

func (b *batch) begin(ctx context.Context, line *batchLine, finished chan<- *batchJob) {
	job := &batchJob{}
	b.pending = append(b.pending, job)
	b.running++
	go func() { // run waits for it
		b.do(ctx, line, job)
		finished <- job
	}()
}

// do is the work of a line, beside others.
func (b *batch) do(ctx context.Context, line *batchLine, job *batchJob) {
	options, id, answer := b.answer(ctx, line)
	document, err := b.p.document(options, answer)
	if err != nil {
		answer = undeliverable(id, err)
		document = asLine(answer.Document())
	}
	job.id, job.document, job.exit = id, document, answer.Exit
}

// finish prints what has its turn now.
func (b *batch) finish(job *batchJob) {
	job.done = true
	b.running--
	b.held += len(job.document)
	b.stopped = b.stopped || b.stopOnError && job.exit != 0
	for len(b.pending) > 0 && b.pending[0].done {
		first := b.pending[0]
		b.pending[0], b.pending = nil, b.pending[1:]
		b.held -= len(first.document)
		b.print(first)
	}
}

// print writes the line's envelope. Once that fails nothing more begins, and of
// what has begun stderr tells.
func (b *batch) print(job *batchJob) {
	if b.unwritable == nil {
		_, b.unwritable = b.p.Stdout.Write(job.document)
	}
	if b.unwritable != nil {
		b.stopped = true
		job.exit = b.p.stderr(undeliverable(job.id, b.unwritable))
	}
	b.exit = cmp.Or(b.exit, job.exit)
}

// answer is what a line comes to, with the options for printing it and the id of
// its call, if there was one. What did not run because the batch knew something that
// is out of date is tried again.
func (b *batch) answer(ctx context.Context, line *batchLine) (argv.Options, string, *guest.Answer) {
	request, wrong := line.request()
	if wrong != nil {
		return b.options, "", failed(wrong, "")
	}
	for attempt := 1; ; attempt++ {
		client, shown, err := b.host.present(ctx, request)
		if client == nil {
			return b.options, "", failed(asError(err), "")
		}
		options, id, answer := b.options, "", (*guest.Answer)(nil)
		if err != nil {
			answer = failed(asError(err), "")
		} else {
			options, id, answer = b.call(ctx, line.number, client, request, shown)
		}
		if !b.host.heed(client, request.kit, answer) || attempt == maxAttempts {
			return options, id, answer
		}
	}
}

// call makes the call that a request is.
func (b *batch) call(ctx context.Context, number int, client *guest.Client, r *batchRequest, shown *guest.Presented) (argv.Options, string, *guest.Answer) {
	call, options, err := b.plan(r, shown)
	if err != nil {
		return options, "", failed(asError(err), "")
	}
	call.Note = func(text string) { b.p.note(fmt.Sprintf("line %d: %s", number, text)) }
	b.p.debug("line %d: call %s: %s %s", number, call.ID, call.Toolkit, call.Path)
	return options, call.ID, client.Call(ctx, call)
}

// lockedWriter is a writer that several goroutines may use.
type lockedWriter struct {
	mu sync.Mutex // one write at a time
	to io.Writer
}

// Write writes all of the text before that of others.
func (w *lockedWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(text)
}
