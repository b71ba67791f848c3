package prompt_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// shuffled are the definitions registered in another order: toolkits, groups, tools.
func shuffled(defs []*toolkit.Definition, random *rand.Rand) []*toolkit.Definition {
	out := make([]*toolkit.Definition, len(defs))
	for i, at := range random.Perm(len(defs)) {
		def := *defs[at]
		def.Command = shuffledCommand(def.Command, random)
		out[i] = &def
	}
	return out
}

func shuffledCommand(cmd toolkit.Command, random *rand.Rand) toolkit.Command {
	cmd.Commands = slices.Clone(cmd.Commands)
	random.Shuffle(len(cmd.Commands), func(i, j int) { cmd.Commands[i], cmd.Commands[j] = cmd.Commands[j], cmd.Commands[i] })
	for i := range cmd.Commands {
		cmd.Commands[i] = shuffledCommand(cmd.Commands[i], random)
	}
	return cmd
}

// samples are definitions of every kind: written in Go, read from JSON, imported.
func samples(t testing.TB) []*toolkit.Definition {
	x, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	imported, _, err := fixture.MCP("filesystem")
	if err != nil {
		t.Fatal(err)
	}
	return append(definitions(t, append(fixture.Kits(), x)...), imported,
		kit("deep", "Groups", toolkit.Command{Name: "b", Commands: []toolkit.Command{tool("y", "Y"), tool("x", "X")}}, tool("a", "A")))
}

// told is what a model can be told in so many bytes of prompt, and as schemas.
func told(defs []*toolkit.Definition, bytes int) string {
	schemas := prompt.Schemas(defs, nil)
	return prompt.Render(defs, &prompt.Options{Bytes: bytes}) + string(prompt.OpenAI(schemas)) + string(prompt.Anthropic(schemas))
}

// The same definitions give the same bytes in 1,000 random orders of registration,
// at every level of detail, several at a time, wherever the program runs: a model's
// cache depends on it.
func TestCase_B060(t *testing.T) {
	defs := samples(t)
	texts, limits := atLimits(t, defs, prompt.Marks{})
	if len(limits) < 20 || len(limits) > 60 {
		t.Fatalf("got %d different texts, want enough to try and few enough to try each", len(texts))
	}
	var want []string
	for _, limit := range limits {
		want = append(want, told(defs, limit))
	}
	for _, locale := range []string{"C", "de_DE.UTF-8", "tr_TR.UTF-8", "zh_CN.GB18030"} {
		for name, value := range map[string]string{"LC_ALL": locale, "LANG": locale, "COLUMNS": "20", "TZ": "Asia/Tokyo"} {
			t.Setenv(name, value)
		}
		var workers sync.WaitGroup
		for worker := range 4 {
			workers.Go(func() { // waited for below
				for run := range 63 {
					random := rand.New(rand.NewPCG(uint64(worker), uint64(run)))
					level := run % len(limits)
					if got := told(shuffled(defs, random), limits[level]); got != want[level] {
						t.Errorf("%s: run %d of worker %d, within %d bytes: the bytes differ", locale, run, worker, limits[level])
						return
					}
				}
			})
		}
		workers.Wait()
	}
}

// A control: the order of what is declared in one tool is part of the definition.
func TestTheOrderOfParametersIsTheAuthors(t *testing.T) {
	text := func(names ...string) string {
		cmd := tool("t", "Do")
		for _, name := range names {
			cmd.Body.Flags = append(cmd.Body.Flags, toolkit.Flag{Name: name})
		}
		return prompt.Render([]*toolkit.Definition{kit("x", "", cmd)}, nil)
	}
	if ab, ba := text("a", "b"), text("b", "a"); !strings.Contains(ab, "[--a] [--b]") || !strings.Contains(ba, "[--b] [--a]") {
		t.Errorf("got\n%s\n%s\nwant both in their order", ab, ba)
	}
}
