package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// soon fails when judging or compiling takes longer than any machine should need: the
// attacks here take hours, or all memory, where nothing bounds them.
func soon(t *testing.T, name string, attack func()) {
	t.Helper()
	start := time.Now()
	attack()
	if took := time.Since(start); took > time.Minute {
		t.Errorf("%s took %s", name, took)
	}
}

// steps are how many steps the value takes, without a limit.
func steps(t *testing.T, schema, value string) int {
	t.Helper()
	m, err := newMachine(compiled(t, schema, nil))
	if err != nil {
		t.Fatal(err)
	}
	const enough = 1 << 40
	if err := m.run(m.root, convertible(t, value), enough); errors.Is(err, errSpent) {
		t.Fatal(err)
	}
	return enough - m.meter.left
}

// TestSec_I06_References: no schema makes the host read a file or ask a server.
func TestSec_I06_References(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{
		"file://" + file, file, "http://127.0.0.1:1/x", "https://example.org/x#/$defs/a", "//example.org/x", "other.json", "../x", "data:,{}", "vsock://2:1",
	} {
		for _, text := range []string{
			`{"properties":{"a":{"$ref":%s}}}`, `{"$dynamicRef":%s}`, `{"$schema":%s,"title":"x","$id":"https://example.com/","$ref":%[1]s}`,
			`{"$defs":{"a":{"$id":"https://agentos.invalid/","$schema":%s,"title":"x"}}}`,
		} {
			got := mistakesOf(t, fmt.Sprintf(text, quoted(ref)))
			if !strings.Contains(got, "outside of the schema") && !strings.Contains(got, "leads out of the schema") {
				t.Errorf("%s: got %q, want it refused", fmt.Sprintf(text, quoted(ref)), got)
			}
		}
	}
	asked := 0
	o := &Options{load: func(string) (any, error) { asked++; return true, nil }}
	if compiled(t, `{"$ref":"https://example.org/x"}`, o); asked == 0 {
		t.Error("control: a loader is not asked for what is outside")
	}
	control := jsonschema.NewCompiler()
	if err := control.AddResource("https://example.org/x", map[string]any{"$ref": "file://" + file}); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Compile("https://example.org/x"); err != nil {
		t.Errorf("control: the library by itself does not read the file: %v", err)
	}
	bundled := compiled(t, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, nil)
	checkRulings(t, bundled, ruling{`{"type":"string"}`, ""})
	if verdict(bundled, `{"type":5}`) == "" {
		t.Error("control: the schema of schemas, which the library carries, is not followed")
	}
}

// doubling is a schema whose every level applies the next one twice.
func doubling(levels int, leaf string) string {
	var text strings.Builder
	text.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&text, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%[2]d"}]},`, i, i+1)
	}
	fmt.Fprintf(&text, `"a%d":%s}}`, levels, leaf)
	return text.String()
}

// nested is a value inside of so many arrays.
func nested(depth int, value string) string {
	return strings.Repeat("[", depth) + value + strings.Repeat("]", depth)
}

// TestSec_I06_Bombs: what grows with every level ends, and is refused.
func TestSec_I06_Bombs(t *testing.T) {
	if few, more := steps(t, doubling(8, `{"type":"integer"}`), "1"), steps(t, doubling(12, `{"type":"integer"}`), "1"); more < 12*few {
		t.Errorf("control: four more levels take %d steps instead of %d, want about sixteen times as many", more, few)
	}
	const spent = "the value cannot be judged by its schema: too many steps"
	const union = `{"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"},"minItems":1}]}`
	const both = `{"not":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"},"contains":{"$ref":"#/$defs/n"}}}}`
	const names = `{"patternProperties":{"a":{"$ref":"#"},"a+":{"$ref":"#"},"[a]":{"$ref":"#"}}}`
	const dynamic = `{"$id":"https://example.org/","$ref":"#/$defs/list","$defs":{"list":{"$id":"list","$dynamicAnchor":"n","anyOf":[{"type":"integer"},
		{"items":{"$dynamicRef":"#n"},"type":"array"},{"items":{"$dynamicRef":"#n"},"type":"array","minItems":1}]}}}`
	tests := []struct{ name, schema, value, want string }{
		{"few levels", doubling(12, `{"type":"integer"}`), `1`, ""},
		{"many levels", doubling(40, `{"type":"integer"}`), `1`, spent},
		{"many levels that fail", doubling(40, `{"type":"integer"}`), `"x"`, "the value does not fit its schema and is too large to say where, expected another value"},
		{"a union of itself, shallow", union, nested(8, `1`), ""},
		{"a union of itself", union, nested(60, `"x"`), spent},
		{"items that are contained, shallow", both, nested(8, `1`), ""},
		{"items that are contained", both, nested(60, `1`), spent},
		{"overlapping patterns, shallow", names, strings.Repeat(`{"a":`, 5) + "1" + strings.Repeat("}", 5), ""},
		{"overlapping patterns", names, strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60), spent},
		{"a dynamic union, shallow", dynamic, nested(8, `1`), ""},
		{"a dynamic union", dynamic, nested(60, `"x"`), spent},
	}
	for _, test := range tests {
		soon(t, test.name, func() {
			if got := verdict(compiled(t, test.schema, nil), test.value); got != test.want {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
		})
	}
}

