package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestEachMember(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{}`, ""},
		{" {\t} \r\n", ""},
		{`{"a":1}`, "a=1"},
		{`{"a": {"b":[1,{"c":"}"}]} , "d":"x\"},{" }`, `a= {"b":[1,{"c":"}"}]} ; d="x\"},{" `},
		{`{"a":"\\","b":"\\\"","c":[]}`, `a="\\"; b="\\\""; c=[]`},
		{`{"\u0061":null}`, `\u0061=null`},
	}
	for _, tt := range tests {
		var got []string
		err := eachMember([]byte(tt.text), func(name string, value []byte) error {
			got = append(got, name+"="+string(value))
			return nil
		})
		if list := strings.Join(got, "; "); err != nil || list != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.text, list, err, tt.want)
		}
	}
}

// A text passes exactly when it is a JSON object.
func TestReadObject_Grammar(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"a":1}`, ` { "a" : [ 1 , 2 ] , "b" : { } } `, `{"a":"}","b":"\\"}`, `{"a":[{"b":"]"}]}`,
		``, ` `, `[]`, `1`, `null`, `"a"`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a"}`,
		`{"a":}`, `{"a":,"b":1}`, `{"a":1 2}`, `{"a":1]}`, `{"a":[1}`, `{"a":1}}`, `{"a":1}{}`, `{"a":1},`, `{a:1}`, `{'a':1}`,
		`{"a":"x}`, `{"a":"\"}`, `{"a"1}`, `{"a":1"b":2}`, `{"a":1:2}`, `{"a":tru}`, `{"a":01}`, `{"a":[1,]}`, `{1:2}`, `{"a\":1}`,
	} {
		err := readObject([]byte(text), (&Ping{}).members, false)
		object := strings.HasPrefix(strings.TrimSpace(text), "{")
		if want := json.Valid([]byte(text)) && object; (err == nil) != want {
			t.Errorf("%s: got %v, want accepted = %v", text, err, want)
		}
	}
}

func TestReadObject_NamesTheMember(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","input":{"os":[{},{"a":1,"a":2}]}}`: "input: os.1: the name \"a\" is given twice",
		`{"id":"a","path":["b",3]}`:                    "path: 1: a number where a string is expected",
		`{"id":"a","wish":{"os":[1,]}}`:                "wish: os: a comma with no value after it",
		`{"id":"a","wish":1}`:                          "wish: unknown member",
	} {
		if err := readObject([]byte(text), (&Call{}).members, true); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s…", text, err, want)
		}
	}
}

// tags are the JSON names of a struct's fields, those of embedded structs included.
func tags(typ reflect.Type) (names []string) {
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			names = append(names, tags(field.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// A name of any other form would be refused.
func TestMemberNamesArePlain(t *testing.T) {
	for typ := typeOpen; typ <= typeFail; typ++ {
		for _, name := range tags(reflect.TypeOf(newMessage(typ, 0)).Elem()) {
			if !isPlain(name) {
				t.Errorf("%s: member %q", typ, name)
			}
		}
	}
}

func FuzzReadObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":[{"b":"\"}"}],"c":null}`, `{"a":1,}`, `{"a":"\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if readObject(text, (&Ping{}).members, false) != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Errorf("accepted %q: %v", text, err)
		}
		for name := range object {
			if !isPlain(name) {
				t.Errorf("accepted %q with the name %s", text, fmt.Sprintf("%q", name))
			}
		}
	})
}
