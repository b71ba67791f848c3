package argv

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"github.com/agentos-go/agentos/toolkit"
)

// paramKind tells the four kinds of parameters apart.
type paramKind uint8

const (
	positional paramKind = iota
	tail
	option
	flag
)

// param is a parameter of any kind in one shape.
type param struct {
	kind      paramKind
	wire      string // key of the input object
	cli       string // kebab form, without dashes
	short     string
	aliases   []string
	help      string
	valueName string
	schema    *toolkit.Schema // of the whole value: an array for a tail
	shape     toolkit.Shape
	fallback  json.RawMessage // the default
	required  bool
	secret    bool
	global    bool // inherited from a command above
	env       string
	flag      *toolkit.Flag // set for flags
	tail      *toolkit.Tail // set for tails
	given     *given        // by the line that is read, nil until it is
}

// scope is what one command can be given: its body's parameters and the globals
// of every command above it, in canonical order: globals (outermost first),
// positionals, tail, options, flags.
type scope struct {
	nodes  []*toolkit.Command // from the root to the command
	params []*param

	marks  *landmarks       // of the command marked
	marked *toolkit.Command // nil when none was yet
}

// command is the command that the scope belongs to.
func (s *scope) command() *toolkit.Command { return s.nodes[len(s.nodes)-1] }

// body is the command's body, or nil.
func (s *scope) body() *toolkit.Body { return s.command().Body }

// definition is the toolkit that the scope is in.
func (s *scope) definition() *toolkit.Definition {
	return &toolkit.Definition{Command: *s.nodes[0]}
}

// newScope is the scope of the root.
func newScope(def *toolkit.Definition) *scope {
	s := &scope{}
	s.enter(&def.Command)
	return s
}

// scopeAt is the scope of the command at the path, or nil when there is none.
func scopeAt(def *toolkit.Definition, path []string) *scope {
	s := newScope(def)
	for _, name := range path {
		child := s.child(name)
		if child == nil {
			return nil
		}
		s.enter(child)
	}
	return s
}

// child is the command below by name or alias, or nil. Definitions that toolkits
// make are sorted, so that a name among thousands is found in a few steps; in
// others, and for aliases, every command is looked at.
func (s *scope) child(word string) *toolkit.Command {
	commands := s.command().Commands
	i := sort.Search(len(commands), func(i int) bool { return commands[i].Name >= word })
	if i < len(commands) && commands[i].Name == word {
		return &commands[i]
	}
	for i := range commands {
		if commands[i].Name == word || slices.Contains(commands[i].Aliases, word) {
			return &commands[i]
		}
	}
	return nil
}

// enter descends into a command: the body above is left, its globals stay.
func (s *scope) enter(cmd *toolkit.Command) {
	s.nodes = append(s.nodes, cmd)
	s.params = slices.DeleteFunc(s.params, func(p *param) bool { return !p.global })
	s.addOptions(cmd.Globals.Options, true)
	s.addFlags(cmd.Globals.Flags, true)
	body := cmd.Body
	if body == nil {
		return
	}
	s.params = slices.Grow(s.params, len(body.Positionals)+1+len(body.Options)+len(body.Flags))
	for i := range body.Positionals {
		p := &body.Positionals[i]
		s.params = append(s.params, &param{
			kind: positional, wire: p.Name, cli: toolkit.CLIName(p.Name), help: p.Help, valueName: p.ValueName,
			schema: p.Schema, fallback: fallback(p.Default, p.Schema), required: p.Required, secret: p.Secret,
		})
	}
	if t := body.Tail; t != nil {
		s.params = append(s.params, &param{
			kind: tail, wire: t.Name, cli: toolkit.CLIName(t.Name), help: t.Help, tail: t, required: t.Min > 0,
			schema: tailSchema(t),
		})
	}
	s.addOptions(body.Options, false)
	s.addFlags(body.Flags, false)
}

// fallback is the default of a parameter: the declared one, else that of its schema,
// which definitions from elsewhere have.
func fallback(declared json.RawMessage, schema *toolkit.Schema) json.RawMessage {
	if len(declared) == 0 && schema != nil {
		return schema.Default
	}
	return declared
}

// tailSchema is the schema of a tail's list.
func tailSchema(t *toolkit.Tail) *toolkit.Schema {
	schema := &toolkit.Schema{Type: toolkit.Types{toolkit.TypeArray}, Items: t.Item}
	if t.Min > 0 {
		schema.MinItems = &t.Min
	}
	if t.Max > 0 {
		schema.MaxItems = &t.Max
	}
	return schema
}

func (s *scope) addOptions(options []toolkit.Option, global bool) {
	params := make([]param, len(options))
	for i := range options {
		o := &options[i]
		params[i] = param{
			kind: option, wire: o.Name, cli: toolkit.CLIName(o.Name), short: o.Short, aliases: o.Aliases,
			help: o.Help, valueName: o.ValueName, schema: o.Schema, shape: o.Shape, fallback: fallback(o.Default, o.Schema),
			required: o.Required, secret: o.Secret, global: global, env: o.Env,
		}
		s.params = append(s.params, &params[i])
	}
}

func (s *scope) addFlags(flags []toolkit.Flag, global bool) {
	params := make([]param, len(flags))
	for i := range flags {
		f := &flags[i]
		params[i] = param{
			kind: flag, wire: f.Name, cli: toolkit.CLIName(f.Name), short: f.Short, aliases: f.Aliases, help: f.Help,
			schema: flagSchema(f), fallback: f.Default, required: f.Required, global: global, env: f.Env, flag: f,
		}
		s.params = append(s.params, &params[i])
	}
}

// booleanSchema is the schema of most flags.
var booleanSchema = &toolkit.Schema{Type: toolkit.Types{toolkit.TypeBoolean}}

// flagSchema is the schema of a flag's value.
func flagSchema(f *toolkit.Flag) *toolkit.Schema {
	schema := *booleanSchema
	switch {
	case f.Count:
		schema = toolkit.Schema{Type: toolkit.Types{toolkit.TypeInteger}, Minimum: "0"}
		if f.Max > 0 {
			schema.Maximum = json.Number(strconv.Itoa(f.Max))
		}
	case !f.Nullable:
		return booleanSchema
	}
	if f.Nullable {
		schema.Type = toolkit.Types{schema.Type[0], toolkit.TypeNull}
	}
	return &schema
}
