package argv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// vetted is what Vet says of the definition, a line a mistake.
func vetted(def *toolkit.Definition) string {
	var lines []string
	for _, err := range Vet(def) {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

func TestVetSound(t *testing.T) {
	for _, name := range []string{"weather", "text", "x", "repo", "kinds"} {
		if got := vetted(stored(t, name)); got != "" {
			t.Errorf("%s: got\n%s\nwant no mistake", name, got)
		}
	}
}

// TestVetBody has bodies of the tool x t with one mistake each, and what is said
// of it after toolkit "x": tool "t".
func TestVetBody(t *testing.T) {
	const str = `"schema":{"type":"string"}`
	tests := []struct{ name, body, want string }{
		// Names.
		{"a name that is no word", `{"options":[{"name":"a b",` + str + `}]}`,
			`option "a b": its name on the command line "a b" is not valid: it needs ` + nameRule},
		{"an empty name", `{"flags":[{"name":""}]}`, `flag "": its name on the command line is empty: it needs ` + nameRule},
		{"an alias that is no word", `{"flags":[{"name":"b","aliases":["B"]}]}`, `flag "b": the alias "B" is not valid: it needs ` + nameRule},
		{"an alias given twice", `{"flags":[{"name":"b","aliases":["c","c"]}]}`, `flag "b": the alias "c" is given twice`},
		{"an alias that is the name", `{"flags":[{"name":"b","aliases":["b"]}]}`, `flag "b": the alias "b" is given twice`},
		{"a long short", `{"flags":[{"name":"b","short":"bb"}]}`, `flag "b": the short "bb" is not valid: one ASCII letter or digit is`},
		{"a short that is a sign", `{"flags":[{"name":"b","short":"-"}]}`, `flag "b": the short "-" is not valid: one ASCII letter or digit is`},
		{"one name twice", `{"options":[{"name":"s",` + str + `}],"positionals":[{"name":"s",` + str + `}]}`,
			`option "s": it answers to "s", and so does the positional "s"; names and aliases of one command must differ, and not only in case`},
		{"an alias that is another's name", `{"options":[{"name":"s",` + str + `},{"name":"r",` + str + `,"aliases":["s"]}]}`,
			`option "r": it answers to "s", and so does the option "s"; names and aliases of one command must differ, and not only in case`},
		{"a tail named as an option", `{"options":[{"name":"s",` + str + `}],"tail":{"name":"S","item":{}}}`,
			`option "s": it answers to "s", and so does the tail "S"; names and aliases of one command must differ, and not only in case`},
		{"one short twice", `{"flags":[{"name":"b","short":"x"},{"name":"c","short":"x"}]}`, `flag "c": the short -x belongs to the flag "b" already`},
		{"a variable that no shell sets", `{"flags":[{"name":"b","env":"A-B"}]}`,
			`flag "b": the variable "A-B" is not valid: letters, digits and underscores are, no digit first`},

		// Texts.
		{"a control character in a description", `{"flags":[{"name":"b","help":"a\u001b[31m"}]}`,
			`flag "b": the description has the control character U+001B at byte 1; it must be one line of plain text`},
		{"a value name that cannot be seen", `{"options":[{"name":"s",` + str + `,"value_name":"a\u200b"}]}`,
			`option "s": the value name "a\u200b" has white space around it or characters that cannot be seen`},

		// Schemas.
		{"no schema", `{"options":[{"name":"s","schema":null}]}`, `option "s": it has no schema; {"type":"string"} is one, and {} allows any value`},
		{"no schema of a tail", `{"tail":{"name":"s","item":null}}`, `tail "s": it has no schema; {"type":"string"} is one, and {} allows any value`},
		{"a type that is none", `{"options":[{"name":"s","schema":{"type":"array","items":{"type":"strng"}}}]}`,
			`option "s": schema.items: the type "strng" is not valid: string, integer, number, boolean, array, object and null are`},
		{"a null schema inside", `{"options":[{"name":"s","schema":{"properties":{"a":null}}}]}`,
			`option "s": schema.properties.a: it is null; {} allows any value`},
		{"lengths that cannot be", `{"options":[{"name":"s","schema":{"type":"string","minLength":3,"maxLength":2}}]}`,
			`option "s": schema: the least length 3 exceeds the most, 2`},
		{"a negative length", `{"options":[{"name":"s","schema":{"type":"array","minItems":-1}}]}`, `option "s": schema: the number of items has a negative limit`},
		{"limits that cannot be", `{"options":[{"name":"n","schema":{"type":"integer","minimum":10,"maximum":9}}]}`,
			`option "n": schema: the minimum 10 exceeds the maximum 9`},
		{"a result's type that is none", `{"result":{"type":"text"}}`,
			`result: the type "text" is not valid: string, integer, number, boolean, array, object and null are`},
		{"an input that is no object", `{"input":{"type":"array"}}`, `the input is of type ["array"]; only an object can be an input`},

		{"an input that requires what it cannot have", `{"options":[{"name":"a",` + str + `}],"input":{"required":["a","zz"]}}`,
			`the input requires "zz", which is no parameter and no key that it allows beside them: no call could be right`},
		{"the same in a part of the input", `{"options":[{"name":"a",` + str + `}],"input":{"unevaluatedProperties":false,"$defs":{"B":{"allOf":[{"properties":{"b":{}},"required":["b"]}]}},"allOf":[{"$ref":"#/$defs/B"}]}}`,
			`the input requires "b", which is no parameter and no key that it allows beside them: no call could be right`},
		{"the same where no value is allowed", `{"input":{"properties":{"b":false},"required":["b"]}}`,
			`the input requires "b", which is no parameter and no key that it allows beside them: no call could be right`},

		// Shapes.
		{"an optional list", `{"options":[{"name":"s","schema":{"type":"array","items":{}},"shape":{"optional":true}}]}`,
			`option "s": its value is optional, which only a string, integer, number or boolean can be`},
		{"a last-wins scalar", `{"options":[{"name":"s",` + str + `,"shape":{"last_wins":true}}]}`, `option "s": last-wins is for maps, this is no map`},
		{"a repeated scalar", `{"options":[{"name":"s",` + str + `,"shape":{"repeats":true}}]}`, `option "s": it repeats, which only a list does`},
		{"a delimited scalar", `{"options":[{"name":"s",` + str + `,"shape":{"delimiter":","}}]}`,
			`option "s": it has the delimiter "," but is no list; only an array is split`},
		{"a long delimiter", `{"options":[{"name":"s","schema":{"type":"array","items":{}},"shape":{"delimiter":", "}}]}`,
			`option "s": the delimiter ", " is not valid: one visible character other than = is`},
		{"the delimiter =", `{"options":[{"name":"s","schema":{"type":"array","items":{}},"shape":{"delimiter":"="}}]}`,
			`option "s": the delimiter "=" is not valid: one visible character other than = is`},
		{"a negative count", `{"flags":[{"name":"b","count":true,"max":-1}]}`, `flag "b": it counts to -1 at most; 0 means no limit, more is one`},
		{"a maximum without a count", `{"flags":[{"name":"b","max":1}]}`, `flag "b": it has a maximum but is no count; only counts have one`},

		// Defaults.
		{"a default of another type", `{"options":[{"name":"n","schema":{"type":"integer"},"default":"5"}]}`,
			`option "n": the default: got "5", expected integer`},
		{"a default out of a list's items", `{"options":[{"name":"n","schema":{"type":"array","items":{"enum":["a"]}},"default":["a","b"]}]}`,
			`option "n": the default.1: got "b", expected one of a`},
		{"a default of a flag", `{"flags":[{"name":"b","default":1}]}`, `flag "b": the default: got 1, expected true or false`},
		{"a default over a count's maximum", `{"flags":[{"name":"b","count":true,"max":2,"default":3}]}`,
			`flag "b": the default: got 3, expected integer from 0 to 2`},

		// Places.
		{"a required positional after an optional one", `{"positionals":[{"name":"a",` + str + `},{"name":"b",` + str + `,"required":true}]}`,
			`positional "b": it is required but stands after the optional "a"; required positionals come first`},
		{"a tail of impossible length", `{"tail":{"name":"s","item":{},"min":3,"max":2}}`,
			`tail "s": it takes at least 3 and at most 2 items; the least may not exceed the most`},
		{"a tail of negative length", `{"tail":{"name":"s","item":{},"min":-1}}`, `tail "s": it takes -1 to 0 items; neither may be negative`},
		{"a verbatim tail without separator", `{"tail":{"name":"s","item":{},"verbatim":true}}`,
			`tail "s": it is verbatim without a separator; a word such as -- or :: must say where it starts`},
		{"a separator that cannot be seen", `{"tail":{"name":"s","item":{},"separator":" "}}`,
			`tail "s": the separator " " has white space around it or characters that cannot be seen`},

		// Constraints.
		{"a name that is no parameter's", `{"flags":[{"name":"b"}],"constraints":[{"kind":"mutex","groups":[[{"name":"b"}],[{"name":"c"}]]}]}`,
			`constraint "mutex": the command has no parameter "c": b are valid`},
		{"a short", `{"flags":[{"name":"bold","short":"b"}],"constraints":[{"kind":"requires-all","terms":[{"name":"b"}]}]}`,
			`constraint "requires-all": "b" is a short; constraints name parameters in full, here "bold"`},
		{"no terms", `{"constraints":[{"kind":"requires-any"}]}`, `constraint "requires-any": it has an empty group; a group needs a parameter`},
		{"one group", `{"flags":[{"name":"b"}],"constraints":[{"kind":"mutex","groups":[[{"name":"b"}]]}]}`,
			`constraint "mutex": it has 1 groups; two or more can exclude each other`},
		{"an empty group", `{"flags":[{"name":"b"}],"constraints":[{"kind":"mutex","groups":[[{"name":"b"}],[]]}]}`,
			`constraint "mutex": it has an empty group; a group needs a parameter`},
		{"a missing side", `{"flags":[{"name":"b"}],"constraints":[{"kind":"implies","if":{"terms":[{"name":"b"}]}}]}`,
			`constraint "implies": the side "then" is missing; it needs a parameter`},
		{"a kind that is none", `{"constraints":[{"kind":"xor"}]}`,
			`constraint "xor": there is no such kind: requires-all, requires-any, all-or-none, mutex, implies and forbids are valid`},
		{"a value of another type", `{"options":[{"name":"n","schema":{"type":"integer"}}],"constraints":[{"kind":"requires-all","terms":[{"name":"n","value":"a"}]}]}`,
			`constraint "requires-all": option "n": the value: got "a", expected integer`},
		{"a value that is a list", `{"options":[{"name":"n","schema":{"type":"array","items":{"type":"integer"}}}],"constraints":[{"kind":"requires-all","terms":[{"name":"n","value":[1]}]}]}`,
			`constraint "requires-all": option "n": the value: got [1], expected integer`},

		// Errors and slots.
		{"an error's name in small letters", `{"errors":[{"name":"not_found"}]}`,
			`error "not_found": the name is not valid: it needs capitals and digits in words joined by single underscores, as in NOT_FOUND`},
		{"a name of the bridge", `{"errors":[{"name":"TIMEOUT"}]}`, `error "TIMEOUT": the name is one of the bridge's own codes; any other is valid`},
		{"an error twice", `{"errors":[{"name":"A"},{"name":"A"}]}`, `error "A": it is declared twice`},
		{"a kind of error that is none", `{"errors":[{"name":"A","kind":"fatal"}]}`, `error "A": the kind "fatal" is not valid: usage and runtime are`},
		{"no media type", `{"stdin":{"mime":["text"]}}`, `stdin: "text" is no media type; text/plain and image/* are`},
		{"a negative timeout", `{"timeout_ms":-1}`, `the timeout is -1 ms; 0 means none, more is a limit`},

		// Secrets.
		{"a secret with a default", `{"options":[{"name":"s",` + str + `,"secret":true,"default":"a"}]}`,
			`option "s": it is secret but has a default; a secret has none`},
		{"a secret with a default in its schema", `{"positionals":[{"name":"s","schema":{"type":"string","default":"a"},"secret":true}]}`,
			`positional "s": it is secret but has a default; a secret has none`},
		{"a secret with a variable", `{"options":[{"name":"s",` + str + `,"secret":true,"env":"TOKEN"}]}`,
			`option "s": it is secret but has the variable "TOKEN"; a secret has none`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := `toolkit "x": tool "t": ` + test.want
			if got := vetted(bodied(t, test.body)); got != want {
				t.Errorf("body %s\ngot  %s\nwant %s", test.body, got, want)
			}
		})
	}
}

// TestVetDefinition has definitions with one mistake outside of a body each.
func TestVetDefinition(t *testing.T) {
	const tool = `{"name":"t","body":{}}`
	tests := []struct{ name, def, want string }{
		{"an alias of the toolkit", `{"name":"x","aliases":["y"]}`, `toolkit "x": a toolkit has no aliases, but "y" is one: tools and groups may have them`},
		{"a command without anything", `{"name":"x","commands":[{"name":"t"}]}`,
			`toolkit "x": group "t": it has neither a body nor commands; one of them makes it of use`},
		{"a tool's name", `{"name":"x","commands":[{"name":"get_user","body":{}}]}`,
			`toolkit "x": tool "get_user": the name "get_user" is not valid: it needs ` + nameRule},
		{"a tool's alias", `{"name":"x","commands":[{"name":"t","aliases":["-t"],"body":{}}]}`,
			`toolkit "x": tool "t": the alias "-t" is not valid: it needs ` + nameRule},
		{"a tool twice", `{"name":"x","commands":[` + tool + `,` + tool + `]}`,
			`toolkit "x": the commands "t" and "t" both answer to "t"; names and aliases of siblings must differ`},
		{"an alias that is a sibling's name", `{"name":"x","commands":[` + tool + `,{"name":"u","aliases":["t"],"body":{}}]}`,
			`toolkit "x": the commands "t" and "u" both answer to "t"; names and aliases of siblings must differ`},
		{"a mistake deep down", `{"name":"x","commands":[{"name":"a","commands":[{"name":"b","commands":[{"name":"c","body":{"flags":[{"name":"b","max":1}]}}]}]}]}`,
			`toolkit "x": tool "a b c": flag "b": it has a maximum but is no count; only counts have one`},
		{"a group's summary", `{"name":"x","commands":[{"name":"a","summary":"a\nb","commands":[` + tool + `]}]}`,
			`toolkit "x": group "a": the summary has the control character U+000A at byte 1; it must be one line of plain text`},
		{"a global's mistake is told once", `{"name":"x","globals":{"flags":[{"name":"b","max":1}]},"commands":[` + tool + `,{"name":"u","body":{}}]}`,
			`toolkit "x": flag "b": it has a maximum but is no count; only counts have one`},
		{"a parameter named as a global", `{"name":"x","globals":{"flags":[{"name":"dryRun"}]},"commands":[{"name":"t","body":{"options":[{"name":"dry_run","schema":{}}]}}]}`,
			`toolkit "x": tool "t": option "dry_run": it answers to "dry-run", and so does the flag "dryRun"; names and aliases of one command must differ, and not only in case`},
		{"a global named as one above", `{"name":"x","globals":{"flags":[{"name":"b","short":"b"}]},"commands":[{"name":"g","globals":{"flags":[{"name":"c","short":"b"}]},"commands":[` + tool + `]}]}`,
			`toolkit "x": group "g": flag "c": the short -b belongs to the flag "b" already`},
		{"an example of a group", `{"name":"x","examples":[{"input":{}}],"commands":[` + tool + `]}`,
			`toolkit "x": example "1": the command has no body, so that there is nothing to call; examples belong to tools`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			def := &toolkit.Definition{}
			if err := json.Unmarshal([]byte(test.def), def); err != nil {
				t.Fatal(err)
			}
			if got := vetted(def); got != test.want {
				t.Errorf("definition %s\ngot  %s\nwant %s", test.def, got, test.want)
			}
		})
	}
}

