package argv

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSamples has the example that help makes up where a tool declares none.
func TestSamples(t *testing.T) {
	const str = `"schema":{"type":"string"}`
	option := func(schema string) string {
		return `{"options":[{"name":"p","schema":` + schema + `,"required":true}],"input":{"$defs":{"S":{"type":"string"}}}}`
	}
	tests := []struct{ name, body, want string }{
		{"what is required", `{"options":[{"name":"a",` + str + `},{"name":"dueDate",` + str + `,"required":true}]}`, `{"dueDate":"DUE-DATE"}`},
		{"the first, where nothing is", `{"options":[{"name":"a",` + str + `},{"name":"b",` + str + `}]}`, `{"a":"A"}`},
		{"places before options", `{"positionals":[{"name":"p",` + str + `}],"options":[{"name":"a",` + str + `}]}`, `{"p":"P"}`},
		{"nothing where there is nothing", `{}`, `{}`},
		{"numbers within their range", `{"options":[{"name":"n","schema":{"type":"integer","minimum":7}}]}`, `{"n":7}`},
		{"the first choice", `{"options":[{"name":"e","schema":{"enum":["red","green"]}}]}`, `{"e":"red"}`},
		{"a list of one", `{"options":[{"name":"xs","schema":{"type":"array","items":{"type":"string"}}}]}`, `{"xs":["XS"]}`},
		{"a map of one", `{"options":[{"name":"m","schema":{"type":"object","additionalProperties":{"type":"integer"}}}]}`, `{"m":{"KEY":1}}`},
		{"an object of what it requires", `{"options":[{"name":"o","schema":{"type":"object","properties":{"a":{"type":"integer"},"b":{}},"required":["a"]}}]}`, `{"o":{"a":1}}`},
		{"a flag", `{"flags":[{"name":"b"}]}`, `{"b":true}`},
		{"a tail", `{"tail":{"name":"files","item":{"type":"string"},"min":1}}`, `{"files":["FILES"]}`},
		{"a format", `{"options":[{"name":"d","schema":{"type":"string","format":"date-time"}}]}`, `{"d":"2026-01-31T12:00:00Z"}`},
		{"no secret", `{"options":[{"name":"token",` + str + `,"required":true,"secret":true},{"name":"a",` + str + `}]}`, `{}`},
		{"none where text has a pattern", `{"options":[{"name":"s","schema":{"type":"string","pattern":"^a"},"required":true}]}`, ``},
		{"none where the placeholder is too long", `{"options":[{"name":"code","schema":{"type":"string","maxLength":2},"required":true}]}`, ``},
		{"what a constraint wants", `{"flags":[{"name":"a"},{"name":"b"}],"constraints":[{"kind":"requires-all","terms":[{"name":"b"}]}]}`, `{"b":true}`},
		{"none where a constraint wants more", `{"flags":[{"name":"a"},{"name":"b"}],"constraints":[{"kind":"requires-all","terms":[{"name":"a"},{"name":"b"}]}]}`, ``},
		{"the alternative that no other is", option(`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k","n"]},{"type":"object"}]}`), `{"p":{}}`},
		{"an alternative that only one is", option(`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"],"additionalProperties":false},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`), `{"p":{"k":"a"}}`},
		{"one of several types", option(`{"anyOf":[{"type":"integer","minimum":5},{"type":"string"}]}`), `{"p":5}`},
		{"alternatives in two steps", option(`{"type":"object","properties":{"t":{"type":"string"}},"anyOf":[{"oneOf":[{"required":["t"]}]}]}`), `{"p":{"t":"text"}}`},
		{"what two schemas ask for", option(`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"const":"x"}},"required":["b"]}]}`), `{"p":{"a":1,"b":"x"}}`},
		{"a property of both", option(`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"a":{"minimum":7}}}]}`), `{"p":{"a":7}}`},
		{"a constant", option(`{"const":{"a":[1]}}`), `{"p":{"a":[1]}}`},
		{"an example of the schema", option(`{"type":"string","examples":["Paris",5]}`), `{"p":"Paris"}`},
		{"an item that is contained", option(`{"type":"array","contains":{"const":3}}`), `{"p":[3]}`},
		{"several items", option(`{"type":"array","items":{"type":"integer"},"minItems":2}`), `{"p":[1,1]}`},
		{"a time", option(`{"type":"string","format":"time"}`), `{"p":"12:00:00Z"}`},
		{"a format that is not asserted", option(`{"type":"string","format":"hostname"}`), `{"p":"P"}`},
		{"base64", option(`{"type":"string","contentEncoding":"base64"}`), `{"p":"aGVsbG8="}`},
		{"a multiple", option(`{"type":"integer","multipleOf":7}`), `{"p":7}`},
		{"a multiple in a range", option(`{"type":"number","multipleOf":0.1,"exclusiveMinimum":2,"maximum":2.15}`), `{"p":2.1}`},
		{"more than", option(`{"type":"integer","exclusiveMinimum":1}`), `{"p":2}`},
		{"between", option(`{"type":"number","exclusiveMinimum":0.2,"exclusiveMaximum":0.4}`), `{"p":0.3}`},
		{"huge bounds", option(`{"type":"number","minimum":1e300,"maximum":1e301}`), `{"p":1e300}`},
		{"a long text", option(`{"type":"string","minLength":20}`), `{"p":"PPPPPPPPPPPPPPPPPPPP"}`},
		{"a reference with more beside it", option(`{"$ref":"#/$defs/S","minLength":3}`), `{"p":"PPP"}`},
		{"a value of any type", option(`{}`), `{"p":"text"}`},
		{"none where text is very long", option(`{"type":"string","minLength":2000}`), ``},
		{"none where a key depends on another", option(`{"type":"object","properties":{"a":{}},"required":["a"],"dependentRequired":{"a":["b"]}}`), ``},
		{"none where a pattern is within reach", option(`{"type":"object","required":["a"],"patternProperties":{"^a":{"type":"string"}}}`), ``},
		{"a key that a part evaluates", option(`{"allOf":[{"properties":{"a":{}},"required":["a"]}],"type":"object","unevaluatedProperties":false}`), `{"p":{"a":"text"}}`},
		{"none where a key is not evaluated", option(`{"anyOf":[{"properties":{"a":{}},"required":["a"]}],"type":"object","unevaluatedProperties":false}`), ``},
		{"none without an end", option(`{"type":"object","properties":{"p":{"$ref":"#/properties/p"}},"required":["p"]}`), ``},
		{"none of a condition", option(`{"if":{"type":"integer"},"then":{"minimum":5}}`), ``},
		{"none that nothing is", option(`false`), ``},
		{"another one where the first has none", `{"options":[{"name":"p","schema":false},{"name":"q","schema":{"$dynamicRef":"#x"}},{"name":"r","schema":{"type":"integer"}}]}`, `{"r":1}`},
		{"the least of what refers to itself", `{"options":[{"name":"p","schema":false},{"name":"q","schema":{"$ref":"#"}}]}`, `{"q":{"q":{}}}`},
		{"nothing where none has any", `{"options":[{"name":"p","schema":false},{"name":"q","schema":{"$dynamicRef":"#x"}}]}`, `{}`},
		{"what the input requires", `{"options":[{"name":"a",` + str + `},{"name":"b",` + str + `}],"input":{"required":["b"]}}`, `{"b":"B"}`},
		{"what a part of the input requires", `{"options":[{"name":"a",` + str + `},{"name":"b",` + str + `}],"input":{"allOf":[{"required":["b"],"properties":{"b":{"enum":["x"]}}}]}}`, `{"b":"x"}`},
		{"what an alternative of the input requires", `{"options":[{"name":"a",` + str + `},{"name":"b",` + str + `}],"input":{"oneOf":[{"required":["a","b"]},{"required":["z"]}]}}`, `{"a":"A","b":"B"}`},
		{"a key beside the parameters", `{"options":[{"name":"a",` + str + `}],"input":{"properties":{"z":{"type":"integer"}},"required":["z"]}}`, `{"z":1}`},
		{"none where the input has more to say", `{"options":[{"name":"a",` + str + `}],"input":{"dependentRequired":{"a":["b"]},"minProperties":1}}`, ``},
	}
	for _, test := range tests {
		input, _ := Sample(bodied(t, test.body), []string{"t"}, nil)
		if got := string(input); got != test.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", test.name, test.body, got, test.want)
		}
	}
}

