package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// direct is a caller that runs the tool in place, without a host's checks.
type direct struct{ input *string }

func (d direct) CallTool(ctx context.Context, tool Tool, input json.RawMessage) (json.RawMessage, error) {
	*d.input = string(input)
	in, err := tool.Decode(input)
	if err != nil {
		return nil, err
	}
	out, err := tool.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	if _, none := out.(None); none {
		return nil, nil
	}
	return json.Marshal(out)
}

type forecastArgs struct {
	City string  `json:"city" help:"City name" validate:"required"`
	Days int     `json:"days" help:"Number of days" validate:"min=1,max=16" default:"3"`
	Unit *string `json:"unit" validate:"oneof=C F"`
}

type report struct {
	City string   `json:"city"`
	Days int      `json:"days"`
	Tags []string `json:"tags"`
}

func TestCallIsTyped(t *testing.T) {
	tool := Func(Spec{Name: "forecast"}, func(_ context.Context, in forecastArgs) (report, error) {
		return report{City: in.City, Days: in.Days}, nil
	})
	var sent string
	out, err := tool.Call(t.Context(), direct{&sent}, forecastArgs{City: "Paris", Days: 5})
	if want := (report{City: "Paris", Days: 5, Tags: []string{}}); err != nil || !reflect.DeepEqual(out, want) {
		t.Errorf("result: got %+v (%v), want %+v", out, err, want)
	}
	if want := `{"city":"Paris","days":5}`; sent != want {
		t.Errorf("input: got %s, want %s", sent, want)
	}
}

func TestCallWithoutResult(t *testing.T) {
	ran := false
	tool := Func(Spec{Name: "ping"}, func(context.Context, None) (None, error) { ran = true; return None{}, nil })
	var sent string
	if _, err := tool.Call(t.Context(), direct{&sent}, None{}); err != nil || !ran || sent != "{}" {
		t.Errorf("call: got error %v, ran %t, input %s; want none, true, {}", err, ran, sent)
	}
	if cmd, err := tool.Command(); err != nil || cmd.Body.Result != nil {
		t.Errorf("result schema: got %v (%v), want none", cmd.Body.Result, err)
	}
}

// TestCallRoundTrip: the handler sees the value that the caller has.
func TestCallRoundTrip(t *testing.T) {
	type in struct {
		Base
		Flag    bool           `json:"flag" default:"true"`
		Zero    int            `json:"zero" default:"7"`
		Empty   string         `json:"empty" default:"x"`
		Pointer *int           `json:"pointer"`
		List    []Base         `json:"list"`
		Table   map[string]any `json:"table"`
		When    time.Time      `json:"when"`
		Bytes   []byte         `json:"bytes"`
	}
	var seen in
	tool := Func(Spec{Name: "t"}, func(_ context.Context, in in) (None, error) { seen = in; return None{}, nil })
	for _, want := range []in{
		{},
		{Base: Base{ID: 1, Name: "a"}, Flag: true, Zero: 1, Empty: "y", Pointer: new(0), List: []Base{{}, {ID: 2}}},
		{Table: map[string]any{"a": nil}, When: time.Unix(5, 0).UTC(), Bytes: []byte{0}},
		{List: []Base{}, Table: map[string]any{}, Bytes: []byte{}},
	} {
		var sent string
		if _, err := tool.Call(t.Context(), direct{&sent}, want); err != nil || !reflect.DeepEqual(seen, want) {
			t.Errorf("handler of %s: got %+v (%v), want %+v", sent, seen, err, want)
		}
	}
}

func TestCallErrors(t *testing.T) {
	notFound := DeclareError("NOT_FOUND", Usage, 3, "no such city")
	tool := Func(Spec{Name: "t"}, func(context.Context, None) (int, error) { return 0, notFound.Errorf("no city %q", "x") })
	var sent string
	if _, err := tool.Call(t.Context(), direct{&sent}, None{}); !errors.Is(err, notFound) {
		t.Errorf("error: got %v, want NOT_FOUND", err)
	}
	open := Func(Spec{Name: "t"}, func(context.Context, struct{ V any }) (None, error) { return None{}, nil })
	if _, err := open.Call(t.Context(), direct{&sent}, struct{ V any }{make(chan int)}); err == nil || !strings.HasPrefix(err.Error(), "encode input: V: ") {
		t.Errorf("an input that JSON cannot carry: got %v, want an error about V", err)
	}
	if _, err := tool.Call(t.Context(), answer(`"five"`), None{}); err == nil || !strings.HasPrefix(err.Error(), "decode result: ") {
		t.Errorf("a result of another type: got %v, want an error", err)
	}
	if _, err := tool.Run(t.Context(), "text"); err == nil {
		t.Errorf("Run with what Decode did not make: got no error")
	}
}

