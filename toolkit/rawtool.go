package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// rawTool is a tool whose definition is data and whose input stays JSON.
type rawTool struct {
	command Command
	run     func(ctx context.Context, input json.RawMessage) (any, error)
}

// NewTool makes a tool that is not a Go function from its definition: a
// WebAssembly module, a program, an import. Run receives the canonical input,
// defaults applied; the input is checked by its schemas alone. The definition is
// taken as it is.
func NewTool(cmd Command, run func(ctx context.Context, input json.RawMessage) (any, error)) Tool {
	return &rawTool{command: cmd, run: run}
}

// Command is the definition that NewTool got.
func (t *rawTool) Command() (Command, error) {
	if t.run == nil {
		return t.command, errors.New("the handler is nil")
	}
	return t.command, nil
}

// Decode is the input itself.
func (t *rawTool) Decode(input json.RawMessage) (any, error) { return input, nil }

// Run calls the handler with the input that Decode returned.
func (t *rawTool) Run(ctx context.Context, in any) (any, error) {
	input, ok := in.(json.RawMessage)
	if !ok {
		return nil, fmt.Errorf("run tool %q: the input is of type %T, not JSON", t.command.Name, in)
	}
	return t.run(ctx, input)
}

// ParseDefinition reads a definition from JSON, as Definition is written.
// Unknown fields are refused, schemas aside, whose unknown keywords are kept. It
// reads no more strictly than encoding/json does, and checks no rule of
// definitions: a host does, with all its toolkits together. The error joins one for
// each thing that cannot be read, with its line and path.
func ParseDefinition(data []byte) (*Definition, error) {
	whole, err := wholeValue(data)
	if err != nil {
		return nil, err
	}
	r := &reading{data: data}
	r.value(whole, bytes.Index(data, whole), nil, reflect.TypeFor[Definition]())
	if len(r.mistakes) > 0 {
		return nil, errors.Join(r.mistakes...)
	}
	def := &Definition{}
	if err := json.Unmarshal(whole, def); err != nil {
		return nil, fmt.Errorf("read definition: %w", err)
	}
	return def, nil
}

// FromDefinition is the toolkit that a definition describes; the handler runs
// every tool of it. A nil result of a tool that declares none is None.
func FromDefinition(def *Definition, handler Handler) *Toolkit {
	root := rawGroup(def.Command, def.Name, nil, handler)
	return &Toolkit{
		Name: def.Name, Version: def.Version, Summary: def.Summary, Description: def.Description,
		Globals: root.Globals, Tools: root.Tools, Groups: root.Groups,
	}
}

// rawGroup is the group that a command of a definition describes. The command's
// own body becomes a tool without a name.
func rawGroup(cmd Command, kit string, path []string, handler Handler) Group {
	group := Group{
		Name: cmd.Name, Aliases: cmd.Aliases, Summary: cmd.Summary, Description: cmd.Description, Globals: cmd.Globals,
	}
	if cmd.Body != nil {
		body := Command{Examples: cmd.Examples, Body: cmd.Body}
		group.Tools = append(group.Tools, handledTool(body, kit, path, handler))
	}
	for _, child := range cmd.Commands {
		childPath := extend(path, child.Name)
		if child.Body != nil && len(child.Commands) == 0 && child.Globals.isZero() {
			group.Tools = append(group.Tools, handledTool(child, kit, childPath, handler))
			continue
		}
		group.Groups = append(group.Groups, rawGroup(child, kit, childPath, handler))
	}
	return group
}

// handledTool is the tool that hands its calls to the handler, with their path.
func handledTool(cmd Command, kit string, path []string, handler Handler) Tool {
	if handler == nil {
		return NewTool(cmd, nil)
	}
	return NewTool(cmd, func(ctx context.Context, input json.RawMessage) (any, error) {
		out, err := handler(ctx, &Invocation{Toolkit: kit, Path: slices.Clone(path), Input: input})
		if err == nil && out == nil && cmd.Body.Result == nil {
			return None{}, nil
		}
		return out, err
	})
}
