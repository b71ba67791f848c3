package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// FuzzParse holds the package's promises against any text: no panic, one
// verdict, canonical text that is accepted, unchanged by a second pass, and
// means to the standard library what the text meant.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if checked := Check(text); !reflect.DeepEqual(err, checked) {
			t.Fatalf("Check = %v, want %v as of Parse", checked, err)
		}
		var raw []byte
		read := Read(text, func(r *Reader) { raw = r.Raw() })
		if !reflect.DeepEqual(err, read) {
			t.Fatalf("Read = %v, want %v as of Parse", read, err)
		}
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Offset < 0 || e.Offset > int64(len(text)) {
				t.Fatalf("Parse = %#v, want an *Error with an offset in the text", err)
			}
			return
		}
		if trimmed := bytes.Trim(text, " \t\r\n"); !bytes.Equal(raw, trimmed) {
			t.Fatalf("Raw = %q, want %q", raw, trimmed)
		}
		canonical := v.Append(nil)
		again, err := Canonical(canonical)
		if err != nil || !bytes.Equal(again, canonical) {
			t.Fatalf("Canonical(%s) = %s, %v, want it unchanged", canonical, again, err)
		}
		if got, want := meaning(t, canonical), meaning(t, text); !reflect.DeepEqual(got, want) {
			t.Fatalf("canonical text means %v, want %v", got, want)
		}
	})
}

func meaning(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("encoding/json refuses what was accepted: %v", err)
	}
	return v
}
