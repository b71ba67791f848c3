package toolkit

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

// inputs is one field of each way to be present.
type inputs struct {
	Required int             `json:"required" validate:"required"`
	Must     []string        `json:"must" validate:"required"`
	Plain    int             `json:"plain"`
	Default  int             `json:"default" default:"3"`
	On       bool            `json:"on" default:"true"`
	Omit     int             `json:"omit,omitzero" default:"3"`
	Pointer  *int            `json:"pointer" default:"3"`
	List     []string        `json:"list" default:"[\"a\"]"`
	Map      map[string]int  `json:"map"`
	Raw      json.RawMessage `json:"raw"`
	Any      any             `json:"any"`
	When     time.Time       `json:"when"`
	Object   struct {
		A int     `json:"a"`
		B *string `json:"b"`
	} `json:"object"`
}

// TestCallSendsWhatTheHandlerShallSee: an explicit zero survives where a
// default would replace it; what makes no difference is left out.
func TestCallSendsWhatTheHandlerShallSee(t *testing.T) {
	for _, row := range []struct {
		name string
		in   inputs
		want string
	}{
		{"zero", inputs{}, `{"required":0,"must":[],"default":0,"on":false}`},
		{"given", inputs{Required: 1, Must: []string{"a"}, Plain: 2, Default: 4, On: true, Omit: 5},
			`{"required":1,"must":["a"],"plain":2,"default":4,"on":true,"omit":5}`},
		{"a pointer tells zero from absent", inputs{Pointer: new(0)}, `{"required":0,"must":[],"default":0,"on":false,"pointer":0}`},
		{"a nil list is absent, an empty one is given", inputs{List: []string{}}, `{"required":0,"must":[],"default":0,"on":false,"list":[]}`},
		{"inside an object", inputs{Object: struct {
			A int     `json:"a"`
			B *string `json:"b"`
		}{B: new("")}}, `{"required":0,"must":[],"default":0,"on":false,"object":{"b":""}}`},
		{"JSON stays JSON", inputs{Raw: json.RawMessage(`{"x":1.0}`), Any: []int{1}},
			`{"required":0,"must":[],"default":0,"on":false,"raw":{"x":1.0},"any":[1]}`},
	} {
		t.Run(row.name, func(t *testing.T) { checkEncoding(t, row.in, givenInCall, row.want) })
	}
}

func TestExampleShowsWhatIsNotZero(t *testing.T) {
	for _, row := range []struct {
		name string
		in   inputs
		want string
	}{
		{"required ones are always there", inputs{}, `{"required":0,"must":[]}`},
		{"zeros are not given, whatever the default", inputs{Required: 1, Must: []string{"a"}, On: false}, `{"required":1,"must":["a"]}`},
		{"a pointer to zero is", inputs{Pointer: new(0)}, `{"required":0,"must":[],"pointer":0}`},
		{"a map is sorted", inputs{Map: map[string]int{"b": 1, "a": 0}}, `{"required":0,"must":[],"map":{"a":0,"b":1}}`},
	} {
		t.Run(row.name, func(t *testing.T) { checkEncoding(t, row.in, givenInExample, row.want) })
	}
}

// checkEncoding compares what the input is encoded to.
func checkEncoding[In any](t *testing.T, in In, given presence, want string) {
	t.Helper()
	_, ts := readInput(reflect.TypeFor[In]())
	got, err := ts.encode(reflect.ValueOf(&in).Elem(), given)
	if err != nil || string(got) != want {
		t.Errorf("encoding:\n got %s (%v)\nwant %s", got, err, want)
	}
}

// encodeResult is a result as the host encodes it.
func encodeResult[Out any](out Out) (string, error) {
	_, ts := resultSchema(reflect.TypeFor[Out]())
	data, err := json.Marshal(result{ts, reflect.ValueOf(&out).Elem()})
	return string(data), err
}

