package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// mistakesOf are the mistakes in an input type, one a line.
func mistakesOf(in reflect.Type) string {
	_, ts := readInput(in)
	return lines(errors.Join(ts.mistakes...))
}

func lines(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestTagMistakes(t *testing.T) {
	var (
		boolean = reflect.TypeFor[bool]()
		integer = reflect.TypeFor[int]()
		text    = reflect.TypeFor[string]()
		texts   = reflect.TypeFor[[]string]()
		nested  = func(tag string) reflect.Type { return oneField(reflect.TypeFor[string](), tag) }
	)
	for _, row := range []struct {
		typ  reflect.Type
		tag  string
		want string
	}{
		{text, `json:"f" help`, `field F: malformed tag "help"`},
		{text, `help:unquoted`, `field F: malformed tag "help:unquoted"`},
		{text, `help:'a'`, `field F: malformed tag "help:'a'"`},
		{text, `help:"a" help:"b"`, `field F: tag help stands twice`},
		{text, `json:"f,omitempy"`, `field F: json: the option "omitempy" is not supported, only omitempty and omitzero are`},
		{integer, `json:"f,string"`, `field F: json: the option "string" is not supported, only omitempty and omitzero are`},
		{text, `json:"a'b"`, `field F: json: the name "a'b" has a quote or backslash`},
		{text, `jsonschema:"description=City"`, `field F: jsonschema: "description=" looks like a keyword, want a plain description`},
		{text, `arg:"positonal"`, `field F: arg: unknown word "positonal", want positional`},
		{text, `arg:""`, `field F: arg: unknown word "", want positional`},
		{texts, `arg:"positional,seperator=--"`, `field F: arg: unknown word "seperator=--", want separator=WORD or verbatim`},
		{texts, `arg:"positional,separator="`, `field F: arg: unknown word "separator=", want separator=WORD or verbatim`},
		{texts, `arg:"positional,verbatim=yes"`, `field F: arg: unknown word "verbatim=yes", want separator=WORD or verbatim`},
		{text, `arg:"positional,verbatim"`, `field F: arg: separator and verbatim are for a list`},
		{boolean, `flag:"negateable"`, `field F: flag: unknown word "negateable", want negatable or plain or count`},
		{boolean, `flag:"count"`, `field F: flag: a count is an integer, not bool`},
		{texts, `sep:", "`, `field F: sep: ", ", want one character, or one character and "..." to allow repetition`},
		{texts, `sep:""`, `field F: sep: "", want one character, or one character and "..." to allow repetition`},
		{text, `sep:","`, `field F: sep: string is not a list`},
		{text, `duplicate:"last"`, `field F: duplicate: unknown word "last", want reject or last-wins`},
		{text, `duplicate:"reject"`, `field F: duplicate: string is not a map`},
		{text, `optional:"yes"`, `field F: optional: unknown word "yes", want value`},
		{texts, `optional:"value"`, `field F: optional: []string is not a single value`},
		{text, `secret:"yes"`, `field F: secret: unknown word "yes", want true or false`},
		{text, `nullable:"true"`, `field F: nullable: string cannot be nil, want a pointer`},
		{text, `alias:"a,,b"`, `field F: alias: "a,,b" has an empty name`},
		{integer, `default:"x"`, `field F: default: "x" is not an integer of type int`},
		{integer, `default:"5.5"`, `field F: default: "5.5" is not an integer of type int`},
		{reflect.TypeFor[int8](), `default:"300"`, `field F: default: "300" is not an integer of type int8`},
		{reflect.TypeFor[float64](), `default:".5"`, `field F: default: ".5" is not a number of type float64`},
		{integer, `default:"1 2"`, `field F: default: more than one JSON value`},
		{boolean, `default:"yes"`, `field F: default: "yes" is not true or false`},
		{texts, `default:"a,b"`, `field F: default: "a,b" is not a JSON array such as ["a"]`},
		{nested(`json:"a"`), `default:"{\"b\":1}"`, `field F: default: "{\"b\":1}" is not a JSON object such as {"a":1}`},
		{reflect.TypeFor[time.Time](), `default:"today"`, `field F: default: "today" is not a valid time.Time`},
		{reflect.TypeFor[any](), `default:"x"`, `field F: default: "x" is not JSON`},
		// Places.
		{text, `arg:"positional" short:"s"`, `field F: short: has no meaning for a positional`},
		{text, `arg:"positional" env:"E"`, `field F: env: has no meaning for a positional`},
		{texts, `arg:"positional" default:"[]"`, `field F: default: has no meaning for a tail`},
		{texts, `arg:"positional" sep:","`, `field F: sep: has no meaning for a tail`},
		{text, `flag:"plain"`, `field F: flag: has no meaning for an option`},
		{boolean, `secret:"true"`, `field F: secret: has no meaning for a flag`},
		{boolean, `value:"X"`, `field F: value: has no meaning for a flag`},
		{integer, `flag:"count" nullable:"false"`, `field F: nullable: has no meaning for a count flag`},
		{nested(`short:"s"`), ``, `field F.F: short: has no meaning for a field of an object option`},
		{nested(`default:"s"`), ``, `field F.F: default: has no meaning for a field of an object option`},
		// Rules of validate that a schema cannot take over.
		{integer, `validate:"min=abc"`, `field F: validate: min=abc: want an integer of type int`},
		{integer, `validate:"min"`, `field F: validate: min=: want an integer of type int`},
		{reflect.TypeFor[uint8](), `validate:"max=256"`, `field F: validate: max=256: want an integer of type uint8`},
		{reflect.TypeFor[uint](), `validate:"min=-1"`, `field F: validate: min=-1: want an integer of type uint`},
		{reflect.TypeFor[uint](), `validate:"lt=0"`, `field F: validate: lt=0: want an integer of type uint`},
		{reflect.TypeFor[int64](), `validate:"gt=9223372036854775807"`, `field F: validate: gt=9223372036854775807: want an integer of type int64`},
		{integer, `validate:"oneof=1 x"`, `field F: validate: oneof=1 x: want an integer of type int`},
		{reflect.TypeFor[float64](), `validate:"max=+1"`, `field F: validate: max=+1: want a number as JSON writes it`},
		{text, `validate:"max=-1"`, `field F: validate: max=-1: want a length`},
		{text, `validate:"dive,min=1"`, `field F: validate: dive: string has no elements`},
		{texts, `validate:"dive,max=x"`, `field F: validate: max=x: want a length`},
	} {
		t.Run(row.typ.String()+" "+row.tag, func(t *testing.T) {
			if got := mistakesOf(oneField(row.typ, row.tag)); got != row.want {
				t.Errorf("mistakes:\n got %s\nwant %s", got, row.want)
			}
		})
	}
}

type endless []endless

type pointless *pointless

type keyText string

func (k *keyText) UnmarshalText([]byte) error { return nil }

func TestTypeMistakes(t *testing.T) {
	for _, row := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[chan int](), `field F: chan int has no JSON form`},
		{reflect.TypeFor[func()](), `field F: func() has no JSON form`},
		{reflect.TypeFor[complex128](), `field F: complex128 has no JSON form`},
		{reflect.TypeFor[uintptr](), `field F: uintptr has no JSON form`},
		{reflect.TypeFor[[]error](), `field F: error has no JSON form`},
		{reflect.TypeFor[struct{ In io.Reader }](), `field F.In: io.Reader: a stream is a field of type io.Reader or io.Writer of the input itself`},
		{reflect.TypeFor[io.WriteCloser](), `field F: io.WriteCloser: a stream is a field of type io.Reader or io.Writer of the input itself`},
		{reflect.TypeFor[io.Writer](), `field F: an io.Writer needs a tag that says which stream it is: stdout or stderr`},
		{reflect.TypeFor[map[int]string](), `field F: map keys must be strings, not int`},
		{reflect.TypeFor[map[keyText]string](), `field F: map keys must be strings, not toolkit.keyText`},
		{reflect.TypeFor[endless](), `field F: nested over 32 levels`},
		{reflect.TypeFor[pointless](), `field F: nested over 32 levels`},
		{reflect.TypeFor[struct{ In struct{ C chan int } }](), `field F.In.C: chan int has no JSON form`},
	} {
		t.Run(row.typ.String(), func(t *testing.T) {
			if got := mistakesOf(oneField(row.typ, `validate:"min=1"`)); got != row.want {
				t.Errorf("mistakes:\n got %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestInputMistakes(t *testing.T) {
	for _, row := range []struct {
		name string
		in   reflect.Type
		want string
	}{
		{"not a struct", reflect.TypeFor[string](), `the input string is not a struct`},
		{"a pointer", reflect.TypeFor[*struct{ A int }](), `the input *struct { A int } is not a struct`},
		{"an interface", reflect.TypeFor[any](), `the input interface {} is not a struct`},
		{"it decodes itself", reflect.TypeFor[selfMade](), `the input toolkit.selfMade decodes itself, so its fields are not parameters`},
		{"an embedded type decodes it", reflect.TypeFor[struct{ time.Time }](), `the input struct { time.Time } decodes itself, so its fields are not parameters`},
		{"words after the tail", reflect.TypeFor[struct {
			All  []string `json:"all" arg:"positional"`
			Last string   `json:"last" arg:"positional"`
			More []string `json:"more" arg:"positional"`
		}](), "field Last: a positional after the list all, which takes the rest of the line\n" +
			"field More: a positional after the list all, which takes the rest of the line"},
		{"an unexported field with a tag", reflect.StructOf([]reflect.StructField{
			{Name: "city", PkgPath: "weather", Type: reflect.TypeFor[string](), Tag: `json:"city"`},
			{Name: "note", PkgPath: "weather", Type: reflect.TypeFor[string]()},
		}), `field city: an unexported field is never read`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := mistakesOf(row.in); got != row.want {
				t.Errorf("mistakes:\n got %s\nwant %s", got, row.want)
			}
		})
	}
}

// TestCommandReportsEveryMistake: all mistakes of a tool come at once.
func TestCommandReportsEveryMistake(t *testing.T) {
	type in struct {
		A chan int `json:"a"`
		B string   `json:"b" sep:","`
	}
	type out struct {
		C func() `json:"c"`
	}
	bad := DeclareError("BAD", Runtime, 0, "bad").WithPayload(make(chan int))
	tool := Func[in, out](Spec{
		Name: "t", ReadOnly: true, Destructive: new(true), Timeout: -time.Second,
		Errors: []*Error{nil, bad},
		Examples: []Example{
			{Input: 5},
			{Input: json.RawMessage(`[1]`)},
			{Input: json.RawMessage(`{`)},
			{Input: json.RawMessage(`{"b": "x"}`)},
		},
	}, nil)
	_, err := tool.Command()
	want := []string{
		`field A: chan int has no JSON form`,
		`field B: sep: string is not a list`,
		`result: field C: func() has no JSON form`,
		`the handler is nil`,
		`example 1: the input is of type int, want toolkit.in or json.RawMessage`,
		`example 2: the input is not a JSON object`,
		`example 3: the input is not JSON: unexpected end of JSON input`,
		`error 1 is nil`,
		`error BAD: payload: chan int has no JSON form`,
		`a read-only tool cannot be destructive`,
		`the timeout -1s is negative`,
	}
	if got := lines(err); got != strings.Join(want, "\n") {
		t.Errorf("mistakes:\n got %s\nwant %s", got, strings.Join(want, "\n"))
	}
}

// TestFuncNeverPanics: what cannot be a tool is still a value that says so.
func TestFuncNeverPanics(t *testing.T) {
	mistaken := func(tool Tool) {
		if _, err := tool.Command(); err == nil {
			t.Errorf("%T: got no mistake", tool)
		}
	}
	mistaken(Func(Spec{}, func(context.Context, chan int) (None, error) { return None{}, nil }))
	mistaken(Func(Spec{}, func(context.Context, error) (error, error) { return nil, nil }))
	mistaken(Func(Spec{}, func(context.Context, endless) (endless, error) { return nil, nil }))
	mistaken(Func(Spec{}, func(context.Context, pointless) (pointless, error) { return nil, nil }))
	mistaken(Func(Spec{}, func(context.Context, *int) (map[bool]int, error) { return nil, nil }))
	mistaken(Func(Spec{}, func(context.Context, func()) (io.Writer, error) { return nil, nil }))
}
