package search

import "strings"

// meaning is a stem that a word of the query may stand for, and what it counts.
type meaning struct {
	word   string
	weight float64
	asked  string // the stem that it is a synonym of, or the same
}

// What a word counts that was not asked for itself.
const (
	bySynonym = 0.6
	byGuess   = 0.8 // of what was probably meant: a prefix, a typing error
)

// meanings are the word itself and its synonyms. A word that no tool and no
// synonym knows is taken for those that it resembles most.
func (x *index) meanings(word string) []meaning {
	key := stem(word)
	if x.knows(key) {
		return withSynonyms(nil, key, 1)
	}
	var found []meaning
	for _, near := range x.resembling(key) {
		found = withSynonyms(found, near, byGuess)
	}
	return found
}

func (x *index) knows(key string) bool { return x.terms[key] != nil || hasSynonyms(key) }

func hasSynonyms(key string) bool { return synonyms()[key] != nil }

func withSynonyms(found []meaning, key string, weight float64) []meaning {
	found = append(found, meaning{key, weight, key})
	for _, other := range synonyms()[key] {
		found = append(found, meaning{other, weight * bySynonym, key})
	}
	return found
}

// shortest is the length from which a word may be an abbreviation or misspelt:
// among shorter ones too many resemble each other.
const shortest = 4

// resembling are the known stems that begin with the word or, when there are
// none, those with the fewest typing errors between.
func (x *index) resembling(key string) []string {
	length := len([]rune(key))
	if length < shortest {
		return nil
	}
	n := nearest{key: key, errors: 1}
	if length >= 2*shortest {
		n.errors = 2
	}
	for other := range x.terms {
		n.consider(other)
	}
	for other := range synonyms() {
		n.consider(other)
	}
	if len(n.longer) > 0 {
		return n.longer
	}
	return n.near
}

// nearest collects the stems that resemble a key.
type nearest struct {
	key    string
	errors int      // the most that are forgiven: as many as the best stem so far has
	longer []string // begin with the key
	near   []string // have that many errors
}

func (n *nearest) consider(other string) {
	if strings.HasPrefix(other, n.key) {
		n.longer = append(n.longer, other)
		return
	}
	switch d := distance(n.key, other, n.errors); {
	case d < n.errors:
		n.errors, n.near = d, []string{other}
	case d == n.errors:
		n.near = append(n.near, other)
	}
}

// distance is how many letters to insert, leave out, replace or swap with the
// next one make one word the other, or limit+1 when that is more than the limit.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s) > len(t)+limit || len(t) > len(s)+limit || len(t) > 2*maxWord {
		return limit + 1
	}
	// Three rows of the table of distances between prefixes of s and t.
	var rows [3][2*maxWord + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(t) + 1 {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		least := row[0]
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(t)], limit+1)
}
