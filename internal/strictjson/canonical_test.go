package strictjson

import (
	"fmt"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string
	}{
		{"no white space", " { \"a\" : [ 1 , true , null ] } ", `{"a":[1,true,null]}`},
		{"names sorted by bytes", `{"b":1,"a":2,"B":3,"":4,"é":5,"aa":6,"10":7,"9":8}`,
			`{"":4,"10":7,"9":8,"B":3,"a":2,"aa":6,"b":1,"é":5}`},
		{"by UTF-8 bytes, where UTF-16 would order otherwise", `{"\ud83d\ude00":1,"\uff5e":2}`, `{"～":2,"😀":1}`},
		{"sorted at every depth", `[{"b":{"d":1,"c":2},"a":3}]`, `[{"a":3,"b":{"c":2,"d":1}}]`},
		{"arrays keep their order", `[3,1,2]`, `[3,1,2]`},
		{"numbers keep their text", `[1.0,1e0,-0,1E+2]`, `[1.0,1e0,-0,1E+2]`},
		{"the shortest escapes", `"\u0022\u005c\u0008\u000c\u000a\u000d\u0009"`, `"\"\\\b\f\n\r\t"`},
		{"other controls in four digits", `"\u0000\u001B\u001f"`, `"\u0000\u001b\u001f"`},
		{"nothing else is escaped", `"\u002f\u003c\u003e\u0026\u2028\u2029\u007f\u00e9\ufeff\ufffd"`,
			"\"/<>&\u2028\u2029\x7fé\ufeff\ufffd\""},
		{"pairs become one character", `"\uD83D\uDE00"`, `"😀"`},
		{"empty containers", `{"o":{},"a":[],"s":""}`, `{"a":[],"o":{},"s":""}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical([]byte(test.text))
			if err != nil || string(got) != test.want {
				t.Fatalf("Canonical(%s)\n got %s, %v\nwant %s", test.text, got, err, test.want)
			}
			if again, err := Canonical(got); err != nil || string(again) != test.want {
				t.Errorf("Canonical of canonical text is %s, %v, want it unchanged: %s", again, err, test.want)
			}
		})
	}
}

func TestAppend_LeavesTheValueAsItIs(t *testing.T) {
	v := NewObject(Member{"b", Literal("1")}, Member{"a", Literal("2")})
	got := string(v.Append([]byte("input: ")))
	if want := `input: {"a":2,"b":1}`; got != want {
		t.Errorf("Append = %s, want %s", got, want)
	}
	if v.Members[0].Name != "b" {
		t.Errorf("Append sorted the value's own members: first is %q, want b", v.Members[0].Name)
	}
}

func TestAppend_ReplacesInvalidUTF8(t *testing.T) {
	if got, want := string(Text("a\xff").Append(nil)), "\"a\ufffd\""; got != want {
		t.Errorf("Append = %q, want %q", got, want)
	}
}

// Every character below U+0080, as a string and as a name.
func TestCanonical_EveryASCIICharacter(t *testing.T) {
	var got strings.Builder
	for c := range 0x80 {
		text, err := Canonical(fmt.Appendf(nil, `{"\u%04x":"\u%04x"}`, c, c))
		if err != nil {
			t.Fatalf("U+%04X: %v", c, err)
		}
		got.Write(append(text, '\n'))
	}
	golden(t, "ascii.golden", got.String())
}

func ExampleCanonical() {
	text, err := Canonical([]byte(`{"b": 1.0, "a": "\u00e9"}`))
	fmt.Printf("%s %v\n", text, err)
	_, err = Canonical([]byte(`{"os": [{}, {"a": 1, "a": 2}]}`))
	fmt.Println(err)
	// Output:
	// {"a":"é","b":1.0} <nil>
	// os.1: the name "a" is given twice (byte 21)
}

func ExampleParse() {
	v, err := Parse([]byte(`{"city":"Paris","days":3.50}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Get("city").Text, v.Get("days").Text, v.Get("City") == nil)
	// Output: Paris 3.50 true
}

func ExampleCheck() {
	fmt.Println(Check([]byte(`{"a":1,}`)))
	// Output: a comma with no value after it (byte 6)
}

func ExampleNewObject() {
	v := NewObject(Member{"days", Literal("3")}, Member{"city", Text("Paris")}, Member{"wet", Bool(false)})
	v.Set("tags", NewArray(Text("a"), Text("b")))
	fmt.Printf("%s\n", v.Append(nil))
	// Output: {"city":"Paris","days":3,"tags":["a","b"],"wet":false}
}
