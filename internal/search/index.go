package search

import (
	"math"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// The weights of a word by where it stands. The name and the summary are what an
// author chose to tell tools apart; help is long and speaks of details.
const (
	inName       = 16
	inSummary    = 10
	inParameter  = 4 // names and choices
	inText       = 4 // descriptions and examples
	inHelp       = 2
	inToolkit    = 2 // what is said of the toolkit and the groups above
	inResult     = 2 // names of its fields
	inResultHelp = 1
)

// schemaWeights are the weights of the words of a schema by where they stand.
type schemaWeights struct{ names, choices, texts int }

var (
	ofParameter = schemaWeights{names: inHelp, choices: inParameter, texts: inHelp}
	ofResult    = schemaWeights{names: inResult, choices: inResultHelp, texts: inResultHelp}
)

// posting is how much a tool speaks of a word.
type posting struct{ tool, weight int }

// index is the words of all tools. Weights are integers, whose sums do not depend
// on the order of the tools.
type index struct {
	tools  []Hit
	length []int            // of each tool, the weights of all of its words
	total  int              // the sum of the lengths
	terms  map[string]*term // by stem
	seen   map[string]*term // by word as it stands, since the same ones come again
}

// term is a stem and the tools that speak of it, in the order of the index.
type term struct{ postings []posting }

func newIndex(defs []*toolkit.Definition) *index {
	x := &index{terms: map[string]*term{}, seen: map[string]*term{}}
	for _, def := range defs {
		x.command(def, &def.Command, nil, nil)
	}
	return x
}

// command adds the command, if it is a tool, and those below it. What is said of
// the commands above it is said of it too.
func (x *index) command(def *toolkit.Definition, cmd *toolkit.Command, path, above []string) {
	if cmd.Body != nil {
		x.tool(Hit{Definition: def, Command: cmd, Path: path}, above)
	}
	above = append(slices.Clip(above), cmd.Name, cmd.Summary)
	for i := range cmd.Commands {
		below := &cmd.Commands[i]
		x.command(def, below, append(slices.Clip(path), below.Name), above)
	}
}

func (x *index) tool(hit Hit, above []string) {
	cmd := hit.Command
	x.tools = append(x.tools, hit)
	x.length = append(x.length, 0)
	for _, text := range above {
		x.add(text, inToolkit)
	}
	x.add(strings.Join(hit.Path, " "), inName)
	x.add(strings.Join(cmd.Aliases, " "), inName)
	x.add(cmd.Summary, inSummary)
	x.add(cmd.Description, inText)
	for _, example := range cmd.Examples {
		x.add(example.Summary, inText)
	}
	x.body(cmd.Body)
}

// body adds the parameters and the result.
func (x *index) body(body *toolkit.Body) {
	for _, p := range body.Positionals {
		x.parameter(p.Name, p.Help, p.Schema)
	}
	for _, o := range body.Options {
		x.parameter(o.Name, o.Help, o.Schema)
	}
	for _, f := range body.Flags {
		x.parameter(f.Name, f.Help, nil)
	}
	if body.Tail != nil {
		x.parameter(body.Tail.Name, body.Tail.Help, body.Tail.Item)
	}
	x.schema(body.Result, &ofResult)
}

func (x *index) parameter(name, help string, schema *toolkit.Schema) {
	x.add(toolkit.CLIName(name), inParameter)
	x.add(help, inHelp)
	x.schema(schema, &ofParameter)
}

// schema adds what a schema says: its choices, the names of its parts, and the
// same of each part. It follows no references, so it ends; what these lead to is
// among the parts.
func (x *index) schema(schema *toolkit.Schema, weights *schemaWeights) {
	if schema == nil {
		return
	}
	x.add(schema.Description, weights.texts)
	for _, choice := range schema.Enum {
		x.add(string(choice), weights.choices)
	}
	for name, property := range schema.Properties {
		x.add(toolkit.CLIName(name), weights.names)
		x.schema(property, weights)
	}
	for _, part := range schema.Defs {
		x.schema(part, weights)
	}
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
		x.schema(part, weights)
	}
	x.schema(schema.Items, weights)
	x.schema(schema.AdditionalProperties, weights)
}

// add counts the words of a text, as it is shown, for the last tool.
func (x *index) add(text string, weight int) {
	last := len(x.tools) - 1
	for word := range words(argv.Inline(text)) {
		x.term(word).count(last, weight)
		x.length[last] += weight
		x.total += weight
	}
}

// term is that of the word, made if need be.
func (x *index) term(word string) *term {
	t := x.seen[word]
	if t == nil {
		key := stem(word)
		if t = x.terms[key]; t == nil {
			t = &term{}
			x.terms[key] = t
		}
		x.seen[word] = t
	}
	return t
}

func (t *term) count(tool, weight int) {
	if n := len(t.postings); n > 0 && t.postings[n-1].tool == tool {
		t.postings[n-1].weight += weight
		return
	}
	t.postings = append(t.postings, posting{tool, weight})
}

// postings are the tools that speak of the stem.
func (x *index) postings(key string) []posting {
	if t := x.terms[key]; t != nil {
		return t.postings
	}
	return nil
}

// The constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance
// Framework: BM25 and Beyond", 2009), in the form with weighted fields: how soon
// a repeated word counts no more, and how far a long text is held against a tool.
const (
	saturation = 16.0
	longness   = 0.5
)

// rarity is how much a word tells: one that few tools use, more.
func (x *index) rarity(word string) float64 {
	n, in := float64(len(x.tools)), float64(len(x.postings(word)))
	return math.Log(1 + (n-in+0.5)/(in+0.5))
}

// share is how much of what the tool says is about the word of the posting, from
// 0 to below 1.
func (x *index) share(p posting) float64 {
	length := float64(x.length[p.tool]) * float64(len(x.tools)) / float64(x.total)
	weight := float64(p.weight)
	return weight / (weight + saturation*(1-longness+longness*length))
}
