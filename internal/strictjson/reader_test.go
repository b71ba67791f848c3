package strictjson

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// place is what the tests read into.
type place struct {
	name string
	size int64
	capital,
	coast bool
	tags   []string
	height string
	notes  string
}

func readPlace(text string) (p place, err error) {
	err = Read([]byte(text), func(r *Reader) {
		r.Object(func(name string) {
			switch name {
			case "name":
				p.name = r.Text()
			case "size":
				p.size = r.Integer(16)
			case "capital":
				p.capital = r.Bool()
			case "coast":
				p.coast = !r.Null() && r.Bool()
			case "tags":
				r.Array(func() { p.tags = append(p.tags, r.Text()) })
			case "height":
				p.height = r.Number()
			case "notes":
				p.notes = string(r.Raw())
			}
		})
	})
	return p, err
}

func TestReader(t *testing.T) {
	tests := []struct {
		name, text string
		want       place
	}{
		{"nothing", ` {} `, place{}},
		{"all kinds", `{"name":"P\u00e9","size":-12,"capital":true,"tags":["a","b"],"height":35.0}`,
			place{name: "Pé", size: -12, capital: true, tags: []string{"a", "b"}, height: "35.0"}},
		{"null where it is asked for", `{"coast":null,"capital":false}`, place{}},
		{"no null where it is asked for", `{"coast":true}`, place{coast: true}},
		{"what is not asked for", `{"x":{"name":[{}]},"name":"a","y":[1,[2]],"tags":[]}`, place{name: "a"}},
		{"raw text as it stands", "{\"notes\": \t{ \"b\":1 ,\"a\":[ ] } ,\"name\":\"a\"}", place{notes: `{ "b":1 ,"a":[ ] }`, name: "a"}},
		{"raw scalars", `{"notes":"\u0061,:"}`, place{notes: `"\u0061,:"`}},
		{"the largest integer of 16 bits", `{"size":32767}`, place{size: 32767}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readPlace(test.text)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s\n got %+v, %v\nwant %+v", test.text, got, err, test.want)
			}
		})
	}
}

func TestReader_Refuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{`null`, "null where an object is expected (byte 4)"},
		{`{"name":1}`, "name: a number where a string is expected (byte 9)"},
		{`{"name":{"a":1}}`, "name: an object where a string is expected (byte 9)"},
		{`{"tags":["a",true]}`, "tags.1: a boolean where a string is expected (byte 17)"},
		{`{"tags":"a"}`, "tags: a string where an array is expected (byte 11)"},
		{`{"capital":null}`, "capital: null where a boolean is expected (byte 15)"},
		{`{"height":"1"}`, "height: a string where a number is expected (byte 13)"},
		{`{"size":1.0}`, "size: 1.0 is not an integer of 16 bits (byte 11)"},
		{`{"size":32768}`, "size: 32768 is not an integer of 16 bits (byte 13)"},
		{`{"name":"a","name":"b"}`, `the name "name" is given twice (byte 12)`},
		{`{"name":"a"} {}`, "more text after the JSON value (byte 13)"},
		{`{"x":[1,{"a":1,"a":2}]}`, `x.1: the name "a" is given twice (byte 15)`},
		{`{"notes":{"a":}}`, "notes.a: missing value after object name (byte 14)"},
		{`{"tags":["a"}`, "tags: invalid character '}' after array element (expecting ',' or ']') (byte 12)"},
		{`{"notes":` + strings.Repeat("[", MaxDepth) + `0`, "nested deeper than 64 levels"},
		{``, "there is no JSON value, the text is empty (byte 0)"},
	}
	for _, test := range tests {
		if _, err := readPlace(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

// The first error stays, and whatever is read after it is nothing.
func TestReader_AfterAnError(t *testing.T) {
	err := Read([]byte(`{"a":1,"b":"text"}`), func(r *Reader) {
		r.Object(func(name string) {
			if name == "b" {
				t.Error("a member was read after the error")
			}
			r.Text()
			if r.Text() != "" || r.Number() != "" || r.Integer(64) != 0 || r.Bool() || r.Null() || r.Kind() != Null || r.Raw() != nil {
				t.Error("a value was read after the error")
			}
			r.Skip()
			r.Array(func() { t.Error("an element was read after the error") })
			r.Object(func(string) { t.Error("a member was read after the error") })
		})
	})
	if want := "a: a number where a string is expected (byte 6)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What the caller leaves unread is proven all the same.
func TestRead_ProvesWhatIsLeft(t *testing.T) {
	for _, text := range []string{`{"a":1}`, `{"a":1,"a":2}`, `[`, "\"\xff\"", ``, `1 1`, strings.Repeat("[", MaxDepth+1)} {
		want := Check([]byte(text))
		nothing := func(*Reader) {}
		objects := func(r *Reader) {
			if r.Kind() == Object {
				r.Object(func(string) {})
			}
		}
		arrays := func(r *Reader) {
			if r.Kind() == Array {
				r.Array(func() {})
			}
		}
		for name, walk := range map[string]func(*Reader){"nothing": nothing, "objects": objects, "arrays": arrays} {
			if got := Read([]byte(text), walk); !reflect.DeepEqual(got, want) {
				t.Errorf("%.20q, reading %s: got %v, want %v", text, name, got, want)
			}
		}
	}
}

func TestReader_Kind(t *testing.T) {
	var got []string
	err := Read([]byte(`[null,false,true,1,"a",[],{}]`), func(r *Reader) {
		r.Array(func() { got = append(got, fmt.Sprintf("%d %s", r.Kind(), r.Kind())) })
	})
	want := []string{"0 null", "1 a boolean", "2 a boolean", "3 a number", "4 a string", "5 an array", "6 an object"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func ExampleRead() {
	var city string
	var days int64
	err := Read([]byte(`{"city":"Paris","days":3,"units":"metric"}`), func(r *Reader) {
		r.Object(func(name string) {
			switch name {
			case "city":
				city = r.Text()
			case "days":
				days = r.Integer(64)
			}
		})
	})
	fmt.Println(city, days, err)
	err = Read([]byte(`{"days":"3"}`), func(r *Reader) {
		r.Object(func(string) { days = r.Integer(64) })
	})
	fmt.Println(err)
	// Output:
	// Paris 3 <nil>
	// days: a string where a number is expected (byte 11)
}
