package toolkit

import (
	"context"
	"encoding/json"
	"time"
)

// Toolkit is a group of tools that becomes one command, agentos-NAME.
type Toolkit struct {
	// Name matches [a-z][a-z0-9]*(-[a-z0-9]+)*, at most 63 bytes.
	Name        string
	Version     string
	Summary     string // at most 200 characters
	Description string // at most 4,000 characters
	// Globals is a struct value whose fields are options and flags of every
	// tool; a handler's input embeds the struct to receive them. Where there is
	// no struct, it is a value of type Globals.
	Globals any
	Tools   []Tool
	Groups  []Group
	// Timeout limits every call of the toolkit; 0 means no limit of its own.
	Timeout time.Duration
}

// Group is a command with tools below it, nested to any depth. A tool with an
// empty name is the body of the group itself, or of the toolkit. Its fields are
// those of Toolkit; its globals add to those around it.
type Group struct {
	Name        string
	Aliases     []string
	Summary     string
	Description string
	Globals     any
	Tools       []Tool
	Groups      []Group
}

// Tool is a leaf command with a handler. Func makes one from a Go function;
// other kinds (WebAssembly, programs) implement it. The host calls Command
// once, and for each call Decode, then its validation, then Run.
type Tool interface {
	// Command is the tool's definition, with every mistake in it joined.
	Command() (Command, error)
	// Decode turns canonical input into the value that Run takes. A pointer to
	// a struct with validate tags is validated in between.
	Decode(input json.RawMessage) (any, error)
	// Run calls the handler. The result is encoded as JSON by the host; None
	// means that the tool has no result.
	Run(ctx context.Context, in any) (any, error)
}

// None is the result of a tool without one.
type None struct{}

// Spec describes a tool made by Func. What is absent has the cautious meaning:
// a tool that says nothing has effects and is not safe to repeat.
type Spec struct {
	Name        string
	Aliases     []string
	Summary     string
	Description string
	Examples    []Example
	Errors      []*Error
	Constraints []Constraint
	ReadOnly    bool
	Idempotent  bool
	Destructive *bool // nil means true unless ReadOnly
	OpenWorld   *bool // nil means true
	// Timeout limits a call; 0 means no limit of the tool's own.
	Timeout time.Duration
	// IdleTimeout limits how long a call may go without Progress, for tools that
	// report it; 0 means no such limit.
	IdleTimeout time.Duration
}

// Example is an input worth showing. Input is a value of the handler's input
// type, of which only required and non-zero fields are shown: a Go value cannot
// tell an explicit 0, false or "" from one that was not given. A json.RawMessage
// says exactly what is given. Nil is the input without parameters.
type Example struct {
	Summary string
	Input   any
}

// Handler runs one call: the leaf, or a middleware around it.
type Handler func(ctx context.Context, call *Invocation) (json.RawMessage, error)

// Middleware wraps every call of a host and keeps its shape. The one listed
// first is the outermost.
type Middleware func(next Handler) Handler

// Invocation is what is called: a tool by its path, with canonical input.
type Invocation struct {
	Toolkit string          `json:"toolkit"`
	Path    []string        `json:"path"`
	Input   json.RawMessage `json:"input"`
	// Streams are those that the caller serves; nil for none.
	Streams *Streams `json:"-"`
}

// Caller is a way to call tools: a host acting as a guest, or a guest's client.
type Caller interface {
	// CallTool calls the tool with canonical or any other valid JSON input and
	// returns its result, nil for None. The error is an *Error.
	CallTool(ctx context.Context, tool Tool, input json.RawMessage) (json.RawMessage, error)
}
