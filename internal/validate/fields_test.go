package validate

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
)

type (
	inner1 struct {
		A, B, C int
		D       int `json:"d"`
	}
	inner2 struct {
		A, B int
		E    int `json:"D"`
	}
	inner3 struct {
		C int `json:"C"`
		G int
	}
	hidden  int
	Visible int
	Loop    struct {
		*Loop
		L int
	}
	twice1 struct{ inner3 }
	twice2 struct{ inner3 }
)

// wireFields agrees with encoding/json, which is asked by encoding a value of
// each type.
func TestWireFields_AgreeWithEncodingJSON(t *testing.T) {
	for name, v := range map[string]any{
		"plain": struct {
			A int
			B string `json:"b"`
			C bool   `json:",omitzero"`
			D int    `json:"-"`
			e int
		}{C: true, e: 1},
		"a dash": reflect.Zero(reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"-"`},
			{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"-,"`},
		})).Interface(),
		"embedded": struct {
			inner1
			A int
		}{},
		"equal names annihilate": struct {
			inner1
			inner2
		}{},
		"a tag wins": struct {
			inner1
			inner3
		}{},
		"twice at one depth": struct {
			twice1
			twice2
		}{},
		"a name makes it a field": struct {
			Embedded `json:"x"`
		}{},
		"no structs": struct {
			hidden
			Visible
		}{},
		"pointers": struct {
			*Embedded
			*inner1
		}{&Embedded{}, &inner1{}},
		"a loop": Loop{},
		"a shallower name hides": struct {
			twice1
			G string
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var decoded map[string]any
			if err := json.Unmarshal(text, &decoded); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range wireFields(reflect.TypeOf(v)) {
				got = append(got, f.name)
			}
			slices.Sort(got)
			if want := slices.Sorted(maps.Keys(decoded)); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q as of %s", got, want, text)
			}
		})
	}
}

type Embedded struct{ X int }

func TestJSONType(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
	}{
		{"", "string"}, {true, "boolean"}, {1, "integer"}, {uint8(1), "integer"}, {1.5, "number"}, {[]byte{}, "string"},
		{[]int{}, "array"}, {[2]byte{}, "array"}, {map[string]int{}, "object"}, {leaf{}, "object"}, {new(int), "integer"},
		{reflect.Zero(timeType).Interface(), "string"}, {point{}, ""},
	} {
		if got := jsonType(reflect.TypeOf(test.v)); got != test.want {
			t.Errorf("jsonType(%T) = %q, want %q", test.v, got, test.want)
		}
	}
}
