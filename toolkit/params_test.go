package toolkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

// asJSON is the value as compact JSON, for comparison.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatalf("encode %T: %v", v, err)
	}
	return strings.TrimSpace(out.String())
}

// oneField is a struct type with the single field F of the type and tag.
func oneField(typ reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(tag)}})
}

type level string

func (l *level) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the text of a type's own error")
	}
	*l = level(text)
	return nil
}

type selfMade struct{ hidden int }

func (s *selfMade) UnmarshalJSON([]byte) error { s.hidden = 1; return nil }

func TestTypeDecidesParameter(t *testing.T) {
	for _, row := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[bool](), `{"flags":[{"name":"f"}]}`},
		{reflect.TypeFor[*bool](), `{"flags":[{"name":"f"}]}`},
		{reflect.TypeFor[string](), option(`{"type":"string"}`)},
		{reflect.TypeFor[*string](), option(`{"type":"string"}`)},
		{reflect.TypeFor[int](), option(`{"type":"integer"}`)},
		{reflect.TypeFor[int64](), option(`{"type":"integer"}`)},
		{reflect.TypeFor[int32](), option(`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`)},
		{reflect.TypeFor[int16](), option(`{"type":"integer","minimum":-32768,"maximum":32767}`)},
		{reflect.TypeFor[int8](), option(`{"type":"integer","minimum":-128,"maximum":127}`)},
		{reflect.TypeFor[uint](), option(`{"type":"integer","minimum":0,"maximum":18446744073709551615}`)},
		{reflect.TypeFor[uint64](), option(`{"type":"integer","minimum":0,"maximum":18446744073709551615}`)},
		{reflect.TypeFor[uint32](), option(`{"type":"integer","minimum":0,"maximum":4294967295}`)},
		{reflect.TypeFor[uint8](), option(`{"type":"integer","minimum":0,"maximum":255}`)},
		{reflect.TypeFor[float32](), option(`{"type":"number"}`)},
		{reflect.TypeFor[float64](), option(`{"type":"number"}`)},
		{reflect.TypeFor[json.Number](), option(`{"type":"number"}`)},
		{reflect.TypeFor[time.Time](), option(`{"type":"string","format":"date-time"}`)},
		{reflect.TypeFor[time.Duration](), `{"options":[{"name":"f","value_name":"nanoseconds","schema":{"type":"integer","description":"nanoseconds"}}]}`},
		{reflect.TypeFor[[]*time.Duration](), `{"options":[{"name":"f","value_name":"nanoseconds","schema":{"type":"array","items":{"type":"integer","description":"nanoseconds"}}}]}`},
		{reflect.TypeFor[map[string]time.Duration](), option(`{"type":"object","additionalProperties":{"type":"integer","description":"nanoseconds"}}`)},
		{reflect.TypeFor[[]byte](), option(`{"type":"string","contentEncoding":"base64"}`)},
		{reflect.TypeFor[json.RawMessage](), option(`{}`)},
		{reflect.TypeFor[any](), option(`{}`)},
		{reflect.TypeFor[selfMade](), option(`{}`)},
		{reflect.TypeFor[level](), option(`{"type":"string"}`)},
		{reflect.TypeFor[netip.Addr](), option(`{"type":"string"}`)},
		{reflect.TypeFor[[]string](), option(`{"type":"array","items":{"type":"string"}}`)},
		{reflect.TypeFor[[]*int](), option(`{"type":"array","items":{"type":"integer"}}`)},
		{reflect.TypeFor[[2]bool](), option(`{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`)},
		{reflect.TypeFor[[][]byte](), option(`{"type":"array","items":{"type":"string","contentEncoding":"base64"}}`)},
		{reflect.TypeFor[map[string]uint32](), option(`{"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":4294967295}}`)},
		{reflect.TypeFor[map[string]any](), option(`{"type":"object","additionalProperties":{}}`)},
		{reflect.TypeFor[struct {
			A int    `json:"a" help:"The a" validate:"required"`
			B string `json:"b"`
		}](), option(`{"type":"object","properties":{"a":{"type":"integer","description":"The a"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`)},
		{reflect.TypeFor[struct{}](), option(`{"type":"object","additionalProperties":false}`)},
	} {
		t.Run(row.typ.String(), func(t *testing.T) {
			checkBody(t, oneField(row.typ, `json:"f"`), row.want)
		})
	}
}

// option is a body with the single option f.
func option(schema string) string { return `{"options":[{"name":"f","schema":` + schema + `}]}` }

// checkBody compares the body made from the input type, which must be free of mistakes.
func checkBody(t *testing.T, in reflect.Type, want string) {
	t.Helper()
	body, ts := readInput(in)
	if err := errors.Join(ts.mistakes...); err != nil {
		t.Errorf("mistakes: got %v, want none", err)
	}
	if got := asJSON(t, body); got != want {
		t.Errorf("body of %s:\n got %s\nwant %s", in, got, want)
	}
}