// TestCase_B049: a nil list is an empty list, at every depth.
func TestCase_B049(t *testing.T) {
	type item struct {
		Tags []string `json:"tags"`
	}
	type out struct {
		Items  []item              `json:"items"`
		Table  map[string][]string `json:"table"`
		Bytes  []byte              `json:"bytes"`
		Omit   []item              `json:"omit,omitempty"`
		Ptr    *item               `json:"ptr"`
		Nested struct{ L [][]int } `json:"nested"`
	}
	for _, row := range []struct {
		name string
		got  func() (string, error)
		want string
	}{
		{"nil", func() (string, error) { return encodeResult(out{}) },
			`{"items":[],"table":{},"bytes":"","ptr":null,"nested":{"L":[]}}`},
		{"inside", func() (string, error) {
			return encodeResult(out{Items: []item{{}}, Table: map[string][]string{"a": nil}, Ptr: &item{}, Omit: []item{{}}, Bytes: []byte("hi")})
		}, `{"items":[{"tags":[]}],"table":{"a":[]},"bytes":"aGk=","omit":[{"tags":[]}],"ptr":{"tags":[]},"nested":{"L":[]}}`},
		{"the result itself", func() (string, error) { return encodeResult[[]int](nil) }, `[]`},
		{"a map", func() (string, error) { return encodeResult[map[string]int](nil) }, `{}`},
		{"a nil pointer is null, as its schema allows", func() (string, error) { return encodeResult[*item](nil) }, `null`},
		{"any", func() (string, error) { return encodeResult[any](nil) }, `null`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := row.got(); err != nil || got != row.want {
				t.Errorf("result:\n got %s (%v)\nwant %s", got, err, row.want)
			}
		})
	}
}

// celsius has a JSON form through a pointer.
type celsius struct{ degrees int }

func (c *celsius) MarshalJSON() ([]byte, error) { return json.Marshal(c.degrees) }

// TestResultsAreThoseOfEncodingJSON wherever no list or map is nil.
func TestResultsAreThoseOfEncodingJSON(t *testing.T) {
	type inner struct {
		A int     `json:"a,omitempty"`
		B float64 `json:"b"`
	}
	type everything struct {
		hiddenBase
		*Base
		Bool   bool                 `json:"bool"`
		Text   string               `json:"text"`
		Escape string               `json:"es\u00e9"`
		Small  float32              `json:"small"`
		Number json.Number          `json:"number"`
		Time   time.Time            `json:"time,omitzero"`
		Zero   time.Time            `json:"zero,omitzero"`
		Addr   netip.Addr           `json:"addr"`
		Raw    json.RawMessage      `json:"raw"`
		Any    any                  `json:"any"`
		Ptr    *inner               `json:"ptr"`
		List   []inner              `json:"list"`
		Bytes  [][]byte             `json:"bytes"`
		Array  [2]uint8             `json:"array"`
		Table  map[string]inner     `json:"table"`
		Own    celsius              `json:"own"`
		Temps  map[string]*celsius  `json:"temps"`
		Skip   chan int             `json:"-"`
		Deep   map[string][]float64 `json:"deep"`
		Empty  string               `json:"empty,omitempty"`
		Off    *bool                `json:"off,omitempty"`
	}
	value := everything{
		Base: &Base{ID: 1}, hiddenBase: hiddenBase{Region: "eu"}, Text: "é<>&\u2028", Small: 1.5, Number: "1.50",
		Time: time.Unix(0, 0).UTC(), Addr: netip.IPv6Loopback(), Raw: json.RawMessage(`[1.0]`), Any: map[string]any{"k": nil},
		Ptr: &inner{}, List: []inner{{A: 1}, {}}, Bytes: [][]byte{[]byte("x")}, Table: map[string]inner{"z": {}, "a\"": {B: 2}},
		Own: celsius{7}, Temps: map[string]*celsius{"a": {8}, "nil": nil}, Deep: map[string][]float64{"d": {1, 1e21}}, Off: new(false),
	}
	want, err := json.Marshal(&value)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := encodeResult(value); err != nil || got != string(want) {
		t.Errorf("result:\n got %s (%v)\nwant %s", got, err, want)
	}
}

