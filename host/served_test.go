package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/wire"
	"github.com/agentos-go/agentos/toolkit"
	"github.com/agentos-go/agentos/toolkit/toolkittest"
)

// defined is a toolkit "t" whose tool "run" has the body, and returns the input or what
// run makes of it.
func defined(t *testing.T, body string, run func(json.RawMessage) (any, error)) *toolkit.Toolkit {
	t.Helper()
	def, err := toolkit.ParseDefinition([]byte(`{"name":"t","commands":[{"name":"run","summary":"Run","body":` + body + `}]}`))
	if err != nil {
		t.Fatalf("definition %s: %v", body, err)
	}
	if run == nil {
		run = func(input json.RawMessage) (any, error) { return input, nil }
	}
	return toolkit.FromDefinition(def, func(_ context.Context, inv *toolkit.Invocation) (json.RawMessage, error) {
		out, err := run(inv.Input)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	})
}

// answer is the outcome of t run with the input: the result, or code and message.
func answer(h *host.Host, input string) string {
	result, err := h.Call(context.Background(), "g", &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage(input)})
	var e *toolkit.Error
	if errors.As(err, &e) {
		return e.Code + ": " + e.Message
	}
	return string(result)
}

// outcome is an input and its answer.
type outcome struct{ input, want string }

func checkOutcomes(t *testing.T, h *host.Host, outcomes ...outcome) {
	t.Helper()
	for _, o := range outcomes {
		if got := answer(h, o.input); got != o.want {
			t.Errorf("%s\n got %s\nwant %s", o.input, got, o.want)
		}
	}
}

// checkLine runs a command line against the toolkit, and compares the result, or code
// and message.
func checkLine(t *testing.T, kit *toolkit.Toolkit, line, want string) {
	t.Helper()
	out := toolkittest.Run(t, kit, line)
	var envelope struct {
		Result               json.RawMessage
		Error, Message, Hint string
	}
	if err := json.Unmarshal([]byte(out.Stdout), &envelope); err != nil {
		t.Fatalf("%s: %s: %v", line, out, err)
	}
	got := string(envelope.Result)
	if envelope.Error != "" {
		got = envelope.Error + ": " + envelope.Message
	}
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", line, got, want)
	}
}

// TestCase_B044: references resolve inside of the definition, and the flags of a
// referenced type work as those of an inline one, on both sides of the bridge.
func TestCase_B044(t *testing.T) {
	kit := defined(t, `{"options":[
		{"name":"q","schema":{"$ref":"#/$defs/Q"}},
		{"name":"a","schema":{"$ref":"#/$defs/Q/properties/a"}},
		{"name":"nested","schema":{"$ref":"#/properties/own/$defs/N"}},
		{"name":"id","schema":{"$ref":"q.json"}},
		{"name":"anchor","schema":{"$ref":"#here"}},
		{"name":"odd","schema":{"$ref":"#/$defs/a~1b~0%20c"}},
		{"name":"own","schema":{"type":"object","$defs":{"N":{"type":"object","properties":{"a":{"type":"integer","multipleOf":2}}}}}}
	],"input":{"$id":"https://example.org/root","$defs":{
		"Q":{"$id":"q.json","type":"object","properties":{"a":{"type":"integer","multipleOf":2},"q":{"$ref":"#"}},"required":["a"]},
		"here":{"$anchor":"here","type":"object","properties":{"a":{"type":"integer","multipleOf":2}}},
		"a/b~ c":{"type":"object","properties":{"a":{"type":"integer","multipleOf":2}}}
	}}}`, nil)
	checkLine(t, kit, `run --a 4`, `{"a":4}`)
	checkLine(t, kit, `run --a 3`, `VALIDATION_ERROR: a: got 3, expected a multiple of 2`)
	for _, name := range []string{"q", "nested", "id", "anchor", "odd"} {
		checkLine(t, kit, `run --`+name+`.a 4`, `{"`+name+`":{"a":4}}`)
		checkLine(t, kit, `run --`+name+`.a x`, `USAGE_ERROR: --`+name+`.a: got "x", expected integer`)
		checkLine(t, kit, `run --`+name+`.a 3`, `VALIDATION_ERROR: `+name+`.a: got 3, expected a multiple of 2`)
	}
	checkLine(t, kit, `run --json '{"q":{"a":2,"q":{"a":2,"q":{"a":5}}}}'`, `VALIDATION_ERROR: q.q.q.a: got 5, expected a multiple of 2`)
	checkLine(t, kit, `run --json '{"q":{"a":2,"q":{}}}'`, `VALIDATION_ERROR: q.q.a: required`)
}

