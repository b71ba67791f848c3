package search

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/agentos-go/agentos/toolkit"
)

func kit(name string, tools ...toolkit.Command) *toolkit.Definition {
	return &toolkit.Definition{Command: toolkit.Command{Name: name, Commands: tools}}
}

func tool(name, summary string, options ...toolkit.Option) toolkit.Command {
	return toolkit.Command{Name: name, Summary: summary, Body: &toolkit.Body{Options: options}}
}

func text(name, help string, required bool) toolkit.Option {
	return toolkit.Option{Name: name, Help: help, Required: required, Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}}}
}

// tracker has the tool "issues create", whose synonyms stand in its description.
func tracker() *toolkit.Definition {
	create := tool("create", "Create an issue", text("title", "Title of the issue", true), text("body", "What is wrong", false))
	create.Description = "Opens a new ticket or bug report in the tracker."
	create.Examples = []toolkit.ExampleCase{{Summary: "Report a crash", Input: json.RawMessage(`{"title":"Crash"}`)}}
	return kit("tracker", toolkit.Command{Name: "issues", Summary: "Work with issues", Commands: []toolkit.Command{
		create,
		tool("close", "Close an issue", text("id", "Number of the issue", true)),
		tool("list", "List the issues", text("state", "open or closed", false)),
		tool("show", "Show an issue", text("id", "Number of the issue", true)),
		tool("comment", "Comment on an issue", text("id", "Number of the issue", true)),
		tool("assign", "Assign an issue to somebody", text("id", "Number of the issue", true), text("assignee", "User who does it", true)),
	}}, tool("ping", "Check the connection"))
}

// TestCase_B063: the obvious tool is found by other words than its own.
func TestCase_B063(t *testing.T) {
	tests := []struct{ why, query, want string }{
		{"synonyms in the description", "open a ticket", "tracker issues create"},
		{"synonyms that nobody wrote down", "new problem", "tracker issues create"},
		{"plurals", "creating tickets", "tracker issues create"},
		{"verb forms", "opened a bug", "tracker issues create"},
		{"typing errors", "opne a tikcet", "tracker issues create"},
		{"an example", "crash", "tracker issues create"},
		{"a parameter", "assignee", "tracker issues assign"},
		{"the name as it is", "issues close", "tracker issues close"},
		{"the name of the toolkit", "tracker", "tracker issues"},
		{"shouting", "PING!!!", "tracker ping"},
	}
	for _, tt := range tests {
		hits, total := Search([]*toolkit.Definition{tracker()}, tt.query, 5)
		if got := names(hits); len(got) == 0 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q finds %v, want %q first", tt.why, tt.query, got, tt.want)
		}
		if len(hits) > 5 || total < len(hits) {
			t.Errorf("%q: got %d hits of %d, want at most five and the total", tt.query, len(hits), total)
		}
	}
}

func TestSearch_Limit(t *testing.T) {
	defs := []*toolkit.Definition{tracker()}
	for limit, want := range map[int]int{0: 6, -1: 6, 1: 1, 5: 5, 100: 6} {
		if hits, total := Search(defs, "issue", limit); len(hits) != want || total != 6 {
			t.Errorf("limit %d: got %d of %d, want %d of 6", limit, len(hits), total, want)
		}
	}
}

func TestSearch_Nothing(t *testing.T) {
	for _, tt := range []struct {
		defs  []*toolkit.Definition
		query string
	}{
		{nil, "ticket"}, {[]*toolkit.Definition{kit("empty")}, "ticket"},
		{[]*toolkit.Definition{kit("mute", tool("x", ""))}, "ticket"},
		{[]*toolkit.Definition{tracker()}, ""}, {[]*toolkit.Definition{tracker()}, "qqqqqqq"}, {[]*toolkit.Definition{tracker()}, "the of a"},
	} {
		if hits, total := Search(tt.defs, tt.query, 5); len(hits) != 0 || total != 0 {
			t.Errorf("%q: got %v of %d, want nothing", tt.query, names(hits), total)
		}
	}
}