type ring struct {
	Next *ring `json:"next"`
}

func TestUnencodableResultsAreErrors(t *testing.T) {
	cycle := &ring{}
	cycle.Next = cycle
	for _, row := range []struct {
		name string
		got  func() (string, error)
		want string
	}{
		{"not a number", func() (string, error) { return encodeResult(map[string][]float64{"a": {1, math.NaN()}}) }, "a: 1: json: unsupported value: NaN"},
		{"with its place", func() (string, error) { return encodeResult([]any{1, make(chan int)}) }, "1: json: unsupported type: chan int"},
		{"it contains itself", func() (string, error) { return encodeResult(cycle) }, "encountered a cycle, or over 64 levels"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := row.got(); err == nil || !strings.HasSuffix(err.Error(), row.want) {
				t.Errorf("error: got %v (%s), want one that ends in %q", err, got, row.want)
			}
		})
	}
}

func TestResultSchema(t *testing.T) {
	type out struct {
		Temperature float64        `json:"temperature" help:"Degrees Celsius" validate:"max=60"`
		Items       []*int         `json:"items"`
		Ptr         *string        `json:"ptr"`
		Maybe       *string        `json:"maybe,omitempty"`
		Small       uint8          `json:"small,omitzero" short:"s"`
		Table       map[string]any `json:"table"`
	}
	for _, row := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[None](), `null`},
		{reflect.TypeFor[any](), `{}`},
		{reflect.TypeFor[string](), `{"type":"string"}`},
		{reflect.TypeFor[*int](), `{"type":["integer","null"]}`},
		{reflect.TypeFor[[]string](), `{"type":"array","items":{"type":"string"}}`},
		{reflect.TypeFor[celsius](), `{}`},
		{reflect.TypeFor[*ring](), `{"$defs":{"ring":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/ring"},{"type":"null"}]}},"required":["next"]}},` +
			`"anyOf":[{"$ref":"#/$defs/ring"},{"type":"null"}]}`},
		{reflect.TypeFor[out](), `{"type":"object","properties":{"items":{"type":"array","items":{"type":["integer","null"]}},` +
			`"maybe":{"type":"string"},"ptr":{"type":["string","null"]},"small":{"type":"integer"},` +
			`"table":{"type":"object","additionalProperties":{}},"temperature":{"type":"number","description":"Degrees Celsius"}},` +
			`"required":["temperature","items","ptr","table"]}`},
	} {
		t.Run(row.typ.String(), func(t *testing.T) {
			schema, ts := resultSchema(row.typ)
			if got := asJSON(t, schema); got != row.want || len(ts.mistakes) > 0 {
				t.Errorf("schema (mistakes %v):\n got %s\nwant %s", ts.mistakes, got, row.want)
			}
		})
	}
}

// TestResultSchemaAllowsWhatMayBeAbsent: members of an embedded struct that may be nil,
// and what an omitted pointer leads to.
func TestResultSchemaAllowsWhatMayBeAbsent(t *testing.T) {
	type Inner struct {
		A int `json:"a"`
	}
	type out struct {
		*Inner
		B int   `json:"b"`
		C **int `json:"c,omitempty"`
	}
	schema, _ := resultSchema(reflect.TypeFor[out]())
	if want := `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":["integer","null"]}},"required":["b"]}`; asJSON(t, schema) != want {
		t.Errorf("got %s, want %s", asJSON(t, schema), want)
	}
	var none *int
	if got, err := encodeResult(out{C: &none}); err != nil || got != `{"b":0,"c":null}` {
		t.Errorf("got %s, %v", got, err)
	}
}