// TestCase_B047: every keyword is judged, with exact decimals, all problems together.
func TestCase_B047(t *testing.T) {
	kit := defined(t, `{"options":[
		{"name":"one","schema":{"oneOf":[{"type":"integer"},{"minimum":3}]}},
		{"name":"all","schema":{"type":"integer","allOf":[{"minimum":1},{"multipleOf":2}]}},
		{"name":"text","schema":{"type":"string","pattern":"^a"}},
		{"name":"step","schema":{"type":"number","multipleOf":0.1}},
		{"name":"set","schema":{"type":"array","items":{"type":"number"},"uniqueItems":true}}
	]}`, nil)
	checkLine(t, kit, `run --one 5`, `VALIDATION_ERROR: one: fits the alternatives 1 and 2, expected only one of them`)
	checkLine(t, kit, `run --one 2`, `{"one":2}`)
	checkLine(t, kit, `run --one 3.5`, `{"one":3.5}`)
	checkLine(t, kit, `run --all 3`, `VALIDATION_ERROR: all: got 3, expected a multiple of 2`)
	checkLine(t, kit, `run --text b`, `VALIDATION_ERROR: text: got "b", expected string that matches ^a`)
	checkLine(t, kit, `run --step 0.3 --set 1 --set 2 --text a`, `{"set":[1,2],"step":0.3,"text":"a"}`)
	checkLine(t, kit, `run --step 0.30000000000000001`, `VALIDATION_ERROR: step: got 0.30000000000000001, expected a multiple of 0.1`)
	checkLine(t, kit, `run --set 1 --set 1.0`, `VALIDATION_ERROR: set: items 0 and 1 are equal`)
	checkLine(t, kit, `run --all 0 --text b --set 1 --set 1.0 --one 5`, `VALIDATION_ERROR: all: got 0, expected number of at least 1; `+
		`one: fits the alternatives 1 and 2, expected only one of them; set: items 0 and 1 are equal; text: got "b", expected string that matches ^a`)
}

// TestCase_B048_Definitions: the dialect of a definition's schemas is what they say it
// is, else 2020-12; one that nobody knows is a warning.
func TestCase_B048_Definitions(t *testing.T) {
	kit := defined(t, `{"options":[{"name":"a","schema":{"items":[{"type":"string"},{"type":"integer"}]}}],
		"input":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, nil)
	checkLine(t, kit, `run --a '["x",1]'`, `{"a":["x",1]}`)
	checkLine(t, kit, `run --a '[1]'`, `VALIDATION_ERROR: a.0: got 1, expected string`)

	var log strings.Builder
	h := newHost(t, &host.Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
		Toolkits: []*toolkit.Toolkit{defined(t, `{"options":[{"name":"a","schema":{"type":"string","nullable":true}}],
			"result":{"type":"object","multipleOf":1},"input":{"$schema":"https://example.org/own"}}`, nil)},
	})
	checkOutcomes(t, h, outcome{`{"a":"x"}`, `{"a":"x"}`}, outcome{`{"a":null}`, `VALIDATION_ERROR: a: got null, expected string`})
	for _, want := range []string{`toolkit \"t\": tool \"run\": input: $schema \"https://example.org/own\" is not known`, `nullable is of OpenAPI 3.0`} {
		if !strings.Contains(strings.ReplaceAll(log.String(), `\\`, ``), want) {
			t.Errorf("log: got %s\nwant %s", log.String(), want)
		}
	}
}

// items is a result with a list, which may be nil, and a pointer.
type items struct {
	Items []string `json:"items"`
	Next  *items   `json:"next"`
	Last  *string  `json:"last,omitempty"`
}

