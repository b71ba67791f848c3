package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Hit is a tool that was found.
type Hit struct {
	Definition *toolkit.Definition
	Command    *toolkit.Command // of the definition
	Path       []string         // below the toolkit; empty for the toolkit's own body
	Score      float64          // higher fits better; comparable within one search only
}

// Search is the tools that fit the query, the best ones first and those that fit
// alike by name, and how many fit in all. At most limit are returned; 0 or less
// means all. The order of the definitions plays no part.
func Search(defs []*toolkit.Definition, query string, limit int) (hits []Hit, total int) {
	x := newIndex(defs)
	scores := make([]float64, len(x.tools))
	for _, word := range x.asked(query) {
		for tool, score := range x.fit(word) {
			scores[tool] += score
		}
	}
	for i, score := range scores {
		if score > 0 {
			x.tools[i].Score = score
			hits = append(hits, x.tools[i])
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Definition.Name, b.Definition.Name), slices.Compare(a.Path, b.Path))
	})
	total = len(hits)
	if limit > 0 {
		hits = hits[:min(limit, total)]
	}
	return hits, total
}

// asked are the words of a query that are looked up. The small words of a sentence
// are left out, unless there are no others. Then those count that have synonyms,
// since "who am I" is a question too, and those that a tool is named by.
func (x *index) asked(query string) []string {
	telling, little := parted(query)
	if len(telling) > 0 {
		return telling
	}
	return slices.DeleteFunc(little, func(word string) bool { return !hasSynonyms(stem(word)) && !x.isName(word) })
}

// isName reports whether a toolkit or a tool bears the word as its whole name.
func (x *index) isName(word string) bool {
	return slices.ContainsFunc(x.tools, func(h Hit) bool {
		return h.Definition.Name == word || slices.Contains(h.Path, word) || slices.Contains(h.Command.Aliases, word)
	})
}

// fit is how well each tool fits one word of the query: by the best of its
// meanings, so that a tool gains nothing by listing synonyms. No meaning tells
// more than the word itself would: "repository" may be in every text, and a rare
// synonym of it still is not what was asked for.
func (x *index) fit(word string) map[int]float64 {
	best := map[int]float64{}
	for _, m := range x.meanings(word) {
		rarity := m.weight * min(x.rarity(m.word), x.rarity(m.asked))
		for _, p := range x.postings(m.word) {
			best[p.tool] = max(best[p.tool], rarity*x.share(p))
		}
	}
	return best
}
