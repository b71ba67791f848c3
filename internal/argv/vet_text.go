package argv

import (
	"unicode"
	"unicode/utf8"
)

// Limits of texts, in characters: a summary is a line of a list, a description a
// paragraph of a prompt.
const (
	maxSummary     = 200
	maxDescription = 4000
)

// text vets a text that people and models read.
func (at site) text(what, text string, limit int) {
	if n := utf8.RuneCountInString(text); n > limit {
		at.report("the %s is %d characters long, at most %d are valid", what, n, limit)
	}
	if offset := invalidAt(text); offset >= 0 {
		at.report("the %s is not UTF-8 at byte %d", what, offset)
		return
	}
	for i, r := range text {
		if unicode.IsControl(r) {
			at.report("the %s has the control character %U at byte %d; it must be one line of plain text", what, r, i)
			return
		}
	}
}

// word vets a text that stands as one word in help: it may be empty.
func (at site) word(what, text string) {
	at.text(what, text, maxName)
	if inline(text) != text {
		at.report("the %s %s has white space around it or characters that cannot be seen", what, quotedWord(text))
	}
}