// TestCase_B049: nil lists of Go tools are empty lists. Of other tools null is null,
// and only what the schema allows.
func TestCase_B049(t *testing.T) {
	of := func(schema *toolkit.Schema, run func() any) *toolkit.Toolkit {
		cmd := toolkit.Command{Name: "run", Body: &toolkit.Body{Result: schema}}
		tool := toolkit.NewTool(cmd, func(context.Context, json.RawMessage) (any, error) { return run(), nil })
		return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{tool}}
	}
	fromGo := toolkit.Func(toolkit.Spec{Name: "run"}, func(context.Context, struct{}) (items, error) { return items{Next: &items{}}, nil })
	cmd, err := fromGo.Command()
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{{Name: "t", Tools: []toolkit.Tool{fromGo}}}})
	checkOutcomes(t, h, outcome{`{}`, `{"items":[],"next":{"items":[],"next":null}}`})

	schema := cmd.Body.Result
	text := "x"
	for _, test := range []struct {
		result any
		want   string
	}{
		{items{Items: []string{}, Last: &text}, `{"items":[],"next":null,"last":"x"}`},
		{items{}, `INVALID_RESULT: the result does not fit the tool's schema: items: got null, expected array`},
		{items{Items: []string{}, Next: &items{}}, `INVALID_RESULT: the result does not fit the tool's schema: next.items: got null, expected array`},
		{map[string]any{"items": []any{"a", nil}, "next": nil}, `INVALID_RESULT: the result does not fit the tool's schema: items.1: got null, expected string`},
		{map[string]any{"items": []any{}, "next": nil, "last": nil}, `INVALID_RESULT: the result does not fit the tool's schema: last: got null, expected string`},
	} {
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{of(schema, func() any { return test.result })}})
		checkOutcomes(t, h, outcome{`{}`, test.want})
	}
}

// refusing is a type whose own encoding fails.
type refusing struct{}

// MarshalJSON fails.
func (refusing) MarshalJSON() ([]byte, error) {
	return nil, errors.New("open /etc/shadow: permission denied")
}

// TestCase_B049_Unencodable: a result that JSON cannot carry is refused with the path
// and the kind of fault, and with nothing of what a handler's own code says of it.
func TestCase_B049_Unencodable(t *testing.T) {
	type part struct {
		Price  float64     `json:"price"`
		Number json.Number `json:"number,omitempty"`
		Any    any         `json:"any,omitempty"`
		Next   *part       `json:"next,omitempty"`
	}
	type out struct {
		Parts []part               `json:"parts"`
		Table map[string][]float64 `json:"table"`
	}
	cycle := &part{}
	cycle.Next = cycle
	ring := map[string]any{}
	ring["self"] = ring
	for _, test := range []struct {
		out        out
		want, path string
	}{
		{out{Parts: []part{{}, {Price: math.NaN()}}}, "a number that is not finite", "parts.1.price"},
		{out{Table: map[string][]float64{"a": {1, math.Inf(1)}}}, "a number that is not finite", "table.a.1"},
		{out{Parts: []part{{Number: "one"}}}, "a json.Number that is not a number", "parts.0.number"},
		{out{Parts: []part{{Any: map[string]any{"b": []any{1, math.NaN()}}}}}, "a number that is not finite", "parts.0.any.b.1"},
		{out{Parts: []part{{Any: make(chan int)}}}, "a value that has no form in JSON", "parts.0.any"},
		{out{Parts: []part{{Any: refusing{}}}}, "what JSON cannot carry", "parts.0.any"},
		{out{Parts: []part{{Any: json.RawMessage("{")}}}, "text that is not valid JSON", "parts.0.any"},
		{out{Parts: []part{{Next: cycle}}}, "a value that contains itself or nests too deep", "parts.0.next"},
		{out{Parts: []part{{Any: ring}}}, "a value that contains itself or nests too deep", "parts.0.any.self"},
	} {
		tool := toolkit.Func(toolkit.Spec{Name: "run"}, func(context.Context, struct{}) (out, error) { return test.out, nil })
		h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{{Name: "t", Tools: []toolkit.Tool{tool}}}})
		_, err := h.Call(t.Context(), "g", &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage(`{}`)})
		got, ok := errors.AsType[*toolkit.Error](err)
		if !ok || got.Code != toolkit.CodeInvalidResult || !strings.HasPrefix(got.Message, "the tool returned "+test.want+" at "+test.path) ||
			!strings.HasSuffix(got.Message, "; the host's log has the reason") || len(got.Message) > 500 || len(got.Problems()) != 1 || !strings.HasPrefix(got.Problems()[0].Path, test.path) {
			t.Errorf("got %v, details %v\nwant %s at %s", err, got.Problems(), test.want, test.path)
		}
		if strings.Contains(err.Error(), "shadow") {
			t.Errorf("got %v, which has the text of the handler's own code", err)
		}
	}
}

