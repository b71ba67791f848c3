package toolkit

import "encoding/json"

// Definition is a toolkit as pure data: what a guest is shown, what its command
// line is parsed with, and what help, schemas and prompt text are made from.
// The embedded Command is the root: its name is the toolkit's, its globals are
// inherited by every command below it.
type Definition struct {
	Version string `json:"version,omitempty"`
	Command
}

// Command is a node of a definition. It has children, a body, or both.
type Command struct {
	Name        string    `json:"name"`
	Aliases     []string  `json:"aliases,omitempty"`
	Summary     string    `json:"summary,omitempty"`
	Description string    `json:"description,omitempty"`
	Globals     Globals   `json:"globals,omitzero"`
	Commands    []Command `json:"commands,omitempty"`
	// Examples are inputs of this command's own body.
	Examples []ExampleCase `json:"examples,omitempty"`
	Body     *Body         `json:"body,omitempty"`
	// Skeleton says that bodies and texts below this node were left out because
	// they were too large to send; whoever needs one asks again with its path.
	Skeleton bool `json:"skeleton,omitempty"`
}

// Globals are the options and flags that every command below inherits.
type Globals struct {
	Options []Option `json:"options,omitempty"`
	Flags   []Flag   `json:"flags,omitempty"`
}

// Body is what makes a command callable: its parameters, result and promises.
// All names in it are wire names, the keys of the input object.
type Body struct {
	Positionals []Positional `json:"positionals,omitempty"`
	Tail        *Tail        `json:"tail,omitempty"`
	Options     []Option     `json:"options,omitempty"`
	Flags       []Flag       `json:"flags,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
	Stdin       *Slot        `json:"stdin,omitempty"`
	Stdout      *Slot        `json:"stdout,omitempty"`
	Stderr      *Slot        `json:"stderr,omitempty"`
	// Input holds what the parameters cannot say about the input object:
	// $defs, compositions, additionalProperties. Nil closes the object.
	Input *Schema `json:"input,omitempty"`
	// Result is the schema of the result; nil means that there is none.
	Result      *Schema     `json:"result,omitempty"`
	Errors      []ErrorCase `json:"errors,omitempty"`
	Annotations Annotations `json:"annotations,omitzero"`
	// Sample is an input that help shows where no example is declared. Hosts make it
	// up, where they know of one that the handler takes.
	Sample json.RawMessage `json:"sample,omitempty"`
	// TimeoutMS is the tool's own limit in milliseconds; 0 means none.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// IdleTimeoutMS is how long a call may go without reporting progress; 0 means
	// for any time.
	IdleTimeoutMS int64 `json:"idle_timeout_ms,omitempty"`
}

// Positional is a parameter given by its place on the line.
type Positional struct {
	Name      string          `json:"name"`
	Help      string          `json:"help,omitempty"`
	ValueName string          `json:"value_name,omitempty"`
	Schema    *Schema         `json:"schema"`
	Default   json.RawMessage `json:"default,omitempty"` // or that of Schema
	Required  bool            `json:"required,omitempty"`
	Secret    bool            `json:"secret,omitempty"`
}

// Tail is the variadic last positional; its value is a list.
type Tail struct {
	Name string  `json:"name"`
	Help string  `json:"help,omitempty"`
	Item *Schema `json:"item"`
	Min  int     `json:"min,omitempty"`
	Max  int     `json:"max,omitempty"` // 0 means no limit
	// Separator is the word that starts the tail; empty means none is needed.
	Separator string `json:"separator,omitempty"`
	// Verbatim tails take every word after the separator, options included.
	Verbatim bool `json:"verbatim,omitempty"`
}

// Option is a parameter with a value. Its Schema is that of the whole value:
// an array for a list, an object with additionalProperties for a map.
type Option struct {
	Name      string          `json:"name"`
	Short     string          `json:"short,omitempty"`
	Aliases   []string        `json:"aliases,omitempty"`
	Help      string          `json:"help,omitempty"`
	ValueName string          `json:"value_name,omitempty"`
	Schema    *Schema         `json:"schema"`
	Shape     Shape           `json:"shape,omitzero"`
	Default   json.RawMessage `json:"default,omitempty"` // or that of Schema
	Required  bool            `json:"required,omitempty"`
	Env       string          `json:"env,omitempty"`
	Secret    bool            `json:"secret,omitempty"`
}

// Shape says how an option's occurrences on the line become its value.
// The zero Shape is right for every schema: a scalar or object option for one
// value, a repeated list for an array, a map that rejects duplicate keys.
type Shape struct {
	// Optional scalars take a value only attached (--color=always); the bare
	// form takes the default.
	Optional bool `json:"optional,omitempty"`
	// Delimiter splits a list's occurrence. Repeats says that several
	// occurrences are accepted beside it ("either"); without a Delimiter a
	// list always repeats.
	Delimiter string `json:"delimiter,omitempty"`
	Repeats   bool   `json:"repeats,omitempty"`
	// LastWins lets a later duplicate key of a map replace an earlier one.
	LastWins bool `json:"last_wins,omitempty"`
}

// Flag is a parameter without a value: a boolean, or a count when Count is set.
type Flag struct {
	Name    string   `json:"name"`
	Short   string   `json:"short,omitempty"`
	Aliases []string `json:"aliases,omitempty"`
	Help    string   `json:"help,omitempty"`
	Env     string   `json:"env,omitempty"`
	// Default is JSON: true or false for a boolean, an integer for a count.
	Default json.RawMessage `json:"default,omitempty"`
	// Required booleans must be given, as --b or --no-b.
	Required bool `json:"required,omitempty"`
	// Plain booleans have no --no- form; by default every boolean has one.
	Plain bool `json:"plain,omitempty"`
	Count bool `json:"count,omitempty"`
	Max   int  `json:"max,omitempty"` // of a count; 0 means no limit
	// Nullable booleans may be null in JSON.
	Nullable bool `json:"nullable,omitempty"`
}

// Slot is a byte stream beside the JSON: stdin, stdout or stderr.
type Slot struct {
	MIME     []string `json:"mime,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// ErrorCase is a declared error as a guest sees it.
type ErrorCase struct {
	Name    string    `json:"name"`
	Summary string    `json:"summary,omitempty"`
	Kind    ErrorKind `json:"kind,omitempty"`
	Exit    int       `json:"exit,omitempty"` // 0 means 1
	Payload *Schema   `json:"payload,omitempty"`
}

// Annotations are a tool's promises. Absent means not read-only, destructive,
// not idempotent and open-world: the defaults of the Model Context Protocol.
type Annotations struct {
	ReadOnly    bool  `json:"read_only,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  bool  `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"`
}

// ExampleCase is an example as data; its command line is made from Input.
type ExampleCase struct {
	Summary string          `json:"summary,omitempty"`
	Input   json.RawMessage `json:"input"`
}
