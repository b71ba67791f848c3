package validate

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// judge decodes the input into a new T and validates it, as the host does, and
// gives the message, "" when the input is fine.
func judge[T any](t *testing.T, input string) string {
	t.Helper()
	in := new(T)
	decoder := json.NewDecoder(strings.NewReader(input))
	decoder.UseNumber()
	if err := decoder.Decode(in); err != nil {
		t.Fatalf("decode %s: %v", input, err)
	}
	fault := Struct(in, json.RawMessage(input))
	switch {
	case fault == nil:
		return ""
	case fault.Code != toolkit.CodeValidationError:
		t.Fatalf("Struct(%s) = %v, want VALIDATION_ERROR or nil", input, fault)
	}
	return fault.Message
}

// trial is an input and the message that it must bring.
type trial struct{ input, want string }

func judgeAll[T any](t *testing.T, trials ...trial) {
	t.Helper()
	for _, trial := range trials {
		if got := judge[T](t, trial.input); got != trial.want {
			t.Errorf("%s\n got %q\nwant %q", trial.input, got, trial.want)
		}
	}
}

func TestStruct(t *testing.T) {
	type args struct {
		City string `json:"city" validate:"required"`
		Days int    `json:"days" validate:"min=1,max=16"`
	}
	judgeAll[args](t,
		trial{`{"city":"Paris"}`, ""},
		trial{`{"city":"Paris","days":3}`, ""},
		trial{`{"city":"Paris","days":17}`, "days: must be at most 16, got 17"},
		trial{`{"days":17}`, "city: required; days: must be at most 16, got 17"},
		trial{`{}`, "city: required"},
	)
}

func TestStruct_Details(t *testing.T) {
	type args struct {
		City string `json:"city" validate:"required"`
		Days int    `json:"days" validate:"max=16"`
		Name string `json:"name" validate:"max=3"`
	}
	in := args{Days: 17, Name: "Ünal"}
	got := Struct(&in, json.RawMessage(`{"days":17,"name":"Ünal"}`))
	want := []toolkit.Problem{
		{Path: "city", Expected: "string"},
		{Path: "days", Expected: "at most 16", Got: "17"},
		{Path: "name", Expected: "at most 3 characters", Got: "4 characters"},
	}
	if got == nil || !reflect.DeepEqual(got.Details, want) {
		t.Errorf("got %+v\nwant details %+v", got, want)
	}
}

// Presence is the key's: an explicit zero is present.
func TestStruct_PresenceIsJudgedOnTheJSON(t *testing.T) {
	type args struct {
		N int            `json:"n" validate:"required"`
		B bool           `json:"b" validate:"required"`
		S string         `json:"s" validate:"required"`
		P *int           `json:"p" validate:"required"`
		L []string       `json:"l" validate:"required"`
		M map[string]int `json:"m" validate:"required"`
	}
	judgeAll[args](t,
		trial{`{"b":false,"l":[],"m":{},"n":0,"p":null,"s":""}`, ""},
		trial{`{}`, "n: required; b: required; s: required; p: required; l: required; m: required"},
	)
}

// A field that is not there has no value to judge, and omitempty changes nothing.
func TestStruct_AbsentFieldsAreNotValidated(t *testing.T) {
	type args struct {
		A int     `json:"a" validate:"min=1"`
		B string  `json:"b" validate:"email"`
		C string  `json:"c" validate:"omitempty,email"`
		D *int    `json:"d" validate:"omitnil,min=1"`
		E []int   `json:"e" validate:"min=1,dive,max=5"`
		F *string `json:"f" validate:"email"`
	}
	judgeAll[args](t,
		trial{`{}`, ""},
		trial{`{"d":null,"e":null,"f":null}`, ""},
		trial{`{"a":0}`, "a: must be at least 1, got 0"},
		trial{`{"a":null}`, "a: must be at least 1, got 0"},
		trial{`{"b":""}`, `b: must be an email address, got ""`},
		trial{`{"c":""}`, `c: must be an email address, got ""`},
		trial{`{"d":0}`, "d: must be at least 1, got 0"},
		trial{`{"e":[]}`, "e: must be at least 1 item, got 0 items"},
		trial{`{"e":[5,6,7]}`, "e.1: must be at most 5, got 6; e.2: must be at most 5, got 7"},
		trial{`{"f":"x"}`, `f: must be an email address, got "x"`},
	)
}

type leaf struct {
	A int    `json:"a" validate:"required,max=9"`
	B string `json:"b" validate:"max=3"`
}

