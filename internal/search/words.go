package search

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Limits of a query. Words are compared with every word of every tool, so their
// number and length bound what a search costs, whatever was sent.
const (
	maxQuery = 1 << 10 // bytes that are looked at
	maxWords = 24
	maxWord  = 32 // characters of a word that are told apart
)

// words are the lower-case words of a text; what is neither letter nor digit
// parts them. Abbreviations are the words that they stand for.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		known := abbreviations()
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), parts) {
			full, short := known[word]
			if !short && !yield(word) {
				return
			}
			for _, word := range full {
				if !yield(word) {
					return
				}
			}
		}
	}
}

func parts(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// parted are the different words of a query: those that may tell something about
// a tool, and the small words of a sentence.
func parted(query string) (telling, little []string) {
	for word := range words(query[:min(len(query), maxQuery)]) {
		word = clip(word)
		list := &telling
		if small()[word] {
			list = &little
		}
		if !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
		if len(telling) == maxWords {
			break
		}
	}
	return telling, little
}

func clip(word string) string {
	if runes := []rune(word); len(runes) > maxWord {
		return string(runes[:maxWord])
	}
	return word
}

// small are words that tell nothing about a tool.
var small = sync.OnceValue(func() map[string]bool {
	return set(`a about again all am an and any anyone are as at be been being but by can could
		did do does done each for from had has have how i if in into is it its just let
		many may me much my need of on one or our please so some that the their them then
		there these they this those to too up us use used using via want was way we were
		what when where which while who whose why will with would you your`)
})

func set(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}

// stem is the word without the ending of a plural or verb form: issues is issue,
// creating and created are create. Stems are keys, not words: a final e and the
// second of two equal letters go, so that all forms of a word meet.
func stem(word string) string {
	word = inflected(singular(word))
	if n := len(word); n > 3 && word[n-1] == 'e' {
		word = word[:n-1]
	}
	if n := len(word); n > 2 && word[n-1] == word[n-2] && isASCIILetter(word[n-1]) {
		word = word[:n-1]
	}
	return word
}

func singular(word string) string {
	switch {
	case len(word) < 4 || !strings.HasSuffix(word, "s") || endsIn(word, "ss", "us", "is"):
		return word
	case endsIn(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case endsIn(word, "sses", "shes", "ches", "xes", "zzes"):
		return word[:len(word)-2]
	}
	return word[:len(word)-1]
}

// inflected is the word without -ing or -ed, where a syllable remains.
func inflected(word string) string {
	if base, ok := strings.CutSuffix(word, "ied"); ok && len(base) > 1 {
		return base + "y"
	}
	for _, ending := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(word, ending)
		if ok && len(base) > 2 && strings.ContainsAny(base, "aeiouy") && !endsIn(word, "eed") {
			return base
		}
	}
	return word
}

func endsIn(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(word, ending) })
}

func isASCIILetter(c byte) bool { return 'a' <= c && c <= 'z' }