func TestVetExamples(t *testing.T) {
	const body = `{"options":[
		{"name":"city","schema":{"type":"string"},"required":true},
		{"name":"days","schema":{"type":"integer","minimum":1}},
		{"name":"token","schema":{"type":"string"},"secret":true,"required":true}]}`
	tests := []struct{ name, input, want string }{
		{"a secret that is required may be left out", `{"city":"Paris"}`, ``},
		{"a secret", `{"city":"Paris","token":"secret:x"}`, `it has a value for the secret "token"; leave that out`},
		{"something is missing", `{}`, `its input does not fit: city: required`},
		{"something is wrong", `{"city":"Paris","days":0}`, `its input does not fit: days: got 0, expected integer of at least 1`},
		{"an unknown key", `{"city":"Paris","town":"x"}`, `its input does not fit: town: unknown key, expected one of city, days, token`},
		{"no object", `[]`, `its input is of type array; only an object is an input`},
		{"a key twice", `{"city":"a","city":"b"}`, `its input is no JSON: the name "city" is given twice (byte 12)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			def := bodied(t, body)
			def.Commands[0].Examples = []toolkit.ExampleCase{{Input: json.RawMessage(test.input)}}
			want := test.want
			if want != "" {
				want = `toolkit "x": tool "t": example "1": ` + want
			}
			if got := vetted(def); got != want {
				t.Errorf("input %s\ngot  %s\nwant %s", test.input, got, want)
			}
		})
	}
}

// What an example lacks is not judged: no value of a secret can be made up.
func TestVetExamplesOfToolsWithSecrets(t *testing.T) {
	for _, secret := range []string{
		`"options":[{"name":"token","schema":{"type":"string","minLength":20,"pattern":"^gh_"},"secret":true,"required":true},CITY]`,
		`"options":[{"name":"pin","schema":{"type":"integer","minimum":1000},"secret":true,"required":true},CITY]`,
		`"positionals":[{"name":"token","schema":{"type":"string"},"secret":true,"required":true}],"options":[CITY]`,
	} {
		def := bodied(t, `{`+strings.Replace(secret, "CITY", `{"name":"city","schema":{"type":"string"}}`, 1)+`}`)
		def.Commands[0].Examples = []toolkit.ExampleCase{{Input: json.RawMessage(`{"city":"Paris"}`)}}
		if got := vetted(def); got != "" {
			t.Errorf("%s: got %s, want no complaint", secret, got)
		}
	}
}

// TestVetTogether has several mistakes in one definition: all are told.
func TestVetTogether(t *testing.T) {
	def := &toolkit.Definition{}
	text := `{"name":"My Kit","summary":"a\u0000","commands":[{"name":"do it","body":{
		"options":[{"name":"n","schema":{"type":"integer","minimum":1},"default":0},{"name":"résumé","schema":null}],
		"errors":[{"name":"x","exit":2}]}}]}`
	if err := json.Unmarshal([]byte(text), def); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`toolkit "My Kit": the name "My Kit" is not valid`,
		`toolkit "My Kit": the summary has the control character U+0000`,
		`toolkit "My Kit": tool "do it": the name "do it" is not valid`,
		`toolkit "My Kit": tool "do it": option "n": the default: got 0, expected integer of at least 1`,
		`toolkit "My Kit": tool "do it": option "résumé": its name on the command line "résumé" is not valid`,
		`toolkit "My Kit": tool "do it": option "résumé": it has no schema`,
		`toolkit "My Kit": tool "do it": error "x": the name is not valid`,
		`toolkit "My Kit": tool "do it": error "x": the exit status 2 is not valid`,
	}
	got := vetted(def)
	for _, line := range want {
		if !strings.Contains(got, line) {
			t.Errorf("got\n%s\nwant among them %s", got, line)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != len(want) {
		t.Errorf("got %d mistakes, want %d:\n%s", n, len(want), got)
	}
}

func TestVetNameLength(t *testing.T) {
	for length, sound := range map[int]bool{1: true, 63: true, 64: false, 300: false} {
		name := strings.Repeat("a", length)
		def := &toolkit.Definition{Command: toolkit.Command{Name: name}}
		got := vetted(def)
		want := fmt.Sprintf("the name is %d bytes long, at most 63 are valid", length)
		if sound && got != "" || !sound && !strings.HasSuffix(got, want) {
			t.Errorf("a name of %d bytes: got %q", length, got)
		}
	}
}

func TestParity_TextLengths(t *testing.T) {
	tests := []struct {
		what, text string
		set        func(*toolkit.Definition, string)
		want       string
	}{
		{"200 characters", strings.Repeat("é", 200), func(d *toolkit.Definition, s string) { d.Summary = s }, ""},
		{"201 characters", strings.Repeat("é", 201), func(d *toolkit.Definition, s string) { d.Summary = s },
			`toolkit "x": the summary is 201 characters long, at most 200 are valid`},
		{"4,000 characters", strings.Repeat("é", 4000), func(d *toolkit.Definition, s string) { d.Description = s }, ""},
		{"4,001 characters", strings.Repeat("é", 4001), func(d *toolkit.Definition, s string) { d.Description = s },
			`toolkit "x": the description is 4001 characters long, at most 4000 are valid`},
		{"no UTF-8", "a\xff", func(d *toolkit.Definition, s string) { d.Description = s },
			`toolkit "x": the description is not UTF-8 at byte 1`},
	}
	for _, test := range tests {
		def := &toolkit.Definition{Command: toolkit.Command{Name: "x"}}
		test.set(def, test.text)
		if got := vetted(def); got != test.want {
			t.Errorf("%s: got %q, want %q", test.what, got, test.want)
		}
	}
}

func TestParity_ToolkitNames(t *testing.T) {
	for _, name := range []string{"../evil", "My Kit", "", "do it", "a/b", ".", "x\x00y", "-x", "a--b", "a-", "1a", "café", "fs.read", "__proto__"} {
		def := &toolkit.Definition{Command: toolkit.Command{Name: name}}
		if got := vetted(def); !strings.Contains(got, "it needs "+nameRule) {
			t.Errorf("toolkit %q: got %q, want its name refused", name, got)
		}
	}
	for _, name := range []string{"a", "a1", "http-server2", "constructor", "help", "search", "call"} {
		def := &toolkit.Definition{Command: toolkit.Command{Name: name}}
		if got := vetted(def); got != "" {
			t.Errorf("toolkit %q: got %q, want no mistake", name, got)
		}
	}
}

func TestCase_B017_Names(t *testing.T) {
	tests := []struct {
		wire  []string
		sound bool
	}{
		{[]string{"userID", "HTTPServer2", "x_y", "fullPage"}, true},
		{[]string{"userID", "user_id"}, false},
		{[]string{"résumé"}, false},
		{[]string{"x.y"}, false},
		{[]string{"a/b"}, false},
	}
	for _, test := range tests {
		body := &toolkit.Body{}
		for _, name := range test.wire {
			body.Options = append(body.Options, toolkit.Option{Name: name, Schema: &toolkit.Schema{}})
		}
		def := &toolkit.Definition{Command: toolkit.Command{Name: "x", Body: body}}
		got := vetted(def)
		if (got == "") != test.sound {
			t.Errorf("names %q: got %q, want sound %v", test.wire, got, test.sound)
		}
		if test.sound {
			continue
		}
		for _, name := range test.wire {
			if !strings.Contains(got, fmt.Sprintf("%q", name)) {
				t.Errorf("names %q: got %q, want it to name %q", test.wire, got, name)
			}
		}
	}
}

func TestCase_B039(t *testing.T) {
	for exit, sound := range map[int]bool{0: true, 1: true, 3: true, 63: true, 2: false, 64: false, 127: false, 137: false, 256: false, -1: false} {
		body := &toolkit.Body{Errors: []toolkit.ErrorCase{{Name: "FAILED", Exit: exit}}}
		def := &toolkit.Definition{Command: toolkit.Command{Name: "x", Body: body}}
		want := ""
		if !sound {
			want = fmt.Sprintf(`toolkit "x": error "FAILED": the exit status %d is not valid: 1 and 3 to 63 are, and 0 means 1; the others belong to shells and the bridge`, exit)
		}
		if got := vetted(def); got != want {
			t.Errorf("exit %d: got %q, want %q", exit, got, want)
		}
	}
}

func TestCase_B053(t *testing.T) {
	got := vetted(bodied(t, `{"options":[{"name":"n","schema":{"type":"integer","minimum":1,"default":0}}]}`))
	want := `toolkit "x": tool "t": option "n": the schema's default: got 0, expected integer of at least 1`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCase_B054_Definitions(t *testing.T) {
	var commands []toolkit.Command
	for _, name := range []string{"get_user", "get-user", "getUser", "GetUser"} {
		commands = append(commands, toolkit.Command{Name: name, Body: &toolkit.Body{}})
	}
	got := vetted(&toolkit.Definition{Command: toolkit.Command{Name: "x", Commands: commands}})
	for _, name := range []string{"get_user", "getUser", "GetUser"} {
		if !strings.Contains(got, fmt.Sprintf("the name %q is not valid", name)) {
			t.Errorf("got %s\nwant %q refused", got, name)
		}
	}
}

func TestCase_B057(t *testing.T) {
	got := vetted(&toolkit.Definition{Command: toolkit.Command{Name: "list-tools"}})
	want := `toolkit "list-tools": the name belongs to agentos itself; any other name is valid`
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCase_B058(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a look-alike", `{"flags":[{"name":"scope"},{"name":"sсope"}]}`, `its name on the command line "sсope" is not valid`},
		{"a difference only in case", `{"flags":[{"name":"userid"},{"name":"userId"}]}`, `flag "userId": it answers to "userid", and so does the flag "userid"`},
		{"the same word in another case", `{"flags":[{"name":"userID"},{"name":"userId"}]}`, `flag "userId": it answers to "user-id", and so does the flag "userID"`},
	}
	for _, test := range tests {
		if got := vetted(bodied(t, test.body)); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q in it", test.name, got, test.want)
		}
	}
}

// TestVetExamplesBesideOtherMistakes: an example is judged by what is sound.
func TestVetExamplesBesideOtherMistakes(t *testing.T) {
	def := bodied(t, `{"options":[{"name":"a","schema":{"type":"strng"}},{"name":"n","schema":{"type":"integer","maximum":5}},
		{"name":"z","schema":{"type":"integer"}},{"name":"z","schema":{"type":"string"}}],
		"constraints":[{"kind":"mutex","groups":[[{"name":"a"}],[{"name":"n"}]]}],"timeout_ms":-1}`)
	def.Commands[0].Examples = []toolkit.ExampleCase{
		{Input: json.RawMessage(`{"q":1,"n":9,"a":{},"z":true}`)}, {Input: json.RawMessage(`{"n":1,"a":"x"}`)}, {Input: json.RawMessage(`[]`)},
	}
	var got []string
	for _, err := range Vet(def) {
		if _, mistake, found := strings.Cut(err.Error(), `: example "`); found {
			got = append(got, mistake)
		}
	}
	want := []string{`1": its input does not fit: n: got 9, expected integer of at most 5; q: unknown key, expected one of a, n, z, z`, `3": its input is of type array; only an object is an input`}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