// answer is a caller that answers every call with the same JSON.
type answer string

func (a answer) CallTool(context.Context, Tool, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(a), nil
}

// TestDecodeNamesWhatDoesNotFit: a definition is wider than a Go type in a few
// places; what falls between is an error of the input, not of the tool.
func TestDecodeNamesWhatDoesNotFit(t *testing.T) {
	type in struct {
		N int64   `json:"n"`
		F float64 `json:"f"`
		L level   `json:"l"`
		O struct {
			A []int8
			B map[string]uint8
		} `json:"o"`
		Secret float64 `json:"secret" secret:"true"`

		Levels []level          `json:"ls"`
		Own    oddNumber        `json:"own"`
		IP     *netip.Addr      `json:"ip"`
		Net    netip.Prefix     `json:"net"`
		When   time.Time        `json:"when"`
		Bytes  []byte           `json:"bytes"`
		Big    big.Int          `json:"big"`
		Table  map[string]int   `json:"table"`
		Hidden struct{ A int8 } `json:"hidden" secret:"true"`
	}
	const int64s, floats = "integer from -9223372036854775808 to 9223372036854775807", "number from -1.7976931348623157e+308 to 1.7976931348623157e+308"
	tool := Func(Spec{Name: "t"}, func(context.Context, in) (None, error) { return None{}, nil })
	for _, row := range []struct {
		input string
		want  []Problem
	}{
		{`{"n":9223372036854775808}`, []Problem{{"n", "9223372036854775808", int64s}}},
		{`{"f":1e400,"n":1}`, []Problem{{"f", "1e400", floats}}},
		{`{"o":{"A":[1,300,-0,-129]}}`, []Problem{{"o.A.1", "300", "integer from -128 to 127"}, {"o.A.3", "-129", "integer from -128 to 127"}}},
		{`{"o":{"B":{"y":-0,"x":256}}}`, []Problem{{"o.B.x", "256", "integer from 0 to 255"}, {"o.B.y", "-0", "integer from 0 to 255 without a sign"}}},
		{`{"l":""}`, []Problem{{"l", `""`, "text that the tool can read"}}},
		{`{"ls":["a",""]}`, []Problem{{"ls.1", `""`, "text that the tool can read"}}},
		{`{"own":7}`, []Problem{{"own", "7", "a value that the tool can read"}}},
		{`{"ip":"a","net":"b","when":"c","bytes":"d","big":1.5}`, []Problem{
			{"ip", `"a"`, "IP address like 192.0.2.1"}, {"net", `"b"`, "IP network like 192.0.2.0/24"}, {"when", `"c"`, "date-time like 2026-05-01T10:00:00Z"},
			{"bytes", `"d"`, "base64 text"}, {"big", "1.5", "integer"}}},
		{`{"ip":"` + strings.Repeat("é", 99) + `"}`, []Problem{{"ip", `"` + strings.Repeat("é", 31) + "…", "IP address like 192.0.2.1"}}},
		{`{"secret":1e400}`, []Problem{{"secret", "", floats}}},
		{`{"hidden":{"A":300}}`, []Problem{{"hidden.A", "", "integer from -128 to 127"}}},
		{`{"n":1.5,"f":"x"}`, []Problem{{"n", "1.5", int64s}, {"f", `"x"`, floats}}},
		{`{"table":[]}`, []Problem{{"table", "[]", "object"}}},
		{`[]`, nil},
		{`{} {}`, nil},
	} {
		t.Run(row.input, func(t *testing.T) {
			_, err := tool.Decode(json.RawMessage(row.input))
			var got *Error
			if !errors.As(err, &got) || got.Code != CodeValidationError {
				t.Fatalf("error: got %v, want VALIDATION_ERROR", err)
			}
			if !reflect.DeepEqual(got.Problems(), row.want) {
				t.Errorf("problems: got %+v, want %+v", got.Problems(), row.want)
			}
			if strings.Contains(got.Message, "type's own error") {
				t.Errorf("message: got %q, which has the text of an error that was not written for guests", got.Message)
			}
		})
	}
}

