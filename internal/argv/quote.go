package argv

import "strings"

// Quote is the word as a POSIX shell writes it: bare when no shell reads
// anything into it, else in single quotes, inside of which only the single quote
// itself is special (POSIX.1-2024, Shell Command Language, 2.2.2). The name of
// an attached value stays bare, as in --s='a b'. A shell word cannot hold NUL.
func Quote(word string) string {
	if isBare(word) {
		return word
	}
	name, value, attached := strings.Cut(word, "=")
	if attached && strings.HasPrefix(name, "-") && isBare(name) {
		return name + "=" + quoted(value)
	}
	return quoted(word)
}

func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isBare reports whether every shell takes the word literally. A leading = is
// left out for zsh, which looks a command up by it.
func isBare(word string) bool { return madeOf(word, "-_./:,@%+=") && word[0] != '=' }
