package main

import (
	"fmt"
	"strings"

	"github.com/agentos-go/agentos/prompt"
	"github.com/agentos-go/agentos/toolkit"
)

// So many tools must fit in so many tokens.
const (
	crowdTools  = 800
	crowdBudget = 1500
)

// crowdCost is what many tools cost when the encoder keeps the budget.
type crowdCost struct {
	kits, length int
	tokens       int
	note         string // what was left out
}

func costOfCrowd(kits, length int, count func(string) int) crowdCost {
	text := prompt.Render(crowd(kits, length), &prompt.Options{Budget: crowdBudget, Count: count})
	c := crowdCost{kits: kits, length: length, tokens: count(text)}
	if i := strings.LastIndex(text, "\nLeft out: "); i >= 0 {
		c.note = strings.TrimSpace(text[i:])
	}
	return c
}

// crowd is many tools, with names of about that length and summaries to match.
func crowd(kits, length int) []*toolkit.Definition {
	var defs []*toolkit.Definition
	for i := range kits {
		def := &toolkit.Definition{Command: toolkit.Command{Name: nameOf(i, length), Summary: "Tools of the kind " + nameOf(i, length)}}
		for j := range crowdTools / kits {
			def.Commands = append(def.Commands, toolkit.Command{
				Name: nameOf(j, length), Summary: "Do what is called " + nameOf(j, length),
				Body: &toolkit.Body{Options: []toolkit.Option{{Name: "id", Required: true, Schema: &toolkit.Schema{Type: toolkit.Types{toolkit.TypeString}}}}},
			})
		}
		defs = append(defs, def)
	}
	return defs
}

// nameOf is the i-th name of about so many bytes, made of words as names are.
func nameOf(i, length int) string {
	text := fmt.Sprintf("n%d", i)
	for word := 0; len(text) < length-12; word++ {
		text += "-" + []string{"list", "workflow", "repository", "get", "pull"}[(i+word)%5]
	}
	return text
}
