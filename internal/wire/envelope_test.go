package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestDocument(t *testing.T) {
	tests := []struct {
		name     string
		envelope Envelope
		want     string
	}{
		{"a result", Success(json.RawMessage(`{"temperature":22,"condition":"sunny"}`)),
			`{"ok":true,"result":{"temperature":22,"condition":"sunny"}}`},
		{"no result", Success(nil), `{"ok":true}`},
		{"a null result", Success(json.RawMessage("null")), `{"ok":true,"result":null}`},
		{"an empty text", Success(json.RawMessage(`""`)), `{"ok":true,"result":""}`},
		{"a result on several lines", Success(json.RawMessage("{\n  \"a\": [1,\n 2]\n}\n")), `{"ok":true,"result":{"a":[1,2]}}`},
		{"numbers as they are", Success(json.RawMessage(`[9007199254740993,1.50,-1e-3,1E400]`)),
			`{"ok":true,"result":[9007199254740993,1.50,-1e-3,1E400]}`},
		{"an error", Failure(&toolkit.Error{Code: "VALIDATION_ERROR", Message: "city: required",
			Hint: "agentos-weather forecast --city Paris", Details: []toolkit.Problem{{Path: "city", Expected: "string"}}}),
			`{"ok":false,"error":"VALIDATION_ERROR","message":"city: required",` +
				`"hint":"agentos-weather forecast --city Paris","details":[{"path":"city","expected":"string"}]}`},
		{"every key of a failure", Envelope{Code: "A", Message: "b", Hint: "c", Details: json.RawMessage(`{"d":1}`), Call: "e",
			Replayed: true, DryRun: true},
			`{"ok":false,"error":"A","message":"b","hint":"c","details":{"d":1},"call":"e","replayed":true,"dry_run":true}`},
		{"a spilled result", Envelope{OK: true, Call: "e", Spill: &Spill{Path: "/run/x", Bytes: 5000, SHA256: "ab", Head: "[1,"}},
			`{"ok":true,"call":"e","spill":{"path":"/run/x","bytes":5000,"sha256":"ab","head":"[1,"}}`},
		{"HTML is not escaped", Envelope{Code: "A", Message: `<a href="x">&amp;</a>`, Details: json.RawMessage(`["<&>"]`)},
			`{"ok":false,"error":"A","message":"<a href=\"x\">&amp;</a>","details":["<&>"]}`},
		{"invalid UTF-8 in a message", Envelope{Code: "A", Message: "a\xffb"}, `{"ok":false,"error":"A","message":"a\ufffdb"}`},
		{"invalid UTF-8 in a result", Success(json.RawMessage("\"a\xffb\"")), `{"ok":true,"result":"a\ufffdb"}`},
		{"a result that is not JSON", Success(json.RawMessage("{oops")),
			`{"ok":false,"error":"INVALID_RESULT","message":"the result is not JSON"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(tt.envelope.Document())
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("not JSON: %s", got)
			}
		})
	}
}

// What a tool returns must not act on the terminal that shows it.
func TestSec_M05_TerminalEscapes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain ASCII <&> and “ünïcödé” 世界 🙂", ""},
		{"\x1b[2J", `\u001b[2J`},
		{"\x00\x07\x08\x7f", `\u0000\u0007\b\u007f`},
		{"\u009b31m and \u0080", `\u009b31m and \u0080`},
		{"one\u2028two\u2029", `one\u2028two\u2029`},
		{"\ufffd is a character, \xe2\x28 is not", "\ufffd is a character, " + `\ufffd( is not`},
	}
	for _, tt := range tests {
		if tt.want == "" { // the positive control: nothing to escape
			tt.want = tt.text
		}
		envelope := Envelope{Code: "A", Message: tt.text}
		want := `{"ok":false,"error":"A","message":"` + tt.want + `"}`
		if got := string(envelope.Document()); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestPrintable_MeansTheSame(t *testing.T) {
	var text strings.Builder
	for r := rune(0x7f); r <= 0x2100; r++ {
		text.WriteRune(r)
	}
	doc := []byte(`"` + text.String() + `"`)
	var got string
	if err := json.Unmarshal(Printable(doc), &got); err != nil || got != text.String() {
		t.Errorf("differs after Printable: %v", err)
	}
	plain := []byte(`{"a":"é"}`)
	if got := Printable(plain); &got[0] != &plain[0] {
		t.Error("a printable text was copied")
	}
}

func TestFailure_AndBack(t *testing.T) {
	err := &toolkit.Error{Code: "NOT_FOUND", Message: "no such city", Hint: "agentos-weather cities", Exit: 3,
		Details: []toolkit.Problem{{Path: "city", Got: "Atlantis"}}}
	result := &Result{Envelope: Failure(err), Exit: err.ExitStatus()}
	got := result.Error()
	want := &toolkit.Error{Code: "NOT_FOUND", Message: "no such city", Hint: "agentos-weather cities", Exit: 3,
		Details: json.RawMessage(`[{"path":"city","got":"Atlantis"}]`)}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(got.Problems(), err.Problems()) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	success := &Result{Envelope: Success(nil)}
	if got := success.Error(); got != nil {
		t.Errorf("a success has the error %v", got)
	}
}

func TestFailure_LeavesOutDetailsThatSayNothing(t *testing.T) {
	for _, details := range []any{nil, []toolkit.Problem{}, []toolkit.Problem(nil), map[string]int{}, struct{}{},
		make(chan int), json.RawMessage("{oops"), json.RawMessage("")} {
		envelope := Failure(&toolkit.Error{Code: "A", Message: "b", Details: details})
		if envelope.Details != nil {
			t.Errorf("details %#v: got %s, want none", details, envelope.Details)
		}
	}
	envelope := Failure(&toolkit.Error{Code: "A", Details: "<text>"})
	if want := `"<text>"`; string(envelope.Details) != want {
		t.Errorf("got %s, want %s", envelope.Details, want)
	}
}

func ExampleEnvelope_Document() {
	envelope := Failure(&toolkit.Error{Code: "NOT_FOUND", Message: "no <city> “Atlantis”", Hint: "agentos-weather cities"})
	fmt.Printf("%s\n", envelope.Document())
	// Output: {"ok":false,"error":"NOT_FOUND","message":"no <city> “Atlantis”","hint":"agentos-weather cities"}
}
