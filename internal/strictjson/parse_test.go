package strictjson

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		text string
		want *Value
	}{
		{"null", `null`, &Value{}},
		{"booleans", `[true,false]`, NewArray(Bool(true), Bool(false))},
		{"a string without its escapes", `"\u0041\n\ud83d\ude00\/"`, Text("A\n😀/")},
		{"a number by its text", `-1.50e+3`, Literal("-1.50e+3")},
		{"an empty array", `[]`, NewArray()},
		{"an empty object", `{}`, NewObject()},
		{"members in the document's order", `{"b":1,"a":[null]}`, NewObject(
			Member{"b", Literal("1")}, Member{"a", NewArray(&Value{})})},
		{"white space around everything", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", NewObject(
			Member{"a", NewArray(Literal("1"), Literal("2"))})},
		{"the empty name", `{"":0}`, NewObject(Member{"", Literal("0")})},
		{"U+0000 and U+FFFD are characters like others", `"\u0000\ufffd"`, Text("\x00\ufffd")},
		{"one name at two depths", `{"a":{"a":1}}`, NewObject(
			Member{"a", NewObject(Member{"a", Literal("1")})})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse([]byte(test.text))
			if err != nil {
				t.Fatalf("Parse(%s): %v", test.text, err)
			}
			if !equal(got, test.want) {
				t.Errorf("Parse(%s)\n got %s\nwant %s", test.text, got.Append(nil), test.want.Append(nil))
			}
		})
	}
}

// equal compares values with their members in order, where nil and empty are the same.
func equal(a, b *Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Elems) != len(b.Elems) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Elems {
		if !equal(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	for i := range a.Members {
		if a.Members[i].Name != b.Members[i].Name || !equal(a.Members[i].Value, b.Members[i].Value) {
			return false
		}
	}
	return true
}

// Numbers arrive as they were sent, also those that no machine type holds.
func TestParse_NumbersKeepTheirText(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "5.0", "5.00", "1e400", "1E+2", "-1e-3", "9007199254740993",
		"0.1000000000000000055", "123456789012345678901234567890", "1234567890.123456",
	} {
		v, err := Parse([]byte(text))
		if err != nil || v.Kind != Number || v.Text != text {
			t.Errorf("Parse(%s) = %+v, %v, want the number %s", text, v, err, text)
		}
	}
}

// TestRefused shows what is refused and in which words, beside the text.
func TestRefused(t *testing.T) {
	texts := []string{
		"", " \n", "nul", "nulx", "True", "NaN", "+1", ".5", "1.", "01", "-", "1 2", "{} x", "]",
		`{"a":1,}`, `[1,]`, `[,]`, `{'a':1}`, `{a:1}`, `{"a" 1}`, `{"a":}`, `{"a":`, `{"a"`, `{`,
		`{1:2}`, `[1 2]`, `[1}`, `{"a":1]`, `{"a":1}}`, "\"a\nb\"", `"\x"`, `"\u12"`, `"open`,
		`/* no */ 1`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"o":[1,{"x.y":{"k":1,"k":2}}]}`,
		"\xef\xbb\xbf{}", "\"\xff\"", "[1\xff]", "{\"os\":[{},{\"a\":\"\xc3\x28\"}]}",
		`"\ud800"`, `"\uDFFF and more"`, `"\ud800\u0041"`, "\"\xed\xa0\x80\"",
	}
	var got strings.Builder
	for _, text := range texts {
		_, err := Parse([]byte(text))
		if err == nil {
			t.Errorf("Parse(%q) accepted it, want an error", text)
			continue
		}
		got.WriteString(quoteText(text) + "\n    " + err.Error() + "\n")
	}
	golden(t, "refused.golden", got.String())
}

func quoteText(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b < ' ' || b > '~' {
			out.WriteString("<" + string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]) + ">")
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update writes it anew\n got:\n%s\nwant:\n%s", file, got, want)
	}
}

func TestError_Fields(t *testing.T) {
	long := strings.Repeat("é", 100)
	tests := []struct {
		name string
		text string
		want Error
	}{
		{"the path leads to the object of a repeated name", `{"os":[0,{"a":1,"a":2}]}`,
			Error{Offset: 16, Path: "os.1", Reason: `the name "a" is given twice`}},
		{"the offset is that of the bad byte", "{\"a\":\"xy\xff\"}",
			Error{Offset: 8, Path: "a", Reason: "invalid UTF-8"}},
		{"a long name is cut between characters", `{"` + long + `":tru}`,
			Error{Offset: 207, Path: strings.Repeat("é", 32) + "…", Reason: `invalid character '}' in literal true (expecting 'e')`}},
		{"so is a repeated one", `{"` + long + `":1,"` + long + `":2}`,
			Error{Offset: 206, Reason: `the name "` + strings.Repeat("é", 32) + `…" is given twice`}},
		{"a text after the value", "{}\n\n{}", Error{Offset: 4, Reason: "more text after the JSON value"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			got, ok := errors.AsType[*Error](err)
			if !ok || *got != test.want {
				t.Errorf("Parse(%s)\n got %+v\nwant %+v", test.text, err, &test.want)
			}
		})
	}
}

// However large the document, its error stays readable.
func TestError_IsShort(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for name, text := range map[string]string{
		"unfinished":      `{"` + big + `":"` + big,
		"duplicate":       `{"` + big + `":1,"` + big + `":2}`,
		"lone surrogate":  `"\ud800` + big + `"`,
		"deep path":       strings.Repeat(`{"`+big[:1000]+`":`, 60) + "!",
		"long number":     strings.Repeat("1", 1<<20),
		"deeply nested":   strings.Repeat("[", 1<<20),
		"escape too many": `"\q` + big + `"`,
	} {
		if _, err := Parse([]byte(text)); err == nil || len(err.Error()) > 600 {
			t.Errorf("%s: the error has %d bytes, want 1 to 600", name, len(err.Error()))
		}
	}
}

