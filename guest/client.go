package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
)

// Options configure a client.
type Options struct {
	// Addr says where the host is: "vsock://2:5000" or "unix:///PATH".
	Addr string
	// Dial opens a connection in place of Addr.
	Dial DialFunc
	// DialWait is the total wait for a host that is not there yet; 0 means
	// DefaultDialWait.
	DialWait time.Duration
	// Toolkits are definitions shared with the host's program. They say where a
	// typed tool lives, for the Call method of tools.
	Toolkits []*toolkit.Toolkit
}

// Client calls tools of the host. It is safe for concurrent use.
type Client struct {
	dialer   dialer
	toolkits []*toolkit.Toolkit

	mu     sync.Mutex // guards idle and closed
	idle   []*link
	closed bool
}

// Dial makes a client and connects, so that an unreachable host is known at
// once. The error is a *toolkit.Error with the code HOST_UNREACHABLE.
func Dial(ctx context.Context, o *Options) (*Client, error) {
	d, err := newDialer(o)
	if err != nil {
		return nil, err
	}
	c := &Client{dialer: d, toolkits: o.Toolkits}
	l, err := c.dialer.connect(ctx)
	if err != nil {
		return nil, err
	}
	c.idle = append(c.idle, l)
	return c, nil
}

// Connect is one bare connection to the host, dialled as Dial does, for a caller
// that speaks the protocol itself, or passes on what another one says. Its error is
// Dial's.
func Connect(ctx context.Context, o *Options) (net.Conn, error) {
	d, err := newDialer(o)
	if err != nil {
		return nil, err
	}
	return d.conn(ctx)
}

// Close closes the idle connections. A running call's connection closes with it.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, l := range c.idle {
		l.close()
	}
	c.idle = nil
	return nil
}

// take is an idle connection, or a new one.
func (c *Client) take(ctx context.Context) (*link, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		l := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return l, nil
	}
	c.mu.Unlock()
	return c.dialer.connect(ctx)
}

// release keeps a connection for the next user.
func (c *Client) release(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		l.close()
		return
	}
	l.used = true
	c.idle = append(c.idle, l)
}

// Presented is a toolkit as the host shows it to this guest.
type Presented struct {
	Definition *toolkit.Definition
	// Revision names the definition's content; a call that bears it is refused
	// when the definition changed meanwhile.
	Revision string
}

// Present asks for a toolkit's definition, pruned to the command that the
// leading words of a command line select; no words ask for all of it.
func (c *Client) Present(ctx context.Context, kit string, words []string) (*Presented, error) {
	p, err := c.ask(ctx, &wire.Open{Toolkit: kit, Words: words, Want: wire.WantCommand})
	if err != nil {
		return nil, err
	}
	if p.Definition == nil {
		return nil, &toolkit.Error{Code: toolkit.CodeInternalError, Message: "the host presented nothing"}
	}
	return &Presented{Definition: p.Definition, Revision: p.Revision}, nil
}

// Definitions are the toolkits that the guest may use, sorted by name; with a
// name, that one.
func (c *Client) Definitions(ctx context.Context, kit string) ([]*toolkit.Definition, error) {
	p, err := c.ask(ctx, &wire.Open{Toolkit: kit, Want: wire.WantList})
	if err != nil {
		return nil, err
	}
	if kit != "" && len(p.Definitions) != 1 {
		return nil, &toolkit.Error{Code: toolkit.CodeInternalError, Message: "the host presented nothing"}
	}
	return p.Definitions, nil
}

// Prompt is the text that tells an agent about its tools, within a budget of
// tokens of four bytes; 0 means no budget. Below 32 there may be no text.
func (c *Client) Prompt(ctx context.Context, budget int) (string, error) {
	p, err := c.ask(ctx, &wire.Open{Want: wire.WantPrompt, Budget: budget})
	if err != nil {
		return "", err
	}
	return p.Text, nil
}

// Found is the tools that fit a query, the best ones first.
type Found struct {
	// Text is them as lines to read.
	Text string
	// Result is them as a JSON object: {"total":12,"tools":[{"toolkit":"weather",
	// "tool":"forecast","signature":"--city <string>","description":"…"}]}.
	Result json.RawMessage
}

// Search finds tools by plain words. Finding none is no error, but a query without
// a word that says something of a tool is a VALIDATION_ERROR.
func (c *Client) Search(ctx context.Context, query string) (*Found, error) {
	p, err := c.ask(ctx, &wire.Open{Want: wire.WantSearch, Query: query})
	if err != nil {
		return nil, err
	}
	return &Found{Text: p.Text, Result: p.Found}, nil
}

// CallList is calls of this guest that the host knows of, the latest first.
type CallList struct {
	Calls []CallState `json:"calls"`
	// Total is how many there are, when these are not all; else 0.
	Total int `json:"total,omitempty"`
}

// CallState is one call. State is "queued", "started" or "completed", whatever
// its outcome.
type CallState struct {
	ID      string `json:"id"`
	Toolkit string `json:"toolkit"`
	Tool    string `json:"tool"`
	State   string `json:"state"`
}

// Calls are the guest's latest calls, or the one of that id; an id that the host
// does not know is CALL_NOT_FOUND.
func (c *Client) Calls(ctx context.Context, id string) (*CallList, error) {
	p, err := c.ask(ctx, &wire.Open{Want: wire.WantCalls, Query: id})
	if err != nil {
		return nil, err
	}
	list := &CallList{}
	if err := json.Unmarshal(p.Found, list); err != nil {
		return nil, &toolkit.Error{Code: toolkit.CodeInternalError, Message: fmt.Sprintf("read the list of calls: %v", err)}
	}
	return list, nil
}

// ask sends an OPEN and is the host's PRESENT. A kept connection may have been
// closed by the host; then the next one is tried, and a new one at last. A host that
// goes away while it is asked is waited for.
func (c *Client) ask(ctx context.Context, open *wire.Open) (*wire.Present, error) {
	for p := c.dialer.patience(); ; {
		l, err := c.take(ctx)
		if err != nil {
			return nil, err
		}
		shown, err := l.open(ctx, open)
		if err == nil {
			c.release(l)
			return shown, refusal(shown)
		}
		l.close()
		if ctx.Err() != nil || !l.used && !p.again(ctx, err) {
			return nil, c.dialer.unsent(ctx, err)
		}
	}
}

// CallTool calls a tool of one of the client's Toolkits, which makes a *Client
// a toolkit.Caller.
func (c *Client) CallTool(ctx context.Context, tool toolkit.Tool, input json.RawMessage) (json.RawMessage, error) {
	kit, path, ok := toolkit.Locate(c.toolkits, tool)
	if !ok {
		return nil, &toolkit.Error{Code: toolkit.CodeToolNotFound, Message: "the tool is in none of the client's toolkits"}
	}
	call := &Call{Toolkit: kit.Name, Path: path, Input: input}
	call.serve(toolkit.CallerStreams(ctx))
	answer := c.Call(ctx, call)
	if err := answer.Error(); err != nil {
		return nil, err
	}
	return answer.Result, nil
}

// refusal is the error that the host presents instead of what was asked for.
func refusal(p *wire.Present) error {
	if p.Error == nil {
		return nil
	}
	return p.Error.Error()
}
