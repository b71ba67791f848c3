package validate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentos-go/agentos/internal/strictjson"
)

func jsonText(text string) ([]byte, error) { return json.Marshal(text) }

// convertible is the text as the library judges it.
func convertible(t interface{ Fatal(args ...any) }, text string) any {
	doc, err := strictjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, wrong := (&converter{limit: maxValues}).convert(doc)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return value
}

// TestEquality: values are equal as JSON Schema says, whatever they look like.
func TestEquality(t *testing.T) {
	classes := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1e+1`, `100E-2`},
		{`0`, `-0`, `0.0`, `0e5`, `-0.000e-7`},
		{`-1`, `-1.00`}, {`10`, `1e1`}, {`0.1`, `1e-1`}, {`1e400`, `10e399`},
		{`9007199254740993`}, {`9007199254740992`},
		{`"1"`}, {`true`}, {`false`}, {`null`}, {`""`}, {`"n"`},
		{`[]`}, {`[1]`, `[1.0]`}, {`[[1]]`}, {`["1"]`}, {`[1,2]`}, {`[12]`}, {`[null]`},
		{`["a\u0004b","c"]`}, {`["a","b\u0004c"]`}, {`["s1:a"]`}, {`["s1:","a"]`},
		{`{}`}, {`{"a":1,"b":2}`, `{"b":2,"a":1.0}`}, {`{"a":1}`}, {`{"a":{"b":2}}`}, {`{"ab":1}`},
	}
	type entry struct{ class, text string }
	known := map[string]entry{}
	for i, class := range classes {
		for _, text := range class {
			key := string(appendKey(nil, convertible(t, text)))
			if first, taken := known[key]; taken && first.class != fmt.Sprint(i) {
				t.Errorf("%s and %s have the same key %s", text, first.text, key)
			}
			known[key] = entry{fmt.Sprint(i), text}
		}
	}
	if len(known) != len(classes) {
		t.Errorf("got %d keys, want %d", len(known), len(classes))
	}
}

// TestDecimalsAreExact holds decimals against big.Rat.
func TestDecimalsAreExact(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		equal := string(appendKey(nil, json.Number(a))) == string(appendKey(nil, json.Number(b)))
		if equal != (x.Cmp(y) == 0) {
			t.Fatalf("%s equals %s: got %t", a, b, equal)
		}
		if got := isWhole(a); got != x.IsInt() {
			t.Fatalf("%s is whole: got %t", a, got)
		}
	})
}

func TestNumbersThatCannotBeCompared(t *testing.T) {
	schema := compiled(t, `{"properties":{"a":{"items":{"minimum":1,"title":"x"}}}}`, nil)
	checkRulings(t, schema,
		ruling{`{"a":[1e500]}`, ""},
		ruling{`{"a":[2,1e501]}`, "a.1: expected number whose exponent is at most 500"},
		ruling{`{"a":[1e-501]}`, "a.0: expected number whose exponent is at most 500"},
		ruling{`{"a":[1e99999999999999999999]}`, "a.0: expected number whose exponent is at most 500"},
		ruling{`{"a":[1e+0000000000000000000001]}`, ""},
	)
}

func TestValuesAreCounted(t *testing.T) {
	schema := compiled(t, `{"items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}`, nil)
	list := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	checkRulings(t, schema,
		ruling{list(1000), ""},
		ruling{list(maxValues), fmt.Sprintf("%d: expected at most %d values", maxValues-1, maxValues)},
	)
}