// TestFormatSamples vets each sample against the format that it is of.
func TestFormatSamples(t *testing.T) {
	for format, text := range formatSamples {
		body := `{"options":[{"name":"s","schema":{"type":"string","format":"` + format + `"}}]}`
		input, _ := json.Marshal(map[string]string{"s": text})
		if _, err := Complete(bodied(t, body), []string{"t"}, input); err != nil {
			t.Errorf("format %s: %s is refused: %v", format, text, err)
		}
	}
}

func TestNotes(t *testing.T) {
	tests := []struct{ parameter, want string }{
		{`{"name":"s","schema":{"type":"string"}}`, ""},
		{`{"name":"s","schema":{"type":"string"},"required":true}`, "required"},
		{`{"name":"s","schema":{"type":"string"},"required":true,"default":"a"}`, "default a"},
		{`{"name":"s","schema":{"type":"string"},"default":""}`, `default ""`},
		{`{"name":"s","schema":{"type":"string"},"default":" a"}`, `default " a"`},
		{`{"name":"s","schema":{"type":"string"},"value_name":"path"}`, "string"},
		{`{"name":"s","schema":{"type":"string","minLength":1}}`, "at least 1 character"},
		{`{"name":"s","schema":{"type":"string","minLength":2,"maxLength":2}}`, "exactly 2 characters"},
		{`{"name":"s","schema":{"type":"string","maxLength":9},"env":"S","aliases":["t"]}`, "at most 9 characters, env S, alias --t"},
		{`{"name":"n","schema":{"type":"integer","minimum":1,"maximum":16}}`, "1–16"},
		{`{"name":"n","schema":{"type":"integer","minimum":1}}`, "at least 1"},
		{`{"name":"n","schema":{"type":"integer","maximum":-1}}`, "at most -1"},
		{`{"name":"n","schema":{"type":"number","minimum":0,"exclusiveMaximum":1}}`, "at least 0, less than 1"},
		{`{"name":"n","schema":{"type":"number","multipleOf":0.5}}`, "a multiple of 0.5"},
		{`{"name":"n","schema":{"type":["integer","null"]},"default":null}`, "or null, default null"},
		{`{"name":"e","schema":{"type":"string","enum":["a","b"]}}`, ""},
		{`{"name":"e","schema":{"type":"string","enum":["a b","c"]}}`, ""},
		{`{"name":"e","schema":{"type":"string","enum":["ä","c"]}}`, "one of ä, c"},
		{`{"name":"e","schema":{"enum":["a",1]}}`, ""},
		{`{"name":"e","schema":{"type":"integer","enum":[1,2]}}`, "integer"},
		{`{"name":"u","schema":{"anyOf":[{"type":"string","format":"date"},{"const":"now"},{"enum":["a","b"]},{"type":"null"}]}}`,
			"format date, now or a, b, null only by --json"},
		{`{"name":"u","schema":{"anyOf":[{"type":"string"},{"type":"integer"}]},"default":"now"}`,
			`string | integer in JSON, text as '"text"', default "now"`},
		{`{"name":"us","schema":{"type":"array","items":{"anyOf":[{"type":"string","pattern":"^a"},{"const":"b"}]}}}`,
			"list of matching ^a or b: repeat it or give a JSON array"},
		{`{"name":"v","schema":{}}`, `any JSON value, text as '"text"'`},
		{`{"name":"v","schema":{"type":["string","integer"]}}`, "string | integer, other than text by --json"},
		{`{"name":"xs","schema":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1,"maxItems":3}}`,
			"list: repeat it or give a JSON array, each at least 1, 1–3 items"},
		{`{"name":"xs","schema":{"type":"array","items":{"type":"string"},"uniqueItems":true},"shape":{"delimiter":";"}}`,
			`list: separate by ";", no item twice`},
		{`{"name":"xs","schema":{"type":"array","items":{"type":"string"}},"shape":{"delimiter":",","repeats":true}}`, `list: repeat it or separate by ","`},
		{`{"name":"os","schema":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}}}}`,
			"list of {a?: integer}: repeat it or give a JSON array"},
		{`{"name":"o","schema":{"type":"object","properties":{"maxAge":{"type":"integer"}}}}`, "{maxAge?: integer} in JSON, or --o.max-age VALUE"},
		{`{"name":"o","schema":{"type":"object"}}`, "object in JSON, or --o.NAME VALUE"},
		{`{"name":"m","schema":{"type":"object","additionalProperties":{"type":"integer"}}}`, "map of integer: repeat it or give a JSON object"},
		{`{"name":"c","schema":{"type":"string"},"shape":{"optional":true},"default":"auto"}`, "--c alone means auto, default auto"},
		{`{"name":"c","schema":{"type":"string"},"shape":{"optional":true}}`, ""},
		{`{"name":"d","schema":{"type":"string","contentEncoding":"base64"}}`, "base64, or the bytes by --d-file PATH"},
		{`{"name":"t","schema":{"type":"string"},"secret":true}`, "secret"},
		{`{"name":"t","schema":{"type":"string"},"secret":true,"aliases":["u"]}`, "alias --u-file, secret"},
		{`{"name":"t","schema":{"type":"integer"},"secret":true}`, "secret: by --json @PATH or as JSON on stdin"},
	}
	for _, test := range tests {
		s := scopeAt(bodied(t, `{"options":[`+test.parameter+`]}`), []string{"t"})
		if got := strings.Join(s.notes(s.params[0]), ", "); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.parameter, got, test.want)
		}
	}
}

