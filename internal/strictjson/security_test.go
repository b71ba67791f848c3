package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// refused fails unless Parse, Check and Canonical refuse the text for the reason.
func refused(t *testing.T, text, reason string) {
	t.Helper()
	_, parsed := Parse([]byte(text))
	_, canonical := Canonical([]byte(text))
	for name, err := range map[string]error{"Parse": parsed, "Check": Check([]byte(text)), "Canonical": canonical} {
		e, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(e.Reason, reason) {
			t.Errorf("%s(%.60q) = %v, want an *Error with %q", name, text, err, reason)
		}
	}
}

func accepted(t *testing.T, text string) *Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%.60q): %v, want it accepted", text, err)
	}
	if err := Check([]byte(text)); err != nil {
		t.Fatalf("Check(%.60q): %v, want it accepted", text, err)
	}
	return v
}

// loose decodes with the standard library: the control that shows what would
// have come through.
func loose[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("encoding/json refuses %.60q: %v; the control needs a text that it accepts", text, err)
	}
	return v
}

type order struct {
	City string `json:"city"`
}

func TestSec_I01(t *testing.T) {
	t.Run("duplicate names", func(t *testing.T) {
		for _, text := range []string{
			`{"city":"Paris","city":"Rome"}`,
			`{"city":"Paris","c\u0069ty":"Rome"}`,
			`{"city":"Paris","days":1,"\u0063\u0069\u0074\u0079":"Rome"}`,
		} {
			if got := loose[order](t, text).City; got != "Rome" {
				t.Errorf("control: encoding/json gives %q, want the last, Rome", got)
			}
			refused(t, text, `the name "city" is given twice`)
			refused(t, `{"list":[{"deep":`+text+`}]}`, `the name "city" is given twice`)
		}
	})
	t.Run("names that differ in case", func(t *testing.T) {
		text := `{"city":"Paris","CITY":"Rome"}`
		if got := loose[order](t, text).City; got != "Rome" {
			t.Errorf("control: encoding/json gives %q, want the folded name's, Rome", got)
		}
		if got, want := string(accepted(t, text).Append(nil)), `{"CITY":"Rome","city":"Paris"}`; got != want {
			t.Errorf("got %s, want two names: %s", got, want)
		}
	})
	t.Run("names that differ by a NUL or a look-alike", func(t *testing.T) {
		text := `{"city":"Paris","city\u0000":"Rome","\u0441ity":"Oslo","city\u200b":"Bonn"}`
		v := accepted(t, text)
		if len(v.Members) != 4 || v.Get("city").Text != "Paris" {
			t.Errorf("got %s, want four names, city being Paris", v.Append(nil))
		}
		again := accepted(t, string(v.Append(nil)))
		if len(again.Members) != 4 {
			t.Errorf("canonical text has %d names, want 4: %s", len(again.Members), again.Append(nil))
		}
	})
}

func TestSec_I02(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	padded := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	zeros := func(n int) string { return "[" + strings.Repeat("0,", n-2) + "0]" }
	tests := []struct {
		name   string
		make   func(n int) string
		limit  int
		reason string
	}{
		{"arrays in arrays", nested, MaxDepth, "nested deeper than 64 levels"},
		{"objects in objects", objects, MaxDepth, "nested deeper than 64 levels"},
		{"members", objectText, MaxMembers, "more than 10000 members"},
		{"digits", func(n int) string { return strings.Repeat("7", n) }, MaxNumber, "longer than 64 bytes"},
		{"digits of a fraction", func(n int) string { return "[0." + strings.Repeat("7", n-2) + "]" }, MaxNumber, "longer than 64 bytes"},
		{"digits of an exponent", func(n int) string { return "1e" + strings.Repeat("7", n-2) }, MaxNumber, "longer than 64 bytes"},
		{"values", zeros, MaxValues, "more than 1000000 values"},
		{"bytes", padded, MaxBytes, "at most 16777216 are allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			over := test.make(test.limit + 1)
			if !json.Valid([]byte(over)) {
				t.Errorf("control: encoding/json refuses the text over the limit")
			}
			accepted(t, test.make(test.limit))
			refused(t, over, test.reason)
		})
	}
	t.Run("what stands beside each other is not nested", func(t *testing.T) {
		accepted(t, "["+strings.Repeat(nested(MaxDepth-1)+",", 100)+"0]")
	})
	t.Run("a limit fires before the rest is read", func(t *testing.T) {
		refused(t, strings.Repeat("[", MaxBytes), "nested deeper than 64 levels")
		refused(t, strings.Repeat(`{"":`, MaxBytes/4), "nested deeper than 64 levels")
	})
}

func TestSec_I03(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		reason string
		loose  string // what encoding/json makes of it
	}{
		{"a byte that is no UTF-8", "\"a\xffb\"", "invalid UTF-8", "a\ufffdb"},
		{"a character cut short", "\"a\xe2\x82\"", "invalid UTF-8", "a\ufffd\ufffd"},
		{"an overlong slash", "\"\xc0\xaf\"", "invalid UTF-8", "\ufffd\ufffd"},
		{"a surrogate as UTF-8", "\"\xed\xa0\x80\"", "invalid UTF-8", "\ufffd\ufffd\ufffd"},
		{"a high surrogate alone", `"\ud800"`, `lone surrogate \ud800`, "\ufffd"},
		{"a low surrogate alone", `"\udc00"`, `lone surrogate \udc00`, "\ufffd"},
		{"a pair in the wrong order", `"\udc00\ud800"`, `lone surrogate \udc00`, "\ufffd\ufffd"},
		{"a high surrogate and a letter", `"\ud800\u0041"`, `lone surrogate \ud800`, "\ufffdA"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := loose[string](t, test.text); got != test.loose {
				t.Errorf("control: encoding/json gives %q, want %q", got, test.loose)
			}
			refused(t, test.text, test.reason)
			refused(t, `{"k":[`+test.text+`]}`, test.reason)
			refused(t, `{`+test.text+`:1}`, test.reason)
		})
	}
	t.Run("a whole pair is a character", func(t *testing.T) {
		if got := accepted(t, `"\ud83d\ude00"`).Text; got != "😀" {
			t.Errorf("got %q, want 😀", got)
		}
	})
	t.Run("names that two encodings would merge stay apart", func(t *testing.T) {
		text := `{"é":1,"e\u0301":2}`
		if v := accepted(t, text); len(v.Members) != 2 {
			t.Errorf("got %s, want two names: composed and decomposed é differ", v.Append(nil))
		}
	})
}

// objectText is an object of n members.
func objectText(n int) string {
	var text strings.Builder
	text.WriteByte('{')
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "%q:%d", "member"+strconv.Itoa(i), i)
	}
	text.WriteByte('}')
	return text.String()
}
