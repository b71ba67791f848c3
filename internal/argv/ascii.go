package argv

import "strings"

// madeOf reports whether the text is nothing but ASCII letters, ASCII digits and
// these signs. Patterns are judged by it and not by regular expressions, which
// the guest's binary does without.
func madeOf(text, signs string) bool {
	for i := 0; i < len(text); i++ {
		if !isLetter(text[i]) && !isDigit(text[i]) && strings.IndexByte(signs, text[i]) < 0 {
			return false
		}
	}
	return text != ""
}

// wordsOf reports whether the text is words of ASCII letters and digits with one
// sign in between, a letter first.
func wordsOf(text, sign string) bool {
	for word := range strings.SplitSeq(text, sign) {
		if !madeOf(word, "") {
			return false
		}
	}
	return isLetter(text[0])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