// TestSec_I06_SchemasAreBounded: size and depth of a schema, and circles in it.
func TestSec_I06_SchemasAreBounded(t *testing.T) {
	many := func(n int) string {
		return `{"title":"x","multipleOf":1,"examples":[` + strings.Repeat("1,", n-5) + `1]}`
	}
	references := func(n int) string { // to where no schema is expected, the dearest kind
		var targets, refs []string
		for i := range n {
			targets = append(targets, fmt.Sprintf(`"p%d":{"$id":"urn:x:%d"}`, i, i))
			refs = append(refs, fmt.Sprintf(`{"$ref":"#/own/p%d"}`, i))
		}
		return `{"own":{` + strings.Join(targets, ",") + `},"allOf":[` + strings.Join(refs, ",") + `]}`
	}
	tests := []struct{ name, schema, want string }{
		{"many values", many(maxSchemaValues - 1), ""},
		{"too many values", many(maxSchemaValues + 1), "it has more than 5000 values"},
		{"too many choices", `{"enum":[` + strings.Repeat("1,", maxSchemaValues) + `1]}`, "it has more than 5000 values"},
		{"long", `{"multipleOf":1,"$comment":"` + strings.Repeat("x", maxSchemaBytes/2) + `"}`, ""},
		{"too long", `{"multipleOf":1,"$comment":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, "it is longer than 1048576 bytes"},
		{"deep", strings.Repeat(`{"items":`, 60) + `{"pattern":"x"}` + strings.Repeat("}", 60), ""},
		{"too deep", strings.Repeat(`{"items":`, 70) + `{}` + strings.Repeat("}", 70), "more than 64 values stand inside each other"},
		{"too deep a literal", `{"const":` + nested(70, "1") + `}`, "it is no JSON"},
		{"references", references(600), ""},
		{"itself", `{"$ref":"#"}`, "it applies itself to the same value again, without end"},
		{"itself by way of another", `{"allOf":[{"not":{"$ref":"#/$defs/a"}}],"$defs":{"a":{"oneOf":[{"$ref":"#"}]}}}`, "it applies itself to the same value again, without end"},
		{"itself inside of the value", `{"properties":{"a":{"$ref":"#"}}}`, ""},
	}
	for _, test := range tests {
		soon(t, test.name, func() {
			if got := mistakesOf(t, test.schema); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%s: got %q, want %q", test.name, shorten(got), test.want)
			}
		})
	}
}

// TestSec_I06_Patterns: no pattern fills the memory, or takes more time than its text.
func TestSec_I06_Patterns(t *testing.T) {
	large := func(n int) string {
		return `{"pattern":"` + strings.Repeat("((a{1,100}){1,10})|", n) + `b"}`
	}
	several := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"p%d":{"pattern":"%d((a{1,100}){1,10})"}`, i, i))
		}
		return `{"properties":{` + strings.Join(all, ",") + `}}`
	}
	tests := []struct{ name, schema, want string }{
		{"large", large(2), ""},
		{"too large", large(11), "its repetitions make it too large"},
		{"several", several(20), ""},
		{"too many", several(80), "its repetitions make it too large"},
	}
	for _, test := range tests {
		soon(t, test.name, func() {
			if got := mistakesOf(t, test.schema); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%s: got %q, want %q", test.name, shorten(got), test.want)
			}
		})
	}
	soon(t, "backtracking", func() {
		schema := compiled(t, `{"pattern":"^(x+x+)+y$"}`, nil)
		checkRulings(t, schema, ruling{`"xxxy"`, ""}, ruling{`"xxx"`, `got "xxx", expected string that matches ^(x+x+)+y$`})
		if got := verdict(schema, quoted(strings.Repeat("x", 100_000))); !strings.Contains(got, "expected string that matches") {
			t.Errorf("got %q, want a mismatch", shorten(got))
		}
	})
	soon(t, "long text", func() {
		schema := compiled(t, large(2), nil)
		checkRulings(t, schema,
			ruling{quoted(strings.Repeat("a", 4_000)), ""},
			ruling{quoted(strings.Repeat("c", 8<<20)), "the value cannot be judged by its schema: too many steps"},
		)
	})
}

