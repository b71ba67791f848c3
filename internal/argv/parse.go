package argv

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Line is a command line with what its words may refer to. Its functions are
// called for what the line and the definition name, and for nothing else.
type Line struct {
	// Program is what the line began with: "agentos-weather", "agentos call
	// weather". Hints begin with it too.
	Program string
	// Args are the words after the program.
	Args []string
	// Env is the value of a variable; nil means that none is set.
	Env func(name string) (string, bool)
	// ReadFile reads a file of the guest; nil means that files cannot be read.
	ReadFile func(path string) ([]byte, error)
	// Stdin reads stdin to its end, within the line's timeout if that is not 0;
	// nil means that there is nothing to read, as for a terminal or /dev/null.
	// A *toolkit.Error of it is the error of the line.
	Stdin func(timeout time.Duration) ([]byte, error)
}

// Invocation is what a command line asks for.
type Invocation struct {
	// Path is the command's names below the toolkit, canonical.
	Path []string
	// Input is a canonical JSON object without defaults.
	Input json.RawMessage
	// Options are the bridge's own; filled as far as understood when Parse fails.
	Options Options
	// Help asks for the help of the command at Path, HelpJSON for its
	// description, Version for the version. Input is not set then.
	Help, HelpJSON, Version bool
}

// Options are those of the bridge itself.
type Options struct {
	// Output is "envelope" (the default), "result" or "text".
	Output string
	// Timeout limits the call; 0 means that the line sets no limit.
	Timeout time.Duration
	// Field is the JSON pointer (RFC 6901) of the part to print, if HasField;
	// the empty pointer is the whole result.
	Field    string
	HasField bool
	// ResultFile is where the output goes in place of stdout.
	ResultFile string
	// InlineLimit is the length in bytes over which a result goes to a file; -1
	// means no limit.
	InlineLimit int64
	CallID      string
	DryRun      bool
}

// Parse reads a line by the toolkit's definition. The Invocation is never nil.
// The error is a *toolkit.Error that reports all problems of the line at once:
// USAGE_ERROR where text could not be read, VALIDATION_ERROR where the input
// breaks a rule of the tool, TOOL_NOT_FOUND for a name that is no tool. Its
// Details are []toolkit.Problem, its Hint a line to run next, or an advice. A
// line that asks for help or the version is not judged further.
func Parse(def *toolkit.Definition, line *Line) (*Invocation, error) {
	p := newParser(def, line)
	err := p.parse()
	if p.stopped != nil {
		return p.inv, p.stopped
	}
	if err != nil {
		err.Hint = p.hint(err)
		return p.inv, err
	}
	return p.inv, nil
}

// parser is the state of reading one line.
type parser struct {
	def   *toolkit.Definition
	line  *Line
	scope *scope
	inv   *Invocation

	args        []string
	next        int  // index of the next word
	optionsOff  bool // after "--" or a verbatim tail's separator
	commandsOff bool // after "--" or the body's first parameter
	inTail      bool
	places      int // positionals taken by place

	occurrences []occurrence
	anyGiven    bool // a parameter is on the line
	json        jsonSource
	jsonLost    bool              // the source could not be read, so that nothing is known to be missing
	bridged     map[string]string // bridge options so far
	problems    problems
	notFound    *toolkit.Error
	stopped     *toolkit.Error // why the line cannot be read to its end
	lost        int            // index of the word that notFound is about
	helpRefused bool           // --help stood where an option's value was expected
	blind       bool           // files are not read: what is in them is taken to be right

	// What the line likely meant, for the hint.
	input     *strictjson.Value // merged, as far as it could be read
	guesses   []occurrence
	strays    []string   // words that have no place
	unsure    bool       // something of the line is lost that no guess gives back
	helpMeant bool       // the line asks for help in its way, or only help can tell more
	jsonAt    int        // index after the word that is JSON without --json; 0 for none
	owners    [][]string // paths of the tools below that have all unknown options
	ownerAt   int        // index of the first of these options

	listed     bool   // an unknown option was told which ones there are
	flagged    *param // the last flag without an attached value
	flaggedEnd int    // and the index of the word after it
}

func newParser(def *toolkit.Definition, line *Line) *parser {
	return &parser{
		def: def, line: line, scope: newScope(def), args: line.Args,
		inv:         &Invocation{Options: Options{Output: "envelope", InlineLimit: -1}},
		occurrences: make([]occurrence, 0, len(line.Args)/2+1),
	}
}

// parse reads the words, then what they mean: a line that asks for help or that
// cannot be understood reads no file and no stdin.
func (p *parser) parse() *toolkit.Error {
	p.words()
	p.bridgeVariables()
	p.inv.Help = p.inv.Help && !p.helpRefused
	switch {
	case p.notFound != nil:
		return p.notFound
	case p.inv.Help || p.inv.Version:
		return nil
	case p.scope.body() == nil:
		p.expectCommand()
		return p.problems.err()
	}
	p.inv.HelpJSON = false
	p.merge()
	p.judge()
	if p.blind {
		p.problems.list = p.problems.except(p.fileKeys())
	}
	p.write()
	return p.problems.err()
}

// at is what the line says of the parameter so far.
func (p *parser) at(param *param, label string) *given {
	p.anyGiven = true
	if param.given == nil {
		param.given = &given{param: param, label: label}
	}
	return param.given
}

// report adds a problem unless the tool itself is unknown: then nothing else on
// the line can be judged.
func (p *parser) report(key, subject string, f *fault) {
	if p.notFound == nil {
		p.problems.add(key, subject, f)
	}
}

// write makes the canonical input, which the host's reader must accept.
func (p *parser) write() {
	if len(p.problems.list) > 0 {
		return
	}
	text := p.input.Append(make([]byte, 0, 512))
	if len(text) > strictjson.MaxBytes {
		p.report("", "input", tooLong(len(text)))
		return
	}
	if mayExceed(text) {
		if err := strictjson.Check(text); err != nil {
			p.report("", "input", unreadable(err, "less data"))
			return
		}
	}
	p.inv.Input = text
}

// mayExceed reports whether the text, whose parts have been read one by one, may
// as a whole be over the reader's limits: few texts need a second look.
func mayExceed(text []byte) bool {
	opened := bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("["))
	return opened > strictjson.MaxDepth || len(text) > strictjson.MaxMembers
}