// TestCase_B051: a time.Time takes what the format of its schema does, wherever it is.
func TestCase_B051(t *testing.T) {
	type inner struct {
		At time.Time  `json:"at"`
		N  *time.Time `json:"n" nullable:"true"`
	}
	type in struct {
		At    time.Time              `json:"at"`
		List  []time.Time            `json:"list"`
		Table map[string]inner       `json:"table"`
		Any   any                    `json:"any"`
		O     *inner                 `json:"o"`
		Small int8                   `json:"small"`
		Pairs [2]map[string]*[]inner `json:"pairs"`
	}
	tool := Func(Spec{Name: "t"}, func(context.Context, in) (None, error) { return None{}, nil })
	newYear := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	got, err := tool.Decode(json.RawMessage(`{"at":"2026-12-31T23:59:60Z","list":["2026-12-31t23:59:60.5z","2026-05-01T10:00:00.25+05:30"],
		"table":{"a":{"at":"2027-01-01t00:00:00z","n":null}},"any":"2026-12-31T23:59:60z","o":{"at":"2027-01-01T05:29:60+05:30"},
		"pairs":[{"x":[{"at":"2026-12-31T23:59:60Z"}],"y":null},null]}`))
	zone := time.FixedZone("", 5*3600+1800)
	want := &in{
		At: newYear, List: []time.Time{newYear.Add(time.Second / 2), time.Date(2026, 5, 1, 10, 0, 0, 25e7, zone)}, Table: map[string]inner{"a": {At: newYear}},
		Any: "2026-12-31T23:59:60z", O: &inner{At: newYear.In(zone)}, Pairs: [2]map[string]*[]inner{{"x": {{At: newYear}}, "y": nil}},
	}
	sameTime := cmp.Comparer(func(a, b time.Time) bool { return a.Format(time.RFC3339Nano) == b.Format(time.RFC3339Nano) })
	if diff := cmp.Diff(want, got, sameTime); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for input, want := range map[string]string{
		`{"at":"2026-02-30T00:00:00Z","o":{"at":"2026-12-31t23:59:60z"}}`: `at: got "2026-02-30T00:00:00Z", expected date-time like 2026-05-01T10:00:00Z`,
		`{"at":"2026-02-30T00:00:60Z"}`:                                   `at: got "2026-02-30T00:00:60Z", expected date-time like 2026-05-01T10:00:00Z`,
		`{"at":"2026-12-31 23:59:00Z"}`:                                   `at: got "2026-12-31 23:59:00Z", expected date-time like 2026-05-01T10:00:00Z`,
		`{"at":5,"o":{"at":"2026-12-31T23:59:60Z"},"small":300}`:          "at: got 5, expected date-time like 2026-05-01T10:00:00Z; small: got 300, expected integer from -128 to 127",
	} {
		if _, err := tool.Decode(json.RawMessage(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", input, err, want)
		}
	}
}

// oddNumber reads no number: it has a JSON form of its own.
type oddNumber struct{}

func (*oddNumber) UnmarshalJSON([]byte) error { return errors.New("the type's own error") }

// A million wrong values are told in as many words as fifty.
func TestDecodeNamesAFewOfMany(t *testing.T) {
	tool := Func(Spec{Name: "t"}, func(context.Context, struct{ L []int8 }) (None, error) { return None{}, nil })
	_, err := tool.Decode(json.RawMessage(`{"L":[` + strings.Repeat("300,", 99999) + `300]}`))
	var got *Error
	if !errors.As(err, &got) || len(got.Problems()) != maxProblems || len(got.Message) > 4000 {
		t.Errorf("got %d bytes: %.200v", len(err.Error()), err)
	}
}

// TestCase_B046: a number keeps its text where the type of a field leaves it open, in
// what the handler receives and in what a typed call returns.
func TestCase_B046(t *testing.T) {
	type open struct {
		Any   any            `json:"any"`
		Table map[string]any `json:"table"`
		List  []any          `json:"list"`
		Raw   json.RawMessage
	}
	want := open{
		Any:   json.Number("9007199254740993"),
		Table: map[string]any{"a": json.Number("1.10"), "b": []any{json.Number("1e400"), json.Number("-0")}},
		List:  []any{json.Number("0.1000000000000000055"), "1.10", true, nil, json.Number("18446744073709551615")},
		Raw:   json.RawMessage("1.10"),
	}
	var seen open
	tool := Func(Spec{Name: "t"}, func(_ context.Context, in open) (open, error) { seen = in; return in, nil })
	var sent string
	got, err := tool.Call(t.Context(), direct{&sent}, want)
	if err != nil || !reflect.DeepEqual(seen, want) || !reflect.DeepEqual(got, want) {
		t.Errorf("sent %s (%v)\nthe handler received %#v\nthe caller %#v\nwant %#v", sent, err, seen, got, want)
	}
	const text = `{"any":9007199254740993,"table":{"a":1.10,"b":[1e400,-0]},"list":[0.1000000000000000055,"1.10",true,null,18446744073709551615],"Raw":1.10}`
	if sent != text {
		t.Errorf("sent %s\nwant %s", sent, text)
	}
}

func TestSpecBecomesCommand(t *testing.T) {
	type payload struct {
		Near []string `json:"near"`
	}
	busy := DeclareError("BUSY_LINE", Runtime, 0, "the line is busy")
	tool := Func(Spec{
		Name: "call", Aliases: []string{"dial"}, Summary: "Call", Description: "Call a number.",
		Examples:    []Example{{Summary: "A call", Input: forecastArgs{City: "Paris"}}, {Input: json.RawMessage(`{ "city": "", "days": 0 }`)}, {}},
		Errors:      []*Error{DeclareError("NO_LINE", Usage, 4, "no line").WithPayload(payload{}), busy, {Code: "RAW", Message: "raw"}},
		Constraints: []Constraint{RequiresAny("city", "days")},
		ReadOnly:    true, Idempotent: true, OpenWorld: new(false), Timeout: 1500 * time.Microsecond,
	}, func(context.Context, forecastArgs) (string, error) { return "", nil })
	cmd, err := tool.Command()
	if err != nil {
		t.Fatalf("mistakes: got %v, want none", err)
	}
	want := `{"name":"call","aliases":["dial"],"summary":"Call","description":"Call a number.",` +
		`"examples":[{"summary":"A call","input":{"city":"Paris"}},{"input":{"city":"","days":0}},{"input":{}}],` +
		`"body":{"options":[{"name":"city","help":"City name","schema":{"type":"string"},"required":true},` +
		`{"name":"days","help":"Number of days","schema":{"type":"integer","minimum":1,"maximum":16},"default":3},` +
		`{"name":"unit","schema":{"type":"string","enum":["C","F"]}}],` +
		`"constraints":[{"kind":"requires-any","terms":[{"name":"city"},{"name":"days"}]}],"result":{"type":"string"},` +
		`"errors":[{"name":"NO_LINE","summary":"no line","kind":"usage","exit":4,"payload":{"type":"object","properties":{"near":{"type":"array","items":{"type":"string"}}},"required":["near"]}},` +
		`{"name":"BUSY_LINE","summary":"the line is busy","kind":"runtime"},{"name":"RAW","summary":"raw"}],` +
		`"annotations":{"read_only":true,"idempotent":true,"open_world":false},"timeout_ms":2}}`
	if got := asJSON(t, cmd); got != want {
		t.Errorf("command:\n got %s\nwant %s", got, want)
	}
}

func TestProgressReachesTheSink(t *testing.T) {
	var got []string
	ctx := WithProgress(t.Context(), func(message string) { got = append(got, message) })
	Progress(ctx, "half")
	Progress(ctx, "done")
	Progress(t.Context(), "nobody listens")
	Progress(WithProgress(t.Context(), nil), "nobody listens")
	if want := []string{"half", "done"}; !reflect.DeepEqual(got, want) {
		t.Errorf("progress: got %q, want %q", got, want)
	}
}

func TestCallScopeIsInTheContext(t *testing.T) {
	want := Call{ID: "c1", Guest: Guest{ID: "g", Labels: map[string]string{"tenant": "a"}}, Attempt: 2}
	if got := CallFrom(WithCall(t.Context(), want)); !reflect.DeepEqual(got, want) {
		t.Errorf("scope: got %+v, want %+v", got, want)
	}
	if got := CallFrom(t.Context()); !reflect.DeepEqual(got, Call{}) {
		t.Errorf("scope outside of a call: got %+v, want none", got)
	}
}

// BenchmarkDecode is the share of a call that decoding has.
func BenchmarkDecode(b *testing.B) {
	tool := Func(Spec{Name: "t"}, func(context.Context, forecastArgs) (None, error) { return None{}, nil })
	input := json.RawMessage(`{"city":"Paris","days":3}`)
	for b.Loop() {
		if _, err := tool.Decode(input); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResult is the encoding of a list of objects, beside encoding/json's.
func BenchmarkResult(b *testing.B) {
	out := make([]report, 1000)
	_, ts := resultSchema(reflect.TypeFor[[]report]())
	value := reflect.ValueOf(&out).Elem()
	for name, v := range map[string]any{"toolkit": result{ts, value}, "encoding-json": out} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := json.NewEncoder(io.Discard).Encode(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