func TestStruct_Nested(t *testing.T) {
	type args struct {
		O  leaf              `json:"o"`
		P  *leaf             `json:"p"`
		OS []leaf            `json:"os"`
		PS []*leaf           `json:"ps" validate:"dive,required"`
		M  map[string]leaf   `json:"m"`
		N  map[string]*leaf  `json:"n" validate:"dive"`
		D  [][]leaf          `json:"d"`
		MS map[string][]leaf `json:"ms" validate:"max=1"`
		I  map[int]leaf      `json:"i"`
		R  [2]leaf           `json:"r"`
	}
	judgeAll[args](t,
		trial{`{}`, ""},
		trial{`{"o":{"a":1},"os":[{"a":0}],"p":{"a":2,"b":"abc"}}`, ""},
		trial{`{"o":{}}`, "o.a: required"},
		trial{`{"o":{"a":10,"b":"abcd"}}`, "o.a: must be at most 9, got 10; o.b: must be at most 3 characters, got 4 characters"},
		trial{`{"p":{"b":"x"}}`, "p.a: required"},
		trial{`{"p":null}`, ""},
		trial{`{"os":[{"a":1},{"b":"x"}]}`, "os.1.a: required"},
		trial{`{"ps":[null,{"a":12}]}`, "ps.1.a: must be at most 9, got 12"},
		trial{`{"m":{"x":{},"y":{"a":1}}}`, "m.x.a: required"},
		trial{`{"n":{"a.b":{"a":99}}}`, "n.a.b.a: must be at most 9, got 99"},
		trial{`{"d":[[],[{"a":1},{}]]}`, "d.1.1.a: required"},
		trial{`{"ms":{"k":[{}]}}`, "ms.k.0.a: required"},
		trial{`{"ms":{"k":[],"l":[{}]}}`, "ms: must be at most 1 item, got 2 items; ms.l.0.a: required"},
		trial{`{"i":{"7":{}}}`, "i.7.a: required"},
		trial{`{"r":[{"a":1},{}]}`, "r.1.a: required"},
	)
}

type globals struct {
	Region string `json:"region" validate:"required,len=2"`
	Hidden int    `json:"hidden"`
}

type Shared struct {
	Trace string `json:"trace" validate:"alpha"`
}

// Embedded structs are part of the struct that embeds them, unless they have a name.
func TestStruct_Embedded(t *testing.T) {
	type args struct {
		globals
		*Shared
		Named  leaf `json:"named"`
		Hidden int  `json:"hidden" validate:"max=5"`
	}
	judgeAll[args](t,
		trial{`{"region":"eu"}`, ""},
		trial{`{}`, "region: required"},
		trial{`{"region":"eur"}`, "region: must be exactly 2 characters, got 3 characters"},
		trial{`{"hidden":6,"region":"eu"}`, "hidden: must be at most 5, got 6"},
		trial{`{"region":"eu","trace":"a1"}`, `trace: must be letters only (a-z, A-Z), got "a1"`},
	)
	type tagged struct {
		Shared `json:"shared"`
	}
	judgeAll[tagged](t, trial{`{"shared":{"trace":"1"}}`, `shared.trace: must be letters only (a-z, A-Z), got "1"`})
}

type tree struct {
	Name     string           `json:"name" validate:"required"`
	Left     *tree            `json:"left" validate:"excluded_with=Children"`
	Children []tree           `json:"children" validate:"max=2"`
	ByName   map[string]*tree `json:"by_name"`
}

type nest []nest

func TestStruct_RecursiveTypes(t *testing.T) {
	judgeAll[tree](t,
		trial{`{"children":[{"left":{"name":"l"},"name":"a"},{"children":[{}],"name":"b"}],"name":"r"}`, "children.1.children.0.name: required"},
		trial{`{"by_name":{"x":{}},"left":{},"name":"r"}`, "left.name: required; by_name.x.name: required"},
	)
	type args struct {
		Nest nest `json:"nest"`
		N    int  `json:"n" validate:"max=1"`
	}
	judgeAll[args](t, trial{`{"n":2,"nest":[[],[[]]]}`, "n: must be at most 1, got 2"})
}

func TestStruct_MapKeys(t *testing.T) {
	type name string
	type args struct {
		Labels map[name]string `json:"labels" validate:"dive,keys,alpha,endkeys,required,max=3"`
	}
	judgeAll[args](t,
		trial{`{"labels":{"team":"","x":"abc"}}`, ""},
		trial{`{"labels":{"a1":"abcd"}}`, `labels.a1: name must be letters only (a-z, A-Z), got "a1"; ` +
			"labels.a1: must be at most 3 characters, got 4 characters"},
	)
}

// foreign has rules of another program.
type foreign struct {
	X int `json:"x" validate:"their_own_rule"`
}

// Keys are found again however they were written in the JSON.
func TestStruct_KeysOfOtherTypes(t *testing.T) {
	type args struct {
		I map[int]int          `json:"i" validate:"dive,max=5"`
		U map[uint8]int        `json:"u" validate:"dive,max=5"`
		T map[netip.Addr]int   `json:"t" validate:"dive,max=5"`
		N map[time.Weekday]int `json:"n" validate:"dive,keys,max=6,endkeys"`
	}
	judgeAll[args](t,
		trial{`{"i":{"010":6}}`, "i.010: must be at most 5, got 6"},
		trial{`{"i":{"-3":6,"5":5}}`, "i.-3: must be at most 5, got 6"},
		trial{`{"u":{"255":6}}`, "u.255: must be at most 5, got 6"},
		trial{`{"t":{"::0001":6}}`, "t.::0001: must be at most 5, got 6"},
		trial{`{"n":{"7":1}}`, "n.7: name must be at most 6, got 7"},
	)
}