// TestCase_B050: null is no value where the type does not say so, also where argv
// leaves the type to the validator.
func TestCase_B050(t *testing.T) {
	kit := defined(t, `{"options":[{"name":"s","schema":{"type":"string"}},{"name":"n","schema":{"type":"integer"}},
		{"name":"u","schema":{"oneOf":[{"type":"string"},{"type":"integer"}]}},{"name":"z","schema":{"anyOf":[{"type":"string"},{"type":"null"}]}}]}`, nil)
	out := toolkittest.Run(t, kit, `run --json '{"s":null,"n":1}'`).Error()
	if out.Code != toolkit.CodeValidationError || out.Message != "s: got null, expected string" || out.Hint != "omit s instead of null" {
		t.Errorf("got %v, hint %q, want it refused with a hint", out, out.Hint)
	}
	checkLine(t, kit, `run --json '{"u":null}'`, `VALIDATION_ERROR: u: got null, expected string or integer`)
	checkLine(t, kit, `run --json '{"z":null,"u":1}'`, `{"u":1,"z":null}`)
}

// TestCase_B051: a date has to be one, and arrives as it was written.
func TestCase_B051(t *testing.T) {
	kit := defined(t, `{"options":[{"name":"d","schema":{"type":"string","format":"date-time"}},{"name":"day","schema":{"type":"string","format":"date"}}]}`, nil)
	const expected = ", expected date-time like 2026-01-31T09:30:00Z"
	checkLine(t, kit, `run --d 2026-02-30T00:00:00Z`, `VALIDATION_ERROR: d: got "2026-02-30T00:00:00Z"`+expected)
	checkLine(t, kit, `run --d 2026-01-01`, `VALIDATION_ERROR: d: got "2026-01-01"`+expected)
	checkLine(t, kit, `run --d '2026-01-01T00:00:00+05:30'`, `{"d":"2026-01-01T00:00:00+05:30"}`)
	checkLine(t, kit, `run --d 1998-12-31T23:59:60Z --day 2024-02-29`, `{"d":"1998-12-31T23:59:60Z","day":"2024-02-29"}`)
	checkLine(t, kit, `run --day 2023-02-29`, `VALIDATION_ERROR: day: got "2023-02-29", expected date like 2026-01-31`)
	type in struct {
		At   time.Time `json:"at,omitzero"`
		Text string    `json:"text,omitempty" validate:"omitempty,datetime=2006-01-02T15:04:05Z07:00"`
	}
	typed := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(_ context.Context, in in) (in, error) { return in, nil })}}
	checkLine(t, typed, `run --at 2026-12-31T23:59:60Z --text 2026-12-31t23:59:60z`, `{"at":"2027-01-01T00:00:00Z","text":"2026-12-31t23:59:60z"}`)
	checkLine(t, typed, `run --at 2026-05-01t10:00:00.5z`, `{"at":"2026-05-01T10:00:00.5Z"}`)
	checkLine(t, typed, `run --at 2026-12-31T12:59:60Z`, `VALIDATION_ERROR: at: got "2026-12-31T12:59:60Z"`+expected)
	checkLine(t, typed, `run --text 2026-12-31T12:59:60Z`, `VALIDATION_ERROR: text: got "2026-12-31T12:59:60Z"`+expected)
	hint := toolkittest.Run(t, kit, `run --d x`).Error().Hint
	if hint != "agentos-t run --help" {
		t.Errorf("hint: got %q, want how to read about the tool", hint)
	}
}