// TestSec_I06_Values: nothing in a value takes more than time in proportion to it.
func TestSec_I06_Values(t *testing.T) {
	var choices []string
	for i := range 4000 {
		choices = append(choices, fmt.Sprint(i))
	}
	tests := []struct{ name, schema, value, want string }{
		{"an exponent", `{"minimum":1,"title":"x"}`, `1e9999999`, "expected number whose exponent is at most 500"},
		{"many exponents", `{"items":{"multipleOf":3e-500}}`, "[" + strings.Repeat("1e500,", 10_000) + "1]", "0: got 1e500, expected a multiple of 0.000"},
		{"many choices", `{"items":{"enum":[` + strings.Join(choices, ",") + `]}}`, "[" + strings.Repeat("99999,", 10_000) + "1]", "0: got 99999, expected one of 0, 1, 2"},
		{"equal hashes", `{"uniqueItems":true}`, colliding(15_000), ""},
		{"many wrong items", `{"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, "[" + strings.Repeat("1,", 100_000) + "1]", "the value does not fit its schema and is too large to say where, expected another value"},
	}
	for _, test := range tests {
		soon(t, test.name, func() {
			got := verdict(compiled(t, test.schema, nil), test.value)
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%s: got %q, want %q", test.name, shorten(got), test.want)
			}
		})
	}
	t.Run("control", func(t *testing.T) {
		c := jsonschema.NewCompiler()
		if err := c.AddResource("https://example.org/x", map[string]any{"uniqueItems": true, "minimum": json.Number("1")}); err != nil {
			t.Fatal(err)
		}
		alone, err := c.Compile("https://example.org/x")
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the library by itself bears the exponent")
				}
			}()
			_ = alone.Validate(json.Number("1e9999999"))
		}()
		var different strings.Builder
		for i := range 4_000 {
			fmt.Fprintf(&different, ",[%q,%q]", fmt.Sprint(i), strings.Repeat("x", 30))
		}
		ordinary := fastest(alone, convertible(t, "["+different.String()[1:]+"]"))
		hostile := fastest(alone, convertible(t, colliding(4_000)))
		if hostile < 5*ordinary {
			t.Errorf("the library by itself takes %s for lists with equal hashes and %s for others: nothing to guard against", hostile, ordinary)
		}
	})
}

// fastest is how long judging the value takes when nothing is in the way.
func fastest(schema *jsonschema.Schema, value any) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		_ = schema.Validate(value)
		best = min(best, time.Since(start))
	}
	return best
}

// colliding is a list of different lists which all have the same texts with the same
// separators between them, whether these part texts or items.
func colliding(n int) string {
	const bits, set = 20, 10
	var text strings.Builder
	text.WriteByte('[')
	for mask := 0; n > 0 && mask < 1<<bits; mask++ {
		ones, row := 0, `"`
		for bit := range bits {
			separator := `\u0004`
			if mask>>bit&1 == 1 {
				ones++
				separator = `","`
			}
			row += separator
		}
		if ones != set {
			continue
		}
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		text.WriteString("[" + row + `"]`)
		n--
	}
	text.WriteByte(']')
	return text.String()
}