// Tools that fit alike come by name, and the body of a toolkit before its tools.
func TestSearch_Ties(t *testing.T) {
	own := kit("c", tool("x", "Paint"))
	own.Summary, own.Body = "Paint", &toolkit.Body{}
	hits, _ := Search([]*toolkit.Definition{kit("b", tool("z", "Paint"), tool("y", "Paint")), own, kit("a", tool("x", "Paint"))}, "y paint paint z", 0)
	var tied []string
	for _, hit := range hits {
		if hit.Score == hits[len(hits)-1].Score {
			tied = append(tied, strings.Join(append([]string{hit.Definition.Name}, hit.Path...), " "))
		}
	}
	if !slices.IsSorted(tied) {
		t.Errorf("got %v with one score, want them sorted", tied)
	}
	got, _ := Search([]*toolkit.Definition{own}, "paint", 0)
	if len(got) != 2 || got[1].Score > got[0].Score {
		t.Errorf("got %v, want the toolkit's own body and its tool", names(got))
	}
}

// Every part of a definition is searched.
func TestSearch_Fields(t *testing.T) {
	choice := toolkit.Option{Name: "o", Schema: &toolkit.Schema{Enum: []json.RawMessage{json.RawMessage(`"apricot_jam"`)}}}
	object := toolkit.Option{Name: "o", Schema: &toolkit.Schema{
		Type: toolkit.Types{toolkit.TypeArray}, Items: &toolkit.Schema{Properties: map[string]*toolkit.Schema{"innerApricot": {}, "none": nil}},
	}}
	tests := map[string]toolkit.Command{
		"name":        {Name: "apricot", Body: &toolkit.Body{}},
		"alias":       {Name: "x", Aliases: []string{"apricot"}, Body: &toolkit.Body{}},
		"summary":     {Name: "x", Summary: "Apricots", Body: &toolkit.Body{}},
		"description": {Name: "x", Description: "All about apricots.", Body: &toolkit.Body{}},
		"example":     {Name: "x", Examples: []toolkit.ExampleCase{{Summary: "An apricot"}}, Body: &toolkit.Body{}},
		"positional":  {Name: "x", Body: &toolkit.Body{Positionals: []toolkit.Positional{{Name: "apricot"}}}},
		"tail":        {Name: "x", Body: &toolkit.Body{Tail: &toolkit.Tail{Name: "t", Help: "Apricots"}}},
		"flag":        {Name: "x", Body: &toolkit.Body{Flags: []toolkit.Flag{{Name: "withApricots"}}}},
		"option":      {Name: "x", Body: &toolkit.Body{Options: []toolkit.Option{text("o", "an apricot", false)}}},
		"choice":      {Name: "x", Body: &toolkit.Body{Options: []toolkit.Option{choice}}},
		"object":      {Name: "x", Body: &toolkit.Body{Options: []toolkit.Option{object}}},
		"group":       {Name: "apricots", Commands: []toolkit.Command{tool("x", "")}},
	}
	fruit := &toolkit.Schema{Properties: map[string]*toolkit.Schema{"ripeApricots": {}}}
	for part, result := range map[string]*toolkit.Schema{
		"field":       fruit,
		"description": {Description: "An apricot"},
		"choice":      {Enum: []json.RawMessage{json.RawMessage(`"apricot"`)}},
		"deep field":  {Properties: map[string]*toolkit.Schema{"basket": {Type: toolkit.Types{toolkit.TypeArray}, Items: fruit}}},
		"reference":   {Ref: "#/$defs/Fruit", Defs: map[string]*toolkit.Schema{"Fruit": fruit}},
		"map":         {AdditionalProperties: fruit},
		"allOf":       {AllOf: []*toolkit.Schema{{}, fruit}},
		"anyOf":       {AnyOf: []*toolkit.Schema{nil, fruit}},
		"oneOf":       {OneOf: []*toolkit.Schema{fruit}},
	} {
		tests["result, "+part] = toolkit.Command{Name: "x", Body: &toolkit.Body{Result: result}}
	}
	for field, cmd := range tests {
		if hits, _ := Search([]*toolkit.Definition{kit("k", cmd, tool("other", "Nothing"))}, "apricot", 5); len(hits) != 1 {
			t.Errorf("%s: got %v, want one tool", field, names(hits))
		}
	}
}

