package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/argv"
)

// plain is a text of a definition as a part of one line of Markdown: without
// white space that breaks the line, characters that hide, and signs that open or
// close a code span, a tag or a heading. The signs of tags and code become ones
// that look alike and mean nothing.
func plain(text string) string {
	words := strings.Fields(withoutHeadings(lookalike.Replace(argv.Inline(text))))
	for len(words) > 0 && madeOf(words[0], "-+*=_~|") { // would begin a list, a rule or a table
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// lookalike also takes the full-width forms, which a model reads as the ASCII ones,
// and the blank Braille pattern, which is no space only by name.
var lookalike = strings.NewReplacer("`", "'", "｀", "'", "<", "‹", "＜", "‹", ">", "›", "＞", "›", "＃", "#", "\u2800", " ")

// withoutHeadings is the line without words that are nothing but #.
func withoutHeadings(line string) string {
	words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return madeOf(word, "#") })
	return strings.Join(words, " ")
}

func madeOf(word, signs string) bool { return strings.Trim(word, signs) == "" }

// sentence is the first sentence of a summary, or else of a description, without
// its full stop.
func sentence(summary, description string) string {
	for _, text := range []string{summary, description} {
		if text = plain(argv.Sentence(text)); text != "" {
			return strings.TrimSuffix(text, ".")
		}
	}
	return ""
}

// closers are what in a code span could close the span, or a tag around the prompt.
// In a signature, < otherwise stands before the name of a value.
var closers = []string{"`", "</", "<!", "<?", "<|"}

// withoutClosers replaces them by what looks alike.
var withoutClosers = strings.NewReplacer("`", "'", "</", "‹/", "<!", "‹!", "<?", "‹?", "<|", "‹|")

// maxSignature is the length in bytes of a signature; forty parameters fit.
const maxSignature = 2000

// signature is a signature as part of a code span: the first of those given that
// is of reasonable length.
func signature(texts ...string) string {
	for _, text := range texts {
		if len(text) <= maxSignature {
			return withoutHeadings(withoutClosers.Replace(text))
		}
	}
	return ""
}

// maxExample is the length in bytes of an example's command line.
const maxExample = 400

// standsInCode reports whether the command line can stand in a code span as it is.
// One that cannot is left out: with a single character changed it would be another
// command.
func standsInCode(line string) bool {
	closes := func(closer string) bool { return strings.Contains(line, closer) }
	return len(line) <= maxExample && !slices.ContainsFunc(closers, closes)
}

// clipped is the text of at most so many characters, cut after a sentence where
// that is possible, and marked where it was cut.
func clipped(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	head := string([]rune(text)[:limit-2])
	if end := strings.LastIndex(head, ". "); end > 0 {
		return head[:end+1] + " …"
	}
	if end := strings.LastIndex(head, " "); end > 0 {
		return head[:end] + " …"
	}
	return head + " …"
}
