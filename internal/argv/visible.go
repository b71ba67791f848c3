package argv

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isHidden reports whether the character cannot be seen, or changes how others
// are seen: control characters and with them terminal escapes, bidirectional
// overrides, zero-width and tag characters, variation selectors, fillers. Text
// in definitions comes from strangers, and a model reads what a person cannot
// see there.
func isHidden(r rune) bool {
	return !unicode.IsPrint(r) || r == utf8.RuneError ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// isVisible reports whether every character of the text can be seen.
func isVisible(text string) bool { return strings.IndexFunc(text, isHidden) < 0 }

// inline is the text as one line: runs of white space become one space, hidden
// characters are left out.
func inline(text string) string {
	seen := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case isHidden(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(seen), " ")
}

// escaped is the text with hidden characters written as \uXXXX: a name is told as it
// is, and nothing hides in it.
func escaped(text string) string {
	if isVisible(text) {
		return text
	}
	return string(visibleJSON([]byte(text)))
}

// visibleJSON is compact JSON with hidden characters escaped as \uXXXX. They can
// only stand inside of its strings, so that the value stays the same.
func visibleJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case !isHidden(r):
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}

// clip is the text cut to this many characters, with a mark where it was cut.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:limit-1]), " ") + "…"
}

// maxSentence is the length in characters of a description that must be short.
const maxSentence = 200

// firstSentence is the description up to the end of its first sentence.
func firstSentence(text string) string {
	text = inline(text)
	for i, r := range text {
		if end := i + utf8.RuneLen(r); endsSentence(text[:end], text[end:]) {
			text = text[:end]
			break
		}
	}
	return clip(text, maxSentence)
}

// endsSentence reports whether a sentence ends between the texts. The full stop
// of an abbreviation (e.g. Paris, No. 5, St. Gallen) does not end one.
func endsSentence(before, after string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(after, " "))
	switch {
	case strings.ContainsRune("。！？", last):
		return true
	case !strings.HasPrefix(after, " "):
		return false
	case last == '!' || last == '?':
		return true
	case last != '.' || unicode.IsLower(next) || unicode.IsDigit(next):
		return false
	}
	word := before[strings.LastIndexByte(before, ' ')+1 : len(before)-size]
	first, _ := utf8.DecodeRuneInString(word)
	isTitle := unicode.IsUpper(first) && utf8.RuneCountInString(word) <= 2
	return !isTitle && !strings.Contains(word, ".")
}
