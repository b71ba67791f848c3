package toolkit

import (
	"context"
	"encoding/json"
	"errors"
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
		{`[]`, "read definition: json: cannot unmarshal array"},
		{`{"name":"x","tools":[]}`, `read definition: json: unknown field "tools"`},
		{`{"name":"x","body":{"option":[]}}`, `read definition: json: unknown field "option"`},
		{`{"name":"x"} {}`, "read definition: text after the JSON value"},
		{`{"name":"x"} x`, "read definition: text after the JSON value"},
	} {
		if _, err := ParseDefinition([]byte(row.text)); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("ParseDefinition(%s): got %v, want %s", row.text, err, row.want)
		}
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