func TestNotesOfManyChoices(t *testing.T) {
	choices := strings.Repeat(`"a choice",`, maxListed+5)
	s := scopeAt(bodied(t, `{"options":[{"name":"e","schema":{"enum":[`+strings.TrimSuffix(choices, ",")+`]}}]}`), []string{"t"})
	got := strings.Join(s.notes(s.params[0]), ", ")
	if strings.Count(got, "a choice") != maxListed || !strings.HasSuffix(got, ", … 5 more") {
		t.Errorf("got %s, want %d choices and how many more there are", got, maxListed)
	}
}

func TestNotesOfFlags(t *testing.T) {
	tests := []struct{ flag, want string }{
		{`{"name":"b"}`, "boolean"},
		{`{"name":"b","required":true}`, "required, boolean"},
		{`{"name":"b","plain":true,"default":true}`, "boolean, false by --b=false, default true"},
		{`{"name":"noCache"}`, "boolean, false by --no-cache=false"},
		{`{"name":"b","nullable":true,"env":"B"}`, "boolean, or null by --b=null, env B"},
		{`{"name":"v","count":true}`, "count"},
		{`{"name":"v","count":true,"max":3}`, "count, up to 3"},
	}
	for _, test := range tests {
		s := scopeAt(bodied(t, `{"flags":[`+test.flag+`]}`), []string{"t"})
		if got := strings.Join(s.notes(s.params[0]), ", "); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.flag, got, test.want)
		}
	}
}
