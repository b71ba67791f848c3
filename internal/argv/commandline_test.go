package argv

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// cases is how many random cases a test tries: AGENTOS_CASES, or a few hundred.
func cases(t testing.TB) int {
	text := os.Getenv("AGENTOS_CASES")
	if text == "" {
		return 300
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("AGENTOS_CASES: %v", err)
	}
	return n
}

// bodied is a toolkit x with one tool, t, of that body.
func bodied(t testing.TB, body string) *toolkit.Definition {
	t.Helper()
	def := &toolkit.Definition{}
	text := `{"name":"x","commands":[{"name":"t","body":` + body + `}]}`
	if err := json.Unmarshal([]byte(text), def); err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return def
}

func TestCommandLine(t *testing.T) {
	const (
		str   = `"schema":{"type":"string"}`
		ints  = `"schema":{"type":"integer"}`
		texts = `"schema":{"type":"array","items":{"type":"string"}}`
		table = `"schema":{"type":"object","additionalProperties":{"type":"string"}}`
	)
	tests := []struct{ name, body, input, want string }{
		{"nothing", `{}`, `{}`, ``},
		{"options in their order, whatever that of the input",
			`{"options":[{"name":"b",` + str + `},{"name":"a",` + str + `}]}`, `{"a":"1","b":"2"}`, `--b 2 --a 1`},
		{"a wire name in camel case", `{"options":[{"name":"fullPage",` + str + `}]}`, `{"fullPage":"x"}`, `--full-page x`},
		{"an empty string", `{"options":[{"name":"s",` + str + `}]}`, `{"s":""}`, `--s ''`},
		{"text that looks like something else", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"null"}`, `--s null`},
		{"text like an option is attached", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"-y"}`, `--s=-y`},
		{"text like help is attached", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"--help"}`, `--s=--help`},
		{"text of two dashes is attached", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"--"}`, `--s=--`},
		{"a negative number stands alone", `{"options":[{"name":"n",` + ints + `}]}`, `{"n":-5}`, `--n -5`},
		{"a large integer stays exact", `{"options":[{"name":"n",` + ints + `}]}`, `{"n":9007199254740993}`, `--n 9007199254740993`},
		{"a number keeps its text", `{"options":[{"name":"f","schema":{"type":"number"}}]}`, `{"f":-1e-3}`, `--f -1e-3`},
		{"a boolean option", `{"options":[{"name":"b","schema":{"type":"boolean"}}]}`, `{"b":false}`, `--b false`},
		{"null for an integer", `{"options":[{"name":"n","schema":{"type":["integer","null"]}}]}`, `{"n":null}`, `--n null`},
		{"null for a string", `{"options":[{"name":"s","schema":{"type":["string","null"]}}]}`, `{"s":null}`, `--json '{"s":null}'`},
		{"any value is JSON", `{"options":[{"name":"v","schema":{}}]}`, `{"v":"a"}`, `--v '"a"'`},
		{"a choice", `{"options":[{"name":"e","schema":{"type":"string","enum":["Red","red"]}}]}`, `{"e":"Red"}`, `--e Red`},
		{"a nullable value as generators write it", `{"options":[{"name":"n","schema":{"anyOf":[{"type":"integer"},{"type":"null"}]}}]}`, `{"n":5}`, `--n 5`},

		{"a list repeats", `{"options":[{"name":"xs",` + texts + `}]}`, `{"xs":["a","b c"]}`, `--xs a --xs 'b c'`},
		{"an empty list", `{"options":[{"name":"xs",` + texts + `}]}`, `{"xs":[]}`, `--xs '[]'`},
		{"an element that would be spliced", `{"options":[{"name":"xs",` + texts + `}]}`, `{"xs":["[\"a\"]"]}`, `--xs '["[\"a\"]"]'`},
		{"an element that only begins like a list", `{"options":[{"name":"xs",` + texts + `}]}`, `{"xs":["[a"]}`, `--xs '[a'`},
		{"a delimited list is one word", `{"options":[{"name":"xs",` + texts + `,"shape":{"delimiter":","}}]}`, `{"xs":["a","b"]}`, `--xs a,b`},
		{"a delimiter in an element", `{"options":[{"name":"xs",` + texts + `,"shape":{"delimiter":","}}]}`, `{"xs":["a,b"]}`, `--xs '["a,b"]'`},
		{"a list that may be delimited or repeated", `{"options":[{"name":"xs",` + texts + `,"shape":{"delimiter":",","repeats":true}}]}`, `{"xs":["a","b"]}`, `--xs a --xs b`},
		{"lists of lists", `{"options":[{"name":"m","schema":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}}]}`, `{"m":[[1,2],[]]}`, `--m '[[1,2],[]]'`},
		{"objects in a list", `{"options":[{"name":"os","schema":{"type":"array","items":{"type":"object"}}}]}`, `{"os":[{"a":1},{"b":"p,q"}]}`, `--os '{"a":1}' --os '{"b":"p,q"}'`},
		{"an object", `{"options":[{"name":"o","schema":{"type":"object","properties":{"a":{"type":"integer"}}}}]}`, `{"o":{"a":1}}`, `--o '{"a":1}'`},
		{"a map is pairs", `{"options":[{"name":"m",` + table + `}]}`, `{"m":{"a":"x=y","b":"c d"}}`, `--m a=x=y --m 'b=c d'`},
		{"an empty map", `{"options":[{"name":"m",` + table + `}]}`, `{"m":{}}`, `--m '{}'`},
		{"a key that a pair cannot hold", `{"options":[{"name":"m",` + table + `}]}`, `{"m":{"a=b":"c"}}`, `--m '{"a=b":"c"}'`},

		{"flags", `{"flags":[{"name":"b"},{"name":"c"}]}`, `{"b":true,"c":false}`, `--b --no-c`},
		{"false of a flag without negation", `{"flags":[{"name":"b","plain":true},{"name":"noC"}]}`, `{"b":false,"noC":false}`, `--b=false --no-c=false`},
		{"a declared name wins over a negation", `{"options":[{"name":"noB",` + str + `}],"flags":[{"name":"b"}]}`, `{"b":false}`, `--b=false`},
		{"null for a flag", `{"flags":[{"name":"b","nullable":true}]}`, `{"b":null}`, `--b=null`},
		{"counts repeat", `{"flags":[{"name":"v","count":true},{"name":"loud","short":"l","count":true}]}`, `{"loud":3,"v":2}`, `--v --v -lll`},
		{"other counts are attached", `{"flags":[{"name":"v","count":true}]}`, `{"v":0}`, `--v=0`},
		{"an optional scalar is attached", `{"options":[{"name":"c",` + str + `,"shape":{"optional":true},"default":"auto"}]}`, `{"c":"always"}`, `--c=always`},

		{"places first", `{"positionals":[{"name":"p",` + str + `}],"options":[{"name":"s",` + str + `}]}`, `{"p":"a","s":"b"}`, `a --s b`},
		{"a place like an option", `{"positionals":[{"name":"p",` + str + `}],"options":[{"name":"s",` + str + `}]}`, `{"p":"--help","s":"b"}`, `--s b -- --help`},
		{"a place that is a negative number", `{"positionals":[{"name":"p",` + ints + `}]}`, `{"p":-17}`, `-17`},
		{"a negative number beside a digit short", `{"positionals":[{"name":"p",` + ints + `}],"flags":[{"name":"one","short":"1"}]}`, `{"p":-1}`, `-- -1`},
		{"a lone dash", `{"positionals":[{"name":"p",` + str + `}]}`, `{"p":"-"}`, `-`},
		{"a place behind one that is left out", `{"positionals":[{"name":"p",` + str + `},{"name":"q",` + str + `}]}`, `{"q":"b"}`, `--json '{"q":"b"}'`},
		{"a flag does not take the place for its value", `{"positionals":[{"name":"p",` + str + `}],"flags":[{"name":"b"}]}`, `{"b":true,"p":"false"}`, `false --b`},
		{"a list as a place", `{"positionals":[{"name":"p",` + texts + `}]}`, `{"p":["a"]}`, `'["a"]'`},

		{"a tail", `{"tail":{"name":"rest","item":{"type":"string"}},"options":[{"name":"s",` + str + `}]}`, `{"rest":["a","b"],"s":"c"}`, `a b --s c`},
		{"a tail like options", `{"tail":{"name":"rest","item":{"type":"string"}}}`, `{"rest":["a","-v"]}`, `-- a -v`},
		{"an empty tail", `{"tail":{"name":"rest","item":{"type":"string"}}}`, `{"rest":[]}`, `--json '{"rest":[]}'`},
		{"a tail behind its separator", `{"tail":{"name":"rest","item":{"type":"string"},"separator":"::","verbatim":true},"options":[{"name":"s",` + str + `}]}`,
			`{"rest":["--help","::"],"s":"c"}`, `--s c :: --help ::`},
		{"a separator that ends options too", `{"positionals":[{"name":"p",` + str + `}],"tail":{"name":"rest","item":{"type":"string"},"separator":"--","verbatim":true}}`,
			`{"p":"-x","rest":["a"]}`, `--json '{"p":"-x"}' -- a`},
		{"a place that is the separator", `{"positionals":[{"name":"p",` + str + `}],"tail":{"name":"rest","item":{"type":"string"},"separator":"do"}}`,
			`{"p":"do"}`, `--json '{"p":"do"}'`},
		{"a required place that is the separator", `{"positionals":[{"name":"p",` + str + `,"required":true}],"tail":{"name":"rest","item":{"type":"string"},"separator":"do"}}`,
			`{"p":"do","rest":["a"]}`, `do do a`},
		{"a separator that a flag would take", `{"tail":{"name":"rest","item":{"type":"string"},"separator":"true"},"flags":[{"name":"b"}]}`,
			`{"b":true,"rest":["a"]}`, `--b -- true a`},

		{"characters that cannot be seen", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"\u001b[31m\u202e\u200b\udb40\udc41"}`, `--json '{"s":"\u001b[31m\u202e\u200b\udb40\udc41"}'`},
		{"line breaks", `{"options":[{"name":"xs",` + texts + `}]}`, `{"xs":["a\nb","c"]}`, `--xs '["a\nb","c"]'`},
		{"NUL, which no word holds", `{"options":[{"name":"s",` + str + `}]}`, `{"s":"a\u0000b"}`, `--json '{"s":"a\u0000b"}'`},
		{"a parameter named json", `{"options":[{"name":"json",` + str + `},{"name":"s",` + str + `}]}`, `{"json":"a","s":"\t"}`, `--json a --agentos:json '{"s":"\t"}'`},
		{"a parameter named help", `{"options":[{"name":"help",` + str + `}]}`, `{"help":"me"}`, `--help me`},
		{"a value of another type", `{"options":[{"name":"n",` + ints + `}]}`, `{"n":"5"}`, `--json '{"n":"5"}'`},
		{"a key that is none", `{"options":[{"name":"n",` + ints + `}]}`, `{"m":1,"n":5}`, `--n 5 --json '{"m":1}'`},
		{"a secret", `{"options":[{"name":"token",` + str + `,"secret":true}]}`, `{"token":"hunter2"}`, `--token-file PATH`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := strings.TrimSpace("agentos-x t " + test.want)
			got, err := CommandLine("agentos-x", bodied(t, test.body), []string{"t"}, json.RawMessage(test.input))
			if err != nil || got != want {
				t.Errorf("input %s\ngot  %s, %v\nwant %s", test.input, got, err, want)
			}
		})
	}
}

// TestSecretsHaveNoLine has secrets that no option of their own gives from a file.
func TestSecretsHaveNoLine(t *testing.T) {
	for _, body := range []string{
		`{"options":[{"name":"pin","schema":{"type":"integer"},"secret":true,"required":true}]}`,
		`{"options":[{"name":"result","schema":{"type":"string"},"secret":true,"required":true}]}`,
		`{"positionals":[{"name":"pin","schema":{"type":"string"},"secret":true,"required":true}]}`,
		`{"options":[{"name":"pin","schema":{"type":"string"},"secret":true,"required":true},{"name":"pinFile","schema":{"type":"string"}}]}`,
	} {
		def := bodied(t, body)
		if line, err := CommandLine("agentos-x", def, []string{"t"}, json.RawMessage(`{"pin":"1234","result":"1234"}`)); err == nil {
			t.Errorf("%s: got the line %s, want an error", body, line)
		}
		if line, err := ExampleLine("agentos-x", def, []string{"t"}, json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s: got the example %s, want an error", body, line)
		}
		if help := Help("agentos-x", def, []string{"t"}); strings.Contains(help, "Examples:") || strings.Contains(help, "1234") {
			t.Errorf("%s: got help with an example that does not run:\n%s", body, help)
		}
	}
}

func TestCommandLineOfCommands(t *testing.T) {
	def := stored(t, "repo")
	tests := []struct{ program, path, input, want string }{
		{"agentos-repo", "run", `{"command":["ls"]}`, `agentos-repo run :: ls`},
		{"agentos call repo", "run", `{"command":["ls","-l"],"directory":"src","profile":"dev"}`, `agentos call repo run src --profile dev :: ls -l`},
		{"agentos-repo", "issue new", `{"title":"a b"}`, `agentos-repo issues create 'a b'`},
	}
	for _, test := range tests {
		got, err := CommandLine(test.program, def, strings.Fields(test.path), json.RawMessage(test.input))
		if err != nil || got != test.want {
			t.Errorf("%s %s\ngot  %s, %v\nwant %s", test.path, test.input, got, err, test.want)
		}
	}
}

func TestCommandLineOfTheRoot(t *testing.T) {
	def := &toolkit.Definition{Command: toolkit.Command{
		Name:     "x",
		Commands: []toolkit.Command{{Name: "sub", Aliases: []string{"s"}, Body: &toolkit.Body{}}},
		Body:     &toolkit.Body{Positionals: []toolkit.Positional{{Name: "value", Schema: &toolkit.Schema{Type: toolkit.Types{"string"}}}}},
	}}
	for value, want := range map[string]string{
		"word": "agentos-x word",
		"sub":  "agentos-x -- sub",
		"s":    "agentos-x -- s",
		"help": "agentos-x -- help",
	} {
		got, err := CommandLine("agentos-x", def, nil, json.RawMessage(`{"value":"`+value+`"}`))
		if err != nil || got != want {
			t.Errorf("value %q\ngot  %s, %v\nwant %s", value, got, err, want)
		}
	}
}

func TestCommandLineErrors(t *testing.T) {
	def := stored(t, "weather")
	tests := []struct{ path, input, want string }{
		{"nosuch", `{}`, `write command line: no command "nosuch"`},
		{"forecast", `[]`, `write command line: the input is no JSON object`},
		{"forecast", `{"city":"a","city":"b"}`, `write command line: `},
	}
	for _, test := range tests {
		line, err := CommandLine("agentos-weather", def, strings.Fields(test.path), json.RawMessage(test.input))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || line != "" {
			t.Errorf("%s %s: got %q, %v, want error %s", test.path, test.input, line, err, test.want)
		}
	}
}

// TestCommandLineReadsBack tries random inputs of random definitions: the words
// of the line, parsed, are the input again.
func TestCommandLineReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := drawSample(t)
		words, err := scopeAt(sample.def, sample.path).words(sample.input)
		if err != nil {
			t.Fatalf("words of %s: %v", sample.input, err)
		}
		sample.check(t, words)
	})
}

// TestCommandLineInShells has real shells split such lines.
func TestCommandLineInShells(t *testing.T) {
	generator := rapid.Custom(drawSample)
	samples := make([]sample, cases(t))
	lines := make([]string, len(samples))
	for i := range samples {
		samples[i] = generator.Example(i)
		line, err := CommandLine("", samples[i].def, samples[i].path, samples[i].input)
		if err != nil {
			t.Fatalf("line of %s: %v", samples[i].input, err)
		}
		if !isVisible(line) {
			t.Errorf("the line %q holds characters that cannot be seen", line)
		}
		lines[i] = line
	}
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			for i, words := range split(t, shell, lines) {
				samples[i].check(t, words)
			}
		})
	}
}

// sample is a definition with an input of one of its commands.
type sample struct {
	def   *toolkit.Definition
	path  []string
	input json.RawMessage
}

// check parses the words and compares what they say with the input.
func (s *sample) check(t interface{ Fatalf(string, ...any) }, words []string) {
	inv, err := Parse(s.def, &Line{Program: "agentos-x", Args: words})
	if err != nil || !bytes.Equal(inv.Input, s.input) || strings.Join(inv.Path, " ") != strings.Join(s.path, " ") {
		def, _ := json.Marshal(s.def)
		t.Fatalf("definition %s\nwords %q\ngot  %s %s, %v\nwant %s %s", def, words, inv.Path, inv.Input, err, s.path, s.input)
	}
}

// drawSample draws a definition that is sound, and an input that satisfies it.
func drawSample(t *rapid.T) sample {
	b := &builder{t: t, names: rapid.Permutation(sampleNames).Draw(t, "names")}
	globals := toolkit.Globals{Options: b.options(1), Flags: b.flags(1)}
	body := b.body()
	path := []string(nil)
	def := &toolkit.Definition{Command: toolkit.Command{Name: "x", Globals: globals}}
	if rapid.Bool().Draw(t, "at the root") {
		def.Body = body
		def.Commands = []toolkit.Command{{Name: "sub", Aliases: []string{"s"}, Body: &toolkit.Body{}}}
	} else {
		path = []string{"t"}
		def.Commands = []toolkit.Command{{Name: "t", Body: body, Commands: []toolkit.Command{{Name: "sub", Body: &toolkit.Body{}}}}}
	}
	if errs := Vet(def); len(errs) > 0 {
		text, _ := json.Marshal(def)
		t.Fatalf("the generator made an unsound definition: %v\n%s", errs, text)
	}
	return sample{def, path, b.input(scopeAt(def, path))}
}

// sampleNames are wire names with a CLI name or a form of it that is easily taken
// for something else.
var sampleNames = []string{
	"json", "help", "output", "no-cache", "cache", "userID", "x_y", "HTTPServer2", "file", "note-file", "note",
	"version", "true", "a", "n", "dryRun", "timeout",
}

// sampleTexts are strings that are easily lost on a line.
var sampleTexts = []string{
	"", " ", "-", "--", "-x", "-5", "--help", "--note", "--note=x", "--no-cache", "--json", "-h", "sub", "s", "help", "::", "do", "null", "true",
	"false", "007", "1e5", "[]", `["a"]`, `{"a":1}`, "{}", `"a"`, "a,b", ",", "k=v", "=", "@file", "San Francisco's $HOME", "two\nlines",
	"tab\t", "$(id)", "`id`", `\`, `\n`, "~", "*", "!", "é", "😀", "\u202e", "\u200b", "\u00a0", "\ufeff", "\U000e0041", "\x1b[31m", "\x7f", "secret:x",
}

// builder draws the parts of a definition, and values for them.
type builder struct {
	t     *rapid.T
	names []string // not used yet
}

func (b *builder) bool(label string) bool { return rapid.Bool().Draw(b.t, label) }

func (b *builder) upTo(most int, label string) int { return rapid.IntRange(0, most).Draw(b.t, label) }

func (b *builder) name() string {
	name := b.names[0]
	b.names = b.names[1:]
	return name
}

func (b *builder) body() *toolkit.Body {
	body := &toolkit.Body{Options: b.options(4), Flags: b.flags(3)}
	required := true
	for range b.upTo(3, "positionals") {
		required = required && b.bool("required")
		body.Positionals = append(body.Positionals, toolkit.Positional{Name: b.name(), Schema: b.schema(1), Required: required})
	}
	if b.bool("tail") {
		separator := rapid.SampledFrom([]string{"", "::", "--", "do", "true"}).Draw(b.t, "separator")
		body.Tail = &toolkit.Tail{
			Name: b.name(), Item: b.schema(0), Min: b.upTo(2, "min"), Separator: separator,
			Verbatim: separator != "" && b.bool("verbatim"),
		}
	}
	return body
}

func (b *builder) options(most int) []toolkit.Option {
	var options []toolkit.Option
	for range b.upTo(most, "options") {
		option := toolkit.Option{Name: b.name(), Schema: b.schema(2), Required: b.bool("required")}
		switch kindOf(refs{}.plain(option.Schema)) {
		case toolkit.TypeArray:
			option.Shape.Delimiter = rapid.SampledFrom([]string{"", ",", "é"}).Draw(b.t, "delimiter")
			option.Shape.Repeats = b.bool("repeats")
		case toolkit.TypeString, toolkit.TypeInteger:
			option.Shape.Optional = b.bool("optional")
		}
		options = append(options, option)
	}
	return options
}

func (b *builder) flags(most int) []toolkit.Flag {
	var flags []toolkit.Flag
	for range b.upTo(most, "flags") {
		f := toolkit.Flag{Name: b.name(), Count: b.bool("count"), Plain: b.bool("plain"), Nullable: b.bool("nullable")}
		if f.Count && len(b.names)%2 == 0 {
			f.Short = strconv.Itoa(len(b.names) % 10)
		}
		flags = append(flags, f)
	}
	return flags
}

// schema draws a schema whose values nest no deeper than depth.
func (b *builder) schema(depth int) *toolkit.Schema {
	kinds := []string{toolkit.TypeString, toolkit.TypeInteger, toolkit.TypeNumber, toolkit.TypeBoolean, "enum", "any", "optional"}
	if depth > 0 {
		kinds = append(kinds, toolkit.TypeArray, toolkit.TypeObject, "map")
	}
	kind := rapid.SampledFrom(kinds).Draw(b.t, "kind")
	schema := &toolkit.Schema{Type: toolkit.Types{kind}}
	switch kind {
	case "enum":
		return &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}, Enum: raws(`"Red"`, `"red"`, `"-x"`, `"[]"`, `""`)}
	case "any":
		return &toolkit.Schema{}
	case "optional":
		return &toolkit.Schema{AnyOf: []*toolkit.Schema{{Type: toolkit.Types{toolkit.TypeInteger}}, {Type: toolkit.Types{toolkit.TypeNull}}}}
	case toolkit.TypeArray:
		schema.Items = b.schema(depth - 1)
	case toolkit.TypeObject:
		schema.Properties = map[string]*toolkit.Schema{"a": b.schema(depth - 1), "b": b.schema(depth - 1)}
	case "map":
		schema.Type = toolkit.Types{toolkit.TypeObject}
		schema.AdditionalProperties = b.schema(depth - 1)
	}
	if b.bool("nullable") {
		schema.Type = append(schema.Type, toolkit.TypeNull)
	}
	return schema
}

func raws(texts ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

// input draws an input with every required parameter and some of the others.
func (b *builder) input(s *scope) json.RawMessage {
	input := strictjson.NewObject()
	for _, p := range s.params {
		if !p.demanded() && !b.bool("given") {
			continue
		}
		value := b.value(p.schema)
		if p.kind == tail {
			for len(value.Elems) < p.tail.Min {
				value.Elems = append(value.Elems, b.value(p.tail.Item))
			}
		}
		input.Set(p.wire, value)
	}
	return input.Append(nil)
}

// value draws a value of the schema.
func (b *builder) value(schema *toolkit.Schema) *strictjson.Value {
	schema = refs{}.plain(schema)
	switch {
	case schema.Nullable() && rapid.IntRange(0, 4).Draw(b.t, "null") == 0:
		return &strictjson.Value{}
	case len(schema.Enum) > 0:
		value, _ := strictjson.Parse(rapid.SampledFrom(schema.Enum).Draw(b.t, "choice"))
		return value
	}
	switch kindOf(schema) {
	case toolkit.TypeString:
		return strictjson.Text(b.text())
	case toolkit.TypeInteger:
		if schema.Minimum != "" {
			return strictjson.Literal(strconv.Itoa(b.upTo(12, "count")))
		}
		return strictjson.Literal(rapid.SampledFrom([]string{"0", "-5", "-1", "9007199254740993", "-18446744073709551616"}).Draw(b.t, "integer"))
	case toolkit.TypeNumber:
		return strictjson.Literal(rapid.SampledFrom([]string{"0", "-0", "1.50", "-1e-3", "1E400", "0.1000000000000000055"}).Draw(b.t, "number"))
	case toolkit.TypeBoolean:
		return strictjson.Bool(b.bool("truth"))
	case toolkit.TypeArray:
		list := strictjson.NewArray()
		for range b.upTo(3, "items") {
			list.Elems = append(list.Elems, b.value(schema.Items))
		}
		return list
	case toolkit.TypeObject:
		return b.object(schema)
	}
	return rapid.SampledFrom([]*strictjson.Value{
		{}, strictjson.Text(b.text()), strictjson.Literal("1"), strictjson.NewArray(strictjson.Text("-")), strictjson.NewObject(),
	}).Draw(b.t, "any")
}

func (b *builder) object(schema *toolkit.Schema) *strictjson.Value {
	object := strictjson.NewObject()
	for _, name := range propertyNames(schema) {
		if b.bool("property") {
			object.Set(name, b.value(schema.Properties[name]))
		}
	}
	if schema.AdditionalProperties != nil {
		for range b.upTo(2, "entries") {
			object.Set(b.text(), b.value(schema.AdditionalProperties))
		}
	}
	return object
}

// text draws a string: one that is easily lost, or any characters but NUL, which
// no argument can hold but which JSON can.
func (b *builder) text() string {
	if rapid.IntRange(0, 3).Draw(b.t, "plain") > 0 {
		return rapid.SampledFrom(sampleTexts).Draw(b.t, "text")
	}
	return rapid.StringN(0, 8, -1).Draw(b.t, "text")
}
