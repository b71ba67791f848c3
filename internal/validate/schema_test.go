package validate

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// schemaOf reads a schema as a definition has it.
func schemaOf(t testing.TB, text string) *toolkit.Schema {
	t.Helper()
	source := new(toolkit.Schema)
	if err := json.Unmarshal([]byte(text), source); err != nil {
		t.Fatalf("schema %s: %v", text, err)
	}
	return source
}

// compiled is the schema, which has no mistakes.
func compiled(t testing.TB, text string, o *Options) *Schema {
	t.Helper()
	schema, err := Compile(schemaOf(t, text), o)
	if err != nil {
		t.Fatalf("compile %s: %v", text, err)
	}
	return schema
}

// verdict is what is wrong with the value, or "".
func verdict(schema *Schema, value string) string {
	report := schema.Validate(json.RawMessage(value))
	if report == nil {
		return ""
	}
	return report.Message()
}

// ruling is a value, and what a schema says of it.
type ruling struct{ value, want string }

func checkRulings(t *testing.T, schema *Schema, rulings ...ruling) {
	t.Helper()
	for _, r := range rulings {
		if got := verdict(schema, r.value); got != r.want {
			t.Errorf("%s\n got %s\nwant %s", r.value, got, r.want)
		}
	}
}

// mistakesOf are what is wrong with the schema, or "".
func mistakesOf(t testing.TB, text string) string {
	t.Helper()
	_, err := Compile(schemaOf(t, text), nil)
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestProblems: each keyword in our words, at its path.
func TestProblems(t *testing.T) {
	tests := []struct{ schema, value, want string }{
		{`{"type":"integer"}`, `{"a":"x"}`, `a: got "x", expected integer`},
		{`{"type":"integer"}`, `{"a":1.5}`, `a: got 1.5, expected integer`},
		{`{"type":"integer"}`, `{"a":1.50e1}`, ``},
		{`{"type":["integer","null"]}`, `{"a":true}`, `a: got true, expected integer or null`},
		{`{"type":["null","string"]}`, `{"a":true}`, `a: got true, expected string or null`},
		{`{"type":"boolean"}`, `{"a":0}`, `a: got 0, expected true or false`},
		{`{"type":"null"}`, `{"a":0}`, `a: got 0, expected null`},
		{`{"type":"integer","minimum":1,"maximum":16}`, `{"a":17}`, `a: got 17, expected integer from 1 to 16`},
		{`{"type":"number","exclusiveMinimum":0}`, `{"a":0}`, `a: got 0, expected number above 0`},
		{`{"maximum":1.50}`, `{"a":1.51}`, `a: got 1.51, expected number of at most 1.5`},
		{`{"minimum":1,"exclusiveMaximum":2}`, `{"a":2}`, `a: got 2, expected number of at least 1 and below 2`},
		{`{"multipleOf":0.1}`, `{"a":0.35}`, `a: got 0.35, expected a multiple of 0.1`},
		{`{"enum":["red","green",5,null]}`, `{"a":"blue"}`, `a: got "blue", expected one of red, green, 5, null`},
		{`{"const":{"b":[1]}}`, `{"a":{"b":[2]}}`, `a: got {"b":[2]}, expected {"b":[1]}`},
		{`{"const":{"b":[1],"c":0}}`, `{"a":{"c":-0.0,"b":[1.0]}}`, ``},
		{`{"minLength":2,"maxLength":3}`, `{"a":"é"}`, `a: got 1 character, expected 2 to 3 characters`},
		{`{"maxLength":3}`, `{"a":"éééé"}`, `a: got 4 characters, expected at most 3 characters`},
		{`{"pattern":"^a"}`, `{"a":"b"}`, `a: got "b", expected string that matches ^a`},
		{`{"type":"string","format":"uuid"}`, `{"a":"b"}`, `a: got "b", expected UUID`},
		{`{"minItems":1}`, `{"a":[]}`, `a: got 0 items, expected at least 1 item`},
		{`{"maxItems":1,"minItems":1}`, `{"a":[1,2]}`, `a: got 2 items, expected exactly 1 item`},
		{`{"prefixItems":[{"type":"string"},{}],"items":false}`, `{"a":[1,2,3]}`, `a.0: got 1, expected string; a.2: not allowed`},
		{`{"uniqueItems":true}`, `{"a":[1,2,1.0]}`, `a: items 0 and 2 are equal`},
		{`{"uniqueItems":true}`, `{"a":[1,true,"1",[1],{"a":1}]}`, ``},
		{`{"contains":{"type":"integer"}}`, `{"a":["x"]}`, `a: expected at least 1 item that is integer`},
		{`{"contains":{"type":"integer"},"minContains":2,"maxContains":3}`, `{"a":[1]}`, `a: expected 2 to 3 items that are each integer`},
		{`{"minProperties":1}`, `{"a":{}}`, `a: got 0 keys, expected at least 1 key`},
		{`{"maxProperties":1}`, `{"a":{"b":1,"c":2}}`, `a: got 2 keys, expected at most 1 key`},
		{`{"required":["b"],"properties":{"b":{"type":"string"}}}`, `{"a":{}}`, `a.b: required`},
		{`{"dependentRequired":{"b":["c"]}}`, `{"a":{"b":1}}`, `a.c: required with b`},
		{`{"properties":{"b":{},"c":{}},"additionalProperties":false}`, `{"a":{"d":1}}`, `a.d: unknown key, expected one of b, c`},
		{`{"additionalProperties":false}`, `{"a":{"d":1}}`, `a.d: unknown key, expected no more properties`},
		{`{"additionalProperties":{"type":"integer"}}`, `{"a":{"d":"x"}}`, `a.d: got "x", expected integer`},
		{`{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, `{"a":{"x1":"x","y":1}}`, `a.x1: got "x", expected integer; a.y: unknown key, expected no more properties`},
		{`{"propertyNames":{"maxLength":2,"pattern":"^x"}}`, `{"a":{"x":1,"yy":2}}`, `a.yy: the name is not valid, expected string that matches ^x`},
		{`{"unevaluatedProperties":false,"properties":{"b":{}}}`, `{"a":{"b":1,"c":2}}`, `a.c: not allowed`},
		{`{"unevaluatedProperties":false}`, `{"a":{"":{"":1}}}`, `a.: not allowed`},
		{`{"unevaluatedProperties":false,"properties":{"b":{"type":"string"}}}`, `{"a":{"b":1}}`, `a.b: got 1, expected string`},
		{`{"if":{"required":["b"]},"then":{"required":["c"]},"else":{"required":["d"]}}`, `{"a":{"b":1}}`, `a.c: required`},
		{`{"if":{"required":["b"]},"then":{"required":["c"]},"else":{"required":["d"]}}`, `{"a":{}}`, `a.d: required`},
		{`{"not":{"type":"string"}}`, `{"a":"s"}`, `a: got "s", expected anything but string`},
		{`{"allOf":[{"minimum":1},{"multipleOf":2}]}`, `{"a":-1}`, `a: got -1, expected a multiple of 2; a: got -1, expected number of at least 1`},
		{`false`, `{"a":1}`, `a: not allowed`},
	}
	for _, test := range tests {
		schema := compiled(t, `{"properties":{"a":`+test.schema+`}}`, nil)
		if got := verdict(schema, test.value); got != test.want {
			t.Errorf("%s of %s\n got %s\nwant %s", test.value, test.schema, got, test.want)
		}
	}
}

// TestReportIsCompleteAndStable: everything that is wrong, by position and name, each
// thing once, at most fifty of them.
func TestReportIsCompleteAndStable(t *testing.T) {
	schema := compiled(t, `{"type":"object","required":["city"],"properties":{"city":{"type":"string"},
		"os":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/o"},{"$ref":"#/$defs/o"}]}}},
		"$defs":{"o":{"type":"object","properties":{"a":{"type":"integer","maximum":3}},"required":["a"]}}}`, nil)
	const value = `{"os":[{"a":"x"},{"a":1},{},{"a":4},0,0,0,0,0,0,"ten"]}`
	const want = `city: required; os.0.a: got "x", expected integer of at most 3; os.2.a: required; ` +
		`os.3.a: got 4, expected integer of at most 3; os.4: got 0, expected object with a; ` +
		`os.5: got 0, expected object with a; os.6: got 0, expected object with a; os.7: got 0, expected object with a; ` +
		`os.8: got 0, expected object with a; os.9: got 0, expected object with a; os.10: got "ten", expected object with a`
	for range 20 {
		checkRulings(t, schema, ruling{value, want})
	}
	details := must(json.Marshal(schema.Validate(json.RawMessage(value)).Details()[:2]))
	if want := `[{"path":"city","expected":"string"},{"path":"os.0.a","got":"\"x\"","expected":"integer of at most 3"}]`; string(details) != want {
		t.Errorf("details: got %s\nwant %s", details, want)
	}
	report := schema.Validate(json.RawMessage(`{"city":"x","os":[` + strings.Repeat("0,", 99) + `0]}`))
	if len(report.Problems) != 50 || report.More != 50 || !strings.HasSuffix(report.Message(), "; and 50 more") {
		t.Errorf("got %d problems and %d more, want 50 and 50", len(report.Problems), report.More)
	}
}

// TestUnions: of alternatives, the one that was meant is explained.
func TestUnions(t *testing.T) {
	pets := compiled(t, `{"properties":{"pet":{"oneOf":[
		{"type":"object","properties":{"kind":{"const":"dog"},"bark":{"type":"integer"}},"required":["kind","bark"]},
		{"$ref":"#/$defs/cat"},
		{"type":"string","format":"uri"}
	]}},"$defs":{"cat":{"type":"object","properties":{"kind":{"enum":["cat","lion"]},"meow":{"type":"string"}},"required":["kind","meow"]}}}`, nil)
	checkRulings(t, pets,
		ruling{`{"pet":{"kind":"dog","bark":1}}`, ""},
		ruling{`{"pet":{"kind":"lion","meow":"loud"}}`, ""},
		ruling{`{"pet":{"kind":"dog","bark":"x"}}`, `pet.bark: got "x", expected integer`},
		ruling{`{"pet":{"kind":"cat"}}`, `pet.meow: required`},
		ruling{`{"pet":{"kind":"cow"}}`, `pet.kind: got "cow", expected one of dog, cat, lion`},
		ruling{`{"pet":{"bark":1}}`, `pet.kind: required, expected dog, cat or lion`},
		ruling{`{"pet":"rex"}`, `pet: got "rex", expected URI like https://example.org/`},
		ruling{`{"pet":5}`, `pet: got 5, expected object with kind, bark or object with kind, meow or URI like https://example.org/`},
	)
	report := pets.Validate(json.RawMessage(`{"pet":{"bark":1}}`))
	if got := report.Details()[0].Expected; got != "dog, cat or lion" {
		t.Errorf("a missing constant: got expected %q, want those of all alternatives", got)
	}
	methods := compiled(t, `{"properties":{"m":{"anyOf":[
		{"type":"object","properties":{"kind":{"const":"card"},"id":{"type":"integer"}},"required":["kind","id"]},
		{"type":"object","properties":{"kind":{"const":"bank"},"id":{"type":"integer"}},"required":["kind","id"]},
		{"type":"object","properties":{"kind":{"const":"wallet"},"id":{"type":"string"}},"required":["kind","id"]}],
		"discriminator":{"propertyName":"kind"}}}}`, nil)
	checkRulings(t, methods,
		ruling{`{"m":{}}`, `m.id: required, expected integer or string; m.kind: required, expected card, bank or wallet`},
		ruling{`{"m":{"id":1}}`, `m.kind: required, expected card, bank or wallet`},
	)
	shapes := compiled(t, `{"properties":{"s":{"anyOf":[{"required":["radius"]},{"required":["width","height"]}]}}}`, nil)
	checkRulings(t, shapes, ruling{`{"s":{"width":1}}`, `s: got {"width":1}, expected object with radius or object with width, height`})
	optional := compiled(t, `{"properties":{"s":{"anyOf":[{"type":"string","pattern":"^a"},{"type":"null"}]}}}`, nil)
	checkRulings(t, optional,
		ruling{`{"s":null}`, ""},
		ruling{`{"s":"b"}`, `s: got "b", expected string that matches ^a`},
		ruling{`{"s":1}`, `s: got 1, expected string that matches ^a or null`},
	)
}

func TestReferences(t *testing.T) {
	tree := compiled(t, `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],
		"properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"},"all":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`, nil)
	checkRulings(t, tree,
		ruling{`{"v":1,"next":{"v":2,"all":[{"v":3}]}}`, ""},
		ruling{`{"v":1,"next":{"all":[{"v":3},{"v":"x"}]}}`, `next.all.1.v: got "x", expected integer; next.v: required`},
	)
	dynamic := compiled(t, `{"$id":"https://example.org/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,
		"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}`, nil)
	checkRulings(t, dynamic,
		ruling{`{"children":[{"data":1}]}`, ""},
		ruling{`{"children":[{"daat":1}]}`, `children.0.daat: not allowed`},
	)
}

// TestMistakes: what is wrong with a schema names its place and what would be right.
func TestMistakes(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"pattern":"(?=a)b"}`, `properties.a.pattern: the pattern "(?=a)b" is not valid: it is not in RE2, the syntax of Go's regular expressions: invalid or unsupported Perl syntax: "(?="`},
		{`{"patternProperties":{"[":{}}}`, `properties.a.patternProperties.[: the pattern "[" is not valid: it is not in RE2, the syntax of Go's regular expressions: missing closing ]: "["`},
		{`{"type":"object","patternProperties":{"(?<a":{"type":"string"}}}`, `properties.a.patternProperties.(?<a: the pattern "(?<a" is not valid: it is not in RE2, the syntax of Go's regular expressions: invalid named capture: "(?<a"`},
		{
			`{"type":"object","properties":{"q":{"patternProperties":{"(":{},"[":{},"b":{"type":"string"}}}}}`,
			`properties.a.properties.q.patternProperties.(: the pattern "(" is not valid: it is not in RE2, the syntax of Go's regular expressions: missing closing ): "("` + "\n" +
				`properties.a.properties.q.patternProperties.[: the pattern "[" is not valid: it is not in RE2, the syntax of Go's regular expressions: missing closing ]: "["`,
		},
		{`{"type":"strng","title":"x","multipleOf":1}`, `properties.a.type: expected one of array, boolean, integer, null, number, object, string or array`},
		{`{"multipleOf":0,"title":5}`, "properties.a.multipleOf: expected number above 0\nproperties.a.title: expected string"},
		{`{"if":5}`, `properties.a.if: expected boolean or object`},
		{`{"items":[{}]}`, `properties.a.items: expected boolean or object; a list of schemas is prefixItems, or items of a schema whose $schema says draft-07`},
		{`{"$ref":"#/$defs/none"}`, `properties.a.$ref: the reference to "#/$defs/none" leads nowhere`},
		{`{"$ref":"#none"}`, `properties.a.$ref: the reference to "#none" leads nowhere`},
		{`{"$ref":"other.json"}`, `properties.a.$ref: the reference to "other.json" leads out of the schema; what it refers to belongs into $defs`},
		{`{"$ref":"#/$defs/b"}`, `$defs.b: it applies itself to the same value again, without end`},
		{`{"minimum":1e501,"title":"x"}`, `properties.a.minimum: expected number whose exponent is at most 500`},
		{`{"$id":"x","$anchor":"1 2"}`, `properties.a.$anchor: expected string that matches ^[A-Za-z_][-A-Za-z0-9._]*$`},
	}
	for _, test := range tests {
		text := `{"properties":{"a":` + test.schema + `},"$defs":{"b":{"allOf":[{"$ref":"#/$defs/c"}]},"c":{"anyOf":[{"$ref":"#/$defs/b"}]}}}`
		if !strings.Contains(test.schema, "$defs/b") {
			text = `{"properties":{"a":` + test.schema + `}}`
		}
		if got := mistakesOf(t, text); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.schema, got, test.want)
		}
	}
	const several = `{"properties":{"a":{"$ref":"#/$defs/none"},"b":{"pattern":"("},"c":{"type":"strng","multipleOf":0},"d":{"enum":[1],"items":{"pattern":")"}},
		"e":{"anyOf":[{"dependentRequired":{"x":[1]}},{"pattern":"["}]}},"$defs":{"f":{"$ref":"#/properties/b"}}}`
	const notRE2 = "is not valid: it is not in RE2, the syntax of Go's regular expressions: "
	if got, want := mistakesOf(t, several), strings.Join([]string{
		`properties.b.pattern: the pattern "(" ` + notRE2 + `missing closing ): "("`,
		"properties.c.multipleOf: expected number above 0",
		"properties.c.type: expected one of array, boolean, integer, null, number, object, string or array",
		`properties.d.items.pattern: the pattern ")" ` + notRE2 + `unexpected ): ")"`,
		"properties.e.anyOf.0.dependentRequired.x.0: expected string",
		`properties.e.anyOf.1.pattern: the pattern "[" ` + notRE2 + `missing closing ]: "["`,
		`properties.a.$ref: the reference to "#/$defs/none" leads nowhere`,
	}, "\n"); got != want {
		t.Errorf("several mistakes: got\n%s\nwant\n%s", got, want)
	}
	// What refers to a name that is wrong is no mistake of its own.
	if got, want := mistakesOf(t, `{"properties":{"a":{"$anchor":"1 2"},"b":{"$ref":"#1 2"}}}`), `properties.a.$anchor: expected string that matches ^[A-Za-z_][-A-Za-z0-9._]*$`; got != want {
		t.Errorf("a name that is wrong: got\n%s\nwant\n%s", got, want)
	}
	_, err := Compile(schemaOf(t, `{"properties":{"a":{"pattern":"("}}}`), nil)
	mistake, ok := errors.AsType[*Mistake](err)
	if !ok || strings.Join(mistake.Path, " ") != "properties a pattern" {
		t.Errorf("got %v, want a *Mistake with the path", err)
	}
	if _, err := Compile(nil, nil); err == nil {
		t.Error("a nil schema: got no mistake, want one")
	}
}

