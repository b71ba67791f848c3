package shim

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// How long a silent stdin is waited for, when the call has no timeout; a notice
// comes first.
const (
	stdinNotice = time.Second
	stdinWait   = 30 * time.Second
)

// readStdin reads JSON from stdin to its end, within the call's timeout.
func (p *Process) readStdin(ctx context.Context, timeout time.Duration) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // ends with stdin, or with the process
		data, err := io.ReadAll(io.LimitReader(p.Stdin, strictjson.MaxBytes+1))
		done <- read{data, err}
	}()
	notice := time.NewTimer(stdinNotice)
	defer notice.Stop()
	if timeout <= 0 {
		timeout = stdinWait
	}
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	for {
		select {
		case r := <-done:
			if len(r.data) > strictjson.MaxBytes {
				return nil, fmt.Errorf("more than %d bytes", strictjson.MaxBytes)
			}
			return r.data, r.err
		case <-notice.C:
			p.note("reading the input as JSON from stdin, which is still open")
		case <-ctx.Done():
			return nil, &toolkit.Error{Code: toolkit.CodeCancelled, Message: fmt.Sprintf("cancelled while stdin was read (%v); nothing was called", context.Cause(ctx))}
		case <-limit.C:
			return nil, &toolkit.Error{Code: toolkit.CodeTimeout, Message: fmt.Sprintf("stdin did not end within %s; nothing was called", timeout)}
		}
	}
}