// Check and Parse are one proof, and a failed reading leaves nothing behind in
// the readers that are used again.
func TestCheck_AgreesWithParse(t *testing.T) {
	texts := []string{`{"a":1}`, `{"a":1,"a":2}`, `[`, `{"a":{"b":`, `1 1`, ``, `{"b":2,"a":1}`, `[[[[]]]]`, "\"\xff\""}
	for range 3 {
		for _, text := range texts {
			_, parsed := Parse([]byte(text))
			if checked := Check([]byte(text)); !reflect.DeepEqual(parsed, checked) {
				t.Errorf("Check(%q) = %v, want %v as of Parse", text, checked, parsed)
			}
		}
	}
}

// The text belongs to the caller: it is not written to, and a value does not
// change when the caller writes to it later.
func TestParse_CopiesText(t *testing.T) {
	text := []byte(`{"name":"value","n":12}`)
	before := string(text)
	v, err := Parse(text)
	if err != nil || string(text) != before {
		t.Fatalf("Parse left %s, %v, want %s", text, err, before)
	}
	clear(text)
	if got, want := string(v.Append(nil)), `{"n":12,"name":"value"}`; got != want {
		t.Errorf("after the text was cleared the value is %s, want %s", got, want)
	}
}

// An object of 10,000 members takes about as long as 100 objects of 100. Looking
// each name up among all others would take a hundred times as long.
func TestParse_LargeObjectsAreLinear(t *testing.T) {
	one := objectText(10_000)
	hundred := "[" + strings.Repeat(objectText(100)+",", 99) + objectText(100) + "]"
	fast, slow := fastest(t, hundred), fastest(t, one)
	if slow > 20*fast {
		t.Errorf("10,000 members took %v, 100 times 100 members %v; want at most 20 times as long", slow, fast)
	}
}

func fastest(t *testing.T, text string) time.Duration {
	t.Helper()
	best := time.Hour
	for range 5 {
		start := time.Now()
		if _, err := Canonical([]byte(text)); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	return best
}

func TestValue_GetAndSet(t *testing.T) {
	v := NewObject(Member{"a", Literal("1")})
	v.Set("b", Text("new"))
	v.Set("a", Literal("2"))
	if got, want := string(v.Append(nil)), `{"a":2,"b":"new"}`; got != want {
		t.Errorf("after Set the object is %s, want %s", got, want)
	}
	if got := v.Get("A"); got != nil {
		t.Errorf(`Get("A") = %+v, want nil: names have a case`, got)
	}
	if got := v.Get("b"); got == nil || got.Text != "new" {
		t.Errorf(`Get("b") = %+v, want "new"`, got)
	}
}
