package toolkit

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Definition is the toolkit as data. Commands are sorted by name, so the order
// of registration never shows. The error joins every mistake, each with its
// toolkit and tool; the definition is there all the same, as far as it could be
// read, so that further checks can add theirs.
func (t *Toolkit) Definition() (*Definition, error) {
	b := &treeBuilder{kit: t.Name}
	if t.Timeout < 0 {
		b.report("", nil, fmt.Errorf("the timeout %s is negative", t.Timeout))
	}
	def := &Definition{Version: t.Version, Command: b.group(t.root(), nil, nil)}
	return def, errors.Join(b.mistakes...)
}

// Walk visits every tool with the names that lead to it, without the toolkit's
// own; the path of the toolkit's own body is empty.
func (t *Toolkit) Walk(visit func(path []string, tool Tool)) {
	for parent, tool := range t.tools() {
		visit(toolPath(parent, tool), tool)
	}
}

// Locate finds the toolkit that a tool belongs to, and its path there. A tool
// in several toolkits is found in the first.
func Locate(kits []*Toolkit, tool Tool) (kit *Toolkit, path []string, ok bool) {
	if tool == nil || !reflect.ValueOf(tool).Comparable() {
		return nil, nil, false
	}
	for _, kit := range kits {
		for parent, other := range kit.tools() {
			// Comparable ones of one type never panic.
			if reflect.TypeOf(tool) == reflect.TypeOf(other) && reflect.ValueOf(other).Comparable() && tool == other {
				return kit, toolPath(parent, tool), true
			}
		}
	}
	return nil, nil, false
}

// root is the toolkit as the outermost group.
func (t *Toolkit) root() Group {
	return Group{
		Name: t.Name, Summary: t.Summary, Description: t.Description,
		Globals: t.Globals, Tools: t.Tools, Groups: t.Groups,
	}
}

// tools are all tools, each with the path of the group that it is in.
func (t *Toolkit) tools() iter.Seq2[[]string, Tool] {
	return func(yield func([]string, Tool) bool) { t.root().walk(nil, yield) }
}

func (g Group) walk(path []string, yield func([]string, Tool) bool) bool {
	for _, tool := range g.Tools {
		if tool != nil && !yield(path, tool) {
			return false
		}
	}
	for _, group := range g.Groups {
		if !group.walk(extend(path, group.Name), yield) {
			return false
		}
	}
	return true
}

// toolPath is the path of a tool in a group; a tool without a name is the
// group's own body.
func toolPath(parent []string, tool Tool) []string {
	cmd, _ := tool.Command()
	if cmd.Name == "" {
		return parent
	}
	return extend(parent, cmd.Name)
}

// extend is the path with one more name; the path itself is not written to.
func extend(path []string, name string) []string {
	return append(slices.Clip(path), name)
}

// treeBuilder turns groups and tools into commands and collects the mistakes.
type treeBuilder struct {
	kit      string
	mistakes []error
}

// report records mistakes of the tool or group at the path.
func (b *treeBuilder) report(kind string, path []string, err error) {
	where := fmt.Sprintf("toolkit %q: ", b.kit)
	if len(path) > 0 {
		where += fmt.Sprintf("%s %q: ", kind, strings.Join(path, " "))
	}
	b.mistakes = append(b.mistakes, split(prefix(where, err))...)
}

// group is the command of a group at the path. Inherited are the globals of all
// groups around it.
func (b *treeBuilder) group(g Group, path []string, inherited []Globals) Command {
	globals, err := readGlobals(g.Globals)
	b.report("group", path, prefix("globals: ", err))
	inherited = append(slices.Clip(inherited), globals)
	cmd := Command{
		Name: g.Name, Aliases: g.Aliases, Summary: g.Summary, Description: g.Description, Globals: globals,
	}
	for _, tool := range g.Tools {
		switch leaf := b.leaf(tool, path, inherited); {
		case tool == nil:
		case leaf.Name != "":
			cmd.Commands = append(cmd.Commands, leaf)
		default:
			b.report("group", path, cmd.take(leaf))
		}
	}
	for _, sub := range g.Groups {
		cmd.Commands = append(cmd.Commands, b.group(sub, extend(path, sub.Name), inherited))
	}
	slices.SortStableFunc(cmd.Commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return cmd
}

// leaf is the command of a tool in the group at the path.
func (b *treeBuilder) leaf(tool Tool, path []string, inherited []Globals) Command {
	if tool == nil {
		b.report("group", path, errors.New("a tool is nil"))
		return Command{}
	}
	cmd, err := tool.Command()
	if cmd.Name != "" {
		path = extend(path, cmd.Name)
	}
	b.report("tool", path, err)
	if len(cmd.Commands) > 0 || !cmd.Globals.isZero() {
		b.report("tool", path, errors.New("a tool has neither commands below it nor globals; a group has"))
	}
	if cmd.Body == nil {
		b.report("tool", path, errors.New("no body"))
		return cmd
	}
	cmd.Body = cmd.Body.without(inherited)
	return cmd
}

// take makes the nameless leaf the command's own body. Where the command says
// nothing of itself, the leaf's words are taken too.
func (c *Command) take(leaf Command) error {
	if c.Body != nil {
		return errors.New("two tools without a name")
	}
	if len(leaf.Aliases) > 0 {
		return errors.New("a tool without a name has no aliases")
	}
	c.Body, c.Examples = leaf.Body, leaf.Examples
	if c.Summary == "" {
		c.Summary = leaf.Summary
	}
	if c.Description == "" {
		c.Description = leaf.Description
	}
	return nil
}

func (g Globals) isZero() bool { return len(g.Options) == 0 && len(g.Flags) == 0 }

// without is the body without the parameters that are inherited: those of an
// embedded Globals struct are equal to the declared ones. A parameter that has
// only the name in common stays, and is then refused as a collision.
func (b *Body) without(inherited []Globals) *Body {
	own := *b
	own.Options, own.Flags = slices.Clone(b.Options), slices.Clone(b.Flags)
	for _, globals := range inherited {
		own.Options = slices.DeleteFunc(own.Options, func(o Option) bool { return containsEqual(globals.Options, o) })
		own.Flags = slices.DeleteFunc(own.Flags, func(f Flag) bool { return containsEqual(globals.Flags, f) })
	}
	return &own
}

// containsEqual reports whether one of the parameters is equal to the wanted
// one, schema and default included.
func containsEqual[P any](params []P, wanted P) bool {
	return slices.ContainsFunc(params, func(p P) bool { return reflect.DeepEqual(p, wanted) })
}