func TestTagsAdd(t *testing.T) {
	var (
		boolean = reflect.TypeFor[bool]()
		integer = reflect.TypeFor[int]()
		text    = reflect.TypeFor[string]()
		texts   = reflect.TypeFor[[]string]()
		table   = reflect.TypeFor[map[string]string]()
	)
	for _, row := range []struct {
		name string
		typ  reflect.Type
		tag  string
		want string
	}{
		{"without json the field's name is the key", text, ``, `{"options":[{"name":"F","schema":{"type":"string"}}]}`},
		{"help", text, `help:"Text"`, `{"options":[{"name":"F","help":"Text","schema":{"type":"string"}}]}`},
		{"help before jsonschema", text, `jsonschema:"b" help:"a" validate:""`, `{"options":[{"name":"F","help":"a","schema":{"type":"string"}}]}`},
		{"short, alias, env, value", text, `short:"s" alias:"a,b" env:"E" value:"WORD"`,
			`{"options":[{"name":"F","short":"s","aliases":["a","b"],"value_name":"WORD","schema":{"type":"string"},"env":"E"}]}`},
		{"secret", text, `secret:"true"`, `{"options":[{"name":"F","schema":{"type":"string"},"secret":true}]}`},
		{"secret false", text, `secret:"false"`, `{"options":[{"name":"F","schema":{"type":"string"}}]}`},
		{"required", text, `validate:"required"`, `{"options":[{"name":"F","schema":{"type":"string"},"required":true}]}`},
		{"nullable string", reflect.TypeFor[*string](), `nullable:"true"`, `{"options":[{"name":"F","schema":{"type":["string","null"]}}]}`},
		{"nullable enum", reflect.TypeFor[*string](), `nullable:"true" validate:"oneof=a"`, `{"options":[{"name":"F","schema":{"type":["string","null"],"enum":["a",null]}}]}`},
		{"nullable any", reflect.TypeFor[*any](), `nullable:"true"`, `{"options":[{"name":"F","schema":{}}]}`},
		{"nullable flag", reflect.TypeFor[*bool](), `nullable:"true"`, `{"flags":[{"name":"F","nullable":true}]}`},
		{"delimited", texts, `sep:","`, `{"options":[{"name":"F","schema":{"type":"array","items":{"type":"string"}},"shape":{"delimiter":","}}]}`},
		{"either", texts, `sep:",..."`, `{"options":[{"name":"F","schema":{"type":"array","items":{"type":"string"}},"shape":{"delimiter":",","repeats":true}}]}`},
		{"a delimiter of several bytes", texts, `sep:"·..."`, `{"options":[{"name":"F","schema":{"type":"array","items":{"type":"string"}},"shape":{"delimiter":"·","repeats":true}}]}`},
		{"a dot as delimiter", texts, `sep:"."`, `{"options":[{"name":"F","schema":{"type":"array","items":{"type":"string"}},"shape":{"delimiter":"."}}]}`},
		{"last wins", table, `duplicate:"last-wins"`, `{"options":[{"name":"F","schema":{"type":"object","additionalProperties":{"type":"string"}},"shape":{"last_wins":true}}]}`},
		{"reject", table, `duplicate:"reject"`, `{"options":[{"name":"F","schema":{"type":"object","additionalProperties":{"type":"string"}}}]}`},
		{"optional scalar", text, `optional:"value" default:"auto"`, `{"options":[{"name":"F","schema":{"type":"string"},"shape":{"optional":true},"default":"auto"}]}`},
		{"negatable", boolean, `flag:"negatable"`, `{"flags":[{"name":"F"}]}`},
		{"plain", boolean, `flag:"plain" short:"b" alias:"x" env:"B" help:"h"`, `{"flags":[{"name":"F","short":"b","aliases":["x"],"help":"h","env":"B","plain":true}]}`},
		{"required flag", boolean, `validate:"required"`, `{"flags":[{"name":"F","required":true}]}`},
		{"count", integer, `flag:"count" short:"v" default:"1"`, `{"flags":[{"name":"F","short":"v","default":1,"count":true}]}`},
		{"count with a maximum", integer, `flag:"count" validate:"max=3"`, `{"flags":[{"name":"F","count":true,"max":3}]}`},
		{"count of a small type", reflect.TypeFor[uint8](), `flag:"count"`, `{"flags":[{"name":"F","count":true,"max":255}]}`},
		{"count of the largest type", reflect.TypeFor[uint64](), `flag:"count"`, `{"flags":[{"name":"F","count":true}]}`},
		{"positional", text, `arg:"positional" value:"DIR" default:"." help:"Where"`,
			`{"positionals":[{"name":"F","help":"Where","value_name":"DIR","schema":{"type":"string"},"default":"."}]}`},
		{"required positional", integer, `arg:"positional" validate:"required,min=1"`, `{"positionals":[{"name":"F","schema":{"type":"integer","minimum":1},"required":true}]}`},
		{"secret positional", text, `arg:"positional" secret:"true"`, `{"positionals":[{"name":"F","schema":{"type":"string"},"secret":true}]}`},
		{"positional boolean", boolean, `arg:"positional"`, `{"positionals":[{"name":"F","schema":{"type":"boolean"}}]}`},
		{"tail", texts, `arg:"positional"`, `{"tail":{"name":"F","item":{"type":"string"}}}`},
		{"required tail", texts, `arg:"positional" validate:"required"`, `{"tail":{"name":"F","item":{"type":"string"},"min":1}}`},
		{"bounded verbatim tail", texts, `arg:"positional,separator=::,verbatim" validate:"min=1,max=2,dive,max=9" help:"h"`,
			`{"tail":{"name":"F","help":"h","item":{"type":"string","maxLength":9},"min":1,"max":2,"separator":"::","verbatim":true}}`},
		{"tags of others are theirs", text, `yaml:"f" db:"x y"`, `{"options":[{"name":"F","schema":{"type":"string"}}]}`},
	} {
		t.Run(row.name, func(t *testing.T) { checkBody(t, oneField(row.typ, row.tag), row.want) })
	}
}

