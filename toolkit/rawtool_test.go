package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// cloud is a definition with everything that a toolkit can have.
const cloud = `{"version":"1.2","name":"cloud","summary":"Cloud","description":"The cloud.",` +
	`"globals":{"flags":[{"name":"verbose","short":"v","count":true,"max":3}]},` +
	`"commands":[{"name":"vm","aliases":["vms"],"summary":"Machines","globals":{"options":[{"name":"region","schema":{"type":"string"}}]},` +
	`"commands":[{"name":"list","body":{}}],"examples":[{"summary":"all","input":{}}],"body":{"tail":{"name":"ids","item":{"type":"string"},"min":1}}},` +
	`{"name":"wipe","summary":"Wipe","examples":[{"input":{"all":true}}],"body":{"options":[{"name":"all","schema":{"x-kept":1}}],` +
	`"constraints":[{"kind":"requires-all","terms":[{"name":"all"}]}],"stdin":{"mime":["text/plain"]},` +
	`"input":{"additionalProperties":false},"result":{"type":"integer"},"errors":[{"name":"NO","exit":3}],` +
	`"annotations":{"destructive":true},"timeout_ms":500}}],"body":{"result":{}}}`

func TestDefinitionRoundTrip(t *testing.T) {
	def, err := ParseDefinition([]byte(cloud))
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, def); got != cloud {
		t.Errorf("parsed and written:\n got %s\nwant %s", got, cloud)
	}
	kit := FromDefinition(def, func(context.Context, *Invocation) (json.RawMessage, error) { return nil, nil })
	again, err := kit.Definition()
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, again); got != cloud {
		t.Errorf("definition of the toolkit:\n got %s\nwant %s", got, cloud)
	}
}

func TestParseDefinitionRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{``, "read definition: EOF"},
		{`null`, "read definition: null"},
		{`[]`, "read definition: line 1 (byte 1): got a list, want an object"},
		{"{\n\"name\":\"x\",,}", "read definition: line 2 (byte 14): invalid character ','"},
		{`{"name":"x"`, "read definition: unexpected EOF"},
		{`{"name":"x","tools":[]}`, `read definition: line 1 (byte 13): unknown field "tools" (known: version, name, aliases, summary,`},
		{`{"name":"x","body":{"option":[]}}`, `read definition: line 1 (byte 21): body: unknown field "option" (known: positionals,`},
		{`{"name":"x"} {}`, "read definition: text after the JSON value"},
		{`{"name":"x"} x`, "read definition: text after the JSON value"},
	} {
		if _, err := ParseDefinition([]byte(row.text)); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("ParseDefinition(%s): got %v, want %s", row.text, err, row.want)
		}
	}
}

// TestParseDefinitionTellsAllAtOnce, each mistake with its line and path. Schemas may
// have any keyword, and those of other drafts.
func TestParseDefinitionTellsAllAtOnce(t *testing.T) {
	const text = `
	{"name": "pay", "sumary": "x", "Version": 11,
	 "commands": [
	  {"name": ["a"], "body": {
	    "options": [{"name": "x", "schema": {"type": 5, "x-own": {"sumary": 1}, "items": [{}], "minLength": 2.0,
	      "properties": {"p": {"minLength": "1", "enum": "e"}}}},
	     {"name": "y", "shape": {"delimeter": ","}, "required": "yes"}],
	    "flags": [{"name": "z", "schema": {"type": "boolean"}}, null],
	    "timeout_ms": 1.5, "result": 6, "annotations": [7]
	  }}]}`
	_, err := ParseDefinition([]byte(text))
	if err == nil {
		t.Fatal("got no error")
	}
	got := strings.Split(err.Error(), "\n")
	for i, want := range []struct{ begins, message string }{
		{`"sumary": "x"`, `unknown field "sumary" (known: version,`},
		{`11`, `Version: got 11, want a string`},
		{`["a"]`, `commands.0.name: got a list, want a string`},
		{`5, "x-own"`, `commands.0.body.options.0.schema.type: got 5, want the name of a type or a list of such names`},
		{`"1"`, `commands.0.body.options.0.schema.properties.p.minLength: got "1", want an integer`},
		{`"e"`, `commands.0.body.options.0.schema.properties.p.enum: got "e", want a list`},
		{`"delimeter"`, `commands.0.body.options.1.shape: unknown field "delimeter" (known: optional, delimiter,`},
		{`"yes"`, `commands.0.body.options.1.required: got "yes", want true or false`},
		{`"schema": {"type": "boolean"}`, `commands.0.body.flags.0: unknown field "schema" (known: name, short,`},
		{`1.5`, `commands.0.body.timeout_ms: got 1.5, want an integer`},
		{`6`, `commands.0.body.result: got 6, want a schema: an object, true or false`},
		{`[7]`, `commands.0.body.annotations: got a list, want an object`},
	} {
		at := strings.Index(text, want.begins)
		line := fmt.Sprintf("read definition: line %d (byte %d): %s", strings.Count(text[:at], "\n")+1, at+1, want.message)
		if i >= len(got) || !strings.HasPrefix(got[i], line) {
			t.Fatalf("mistake %d: got\n%s\nwant in it\n%s", i+1, err, line)
		}
	}
	if len(got) != 12 {
		t.Errorf("got\n%s\nwant 12 mistakes", err)
	}
}

// TestHandlerGetsTheCall: one handler runs all tools of a definition.
func TestHandlerGetsTheCall(t *testing.T) {
	def, err := ParseDefinition([]byte(cloud))
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	kit := FromDefinition(def, func(_ context.Context, call *Invocation) (json.RawMessage, error) {
		switch strings.Join(call.Path, " ") {
		case "wipe":
			return json.RawMessage(asJSON(t, call)), nil
		case "vm list":
			return nil, refused
		}
		return nil, nil
	})
	for _, row := range []struct {
		path string
		want any
		err  error
	}{
		{"wipe", json.RawMessage(`{"toolkit":"cloud","path":["wipe"],"input":{"a":1}}`), nil},
		{"vm list", nil, refused},
		{"vm", None{}, nil},
		{"", json.RawMessage(nil), nil},
	} {
		tool := at(t, kit, row.path)
		in, err := tool.Decode(json.RawMessage(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tool.Run(t.Context(), in)
		if row.err == nil && !reflect.DeepEqual(got, row.want) || !errors.Is(err, row.err) {
			t.Errorf("run %q: got %s (%v), want %s (%v)", row.path, got, err, row.want, row.err)
		}
	}
	if _, err := at(t, kit, "wipe").Run(t.Context(), "text"); err == nil {
		t.Errorf("Run with what Decode did not make: got no error")
	}
}

// at is the toolkit's tool at the path.
func at(t *testing.T, kit *Toolkit, path string) Tool {
	t.Helper()
	var found Tool
	kit.Walk(func(names []string, tool Tool) {
		if strings.Join(names, " ") == path {
			found = tool
		}
	})
	if found == nil {
		t.Fatalf("no tool %q", path)
	}
	return found
}

func TestDefinitionWithoutHandler(t *testing.T) {
	def := &Definition{Command: Command{Name: "x", Commands: []Command{{Name: "t", Body: &Body{}}}}}
	_, err := FromDefinition(def, nil).Definition()
	if want := `toolkit "x": tool "t": the handler is nil`; lines(err) != want {
		t.Errorf("mistakes: got %v, want %s", err, want)
	}
}
