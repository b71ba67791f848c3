package argv

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/internal/strictjson"
)

// jsonSource is where the line says that the input comes from as JSON.
type jsonSource struct {
	label  string // "--json", as the line names it; "" for no source
	text   string // of inline JSON
	path   string // of a file
	stdin  bool
	inline bool
}

// jsonOption notes a JSON source. It is read when the line is understood.
func (p *parser) jsonOption(name, label, text string) {
	if p.json.label != "" {
		f := &fault{expected: "one JSON input", clause: "a second JSON input beside " + p.json.label, usage: true}
		p.unsure = true
		p.report("", label, f)
		return
	}
	p.json.label = label
	path, isFile := strings.CutPrefix(text, "@")
	switch {
	case name == "json-file":
		p.json.path = text
	case text == "-":
		p.json.stdin = true
	case isFile:
		p.json.path = path
	default:
		p.json.text, p.json.inline = text, true
	}
}

// readJSON is the object that the line's JSON source holds, nil when there is
// none or it cannot be read.
func (p *parser) readJSON() *strictjson.Value {
	data, label := []byte(p.json.text), p.json.label
	var f *fault
	switch {
	case label == "" && p.pipesInput():
		label = "stdin"
		if data, f = p.readStdin(); f == nil && len(bytes.TrimSpace(data)) == 0 {
			return nil
		}
		p.json.label = label
	case label == "":
		return nil
	case p.blind && !p.json.inline:
		p.jsonLost, p.unsure = true, true
		return nil
	case p.json.stdin && p.scope.body().Stdin != nil:
		f = &fault{got: "-", expected: "JSON from elsewhere", clause: "stdin is this command's stream, it cannot be JSON too", usage: true}
	case p.json.stdin && p.line.NoStdin != "":
		f = &fault{got: "-", expected: "JSON from elsewhere", clause: p.line.NoStdin, usage: true}
	case p.json.stdin:
		data, f = p.readStdin()
	case !p.json.inline:
		data, f = p.readFile(p.json.path)
	}
	if f == nil {
		var object *strictjson.Value
		if object, f = objectOf(data); f == nil {
			p.hideSecrets(object)
			return object
		}
	}
	p.report("", label, f)
	if object, f := objectOf(mended(data)); f == nil {
		p.hideSecrets(object)
		return object
	}
	p.jsonLost, p.unsure = true, true
	return nil
}

// pipesInput reports whether JSON is read from stdin without being asked for: no
// parameter is on the line, and a required one has no value from elsewhere.
func (p *parser) pipesInput() bool {
	if p.line.Stdin == nil || p.scope.body().Stdin != nil || p.anyGiven || len(p.problems.list) > 0 {
		return false
	}
	for _, param := range p.scope.params {
		if param.demanded() && p.variableOf(param) == "" {
			return true
		}
	}
	return false
}

// objectOf reads a whole input.
func objectOf(data []byte) (*strictjson.Value, *fault) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &fault{expected: "an object in JSON", clause: "empty input, expected an object in JSON", usage: true}
	}
	value, err := strictjson.Parse(data)
	if err != nil {
		return nil, unreadable(err, "an object in JSON")
	}
	if value.Kind != strictjson.Object {
		f := wrongWord(typeName(value), "an object in JSON")
		f.clause = "got " + typeName(value) + ", expected an object in JSON"
		return nil, f
	}
	return value, nil
}

// unreadable is the fault of text that the strict reader refuses.
func unreadable(err error, expected string) *fault {
	f := &fault{expected: expected, clause: err.Error() + ", expected " + expected, usage: true}
	var reason *strictjson.Error
	if errors.As(err, &reason) {
		f.below = reason.Path
	}
	return f
}

// hideSecrets refuses secrets in JSON that stands on the line itself.
func (p *parser) hideSecrets(object *strictjson.Value) {
	if !p.json.inline {
		return
	}
	for _, param := range p.scope.params {
		if param.secret && object.Get(param.wire) != nil {
			p.at(param, p.json.label).bad = true
			p.report(param.wire, p.json.label+" "+param.wire, exposedSecret(p.scope.refs(), param))
		}
	}
}

// tooLong is the fault of an input over the limit.
func tooLong(length int) *fault {
	expected := fmt.Sprintf("at most %d bytes (16 MiB)", strictjson.MaxBytes)
	return &fault{got: fmt.Sprintf("%d bytes", length), expected: expected, usage: true}
}

func (p *parser) readStdin() ([]byte, *fault) {
	if p.line.Stdin == nil {
		return nil, nil
	}
	data, err := p.line.Stdin(p.inv.Options.Timeout)
	errors.As(err, &p.stopped)
	return data, limited(data, err)
}

func (p *parser) readFile(path string) ([]byte, *fault) {
	if p.line.ReadFile == nil {
		f := wrongWord(path, "a value")
		f.clause = "files cannot be read here"
		return nil, f
	}
	data, err := p.line.ReadFile(path)
	f := limited(data, err)
	if err != nil && path == "-" {
		f.clause += "; - is no file here, and stdin is read only as JSON, by " + p.scope.bridgeName("json") + " -"
		f.advice = "use " + p.scope.bridgeName("json") + " - to read stdin, as JSON"
	}
	return data, f
}

func limited(data []byte, err error) *fault {
	switch {
	case err != nil:
		return &fault{expected: "readable data", clause: "cannot be read: " + inline(shortened(err.Error())), usage: true}
	case len(data) > strictjson.MaxBytes:
		return tooLong(len(data))
	}
	return nil
}

// fileText reads the file that an occurrence of --NAME-file names. Bytes that are
// base64 in JSON are encoded so.
func (p *parser) fileText(o *occurrence) (string, *fault) {
	data, f := p.readFile(o.text)
	if f != nil {
		return "", f
	}
	if p.scope.refs().plain(o.param.schema).ContentEncoding == "base64" {
		return base64.StdEncoding.EncodeToString(data), nil
	}
	return string(data), nil
}