func TestDefaultIsTypedByField(t *testing.T) {
	for _, row := range []struct {
		typ  reflect.Type
		text string
		want string
	}{
		{reflect.TypeFor[string](), ``, `""`},
		{reflect.TypeFor[string](), `007`, `"007"`},
		{reflect.TypeFor[string](), `null`, `"null"`},
		{reflect.TypeFor[string](), `a<b`, `"a<b"`},
		{reflect.TypeFor[*string](), `x`, `"x"`},
		{reflect.TypeFor[int](), `-3`, `-3`},
		{reflect.TypeFor[uint64](), `18446744073709551615`, `18446744073709551615`},
		{reflect.TypeFor[float64](), `1.50`, `1.50`},
		{reflect.TypeFor[json.Number](), `1.0000000000000000000001`, `1.0000000000000000000001`},
		{reflect.TypeFor[bool](), `true`, `true`},
		{reflect.TypeFor[[]string](), `["a", "b"]`, `["a","b"]`},
		{reflect.TypeFor[map[string]int](), `{"a": 1}`, `{"a":1}`},
		{reflect.TypeFor[struct{ A int }](), `{"A": 1}`, `{"A":1}`},
		{reflect.TypeFor[[]byte](), `aGk=`, `"aGk="`},
		{reflect.TypeFor[time.Time](), `2026-01-01T00:00:00Z`, `"2026-01-01T00:00:00Z"`},
		{reflect.TypeFor[netip.Addr](), `::1`, `"::1"`},
		{reflect.TypeFor[any](), `[1, null]`, `[1,null]`},
		{reflect.TypeFor[time.Duration](), `5000`, `5000`},
	} {
		t.Run(row.typ.String()+" "+row.text, func(t *testing.T) {
			m := member{typ: row.typ, tags: map[string]string{"default": row.text}}
			got, err := defaultValue(&m, newTypes(false).schema(row.typ, "", 0))
			if err != nil || string(got) != row.want {
				t.Errorf("default %q: got %s (%v), want %s", row.text, got, err, row.want)
			}
		})
	}
}

// TestPresence: validate:"required" alone makes a field required, by the rule
// of the MCP Go SDK for structs that were written for it.
func TestPresence(t *testing.T) {
	for _, row := range []struct {
		name string
		in   any
		want map[string]bool
	}{
		{"only validate:required", struct {
			Plain    string
			Required string `validate:"required"`
			Pointer  *string
			Omit     string  `json:",omitempty" validate:"required"`
			Both     string  `validate:"required" default:"x"`
			Bounds   string  `validate:"omitempty,min=1"`
			Must     *string `validate:"required,min=1"`
			Element  string  `validate:"required_with=Plain"`
			Help     string  `help:"words" jsonschema:"more"`
		}{}, map[string]bool{"Required": true, "Omit": true, "Must": true}},
		{"the rule of the MCP SDK", struct {
			City  string  `json:"city" jsonschema:"The city"`
			Days  int     `json:"days,omitempty" jsonschema:"Days"`
			Hours int     `json:"hours,omitzero"`
			Unit  *string `json:"unit"`
			Lang  string  `json:"lang" default:"en"`
		}{}, map[string]bool{"city": true, "unit": true}},
		{"no tags, nothing required", struct{ A, B string }{}, map[string]bool{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, ts := readInput(reflect.TypeOf(row.in))
			if len(ts.mistakes) > 0 {
				t.Fatalf("mistakes: got %v, want none", ts.mistakes)
			}
			for _, o := range body.Options {
				if o.Required != row.want[o.Name] {
					t.Errorf("%s required: got %t, want %t", o.Name, o.Required, row.want[o.Name])
				}
			}
		})
	}
}