// TestCase_B052: the envelope carries any JSON, and what breaks its declared schema is
// INVALID_RESULT, after the effect.
func TestCase_B052(t *testing.T) {
	var ran atomic.Int64
	for _, test := range []struct{ schema, result, want string }{
		{``, `[1,2]`, `[1,2]`},
		{``, `"x"`, `"x"`},
		{``, `null`, `null`},
		{`"result":{"type":"array","items":{"type":"integer"}}`, `[1,2]`, `[1,2]`},
		{`"result":{"type":"string"}`, `"x"`, `"x"`},
		{`"result":{"type":"null"}`, `null`, `null`},
		{`"result":{}`, `{"any":1e400}`, `{"any":1e400}`},
		{`"result":{"type":"object"}`, `[1,2]`, `INVALID_RESULT: the result does not fit the tool's schema: got array, expected object`},
		{`"result":{"type":"integer"}`, `"x"`, `INVALID_RESULT: the result does not fit the tool's schema: got string, expected integer`},
		{`"result":{"type":"array","items":{"type":"integer"}}`, `null`, `INVALID_RESULT: the result does not fit the tool's schema: got null, expected array`},
		{`"result":{"type":"array","items":{"required":["id"],"properties":{"id":{"type":"string","pattern":"^a"}}}}`, `[{"id":"a"},{"id":"secret"},{}]`, `INVALID_RESULT: the result does not fit the tool's schema: 1.id: got string, expected string that matches ^a; 2.id: required`},
	} {
		ran.Store(0)
		kit := defined(t, `{`+test.schema+`}`, func(json.RawMessage) (any, error) {
			ran.Add(1)
			return json.RawMessage(test.result), nil
		})
		checkOutcomes(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), outcome{`{}`, test.want})
		if ran.Load() != 1 {
			t.Errorf("%s: the tool ran %d times, want once", test.want, ran.Load())
		}
	}
	none := toolkit.NewTool(toolkit.Command{Name: "run", Body: &toolkit.Body{Result: &toolkit.Schema{}}}, func(context.Context, json.RawMessage) (any, error) { return toolkit.None{}, nil })
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{{Name: "t", Tools: []toolkit.Tool{none}}}})
	checkOutcomes(t, h, outcome{`{}`, `INVALID_RESULT: the tool declares a result and returned none`})
}

// TestCase_B052_TheEffectStands: the outcome of such a call is recorded, and a caller
// who repeats its id is told that, not served again.
func TestCase_B052_TheEffectStands(t *testing.T) {
	var ran atomic.Int64
	kit := defined(t, `{"result":{"type":"object","properties":{"n":{"type":"string"}}}}`, func(json.RawMessage) (any, error) {
		return map[string]any{"n": ran.Add(1)}, nil
	})
	p := dial(t, newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}}), "g")
	p.open("t", "run")
	p.call("a", "{}")
	first := p.finish()
	if first.Code != toolkit.CodeInvalidResult || first.Exit != 1 || !strings.Contains(first.Message, "n: got integer, expected string") || first.Call != "a" {
		t.Errorf("got %+v, want INVALID_RESULT with the path and the call's id", first)
	}
	p.send(&wire.Ack{ID: "a"})
	p.open("t", "run")
	p.call("a", "{}")
	if again := receive[*wire.Result](p); again.Code != first.Code || !again.Replayed || ran.Load() != 1 {
		t.Errorf("repeated: got %+v after %d runs, want the same answer replayed after one", again, ran.Load())
	}
}

// TestCase_B053_Definitions: a default or an example that breaks its schema is a
// mistake, and defaults are judged with the input.
func TestCase_B053_Definitions(t *testing.T) {
	_, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{defined(t, `{"options":[
		{"name":"n","schema":{"type":"integer","minimum":1,"default":0}},
		{"name":"p","schema":{"type":"string","pattern":"^a"},"default":"b"},
		{"name":"o","schema":{"type":"object","properties":{"k":{"type":"integer","multipleOf":2,"default":3}}}}]}`, nil)}})
	if err == nil {
		t.Fatal("want the mistakes")
	}
	for _, want := range []string{
		`toolkit "t": tool "run": option "n": the schema's default: got 0, expected integer of at least 1`,
		`toolkit "t": tool "run": parameter "p": default: got "b", expected string that matches ^a`,
		`toolkit "t": tool "run": parameter "o": properties.k.default: got 3, expected a multiple of 2`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	both := defined(t, `{"options":[{"name":"a","schema":{"type":"integer"},"default":1},{"name":"b","schema":{"type":"integer"}}],
		"input":{"oneOf":[{"properties":{"a":{"const":1}},"required":["a","b"]},{"properties":{"a":{"const":2}}}]}}`, nil)
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{both}})
	checkOutcomes(t, h, outcome{`{"b":5}`, `{"a":1,"b":5}`}, outcome{`{}`, `VALIDATION_ERROR: b: required`}, outcome{`{"a":2}`, `{"a":2}`})
}

