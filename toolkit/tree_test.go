package toolkit

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// idle is a tool without parameters or result.
func idle(name string) *FuncTool[None, None] {
	return Func(Spec{Name: name, Summary: "Does nothing"}, func(context.Context, None) (None, error) { return None{}, nil })
}

type common struct {
	Profile string `json:"profile" help:"Profile to use" short:"p"`
	Verbose int    `json:"verbose" flag:"count" short:"v"`
}

type regional struct {
	Region string `json:"region" validate:"required"`
}

type showArgs struct {
	common
	regional
	Color string `json:"color"`
}

func TestDefinitionIsATree(t *testing.T) {
	show := Func(Spec{Name: "show"}, func(context.Context, showArgs) (None, error) { return None{}, nil })
	kit := &Toolkit{
		Name: "cloud", Version: "1.2", Summary: "Cloud", Description: "The cloud.", Globals: common{},
		Tools: []Tool{idle("zone"), idle("")},
		Groups: []Group{
			{Name: "vm", Aliases: []string{"vms"}, Summary: "Machines", Globals: regional{}, Tools: []Tool{
				show,
				Func(Spec{Summary: "not taken", Description: "All machines.", Examples: []Example{{Summary: "x"}}},
					func(context.Context, None) (int, error) { return 0, nil }),
			}},
		},
	}
	def, err := kit.Definition()
	if err != nil {
		t.Fatalf("mistakes: got %v, want none", err)
	}
	want := `{"version":"1.2","name":"cloud","summary":"Cloud","description":"The cloud.",` +
		`"globals":{"options":[{"name":"profile","short":"p","help":"Profile to use","schema":{"type":"string"}}],"flags":[{"name":"verbose","short":"v","count":true}]},` +
		`"commands":[{"name":"vm","aliases":["vms"],"summary":"Machines","description":"All machines.",` +
		`"globals":{"options":[{"name":"region","schema":{"type":"string"},"required":true}]},` +
		`"commands":[{"name":"show","body":{"options":[{"name":"color","schema":{"type":"string"}}]}}],` +
		`"examples":[{"summary":"x","input":{}}],"body":{"result":{"type":"integer"}}},` +
		`{"name":"zone","summary":"Does nothing","body":{}}],"body":{}}`
	if got := asJSON(t, def); got != want {
		t.Errorf("definition:\n got %s\nwant %s", got, want)
	}
}

// TestInheritedParameters: a tool has no second copy of a global that it embeds,
// keeps what its toolkit does not declare, and keeps what only shares the name.
func TestInheritedParameters(t *testing.T) {
	show := Func(Spec{Name: "show"}, func(context.Context, showArgs) (None, error) { return None{}, nil })
	type own struct {
		Profile int `json:"profile"`
		Color   string
	}
	other := Func(Spec{Name: "show"}, func(context.Context, own) (None, error) { return None{}, nil })
	for _, row := range []struct {
		name    string
		globals any
		tool    Tool
		want    []string
	}{
		{"declared", common{}, show, []string{"region", "color"}},
		{"not declared", nil, show, []string{"region", "profile", "color", "verbose"}},
		{"as data", Globals{Options: []Option{{Name: "region", Schema: typed(TypeString), Required: true}}}, show, []string{"profile", "color", "verbose"}},
		{"another with the same name", common{}, other, []string{"profile", "Color"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			kit := &Toolkit{Name: "x", Globals: row.globals, Tools: []Tool{row.tool}}
			def, err := kit.Definition()
			if err != nil {
				t.Fatalf("mistakes: got %v, want none", err)
			}
			if got := namesOf(def.Commands[0].Body); !slices.Equal(got, row.want) {
				t.Errorf("own parameters: got %q, want %q", got, row.want)
			}
		})
	}
	if cmd, _ := show.Command(); len(cmd.Body.Options) != 3 {
		t.Errorf("the tool's own command: got %d options, want all 3 still there", len(cmd.Body.Options))
	}
}

// namesOf are the names of a body's options and flags.
func namesOf(body *Body) []string {
	var names []string
	for _, o := range body.Options {
		names = append(names, o.Name)
	}
	for _, f := range body.Flags {
		names = append(names, f.Name)
	}
	return names
}