func TestRequiredOptionsComeFirst(t *testing.T) {
	body, _ := readInput(reflect.TypeFor[struct {
		D string
		C string `validate:"required"`
		B string
		A string `validate:"required"`
	}]())
	var got []string
	for _, o := range body.Options {
		got = append(got, o.Name)
	}
	if want := "C A D B"; strings.Join(got, " ") != want {
		t.Errorf("order of options: got %v, want %s", got, want)
	}
}

type twin struct {
	Left  *twin  `json:"left" nullable:"true"`
	Right []twin `json:"right" validate:"max=2"`
}

// mutual and partner refer to each other.
type mutual struct {
	P *partner `json:"p"`
}

type partner struct {
	M map[string]mutual `json:"m"`
}

func TestRecursiveTypesAreDefinitions(t *testing.T) {
	const (
		right  = `{"type":"array","items":{"$ref":"#/$defs/twin"},"maxItems":2}`
		left   = `{"anyOf":[{"$ref":"#/$defs/twin"},{"type":"null"}]}`
		twins  = `"twin":{"type":"object","properties":{"left":` + left + `,"right":` + right + `},"additionalProperties":false}`
		closed = `"additionalProperties":false}`
	)
	for _, row := range []struct {
		name string
		in   any
		want string
	}{
		{"a field", struct {
			T twin `json:"t"`
		}{}, `{"options":[{"name":"t","schema":{"$ref":"#/$defs/twin"}}],"input":{"$defs":{` + twins + `},` + closed + `}`},
		{"the input itself", twin{},
			`{"options":[{"name":"left","schema":` + left + `},{"name":"right","schema":` + right + `}],"input":{"$defs":{` + twins + `},` + closed + `}`},
		{"two that refer to each other", struct {
			A mutual  `json:"a"`
			B partner `json:"b"`
		}{}, `{"options":[{"name":"a","schema":{"$ref":"#/$defs/mutual"}},` +
			`{"name":"b","schema":{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"$ref":"#/$defs/mutual"}}},"additionalProperties":false}}],` +
			`"input":{"$defs":{"mutual":{"type":"object","properties":{"p":{"type":"object","properties":{"m":` +
			`{"type":"object","additionalProperties":{"$ref":"#/$defs/mutual"}}},"additionalProperties":false}},"additionalProperties":false}},` + closed + `}`},
	} {
		t.Run(row.name, func(t *testing.T) { checkBody(t, reflect.TypeOf(row.in), row.want) })
	}
}

func TestDefinitionNamesOfDifferentTypesDiffer(t *testing.T) {
	outer := reflect.TypeFor[twin]()
	type twin struct {
		Next []*twin `json:"next"`
	}
	ts := newTypes(false)
	first, second := ts.object(outer, "", 0), ts.object(reflect.TypeFor[twin](), "", 0)
	if first.Ref != "#/$defs/twin" || second.Ref != "#/$defs/twin2" {
		t.Errorf("references: got %s and %s, want #/$defs/twin and #/$defs/twin2", first.Ref, second.Ref)
	}
}

// TestDurationsSayTheirUnit inside of objects and in results, where no value's name
// does.
func TestDurationsSayTheirUnit(t *testing.T) {
	type inner struct {
		Wait  time.Duration   `json:"wait" help:"How long."`
		Steps []time.Duration `json:"steps" help:"Each step"`
		Rest  *time.Duration  `json:"rest"`
	}
	body, ts := readInput(reflect.TypeFor[struct {
		O inner `json:"o"`
	}]())
	if len(ts.mistakes) > 0 {
		t.Fatal(ts.mistakes)
	}
	result, _ := resultSchema(reflect.TypeFor[inner]())
	for _, s := range []*Schema{body.Options[0].Schema, result} {
		wait, steps, rest := s.Properties["wait"], s.Properties["steps"], s.Properties["rest"]
		if wait.Description != "How long (nanoseconds)" || steps.Description != "Each step" || steps.Items.Description != "nanoseconds" || rest.Description != "nanoseconds" {
			t.Errorf("got %q, %q of %q, %q, want the unit once in each", wait.Description, steps.Description, steps.Items.Description, rest.Description)
		}
	}
}
