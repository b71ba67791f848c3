package argv

import (
	"slices"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Nearest are up to three of the names that a misspelt word may stand for, best
// first. Case and the difference between dashes and underscores do not count.
func Nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	spelt := normal(word)
	if spelt == "" || len(word) > maxLeadingWord {
		return nil
	}
	var near []*candidate // sorting pointers shares its code with other sorts
	for _, name := range names {
		if distance := nearness(spelt, normal(name)); distance <= tolerance(spelt) {
			near = append(near, &candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b *candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	near = slices.CompactFunc(near, func(a, b *candidate) bool { return a.name == b.name })
	var best []string
	for _, c := range near[:min(len(near), 3)] {
		best = append(best, c.name)
	}
	return best
}

// normal is the form in which spellings are compared.
func normal(name string) string { return strings.ToLower(toolkit.CLIName(name)) }

// tolerance is how many edits a word of that length may be away from what it
// stands for: one letter of three, two from five on, three from nine on.
func tolerance(word string) int {
	switch {
	case len(word) < 3:
		return 0
	case len(word) < 5:
		return 1
	case len(word) < 9:
		return 2
	}
	return 3
}

// nearness is the number of edits between two words. A word that the name begins
// with, or the other way round, counts as one edit.
func nearness(word, name string) int {
	edits := editDistance(word, name)
	if len(word) >= 3 && len(name) >= 3 && (strings.HasPrefix(name, word) || strings.HasPrefix(word, name)) {
		return min(edits, 1)
	}
	return edits
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours, each of which is one slip of the hand (the restricted
// Damerau-Levenshtein distance).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