// TestKeysBesideTheParameters: what describe says of keys that are no parameters holds.
func TestKeysBesideTheParameters(t *testing.T) {
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{defined(t, `{"options":[{"name":"a","schema":{"type":"integer"}}],
		"input":{"patternProperties":{"^x-":{"type":"integer"}},"properties":{"extra":{"type":"integer"}},"required":["extra"]}}`, nil)}})
	checkOutcomes(t, h,
		outcome{`{"extra":1,"x-1":1}`, `{"extra":1,"x-1":1}`},
		outcome{`{"a":1}`, `VALIDATION_ERROR: extra: required`},
		outcome{`{"extra":1,"x-1":"a"}`, `VALIDATION_ERROR: x-1: got "a", expected integer`},
		outcome{`{"extra":1,"y-1":1}`, `VALIDATION_ERROR: y-1: unknown key, expected one of a, extra`},
	)
}

// TestSchemaMistakesAreReportedAtOnce: of every tool, each naming toolkit, tool and
// parameter.
func TestSchemaMistakesAreReportedAtOnce(t *testing.T) {
	type mail struct {
		To string `json:"to" validate:"required,email"`
	}
	kits := []*toolkit.Toolkit{
		defined(t, `{"options":[{"name":"a","schema":{"type":"string","pattern":"(?=x)"}},{"name":"b","schema":{"multipleOf":0}},
			{"name":"pp","schema":{"type":"object","patternProperties":{"(?<a":{"type":"string"}}}},
			{"name":"o","schema":{"type":"object","properties":{"q":{"patternProperties":{"[":{}}}}}}],
			"result":{"type":"object","properties":{"r":{"$ref":"https://example.org/x"}}}}`, nil),
		{Name: "u", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "send", Examples: []toolkit.Example{{Summary: "To nobody", Input: mail{To: "nobody"}}}},
			func(context.Context, mail) (toolkit.None, error) { return toolkit.None{}, nil })}},
	}
	_, err := host.New(&host.Options{Toolkits: kits})
	if err == nil {
		t.Fatal("want the mistakes")
	}
	for _, want := range []string{
		`toolkit "t": tool "run": parameter "a": pattern: the pattern "(?=x)" is not valid: it is not in RE2`,
		`toolkit "t": tool "run": parameter "b": multipleOf: expected number above 0`,
		`toolkit "t": tool "run": parameter "pp": patternProperties.(?<a: the pattern "(?<a" is not valid`,
		`toolkit "t": tool "run": parameter "o": properties.q.patternProperties.[: the pattern "[" is not valid`,
		`toolkit "t": tool "run": result: properties.r.$ref: the reference to "https://example.org/x" leads out of the schema`,
		`toolkit "u": tool "send": example 1: to: got "nobody", expected email address`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// TestSchemaAndRulesAreToldTogether: what only the host judges is one error, of which
// the schema and the rules of the Go type are parts. Secrets are not in it.
func TestSchemaAndRulesAreToldTogether(t *testing.T) {
	type in struct {
		Mail  string   `json:"mail" validate:"required,email"`
		Again string   `json:"again" validate:"eqfield=Mail"`
		Tags  []string `json:"tags" validate:"unique"`
		Key   string   `json:"key" secret:"true" validate:"omitempty,uuid"`
	}
	example := toolkit.Example{Summary: "To Ann", Input: json.RawMessage(`{"mail":"ann@example.org"}`)}
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run", Examples: []toolkit.Example{example}},
		func(context.Context, in) (toolkit.None, error) { return toolkit.None{}, nil })}}
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	_, err := h.Call(t.Context(), "g", &toolkit.Invocation{Toolkit: "t", Path: []string{"run"}, Input: json.RawMessage(`{"mail":"x","again":"y","tags":["a","a"],"key":"hunter2"}`)})
	var e *toolkit.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error", err)
	}
	const want = `again: must be the same as mail, got "y"; key: expected UUID; mail: got "x", expected email address; tags: items 0 and 1 are equal`
	if e.Code != toolkit.CodeValidationError || e.Message != want || e.Hint != "agentos-t run --help" || len(e.Problems()) != 4 {
		t.Errorf("got %v, hint %q\nwant %s", e, e.Hint, want)
	}
	checkOutcomes(t, h, outcome{`{"mail":"a@b.org","again":"y"}`, `VALIDATION_ERROR: again: must be the same as mail, got "y"`})
}

