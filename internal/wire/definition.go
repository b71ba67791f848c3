package wire

import "github.com/agentos-go/agentos/toolkit"

// The tables of a definition serve the reader alone: hosts write definitions
// with encoding/json, by the tags of their fields, and the names here are the
// same.

func readDefinition(r *reader, d *toolkit.Definition) {
	r.text("version", &d.Version)
	readCommand(r, &d.Command)
}

func readCommand(r *reader, c *toolkit.Command) {
	r.text("name", &c.Name)
	r.texts("aliases", &c.Aliases)
	r.text("summary", &c.Summary)
	r.text("description", &c.Description)
	part(r, "globals", &c.Globals, readGlobals)
	objects(r, "commands", &c.Commands, readCommand)
	objects(r, "examples", &c.Examples, readExample)
	pointer(r, "body", &c.Body, readBody)
	r.flag("skeleton", &c.Skeleton)
}

func readGlobals(r *reader, g *toolkit.Globals) {
	objects(r, "options", &g.Options, readOption)
	objects(r, "flags", &g.Flags, readFlag)
}

func readExample(r *reader, e *toolkit.ExampleCase) {
	r.text("summary", &e.Summary)
	r.raw("input", &e.Input)
}

func readBody(r *reader, b *toolkit.Body) {
	objects(r, "positionals", &b.Positionals, readPositional)
	pointer(r, "tail", &b.Tail, readTail)
	objects(r, "options", &b.Options, readOption)
	objects(r, "flags", &b.Flags, readFlag)
	objects(r, "constraints", &b.Constraints, readConstraint)
	pointer(r, "stdin", &b.Stdin, readSlot)
	pointer(r, "stdout", &b.Stdout, readSlot)
	pointer(r, "stderr", &b.Stderr, readSlot)
	r.schema("input", &b.Input)
	r.schema("result", &b.Result)
	objects(r, "errors", &b.Errors, readErrorCase)
	part(r, "annotations", &b.Annotations, readAnnotations)
	r.raw("sample", &b.Sample)
	r.int64("timeout_ms", &b.TimeoutMS)
	r.int64("idle_timeout_ms", &b.IdleTimeoutMS)
}

func readPositional(r *reader, p *toolkit.Positional) {
	r.text("name", &p.Name)
	r.text("help", &p.Help)
	r.text("value_name", &p.ValueName)
	r.schema("schema", &p.Schema)
	r.raw("default", &p.Default)
	r.flag("required", &p.Required)
	r.flag("secret", &p.Secret)
}

func readTail(r *reader, t *toolkit.Tail) {
	r.text("name", &t.Name)
	r.text("help", &t.Help)
	r.schema("item", &t.Item)
	r.int("min", &t.Min)
	r.int("max", &t.Max)
	r.text("separator", &t.Separator)
	r.flag("verbatim", &t.Verbatim)
}

func readOption(r *reader, o *toolkit.Option) {
	r.text("name", &o.Name)
	r.text("short", &o.Short)
	r.texts("aliases", &o.Aliases)
	r.text("help", &o.Help)
	r.text("value_name", &o.ValueName)
	r.schema("schema", &o.Schema)
	part(r, "shape", &o.Shape, readShape)
	r.raw("default", &o.Default)
	r.flag("required", &o.Required)
	r.text("env", &o.Env)
	r.flag("secret", &o.Secret)
}

func readShape(r *reader, s *toolkit.Shape) {
	r.flag("optional", &s.Optional)
	r.text("delimiter", &s.Delimiter)
	r.flag("repeats", &s.Repeats)
	r.flag("last_wins", &s.LastWins)
}

func readFlag(r *reader, f *toolkit.Flag) {
	r.text("name", &f.Name)
	r.text("short", &f.Short)
	r.texts("aliases", &f.Aliases)
	r.text("help", &f.Help)
	r.text("env", &f.Env)
	r.raw("default", &f.Default)
	r.flag("required", &f.Required)
	r.flag("plain", &f.Plain)
	r.flag("count", &f.Count)
	r.int("max", &f.Max)
	r.flag("nullable", &f.Nullable)
}

func readSlot(r *reader, s *toolkit.Slot) {
	r.texts("mime", &s.MIME)
	r.flag("required", &s.Required)
}

func readErrorCase(r *reader, e *toolkit.ErrorCase) {
	r.text("name", &e.Name)
	r.text("summary", &e.Summary)
	r.text("kind", (*string)(&e.Kind))
	r.int("exit", &e.Exit)
	r.schema("payload", &e.Payload)
}

func readAnnotations(r *reader, a *toolkit.Annotations) {
	r.flag("read_only", &a.ReadOnly)
	r.flagPointer("destructive", &a.Destructive)
	r.flag("idempotent", &a.Idempotent)
	r.flagPointer("open_world", &a.OpenWorld)
}

func (r *reader) flagPointer(name string, v **bool) {
	if r.takes(name) {
		*v = new(r.in.Bool())
	}
}

func readConstraint(r *reader, c *toolkit.Constraint) {
	r.text("kind", (*string)(&c.Kind))
	objects(r, "terms", &c.Terms, readTerm)
	r.groups("groups", &c.Groups)
	pointer(r, "if", &c.If, readClause)
	pointer(r, "then", &c.Then, readClause)
}

func (r *reader) groups(name string, v *[][]toolkit.Term) {
	if r.takes(name) {
		r.in.Array(func() {
			*v = append(*v, nil)
			elements(r, &(*v)[len(*v)-1], readTerm)
		})
	}
}

func readClause(r *reader, c *toolkit.Clause) {
	r.flag("any", &c.Any)
	objects(r, "terms", &c.Terms, readTerm)
}

func readTerm(r *reader, t *toolkit.Term) {
	r.text("name", &t.Name)
	r.raw("value", &t.Value)
}
