package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// Keys are compared byte by byte, and none is dropped in silence.
func TestSec_I01(t *testing.T) {
	def := definition(t, fixture)
	for _, input := range []string{
		`{"n":1,"n":2}`, `{"n":1,"\u006e":2}`, `{"N":1}`, `{"n\u0000":1}`, `{"n ":1}`, `{"o":{"a":1,"a":2}}`, `{"o":{"A":1}}`, `{"ｎ":1}`,
	} {
		if inv, err := Parse(def, &Line{Program: "agentos-x", Args: []string{"t", "--json", input}}); err == nil {
			t.Errorf("--json %s: got %s, want an error", input, inv.Input)
		}
		if got, err := Complete(def, []string{"t"}, json.RawMessage(input)); err == nil {
			t.Errorf("Complete(%s): got %s, want an error", input, got)
		}
	}
	if _, err := Complete(def, []string{"t"}, json.RawMessage(`{"n":1}`)); err != nil {
		t.Errorf("control: %v", err)
	}
}

// Depth, members and numbers over the limits are refused wherever they come from,
// also when the parts of a line only together are over them.
func TestSec_I02(t *testing.T) {
	def := command(t, `"options": [{"name": "any", "schema": {"type": "object", "additionalProperties": true}}, {"name": "n", "schema": {"type": "number"}}]`)
	deep := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	wide := func(prefix string) string {
		var members []string
		for i := range 6000 {
			members = append(members, fmt.Sprintf(`"%s%d":1`, prefix, i))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for name, row := range map[string]struct{ good, bad []string }{
		"depth of JSON":    {[]string{"--json", `{"any":` + deep(63) + `}`}, []string{"--json", `{"any":` + deep(64) + `}`}},
		"depth of a value": {[]string{"--any", deep(63)}, []string{"--any", deep(64)}},
		"members together": {[]string{"--any", wide("a")}, []string{"--any", wide("a"), "--any", wide("b")}},
		"length of number": {[]string{"--n", strings.Repeat("9", 64)}, []string{"--n", strings.Repeat("9", 65)}},
	} {
		if inv, err := Parse(def, &Line{Args: row.good}); err != nil {
			t.Errorf("%s: control: %v", name, err)
		} else if _, err := Complete(def, nil, inv.Input); err != nil {
			t.Errorf("%s: control on the host: %v", name, err)
		}
		if _, err := Parse(def, &Line{Args: row.bad}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// Files are opened by the caller's function alone, which has the guest's rights:
// as often and under such names as the line says, and never on the host.
func TestSec_I07(t *testing.T) {
	def := definition(t, fixture)
	for line, want := range map[string][]string{
		"t --s @/etc/shadow --xs @x":                     nil,
		"t --json-file in.json":                          {"in.json"},
		"t --json @../in.json --s-file /etc/hostname":    {"../in.json", "/etc/hostname"},
		"t --json-file in.json --help":                   nil,
		"t --json-file in.json --json-file in.json":      {"in.json"},
		"nosuch --json-file in.json":                     nil,
		"t --json {\"s\":\"@/etc/shadow\"} --s2 @@x":     nil,
		"t --s-file - --json {}":                         {"-"},
		"t --arg:s @/etc/shadow --labels a=@/etc/shadow": nil,
	} {
		var read []string
		inv, _ := Parse(def, &Line{Program: "agentos-x", Args: strings.Fields(line), ReadFile: func(path string) ([]byte, error) {
			read = append(read, path)
			return []byte("{}"), nil
		}})
		slices.Sort(read)
		slices.Sort(want)
		if !slices.Equal(read, want) {
			t.Errorf("%s: read %q, want %q", line, read, want)
		}
		if inv.Input != nil {
			if _, err := Complete(def, inv.Path, inv.Input); err != nil {
				t.Errorf("%s: Complete: %v", line, err)
			}
		}
	}
	_, err := Parse(def, &Line{Program: "agentos-x", Args: []string{"t", "--json-file", "in.json"}})
	if err == nil || !strings.Contains(err.Error(), "files cannot be read here") {
		t.Errorf("without a reader: got %v, want the file refused", err)
	}
}

// Only declared variables are read, those of the command that is called, and the
// bridge's three.
func TestSec_I08(t *testing.T) {
	def := definition(t, `{"name": "x", "globals": {"options": [{"name": "g", "schema": {"type": "string"}, "env": "GLOBAL"}]}, "commands": [
		{"name": "t", "body": {"options": [{"name": "a", "schema": {"type": "string"}, "env": "OWN"}, {"name": "token", "schema": {"type": "string"}, "env": "TOKEN", "secret": true}],
			"flags": [{"name": "b", "env": "FLAG"}]}},
		{"name": "u", "body": {"options": [{"name": "a", "schema": {"type": "string"}, "env": "OTHER"}]}}]}`)
	bridge := []string{"AGENTOS_INLINE_LIMIT", "AGENTOS_OUTPUT", "AGENTOS_TIMEOUT"}
	for line, want := range map[string][]string{
		"t":           append([]string{"FLAG", "GLOBAL", "OWN"}, bridge...),
		"t --a x --b": append([]string{"GLOBAL"}, bridge...),
		"u":           append([]string{"GLOBAL", "OTHER"}, bridge...),
		"u --help":    bridge,
		"nosuch":      bridge,
	} {
		asked := map[string]bool{}
		inv, _ := Parse(def, &Line{Program: "agentos-x", Args: strings.Fields(line), Env: func(name string) (string, bool) {
			asked[name] = true
			return "", true
		}})
		got := slices.Sorted(maps.Keys(asked))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: asked for %q, want %q (%s)", line, got, want, inv.Input)
		}
	}
	inv, err := Parse(def, &Line{Args: []string{"t"}, Env: environment("OWN=x", "OTHER=y", "A=z", "TOKEN=t")})
	if err != nil || string(inv.Input) != `{"a":"x"}` {
		t.Errorf("control: got %s, %v, want the declared variable alone", inv.Input, err)
	}
}

// An error repeats words of strangers only printable and short.
func TestErrorsCarryNoTerminalEscapes(t *testing.T) {
	def := definition(t, fixture)
	escape := "\x1b[31m\u202e\u200b\r\n"
	for _, args := range [][]string{
		{escape}, {"t", "--" + escape, "x"}, {"t", escape}, {"t", "--n", escape}, {"t", "--o." + escape, "1"}, {"t", "--arg:" + escape, "1"},
		{"t", "--json", `{"` + "\u202e" + `":1}`}, {"t", "--json", `{"n":"` + "\u202e" + `\u001b"}`}, {"t", "--timeout", escape}, {"t", "--labels." + escape},
		{"t", "--n-file", escape}, {"t", "--s-file", escape},
	} {
		_, err := Parse(def, &Line{Program: "agentos-x", Args: args, ReadFile: files(nil)})
		var e *toolkit.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want an error", args, err)
			continue
		}
		if strings.ContainsAny(e.Message+e.Hint, "\x1b\u202e\u200b\r\n") {
			t.Errorf("%q: got %q and hint %q, want printable text", args, e.Message, e.Hint)
		}
	}
}

// TestNamesWithEscapesAreShown: a name that cannot be seen is told as it is, with its
// hidden characters written out, and no word of it is left out.
func TestNamesWithEscapesAreShown(t *testing.T) {
	def := command(t, `"options": [
		{"name": "p", "schema": {"type": "object", "required": ["\u001b[31m"], "properties": {"\u001b[31m": {"type": "integer"}, "a\u202eb": {"type": "integer"}}}},
		{"name": "q", "schema": {"type": "object", "required": ["\u001b[31m", "a b"], "properties": {"\u001b[31m": {}, "a b": {}, "maxAge": {}}}}]`)
	checkLines(t, def, []lineCase{
		{line: `agentos-x --json '{"p":{"\u001b[31m":"x"}}'`, want: "VALIDATION_ERROR", says: []string{`p.\u001b[31m: got "x", expected integer`}},
		{line: `agentos-x --json '{"p":{}}'`, want: "VALIDATION_ERROR", says: []string{`p.\u001b[31m: required`}},
		{line: "agentos-x --p.\x1b[31m x", want: "USAGE_ERROR", says: []string{`--p.\u001b[31m: got "x", expected integer`}},
		{line: "agentos-x --p.z x", want: "USAGE_ERROR", says: []string{`--p.z: unknown key, expected one of \u001b[31m, a\u202eb`}},
	})
	help := Help("agentos-x", def, nil)
	for _, want := range []string{"or --p.NAME VALUE)", "or --q.max-age VALUE)"} {
		if !strings.Contains(help, want) {
			t.Errorf("got\n%s\nwant in it %s", help, want)
		}
	}
}