// Tags that end the validation at a field end it.
func TestStruct_Closed(t *testing.T) {
	type args struct {
		A leaf    `json:"a" validate:"structonly"`
		B leaf    `json:"b" validate:"required,nostructlevel"`
		C leaf    `json:"c" validate:"-"`
		D int     `json:"-" validate:"required,min=5"`
		E foreign `json:"e" validate:"-"`
	}
	judgeAll[args](t, trial{`{"a":{},"b":{},"c":{}}`, ""}, trial{`{}`, "b: required"})
}

// What is decoded by the type itself has no fields to look at.
type point struct {
	X int `json:"x" validate:"required"`
}

func (p *point) UnmarshalJSON([]byte) error { p.X = 5; return nil }

func TestStruct_TypesThatDecodeThemselves(t *testing.T) {
	type args struct {
		Point point           `json:"point" validate:"required"`
		At    time.Time       `json:"at" validate:"required,lt"`
		Raw   json.RawMessage `json:"raw" validate:"max=4"`
		Any   any             `json:"any" validate:"required"`
		List  []any           `json:"list" validate:"dive,min=2"`
	}
	judgeAll[args](t,
		trial{`{"any":null,"at":"2020-01-01T00:00:00Z","point":"5,6"}`, ""},
		trial{`{}`, "point: required; at: required; any: required"},
		trial{`{"any":1,"at":"2999-01-01T00:00:00Z","point":1}`, `at: must be in the past, got "2999-01-01T00:00:00Z"`},
		trial{`{"any":1,"at":"2020-01-01T00:00:00Z","list":[1,"abc"],"point":1}`, "list.0: must be at least 2, got 1"},
		trial{`{"any":1,"at":"2020-01-01T00:00:00Z","point":1,"raw":[1,23]}`, "raw: must be at most 4 bytes, got 6 bytes"},
	)
}

func TestStruct_ValuesWithoutRules(t *testing.T) {
	type args struct{ A int }
	var none *args
	for name, v := range map[string]any{
		"a map": map[string]any{"a": 1}, "a pointer to a map": &map[string]int{}, "nil": nil,
		"a nil pointer": none, "a scalar": 5, "a struct without tags": args{},
	} {
		if got := Struct(v, json.RawMessage(`{"a":1}`)); got != nil {
			t.Errorf("%s: got %v, want nil", name, got)
		}
	}
}

func TestStruct_RefusesWhatIsNoStrictJSON(t *testing.T) {
	got := Struct(&leaf{}, json.RawMessage(`{"a":1,"a":2}`))
	if got == nil || got.Code != toolkit.CodeValidationError || got.Message != `the name "a" is given twice (byte 7)` {
		t.Errorf("got %v, want VALIDATION_ERROR for the name given twice", got)
	}
}

func TestStruct_TakesStructsByValue(t *testing.T) {
	got := Struct(leaf{A: 10}, json.RawMessage(`{"a":10}`))
	if want := "VALIDATION_ERROR: a: must be at most 9, got 10"; got == nil || got.Error() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// A list of bad elements does not become an answer of the same size.
func TestStruct_ListsAHundredProblems(t *testing.T) {
	type args struct {
		N []int `json:"n" validate:"dive,max=0"`
	}
	input := []byte(`{"n":[` + strings.Repeat("1,", 5000) + `1]}`)
	var in args
	if err := json.Unmarshal(input, &in); err != nil {
		t.Fatal(err)
	}
	got := Struct(&in, input)
	if problems := got.Problems(); len(problems) != maxProblems || !strings.HasSuffix(got.Message, "n.99: must be at most 0, got 1; and more") {
		t.Errorf("got %d problems, want %d; the message ends with %q", len(problems), maxProblems, got.Message[max(0, len(got.Message)-60):])
	}
}

func TestStruct_ConcurrentUse(t *testing.T) {
	type args struct {
		A leaf   `json:"a"`
		B []leaf `json:"b" validate:"unique=A"`
	}
	input := json.RawMessage(`{"a":{"a":10},"b":[{"a":1},{"a":1}]}`)
	in := args{A: leaf{A: 10}, B: []leaf{{A: 1}, {A: 1}}}
	const want = "a.a: must be at most 9, got 10; b: must be a list whose items differ in a"
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { // joined by wg.Wait below
			for range 50 {
				if got := Struct(&in, input); got == nil || got.Message != want {
					t.Errorf("got %v, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}
