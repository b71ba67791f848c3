package argv

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// ordering is a tool with rules at every depth.
const ordering = `{"name": "shop", "commands": [{"name": "order", "body": {
	"positionals": [{"name": "id", "required": true, "schema": {"type": "string", "minLength": 2, "maxLength": 4}}],
	"tail": {"name": "notes", "item": {"type": "string"}, "max": 2},
	"options": [
		{"name": "count", "schema": {"type": "integer", "minimum": 1, "maximum": 16}, "default": 3},
		{"name": "price", "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1000}},
		{"name": "lines", "schema": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
			"type": "object", "additionalProperties": false, "required": ["sku"],
			"properties": {"sku": {"type": "string"}, "qty": {"type": "integer", "default": 1, "minimum": 1}, "color": {"enum": ["red", "blue"]}}}}},
		{"name": "meta", "schema": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer"}}},
		{"name": "ship", "schema": {"type": ["object", "null"], "properties": {"fast": {"type": "boolean", "default": false}, "to": {"type": "string"}}}},
		{"name": "box", "schema": {"type": "object", "properties": {"w": {"type": "integer", "default": 7}}}, "default": {}}
	],
	"flags": [{"name": "gift", "default": false}, {"name": "level", "count": true, "max": 2}, {"name": "maybe", "nullable": true}]
}}]}`

func TestCompleteAddsDefaultsAndIsCanonical(t *testing.T) {
	def := definition(t, ordering)
	for input, want := range map[string]string{
		`{"id":"ab"}`: `{"box":{},"count":3,"gift":false,"id":"ab"}`,
		` { "id" : "ab" , "count" : 5.0, "gift": true, "level": 2, "maybe": null } `: `{"box":{},"count":5,"gift":true,"id":"ab","level":2,"maybe":null}`,
		`{"id":"ab","lines":[{"sku":"x"},{"sku":"y","qty":2.0}]}`:                    `{"box":{},"count":3,"gift":false,"id":"ab","lines":[{"qty":1,"sku":"x"},{"qty":2,"sku":"y"}]}`,
		`{"id":"ab","ship":{"to":"x"},"box":{}}`:                                     `{"box":{"w":7},"count":3,"gift":false,"id":"ab","ship":{"fast":false,"to":"x"}}`,
		`{"id":"ab","ship":null,"count":1,"price":1e-3,"meta":{"k":1}}`:              `{"box":{},"count":1,"gift":false,"id":"ab","meta":{"k":1},"price":1e-3,"ship":null}`,
	} {
		got, err := Complete(def, []string{"order"}, json.RawMessage(input))
		if err != nil || string(got) != want {
			t.Errorf("Complete(%s)\n got %s, %v\nwant %s", input, got, err, want)
			continue
		}
		again, err := Complete(def, []string{"order"}, got)
		if err != nil || string(again) != string(got) {
			if !strings.Contains(want, `"box":{}`) {
				t.Errorf("Complete(%s) again: got %s, %v", got, again, err)
			}
		}
	}
}

