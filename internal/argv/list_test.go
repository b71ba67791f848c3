package argv

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestList(t *testing.T) {
	defs := []*toolkit.Definition{stored(t, "weather"), stored(t, "repo"), stored(t, "text")}
	got := List(defs)
	golden(t, "list.txt", got)
	if defs[0].Name != "weather" {
		t.Errorf("List sorted the caller's slice: %s is first", defs[0].Name)
	}
	if got := List(nil); got != "No toolkits.\n" {
		t.Errorf("without toolkits: got %q", got)
	}
}

func TestListToolkit(t *testing.T) {
	for _, name := range []string{"weather", "text", "repo"} {
		golden(t, "list-"+name+".txt", ListToolkit(stored(t, name)))
	}
}

// TestListOfDesign has the lines of the specification.
func TestListOfDesign(t *testing.T) {
	want := "weather — Weather data tools\n" +
		"  forecast  --city <string> [--days <integer>]   Get the weather forecast for a city\n"
	if got := List([]*toolkit.Definition{stored(t, "weather")}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestListNames(t *testing.T) {
	tests := []struct{ name, def, text, tools string }{
		{"a toolkit without tools", `{"name":"x"}`, "x\n", `[]`},
		{"a tool without anything", `{"name":"x","commands":[{"name":"t","body":{}}]}`, "x\n  t\n", `["t"]`},
		{"nested tools", `{"name":"x","commands":[{"name":"b","commands":[{"name":"c","body":{}}],"body":{}},{"name":"a","body":{}}]}`,
			"x\n  a\n  b\n  b c\n", `["a","b","b c"]`},
		{"the toolkit's own body", `{"name":"x","summary":"s","body":{}}`, "x — s\n  agentos-x   s\n", `[""]`},
	}
	for _, test := range tests {
		def := definition(t, test.def)
		if got := List([]*toolkit.Definition{def}); got != test.text {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.text)
		}
		var doc struct {
			Toolkits []struct{ Tools json.RawMessage }
		}
		if err := json.Unmarshal(ListJSON([]*toolkit.Definition{def}), &doc); err != nil || string(doc.Toolkits[0].Tools) != test.tools {
			t.Errorf("%s: got tools %s, %v, want %s", test.name, doc.Toolkits[0].Tools, err, test.tools)
		}
	}
}

func TestListJSON(t *testing.T) {
	got := string(ListJSON([]*toolkit.Definition{stored(t, "weather"), stored(t, "repo")}))
	want := `{"toolkits":[` +
		`{"name":"repo","description":"Look after a repository","tools":["issues create","issues list","run"]},` +
		`{"name":"weather","description":"Weather data tools","tools":["forecast"]}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(ListJSON(nil)); got != `{"toolkits":[]}` {
		t.Errorf("without toolkits: got %s", got)
	}
}

func TestListToolkitJSON(t *testing.T) {
	got := string(ListToolkitJSON(stored(t, "weather")))
	want := `{"name":"weather","description":"Weather data tools","tools":{` +
		`"forecast":{"description":"Get the weather forecast for a city","flags":[` +
		`{"flag":"--city","type":"string","required":true,"description":"City name"},` +
		`{"flag":"--days","type":"integer","required":false,"description":"Number of days"}]}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListToolkitJSONTypes(t *testing.T) {
	var doc struct {
		Tools map[string]struct {
			Flags []struct{ Flag, Type string }
		}
	}
	if err := json.Unmarshal(ListToolkitJSON(stored(t, "kinds")), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range doc.Tools["all"].Flags {
		got = append(got, f.Flag+" "+f.Type)
	}
	want := "<source> string, <filter> object, <files> string[], --level integer, --sure boolean, --code string, --data string, " +
		"--country string, --ports integer[], --place object, --limits object, --either string, --union any, --password-file string, " +
		"--plain boolean, --maybe boolean"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCase_B060_Lists shuffles the toolkits and their commands.
func TestCase_B060_Lists(t *testing.T) {
	texts := func(defs []*toolkit.Definition) string {
		text := List(defs) + string(ListJSON(defs))
		for _, def := range sortedDefinitions(defs) {
			text += ListToolkit(def) + string(ListToolkitJSON(def)) + string(Describe(def, nil))
		}
		return text
	}
	load := func() []*toolkit.Definition {
		return []*toolkit.Definition{stored(t, "repo"), stored(t, "text"), stored(t, "weather"), stored(t, "x")}
	}
	want := texts(load())
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		defs := load()
		random.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
		for _, def := range defs {
			random.Shuffle(len(def.Commands), func(i, j int) { def.Commands[i], def.Commands[j] = def.Commands[j], def.Commands[i] })
		}
		if got := texts(defs); got != want {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
	}
}