// TestHintsOfTheHostAreNoOtherCalls: a hint may be run as it is, so the example of a
// tool that changes something is none, unless nothing else was asked for.
func TestHintsOfTheHostAreNoOtherCalls(t *testing.T) {
	type in struct {
		Mail  string `json:"mail,omitempty" validate:"omitempty,email"`
		Again string `json:"again,omitempty" validate:"omitempty,eqfield=Mail"`
		Help  bool   `json:"help,omitempty"`
	}
	example := toolkit.Example{Summary: "To Ann", Input: json.RawMessage(`{"mail":"ann@example.org"}`)}
	send := func(_ context.Context, in in) (toolkit.None, error) { return toolkit.None{}, nil }
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "send", Examples: []toolkit.Example{example}}, send),
		toolkit.Func(toolkit.Spec{Name: "look", ReadOnly: true, Examples: []toolkit.Example{example}}, send),
	}}
	for line, want := range map[string]string{
		"send --mail x":               "agentos-t send --agentos:help",
		"send --again y":              "agentos-t send --agentos:help", // what the rules of the Go type say alone
		"look --mail x":               "agentos-t look --mail ann@example.org",
		`look --json '{"again":"y"}'`: "agentos-t look --mail ann@example.org",
	} {
		if got := toolkittest.Run(t, kit, line).Error(); got == nil || got.Code != toolkit.CodeValidationError || got.Hint != want {
			t.Errorf("%s: got %v, hint %q, want the hint %s", line, got, got.Hint, want)
		}
	}
	both := defined(t, `{"options":[{"name":"a","schema":{"type":"integer"}}],"input":{"anyOf":[{"required":["a"]},{"required":["b"]}]}}`, nil)
	if got := toolkittest.Run(t, both, "run").Error(); got == nil || got.Hint != "agentos-t run --help" {
		t.Errorf("without an example: got %v, want the line for help", got)
	}
}

// code is text that its own type reads.
type code struct{}

// UnmarshalText refuses every text.
func (*code) UnmarshalText([]byte) error { return errors.New("/etc/codes: permission denied") }

// TestCase_B037_WhatTheGoTypeRefuses: what only decoding or a rule in Go finds has the
// next step too, and no Go type's name. A value that no rule is for is the guest's fault.
func TestCase_B037_WhatTheGoTypeRefuses(t *testing.T) {
	type in struct {
		C string     `json:"c,omitempty" validate:"lowercase"`
		N int64      `json:"n,omitempty"`
		U uint8      `json:"u,omitempty"`
		A netip.Addr `json:"a,omitzero"`
		T *code      `json:"t,omitempty"`
		X any        `json:"x,omitempty" validate:"omitempty,oneof=a b"`
	}
	kit := &toolkit.Toolkit{Name: "g", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"},
		func(context.Context, in) (toolkit.None, error) { return toolkit.None{}, nil })}}
	for line, want := range map[string]string{
		"run --c ABC":                 `c: must be lower case only, got "ABC"`,
		"run --n 9223372036854775808": "n: got 9223372036854775808, expected integer from -9223372036854775808 to 9223372036854775807",
		"run --u=-0":                  "u: got -0, expected integer from 0 to 255 without a sign",
		"run --a x":                   `a: got "x", expected IP address like 192.0.2.1`,
		"run --t x":                   `t: got "x", expected text that the tool can read`,
		"run --x 5":                   "x: must be one of a, b, got 5",
		"run --x 1.50":                "x: must be one of a, b, got 1.50",
		`run --x '{"k":[]}'`:          "x: must be one of a, b, got 1 item",
		"run --a x --t y":             `a: got "x", expected IP address like 192.0.2.1; t: got "y", expected text that the tool can read`,
	} {
		out := toolkittest.Run(t, kit, line)
		got := out.Error()
		if got == nil || out.Exit != 2 || got.Code != toolkit.CodeValidationError || got.Message != want || got.Hint != "agentos-g run --help" {
			t.Errorf("%s\n got exit %d, %v in %s\nwant exit 2, VALIDATION_ERROR: %s, and the line for help", line, out.Exit, got, out.Stdout, want)
		}
	}
}