// What an author chose to say first counts most.
func TestSearch_FieldsByWeight(t *testing.T) {
	described := tool("d", "Something else")
	described.Description = "Concerns an apricot."
	def := kit("k", tool("e", "Something else", text("o", "an apricot", false)), described, tool("b", "Peel an apricot"), tool("apricot", "Something else"))
	hits, _ := Search([]*toolkit.Definition{def}, "apricot", 5)
	if got, want := names(hits), []string{"k apricot", "k b", "k d", "k e"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A tool that takes something is closer to it than one that answers with it.
func TestSearch_ResultsByWeight(t *testing.T) {
	answers := func(name string, properties map[string]*toolkit.Schema) toolkit.Command {
		return toolkit.Command{Name: name, Body: &toolkit.Body{Result: &toolkit.Schema{Properties: properties}}}
	}
	takes := tool("c", "", text("apricot", "", false), text("fruit", "", false))
	def := kit("k", takes, answers("b", map[string]*toolkit.Schema{"apricot": nil, "fruit": nil}),
		answers("a", map[string]*toolkit.Schema{"fruit": {Description: "an apricot"}}))
	hits, _ := Search([]*toolkit.Definition{def}, "apricot", 5)
	if got, want := names(hits), []string{"k c", "k b", "k a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A guest searches in what it is shown: other tools change neither what it finds
// nor how that is ranked.
func TestSearch_SeesOnlyItsDefinitions(t *testing.T) {
	before, total := Search([]*toolkit.Definition{tracker()}, "open a ticket", 0)
	Search(servers(t), "open a ticket", 0)
	after, again := Search([]*toolkit.Definition{tracker()}, "open a ticket", 0)
	if !reflect.DeepEqual(before, after) || total != again {
		t.Errorf("got %v, want %v as before", names(after), names(before))
	}
}

// The order in which toolkits and tools were registered never shows.
func TestSearch_Permutations(t *testing.T) {
	want := map[string]string{}
	for seed := range int64(15) {
		defs := append(servers(t), tracker())
		shuffle(rand.New(rand.NewSource(seed)), defs)
		for _, q := range append(queries(t)[:12], query{Query: "get"}, query{Query: "opne the isues of all repositorys"}) {
			hits, total := Search(defs, q.Query, 20)
			got := fmt.Sprint(total)
			for _, hit := range hits {
				got += fmt.Sprintf("\n%s %v %x", hit.Definition.Name, hit.Path, hit.Score)
			}
			if want[q.Query] == "" {
				want[q.Query] = got
			}
			if got != want[q.Query] {
				t.Fatalf("seed %d, %q: got %s\nwant %s", seed, q.Query, got, want[q.Query])
			}
		}
	}
}

func shuffle(random *rand.Rand, defs []*toolkit.Definition) {
	random.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
	for _, def := range defs {
		shuffleCommands(random, def.Commands)
	}
}

func shuffleCommands(random *rand.Rand, commands []toolkit.Command) {
	random.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
	for i := range commands {
		shuffleCommands(random, commands[i].Commands)
	}
}

// Whatever is asked, the answer is an answer; nothing of the query is repeated.
func TestSearch_Hostile(t *testing.T) {
	defs := servers(t)
	for name, query := range hostile() {
		text, found, err := Answer(defs, query)
		if err != nil {
			text, found = err.Error(), json.RawMessage("{}")
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%s: got %q, want plain text", name, text)
		}
		if !json.Valid(found) {
			t.Errorf("%s: got %s, want JSON", name, found)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, query := range []string{"open a ticket", "PRs", "\xff", "", "who am I", "𝒳 İ"} {
		f.Add(query)
	}
	defs := []*toolkit.Definition{tracker()}
	f.Fuzz(func(t *testing.T, query string) {
		hits, total := Search(defs, query, 3)
		again, totalAgain := Search(defs, query, 3)
		if !reflect.DeepEqual(hits, again) || total != totalAgain {
			t.Errorf("%q: got %v, then %v", query, names(hits), names(again))
		}
		if len(hits) > 3 || total < len(hits) || total > 7 {
			t.Errorf("%q: got %d of %d, want at most 3 of 7", query, len(hits), total)
		}
	})
}
