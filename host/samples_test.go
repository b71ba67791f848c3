package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
	"github.com/agentos-go/agentos/toolkit/toolkittest"
)

// helpExamples are what follows the program in the command lines under Examples in the toolkit's help, the JSON
// input that help shows being one of them.
func helpExamples(t *testing.T, kit *toolkit.Toolkit) []string {
	t.Helper()
	help := toolkittest.Run(t, kit, "run --help").Stdout
	var lines []string
	for line := range strings.Lines(help) {
		if example, ok := strings.CutPrefix(line, "  agentos-"+kit.Name+" "); ok {
			lines = append(lines, strings.TrimSpace(example))
		}
		if _, input, ok := strings.Cut(line, "Input may also be JSON: --json "); ok && !strings.HasPrefix(input, "'{…}'") {
			input, _, _ = strings.Cut(input, ", --json-file")
			lines = append(lines, "run --json "+input)
		}
	}
	return lines
}

// checkExamples runs every example of the toolkit's help, of which there is some if
// one is wanted.
func checkExamples(t *testing.T, kit *toolkit.Toolkit, what string, wanted bool) {
	t.Helper()
	lines := helpExamples(t, kit)
	if wanted != (len(lines) > 0) {
		t.Errorf("%s: got the examples %q, want some: %v", what, lines, wanted)
	}
	for _, line := range lines {
		if out := toolkittest.Run(t, kit, line).Stdout; !strings.HasPrefix(out, `{"ok":true`) {
			t.Errorf("%s: %s: got %s", what, line, out)
		}
	}
}

// TestCase_B038_ExamplesRun: the examples that help makes up are accepted, whatever the
// schema has in it, and where none is known there is none.
func TestCase_B038_ExamplesRun(t *testing.T) {
	for schema, wanted := range map[string]bool{
		`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}]}`: true,
		`{"anyOf":[{"type":"integer"},{"type":"string"}]}`:                                                       true,
		`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"required":["b"]}]}`: true,
		`{"const":{"a":[1]}}`:                                                                                true,
		`{"contains":{"type":"integer"}}`:                                                                    true,
		`{"type":"array","contains":{"type":"integer"}}`:                                                     true,
		`{"type":"string","format":"time"}`:                                                                  true,
		`{"type":"string","format":"duration"}`:                                                              true,
		`{"type":"string","format":"email","minLength":60}`:                                                  false,
		`{"type":"integer","multipleOf":7}`:                                                                  true,
		`{"type":"number","multipleOf":0.1,"exclusiveMinimum":2.2}`:                                          true,
		`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`:                                        true,
		`{"$ref":"#/$defs/S","minLength":20}`:                                                                true,
		`{"type":["integer","null"],"enum":[5,null]}`:                                                        true,
		`{"type":"string","contentEncoding":"base64"}`:                                                       true,
		`{"type":"string","pattern":"^a"}`:                                                                   false,
		`{"type":"string","pattern":"^[A-Z]$"}`:                                                              true,
		`{"anyOf":[{"type":"string","pattern":"^a"},{"type":"integer"}]}`:                                    true,
		`{"type":"object","properties":{"a":{}},"required":["a"],"dependentRequired":{"a":["b"]}}`:           false,
		`{"allOf":[{"type":"object","properties":{"a":{}},"required":["a"]}],"unevaluatedProperties":false}`: true,
		`{"allOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"required":["b"]}],"unevaluatedProperties":false}`: false,
		`{"type":"array","items":{"type":"integer"},"minItems":2,"uniqueItems":true}`:                                           false,
		`{"type":"array","prefixItems":[{"type":"integer"}],"minItems":1}`:                                                      false,
		`{"not":{"type":"number"}}`: true,
		`{"enum":["abc","a b"]}`:    true,
		`false`:                     false,
	} {
		body := `{"options":[{"name":"p","schema":` + schema + `,"required":true}],"input":{"$defs":{"S":{"type":"string"}}}}`
		checkExamples(t, defined(t, body, nil), schema, wanted)
	}
	for body, wanted := range map[string]bool{
		`{"options":[{"name":"p","schema":{"$ref":"#"}}]}`:                                                                                          true, // of nothing at all
		`{"options":[{"name":"p","schema":{"$dynamicRef":"#x"}}],"input":{"$dynamicAnchor":"x"}}`:                                                   true,
		`{"options":[{"name":"p","schema":false},{"name":"q","schema":{"type":"integer"}}]}`:                                                        true,
		`{"options":[{"name":"a","schema":{"type":"string"}},{"name":"b","schema":{"type":"integer"}}],"input":{"required":["b"]}}`:                 true,
		`{"options":[{"name":"a","schema":{"type":"string"}},{"name":"b","schema":{"type":"integer"}}],"input":{"allOf":[{"required":["a","b"]}]}}`: true,
		`{"options":[{"name":"a","schema":{"type":"string"}}],"input":{"properties":{"b":{"type":"integer"}},"required":["b"]}}`:                    true,
		`{"options":[{"name":"a","schema":{"type":"string"}}],"input":{"dependentRequired":{"a":["a"]}}}`:                                           true,
		`{"options":[{"name":"a","schema":{"type":"string"}}],"input":{"patternProperties":{"^x-":{"type":"integer"}}}}`:                            true,
		`{"options":[{"name":"a","schema":{"type":"string"}}],"input":{"dependentRequired":{"a":["b"]},"minProperties":1}}`:                         false,
	} {
		checkExamples(t, defined(t, body, nil), body, wanted)
	}
}

// digits is text that its own code reads.
type digits string

func (d *digits) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if strings.Trim(text, "0123456789") != "" {
		return errors.New("want digits")
	}
	*d = digits(text)
	return nil
}

// TestCase_B038_StricterHandlers: rules and types of a Go input that its definition
// cannot say decide about examples as well, and secrets that an example lacks do not.
func TestCase_B038_StricterHandlers(t *testing.T) {
	type unless struct {
		A string `json:"a"`
		B string `json:"b" validate:"required_unless=A x"`
	}
	type choice struct {
		Any any `json:"any" validate:"required,oneof=red green"`
	}
	type own struct {
		L digits `json:"l" validate:"required"`
	}
	type hidden struct {
		Token string `json:"token" secret:"true" validate:"required,min=20"`
		City  string `json:"city" validate:"required,alphanum"`
	}
	type plain struct {
		City string `json:"city" validate:"required,alpha"`
	}
	checkExamples(t, running[unless](), "required_unless", false)
	checkExamples(t, running[choice](), "oneof of any", false)
	checkExamples(t, running[own](), "a type of its own", false)
	checkExamples(t, running[plain](), "a rule that the example keeps", true)
	help := toolkittest.Run(t, running[hidden](), "run --help").Stdout
	if !strings.Contains(help, "agentos-t run --token-file ") {
		t.Errorf("a secret: got\n%s\nwant an example", help)
	}
	kit := running[choice]()
	checkLine(t, kit, `run --any '"red"'`, `{"any":"red"}`)
	if _, err := kit.Definition(); err != nil {
		t.Fatal(err)
	}
	if cmd, _ := kit.Tools[0].Command(); cmd.Body.Sample != nil {
		t.Error("the tool's own definition was changed")
	}
}

// running is a toolkit "t" whose tool "run" returns its input.
func running[In any]() *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "t", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "run", Summary: "Run"}, func(_ context.Context, in In) (In, error) { return in, nil }),
	}}
}