// TestCase_B060: the order of registration never shows.
func TestCase_B060(t *testing.T) {
	kit := &Toolkit{Name: "x", Tools: []Tool{idle("b"), idle("a"), idle("d"), idle("")}, Groups: []Group{
		{Name: "c", Tools: []Tool{idle("z"), idle("y")}}, {Name: "aa", Tools: []Tool{idle("x")}},
	}}
	first, err := kit.Definition()
	if err != nil {
		t.Fatal(err)
	}
	want := asJSON(t, first)
	for range 100 {
		rand.Shuffle(len(kit.Tools), func(i, j int) { kit.Tools[i], kit.Tools[j] = kit.Tools[j], kit.Tools[i] })
		rand.Shuffle(len(kit.Groups), func(i, j int) { kit.Groups[i], kit.Groups[j] = kit.Groups[j], kit.Groups[i] })
		def, err := kit.Definition()
		if got := asJSON(t, def); err != nil || got != want {
			t.Fatalf("definition of a shuffled toolkit (%v):\n got %s\nwant %s", err, got, want)
		}
	}
}

// TestDefinitionReportsEveryMistake with the place where it is.
func TestDefinitionReportsEveryMistake(t *testing.T) {
	type bad struct {
		Days int `json:"days" default:"x"`
		Hour int `json:"hour" short:"h" arg:"positional"`
	}
	mistaken := Func(Spec{Name: "forecast"}, func(context.Context, bad) (None, error) { return None{}, nil })
	type line struct {
		Dir  string `json:"dir" arg:"positional"`
		Tree *ring  `json:"tree"`
	}
	aliased := NewTool(Command{Aliases: []string{"a"}, Body: &Body{}}, func(context.Context, json.RawMessage) (any, error) { return nil, nil })
	nested := NewTool(Command{Name: "nested", Commands: []Command{{Name: "below"}}}, nil)
	kit := &Toolkit{
		Name: "weather", Timeout: -time.Second, Globals: 5,
		Tools: []Tool{mistaken, nil, idle(""), idle("")},
		Groups: []Group{
			{Name: "a", Globals: line{}, Groups: []Group{{Name: "b", Tools: []Tool{mistaken, aliased, nested}}}},
		},
	}
	def, err := kit.Definition()
	want := []string{
		`toolkit "weather": the timeout -1s is negative`,
		`toolkit "weather": globals: the input int is not a struct`,
		`toolkit "weather": tool "forecast": field Days: default: "x" is not an integer of type int`,
		`toolkit "weather": tool "forecast": field Hour: short: has no meaning for a positional`,
		`toolkit "weather": a tool is nil`,
		`toolkit "weather": two tools without a name`,
		`toolkit "weather": group "a": globals: globals are options and flags, not positionals`,
		`toolkit "weather": group "a": globals: a global cannot be of a type that refers to itself`,
		`toolkit "weather": tool "a b forecast": field Days: default: "x" is not an integer of type int`,
		`toolkit "weather": tool "a b forecast": field Hour: short: has no meaning for a positional`,
		`toolkit "weather": group "a b": a tool without a name has no aliases`,
		`toolkit "weather": tool "a b nested": the handler is nil`,
		`toolkit "weather": tool "a b nested": a tool has neither commands below it nor globals; a group has`,
		`toolkit "weather": tool "a b nested": no body`,
	}
	if got := lines(err); got != strings.Join(want, "\n") {
		t.Errorf("mistakes:\n got %s\nwant %s", got, strings.Join(want, "\n"))
	}
	if def == nil || len(def.Commands) != 2 {
		t.Errorf("definition: got %v, want what could be read of it", def)
	}
}

// incomparable is a tool that cannot be compared with ==.
type incomparable struct {
	Tool
	_ []int
}

func TestWalkAndLocate(t *testing.T) {
	body, leaf, deep := idle(""), idle("leaf"), idle("deep")
	kits := []*Toolkit{
		{Name: "other", Tools: []Tool{incomparable{Tool: idle("odd")}, idle("leaf")}},
		{Name: "x", Tools: []Tool{body, leaf}, Groups: []Group{{Name: "a", Groups: []Group{{Name: "b", Tools: []Tool{deep, idle("")}}}}}},
	}
	var got []string
	kits[1].Walk(func(path []string, _ Tool) { got = append(got, strings.Join(path, " ")) })
	if want := []string{"", "leaf", "a b deep", "a b"}; !slices.Equal(got, want) {
		t.Errorf("walk: got %q, want %q", got, want)
	}
	for _, row := range []struct {
		name string
		tool Tool
		want []string
		ok   bool
	}{
		{"the toolkit's body", body, nil, true},
		{"a tool", leaf, []string{"leaf"}, true},
		{"a nested tool", deep, []string{"a", "b", "deep"}, true},
		{"a tool of nobody", idle("leaf"), nil, false},
		{"nil", nil, nil, false},
		{"an incomparable tool", incomparable{Tool: leaf}, nil, false},
	} {
		kit, path, ok := Locate(kits, row.tool)
		if ok != row.ok || !reflect.DeepEqual(path, row.want) || ok && kit != kits[1] {
			t.Errorf("%s: got %v %q %t, want %q %t", row.name, kit, path, ok, row.want, row.ok)
		}
	}
}