// TestCase_B046_OpenFields: a number in an any arrives with every digit, and a rule
// judges it as a number.
func TestCase_B046_OpenFields(t *testing.T) {
	type in struct {
		X any            `json:"x,omitempty" validate:"omitempty,min=2"`
		M map[string]any `json:"m,omitempty"`
	}
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(_ context.Context, in in) (in, error) { return in, nil })}}
	checkLine(t, kit, `run --x 9007199254740993`, `{"x":9007199254740993}`)
	checkLine(t, kit, `run --x 1e400`, `{"x":1e400}`)
	checkLine(t, kit, `run --json '{"x":[2,1.10],"m":{"a":1.10,"b":[18446744073709551615,-0]}}'`, `{"x":[2,1.10],"m":{"a":1.10,"b":[18446744073709551615,-0]}}`)
	checkLine(t, kit, `run --x 1.90`, `VALIDATION_ERROR: x: must be at least 2, got 1.90`)
}

// TestATypeThatPointsToItselfIsAMistake: New comes back from it.
func TestATypeThatPointsToItselfIsAMistake(t *testing.T) {
	type pointer *pointer
	type in struct{ P pointer }
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(context.Context, in) (toolkit.None, error) { return toolkit.None{}, nil })}}
	if _, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit}}); err == nil || !strings.Contains(err.Error(), `tool "run": field P: nested over 32 levels`) {
		t.Errorf("got %v, want the field named", err)
	}
}

// bomb is an input type whose own code panics.
type bomb struct{}

// UnmarshalJSON panics, except for what the host asks at registration.
func (*bomb) UnmarshalJSON([]byte) error { panic("boom") }

// TestAPanicWhileDecodingDoesNotEndTheHost: an input that its schema refuses is decoded
// all the same, outside of the leaf.
func TestAPanicWhileDecodingDoesNotEndTheHost(t *testing.T) {
	type in struct {
		Mail string `json:"mail" validate:"email"`
		Bomb *bomb  `json:"bomb"`
	}
	kit := &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "run"}, func(context.Context, in) (toolkit.None, error) { return toolkit.None{}, nil })}}
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	checkOutcomes(t, h,
		outcome{`{"mail":"x","bomb":1}`, `VALIDATION_ERROR: mail: got "x", expected email address`},
		outcome{`{"bomb":1}`, `HANDLER_CRASHED: the tool crashed; the host's log has the reason`},
	)
}

// TestSec_I06_GuestsCannotBurnTheHost: a value that takes a schema too many steps is
// refused, and the next call is served.
func TestSec_I06_GuestsCannotBurnTheHost(t *testing.T) {
	kit := defined(t, `{"options":[{"name":"a","schema":{"$ref":"#/$defs/n"}}],"input":{"$defs":{"n":{"anyOf":[{"type":"integer"},
		{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":1}]}}}}`, nil)
	h := newHost(t, &host.Options{Toolkits: []*toolkit.Toolkit{kit}})
	start := time.Now()
	deep := `{"a":` + strings.Repeat("[", 50) + `"x"` + strings.Repeat("]", 50) + `}`
	checkOutcomes(t, h,
		outcome{deep, `VALIDATION_ERROR: the value cannot be judged by its schema: too many steps`},
		outcome{`{"a":[[1],2]}`, `{"a":[[1],2]}`},
	)
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %s", took)
	}
}
