package host_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// texts are everything that a guest's agent reads of the toolkits, as one text.
func texts(t *testing.T, kits []*toolkit.Toolkit) string {
	t.Helper()
	var defs []*toolkit.Definition
	for _, kit := range kits {
		def, err := kit.Definition()
		if err != nil {
			t.Fatal(err)
		}
		defs = append(defs, def)
	}
	var b strings.Builder
	b.WriteString(prompt.Render(defs, nil) + argv.List(defs))
	b.Write(argv.ListJSON(defs))
	slices.SortFunc(defs, func(a, b *toolkit.Definition) int { return strings.Compare(a.Name, b.Name) })
	for _, def := range defs {
		b.WriteString(argv.ListToolkit(def) + argv.Help("agentos-"+def.Name, def, nil))
		b.Write(argv.ListToolkitJSON(def))
		for _, path := range argv.Tools(def) {
			b.WriteString(argv.Help("agentos-"+def.Name, def, path))
			b.Write(argv.Describe(def, path))
			schema, err := json.Marshal(argv.InputSchema(def, path))
			if err != nil {
				t.Fatal(err)
			}
			b.Write(schema)
		}
	}
	return b.String()
}

// Prompt, help, lists and schemas are the same bytes whatever the order in which
// toolkits and tools were registered: models' prompt caches depend on it.
func TestCase_B060_TheOrderOfRegistrationChangesNothing(t *testing.T) {
	many := func() []*toolkit.Toolkit {
		x, err := fixture.X()
		if err != nil {
			t.Fatal(err)
		}
		return append(fixture.Kits(), x)
	}
	want := texts(t, many())
	for range 1000 {
		kits := many()
		rand.Shuffle(len(kits), func(i, j int) { kits[i], kits[j] = kits[j], kits[i] })
		for _, kit := range kits {
			kit.Tools = slices.Clone(kit.Tools)
			rand.Shuffle(len(kit.Tools), func(i, j int) { kit.Tools[i], kit.Tools[j] = kit.Tools[j], kit.Tools[i] })
		}
		if got := texts(t, kits); got != want {
			t.Fatalf("another order gives\n%s\nwant\n%s", got, want)
		}
	}
}
