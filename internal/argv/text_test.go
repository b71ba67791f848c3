package argv

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// What a type says decides how a word is read, never how the word looks: a union of
// nothing but text takes words as they are, any other one JSON alone.
func TestUnionsOfText(t *testing.T) {
	def := command(t, `"options": [
		{"name": "when", "schema": {"anyOf": [{"type": "string", "format": "date-time"}, {"const": "now"}]}},
		{"name": "mode", "schema": {"oneOf": [{"const": "fast", "description": "Quick"}, {"const": "safe"}]}},
		{"name": "only", "schema": {"const": "yes"}},
		{"name": "some", "schema": {"type": "array", "items": {"anyOf": [{"enum": ["a", "b"]}, {"$ref": "#/$defs/T"}]}}},
		{"name": "mixed", "schema": {"enum": ["auto", 1, null]}},
		{"name": "any", "schema": {}},
		{"name": "union", "schema": {"oneOf": [{"type": "integer"}, {"type": "string"}]}},
		{"name": "plan", "schema": {"oneOf": [{"type": "integer"}, {"type": "boolean"}]}}],
		"input": {"$defs": {"T": {"type": "string"}}}`)
	checkLines(t, def, []lineCase{
		{line: `x --when now`, want: ` {"when":"now"}`},
		{line: `x --when 1`, want: ` {"when":"1"}`},
		{line: `x --when '"now"'`, want: ` {"when":"\"now\""}`},
		{line: `x --when-file f`, files: map[string]string{"f": "now"}, want: ` {"when":"now"}`},
		{line: `x --mode SAFE --only yes`, want: ` {"mode":"safe","only":"yes"}`},
		{line: `x --mode slow`, want: "USAGE_ERROR", says: []string{`--mode: got "slow", expected one of fast, safe`}},
		{line: `x --some a --some 1 --some '["b"]'`, want: ` {"some":["a","1","b"]}`},
		{line: `x --mixed auto`, want: ` {"mixed":"auto"}`},
		{line: `x --mixed 1`, want: ` {"mixed":1}`},
		{line: `x --mixed null`, want: ` {"mixed":null}`},
		{line: `x --any now`, want: "USAGE_ERROR", says: []string{`--any: got "now", expected a value in JSON, e.g. '"now"'`}},
		{line: `x --union now`, want: "USAGE_ERROR", says: []string{`--union: got "now", expected a value in JSON, e.g. '"now"'`}},
		{line: `x --union 1`, want: ` {"union":1}`},
		{line: `x --plan now`, want: "USAGE_ERROR", says: []string{`--plan: got "now", expected a value in JSON, e.g. '1'`}},
		{line: `x --json '{"mode":1}'`, want: "VALIDATION_ERROR", says: []string{"mode: got 1, expected one of fast, safe"}},
	})
	checkHelp(t, def, []string{
		"--when <string>          (format date-time or now)",
		"--mode <fast|safe>\n",
		"--only <yes>\n",
		"--some <string>...       (list of a, b or string: repeat it or give a JSON array)",
		"--mixed <auto|1|null>\n",
		`--any <json>             (any JSON value, text as '"text"')`,
		`--union <json>           (integer | string in JSON, text as '"text"')`,
		"--plan <json>            (integer | boolean in JSON)",
	})
}

// checkHelp looks for lines in the page of a command that is the whole toolkit.
func checkHelp(t *testing.T, def *toolkit.Definition, wants []string) {
	t.Helper()
	page := Help("agentos-x", def, nil)
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("got\n%s\nwant in it %s", page, want)
		}
	}
}

// A schema of strangers that refers to itself, or many times to the same, is read in
// no time.
func TestSec_I06_UnionsOfThemselves(t *testing.T) {
	var all []string
	for range 1000 {
		all = append(all, `{"$ref":"#/$defs/A"}`)
	}
	for _, union := range []string{
		`{"$ref":"#/$defs/A"},{"type":"null"}`, `{"type":"null"},{"$ref":"#/$defs/A"}`, `{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}`, strings.Join(all, ","),
	} {
		def := bodied(t, fmt.Sprintf(`{"options":[{"name":"a","schema":{"$ref":"#/$defs/A"}}],"input":{"$defs":{"A":{"anyOf":[%s]}}}}`, union))
		start := time.Now()
		Vet(def)
		Help("agentos-x", def, []string{"t"})
		_, _ = Parse(def, &Line{Args: []string{"t", "--a", "x"}}) // only the time counts
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.60s… took %s", union, took)
		}
	}
}