// A default that stands in a parameter's schema alone is the parameter's: what describe
// tells is what happens. One beside the schema comes first.
func TestADefaultInTheSchemaIsTheParameters(t *testing.T) {
	def := definition(t, `{"name": "x", "commands": [{"name": "t", "body": {
		"positionals": [{"name": "who", "required": true, "schema": {"type": "string", "default": "me"}}, {"name": "what", "schema": {"type": "string"}}],
		"options": [
			{"name": "n", "schema": {"type": "integer", "default": 3}, "required": true},
			{"name": "both", "schema": {"type": "integer", "default": 1}, "default": 2},
			{"name": "color", "schema": {"type": "string", "default": "red"}, "shape": {"optional": true}}
		],
		"constraints": [{"kind": "requires-all", "terms": [{"name": "n"}]}]
	}}]}`)
	if mistakes := Vet(def); len(mistakes) > 0 {
		t.Error(mistakes)
	}
	s := InputSchema(def, []string{"t"})
	if got := string(s.Properties["both"].Default) + string(s.Properties["n"].Default); got != "23" || len(s.Required) > 0 {
		t.Errorf("the schema has the defaults %s, and requires %v", got, s.Required)
	}
	got, err := Complete(def, []string{"t"}, json.RawMessage(`{"n":4}`))
	if want := `{"both":2,"color":"red","n":4,"who":"me"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := Complete(def, []string{"t"}, json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "n") {
		t.Errorf("got %v: a default is not given, so that the constraint is broken", err)
	}
	help := Help("agentos-x", def, []string{"t"})
	for _, want := range []string{"default 3", "default 2", "default red", "[<who>]", "[--n <integer>]"} {
		if !strings.Contains(help, want) {
			t.Errorf("help has no %q:\n%s", want, help)
		}
	}
}

func TestCompleteTrustsNothing(t *testing.T) {
	def := definition(t, ordering)
	for input, want := range map[string]string{
		``:                                  "input: empty input",
		`[]`:                                "input: got array",
		`null`:                              "input: got null",
		`{"id":"ab"}x`:                      "input: ",
		`{"id":"ab","id":"cd"}`:             `the name "id" is given twice`,
		`{}`:                                "id: required",
		`{"id":1}`:                          "id: got 1, expected string",
		`{"id":"a"}`:                        "id: got 1 character, expected 2 to 4 characters",
		`{"id":"äöüßé"}`:                    "id: got 5 characters",
		`{"id":"ab","count":0}`:             "count: got 0, expected integer from 1 to 16",
		`{"id":"ab","count":17}`:            "count: got 17",
		`{"id":"ab","count":"3"}`:           `count: got "3", expected integer`,
		`{"id":"ab","count":3.5}`:           "count: got 3.5",
		`{"id":"ab","count":null}`:          "count: got null",
		`{"id":"ab","price":0}`:             "price: got 0, expected number above 0 and below 1000",
		`{"id":"ab","price":1000.0}`:        "price: got 1000.0",
		`{"id":"ab","lines":[]}`:            "lines: got 0 items, expected 1 to 2 items",
		`{"id":"ab","lines":[{}]}`:          "lines.0.sku: required",
		`{"id":"ab","lines":[{"sku":1}]}`:   "lines.0.sku: got 1",
		`{"id":"ab","lines":[{"SKU":"a"}]}`: "lines.0.SKU: unknown key, nearest sku",
		`{"id":"ab","meta":{}}`:             "meta: got 0 keys, expected at least 1 key",
		`{"id":"ab","meta":{"a":true}}`:     "meta.a: got true",
		`{"id":"ab","notes":["a","b","c"]}`: "notes: got 3 items, expected at most 2 items",
		`{"id":"ab","notes":"a"}`:           `notes: got "a", expected array in JSON`,
		`{"id":"ab","gift":1}`:              "gift: got 1, expected true or false",
		`{"id":"ab","gift":null}`:           "gift: got null",
		`{"id":"ab","level":3}`:             "level: got 3, expected integer from 0 to 2",
		`{"id":"ab","Count":3}`:             "Count: unknown key, nearest count",
		`{"id":"ab","count\u0000":3}`:       "unknown key",
		`{"id":"ab","__proto__":{}}`:        "__proto__: unknown key",
		`{"id":"ab","lines":[{"sku":"a","color":"RED"}]}`: `lines.0.color: got "RED", expected one of red, blue`,
	} {
		got, err := Complete(def, []string{"order"}, json.RawMessage(input))
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Code != toolkit.CodeValidationError || !strings.Contains(e.Message, want) {
			t.Errorf("Complete(%s)\n got %s, %v\nwant VALIDATION_ERROR with %q", input, got, err, want)
		} else if e.Hint == "" || len(e.Problems()) == 0 {
			t.Errorf("Complete(%s): got hint %q and details %v, want both", input, e.Hint, e.Details)
		}
	}
}

func TestCompleteReportsAllProblems(t *testing.T) {
	_, err := Complete(definition(t, ordering), []string{"order"},
		json.RawMessage(`{"count":99,"lines":[{"qty":0},{"sku":"a","x":1}],"extra":1}`))
	diff(t, "problems", problemsOf(err), []string{
		"id:  → string",
		"count: 99 → integer from 1 to 16",
		"lines.0.sku:  → string",
		"lines.0.qty: 0 → integer of at least 1",
		"lines.1.x: x → one of color, qty, sku",
		"extra: extra → one of id, notes, count, price, lines, meta, ship, box, gift, level, maybe",
	})
}

func TestProblemsAreBounded(t *testing.T) {
	def := command(t, `"options": [{"name": "ns", "schema": {"type": "array", "items": {"type": "integer"}}}]`)
	input := `{"ns":["x"` + strings.Repeat(`,"x"`, 9999) + `],"` + strings.Repeat("k", 1<<20) + `":"` + strings.Repeat("v", 1<<20) + `"}`
	_, err := Complete(def, nil, json.RawMessage(input))
	e := err.(*toolkit.Error)
	if n := len(e.Problems()); n != maxProblems || !strings.HasSuffix(e.Message, "and 9951 more") || len(e.Message) > 10_000 {
		t.Errorf("got %d problems in %d bytes ending with %q, want %d and a count of the rest", n, len(e.Message), e.Message[len(e.Message)-20:], maxProblems)
	}
}

func TestCompleteNeedsACommandWithABody(t *testing.T) {
	def := definition(t, ordering)
	for _, path := range [][]string{nil, {"nosuch"}, {"order", "more"}, {""}} {
		_, err := Complete(def, path, json.RawMessage(`{"id":"ab"}`))
		var e *toolkit.Error
		if !errors.As(err, &e) || e.Code != toolkit.CodeToolNotFound {
			t.Errorf("Complete(%q): got %v, want TOOL_NOT_FOUND", path, err)
		}
	}
}

func TestCompleteHasAHint(t *testing.T) {
	const help = "agentos-shop order --help"
	for _, row := range []struct{ input, acts, reads string }{
		{`{"ID":"xy"}`, "agentos-shop order xy", "agentos-shop order xy"},
		{`{"id":"ab","lines":"[{\"sku\":\"a\"}]"}`, "lines must be an array, you sent a JSON string; remove the quotes", "lines must be an array, you sent a JSON string; remove the quotes"},
		{`{}`, "agentos-shop order ab", "agentos-shop order ab"},
		// What was given is not replaced by the example where that would be acted on.
		{`{"id":"ab","count":99}`, help, "agentos-shop order ab --count 2"},
		{`{"id":null}`, help, "agentos-shop order ab"},
		{`{"id":`, help, "agentos-shop order ab --count 2"},
		{`{"id":"` + strings.Repeat("x", maxMended) + `"}`, help, "agentos-shop order ab --count 2"},
	} {
		for readOnly, want := range map[bool]string{false: row.acts, true: row.reads} {
			def := definition(t, ordering)
			def.Commands[0].Examples = []toolkit.ExampleCase{{Input: json.RawMessage(`{"id":"ab","count":2}`)}}
			def.Commands[0].Body.Annotations.ReadOnly = readOnly
			_, err := Complete(def, []string{"order"}, json.RawMessage(row.input))
			if e, ok := err.(*toolkit.Error); !ok || e.Hint != want {
				t.Errorf("Complete(%.40s), read-only %v: got hint %q, want %q", row.input, readOnly, e.Hint, want)
			}
		}
	}
}

func TestAdditionalKeysWhereTheInputAllowsThem(t *testing.T) {
	for closed, want := range map[string]string{
		`"input": {"additionalProperties": {"type": "integer"}}`:                          "VALIDATION_ERROR: x: got \"a\", expected integer",
		`"input": {"additionalProperties": true}`:                                         "",
		`"input": {"properties": {"x": {"type": "string"}}, "required": ["x"]}`:           "",
		`"input": {"properties": {"x": {"type": "integer"}}}`:                             "VALIDATION_ERROR: x: got \"a\", expected integer",
		`"input": {"properties": {"xy": {}}}`:                                             "VALIDATION_ERROR: x: unknown key, expected one of xy",
		`"input": {"patternProperties": {"^y": {"type": "integer"}}}`:                     "", // for the host's validator to refuse
		`"input": {"properties": {"y": {}}, "additionalProperties": {"type": "integer"}}`: "VALIDATION_ERROR: x: got \"a\", expected integer",
		`"input": {"additionalProperties": false}`:                                        "VALIDATION_ERROR: x: unknown key",
		`"input": {"$defs": {}}`:                                                          "VALIDATION_ERROR: x: unknown key",
		`"options": []`:                                                                   "VALIDATION_ERROR: x: unknown key",
	} {
		got := ""
		if _, err := Complete(command(t, closed), nil, json.RawMessage(`{"x":"a"}`)); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", closed, got, want)
		}
	}
}