// TestNothingToJudge: a schema that argv judges whole is never compiled, and neither
// is one that allows everything.
func TestNothingToJudge(t *testing.T) {
	tests := []struct {
		schema string
		left   bool // for the validator
	}{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`, false},
		{`{"properties":{"a":{"type":"array","items":{"type":"string","enum":["x"],"minLength":1},"maxItems":3}}}`, false},
		{`{"properties":{"a":{"$ref":"#/$defs/o"}},"$defs":{"o":{"type":"object","properties":{"b":{"type":"boolean"}}}}}`, false},
		{`{"properties":{"a":{"type":["string","null"],"title":"A","default":"x"}},"additionalProperties":{"type":"string"}}`, false},
		{`{"properties":{"a":{"type":"string","format":"hostname","contentEncoding":"base64"}}}`, false},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"string","examples":["x"]}}}`, false},
		{`{"$schema":"https://example.org/own","properties":{"a":{"type":"string"}}}`, true},
		{`{"properties":{"a":{"type":"string","x-own":1}}}`, true},
		{`{"properties":{"a":{"type":"string","pattern":"x"}}}`, true},
		{`{"properties":{"a":{"type":"string","format":"email"}}}`, true},
		{`{"properties":{"a":{"type":"array","uniqueItems":true}}}`, true},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`, true},
		{`{"properties":{"a":{"not":{"type":"string"}}}}`, true},
		{`{"properties":{"a":{"multipleOf":2}}}`, true},
		{`{"properties":{"a":{"type":["string","null"],"enum":["x"]}}}`, true},
		{`{"properties":{"a":{"enum":["x"]}}}`, true},
		{`{"properties":{"a":{"const":1,"type":"integer","enum":[1,2]}}}`, true},
		{`{"properties":{"a":{"$ref":"#/$defs/o","minLength":2}},"$defs":{"o":{"type":"string"}}}`, true},
		{`{"properties":{"a":{"$ref":"#/$defs/o/properties/b"}},"$defs":{"o":{"properties":{"b":{"type":"string"}}}}}`, true},
	}
	for _, test := range tests {
		schema := compiled(t, test.schema, &Options{Completed: true})
		if schema.open == test.left {
			t.Errorf("%s: got %t, want %t for something left to judge", test.schema, !schema.open, test.left)
		}
		if schema := compiled(t, test.schema, nil); schema.open {
			t.Errorf("%s: nothing is judged of values that argv has not seen", test.schema)
		}
	}
	for _, text := range []string{`{}`, `true`, `{"description":"anything","title":"T"}`} {
		if !compiled(t, text, nil).open {
			t.Errorf("%s: want nothing to judge", text)
		}
	}
	if (*Schema)(nil).Validate([]byte(`1`)) != nil {
		t.Error("a nil schema allows everything")
	}
}

// TestLateCompilingCannotFail: what is taken for right without compiling compiles.
func TestLateCompilingCannotFail(t *testing.T) {
	for _, text := range []string{
		`{"type":"string","format":"email","title":"T","$comment":"c","deprecated":true}`,
		`{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"uniqueItems":true,"items":{"oneOf":[{},false]}}}}`,
		`{"enum":[1,"x",null],"const":1.0,"not":{"allOf":[{"minProperties":1},true]}}`,
		`{"properties":{"a b/c~d%":{"format":"uuid"}},"additionalProperties":{"format":"uri"},"required":["a b/c~d%"]}`,
	} {
		schema := compiled(t, text, nil)
		if len(schema.idle) != 0 {
			t.Errorf("%s: compiled at once, want late", text)
		}
		if _, err := newMachine(schema); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		schema.doubtful = true // and the schema of schemas agrees
		if _, err := newMachine(schema); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	schema := compiled(t, `{"properties":{"a":{"type":"array","items":{"type":"string","pattern":"^a+$"},"uniqueItems":true}}}`, nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if got := verdict(schema, `{"a":["a","aa"]}`) + verdict(schema, `{"a":["b"]}`); got != `a.0: got "b", expected string that matches ^a+$` {
					t.Errorf("got %s", got)
					return
				}
			}
		})
	}
	group.Wait()
	if waiting := len(schema.idle); waiting > cap(schema.idle) || waiting == 0 {
		t.Errorf("%d machines wait, want between 1 and %d", waiting, cap(schema.idle))
	}
}

// TestFaultJoinsSchemaAndRules: what the schema and the rules of the struct say is
// one error; of one place the schema speaks.
func TestFaultJoinsSchemaAndRules(t *testing.T) {
	type args struct {
		Mail  string `json:"mail" validate:"email"`
		Again string `json:"again" validate:"eqfield=Mail"`
		Mode  string `json:"mode"`
	}
	schema := compiled(t, `{"properties":{"mail":{"type":"string","format":"email"},"mode":{"type":"string","pattern":"^a"}}}`, nil)
	input := json.RawMessage(`{"again":"y","mail":"x","mode":"b"}`)
	in := args{Mail: "x", Again: "y", Mode: "b"}
	fault := schema.Validate(input).Fault(&in, input)
	const want = `again: must be the same as mail, got "y"; mail: got "x", expected email address; mode: got "b", expected string that matches ^a`
	if fault.Code != toolkit.CodeValidationError || fault.Message != want || len(fault.Problems()) != 3 {
		t.Errorf("got %v %v\nwant %s", fault, fault.Details, want)
	}
	alone := schema.Validate(input).Fault(nil, input)
	if want := `mail: got "x", expected email address; mode: got "b", expected string that matches ^a`; alone.Message != want {
		t.Errorf("without a decoded input: got %s\nwant %s", alone.Message, want)
	}
}

// TestSecretsAndTypesOnly: what is not to be told of values is not.
func TestSecretsAndTypesOnly(t *testing.T) {
	const text = `{"type":"object","properties":{"token":{"type":"string","pattern":"^t","minLength":9},"open":{"pattern":"^t"},
		"keys":{"type":"array","items":{"format":"uuid","type":"string"}}},"maxProperties":9,"anyOf":[{"required":["x"]},{"minProperties":9}]}`
	const value = `{"token":"hunter2","open":"shown","keys":["hunter3"]}`
	secret := compiled(t, text, &Options{Secret: []string{"token", "keys"}})
	report := secret.Validate(json.RawMessage(value))
	all := report.Message() + string(must(json.Marshal(report.Details())))
	if strings.Contains(all, "hunter") || strings.Contains(all, "7 characters") || !strings.Contains(all, "shown") {
		t.Errorf("got %s\nwant nothing of the secrets, and what is no secret", all)
	}
	types := compiled(t, text, &Options{TypesOnly: true})
	if got := verdict(types, value); strings.Contains(got, "hunter") || !strings.Contains(got, "keys.0: got string, expected UUID") {
		t.Errorf("got %s\nwant types alone", got)
	}
	checkRulings(t, types, ruling{`[1]`, "got array, expected object"})
}
