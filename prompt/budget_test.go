package prompt_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// author writes definitions in which every word stands for one thing that a text
// can say.
type author struct {
	*rand.Rand
	words int
}

func (a *author) word() string {
	a.words++
	return fmt.Sprintf("w%dw", a.words)
}

// sentence is a text of a few words, and sometimes none.
func (a *author) sentence() string {
	var words []string
	for range a.IntN(12) {
		words = append(words, a.word())
	}
	return strings.Join(words, " ")
}

// definitions are a few toolkits, of very different sizes.
func (a *author) definitions() []*toolkit.Definition {
	var defs []*toolkit.Definition
	for range 1 + a.IntN(8) {
		def := kit(a.word(), a.sentence())
		for range 1 + a.IntN(1<<a.IntN(6)) {
			def.Commands = append(def.Commands, a.tool())
		}
		defs = append(defs, def)
	}
	return defs
}

func (a *author) tool() toolkit.Command {
	cmd := tool(a.word(), a.sentence())
	for range a.IntN(6) {
		cmd.Body.Options = append(cmd.Body.Options, toolkit.Option{
			Name: a.word(), Required: a.IntN(3) == 0, Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}},
		})
	}
	if destructive := a.IntN(5) == 0; destructive {
		cmd.Body.Annotations.Destructive = &destructive
	}
	for range a.IntN(3) {
		cmd.Examples = append(cmd.Examples, toolkit.ExampleCase{Summary: a.word(), Input: []byte(`{}`)})
	}
	return cmd
}

// facts are the words in a text, its notes aside.
func facts(text string) map[string]bool {
	text, _, _ = strings.Cut(text, "\nLeft out: ")
	said := map[string]bool{}
	for _, word := range regexp.MustCompile(`\bw[0-9]+w\b`).FindAllString(text, -1) {
		said[word] = true
	}
	return said
}

// counts are ways to count tokens: the last one is nothing like bytes.
var counts = map[string]func(text string) int{
	"estimate": nil,
	"words":    func(text string) int { return len(strings.Fields(text)) },
	"uneven":   func(text string) int { return 2*len(text) - 9*strings.Count(text, "w") + 7*strings.Count(text, "\n") },
}

// Whatever the definitions, the budget and the encoder: a text never costs more, a
// higher budget never says less, and each is the same in another order.
func TestTheBudgetIsKeptAndMoreOfItNeverSaysLess(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 0))
		defs := (&author{Rand: random}).definitions()
		for name, count := range counts {
			cost := count
			if cost == nil {
				cost = func(text string) int { return (len(text) + 3) / 4 }
			}
			whole := prompt.Render(defs, nil)
			budgets := []int{1, prompt.MinBudget, cost(whole) - 1, cost(whole)}
			for range 20 {
				budgets = append(budgets, 1+random.IntN(cost(whole)+10))
			}
			slices.Sort(budgets)
			before, said := 0, map[string]bool{}
			for _, budget := range budgets {
				text := prompt.Render(defs, &prompt.Options{Budget: budget, Count: count})
				if text != "" && cost(text) > budget {
					t.Fatalf("seed %d, %s: %d tokens within %d:\n%s", seed, name, cost(text), budget, text)
				}
				says := facts(text)
				for word := range said {
					if !says[word] {
						t.Fatalf("seed %d, %s: within %d tokens it says %s, within %d it does not:\n%s", seed, name, before, word, budget, text)
					}
				}
				if again := prompt.Render(shuffled(defs, random), &prompt.Options{Budget: budget, Count: count}); again != text {
					t.Fatalf("seed %d, %s: in another order, within %d tokens, got\n%s\nwant\n%s", seed, name, budget, again, text)
				}
				before, said = budget, says
			}
			if !maps.Equal(said, facts(whole)) {
				t.Errorf("seed %d, %s: with enough for all it does not say all:\n%s", seed, name, prompt.Render(defs, &prompt.Options{Budget: before, Count: count}))
			}
		}
	}
}

// What is not shown is counted: no text says less than the whole without a note.
func TestEveryShorterTextSaysWhatItLeavesOut(t *testing.T) {
	for seed := range uint64(20) {
		defs := (&author{Rand: rand.New(rand.NewPCG(seed, 1))}).definitions()
		texts, _ := atLimits(t, defs, prompt.Marks{})
		all := facts(texts[0])
		for i, text := range texts[1 : len(texts)-1] {
			if len(facts(text)) < len(all) && !strings.Contains(text, "\nLeft out: ") {
				t.Errorf("seed %d, text %d says nothing of what it leaves out:\n%s", seed, i+1, text)
			}
		}
	}
}
