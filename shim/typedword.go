package shim

import "strings"

// typedWord is the last word of a half-typed line as the shell has it, of which a
// quote may still be open.
type typedWord struct {
	raw   string
	text  string // what raw means
	quote byte   // the open one, or 0
	from  int    // where in raw the last quote was opened, -1 where none was
}

// readTyped reads a word by the rules of POSIX.1-2024, Shell Command Language, 2.2.
func readTyped(raw string) typedWord {
	w := typedWord{raw: raw, from: -1}
	var text strings.Builder
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == w.quote:
			w.quote = 0
		case w.quote == 0 && (c == '\'' || c == '"'):
			w.quote, w.from = c, i
		case c == '\\' && w.quote == 0, c == '\\' && w.quote == '"' && escapes(raw[i+1:]):
			if i++; i < len(raw) {
				text.WriteByte(raw[i])
			}
		default:
			text.WriteByte(c)
		}
	}
	w.text = text.String()
	return w
}

// inDouble are the characters that a backslash makes plain in double quotes.
const inDouble = "$`\"\\"

// escapes reports whether a backslash in double quotes, before the text, is one that
// makes a character plain. A line that ends in one may be about to.
func escapes(after string) bool { return after == "" || strings.IndexByte(inDouble, after[0]) >= 0 }

// inBash is what bash puts in place of the end of the word to make it mean the
// suggestion; part is that end where no quote is open. A suggestion in quotes has both
// of them: bash takes the opening one for the one that is there, and takes that away
// where it inserts several suggestions at once. It is false where bash would replace
// more or less, or read the suggestion as something else.
func (w typedWord) inBash(suggestion, part string) (string, bool) {
	var kept string
	if w.quote != 0 {
		kept = w.raw[:w.from]
	} else if start := len(w.raw) - len(part); strings.HasSuffix(w.raw, part) && w.from < start {
		kept = w.raw[:start]
	} else {
		return "", false
	}
	before := readTyped(kept)
	rest, ok := strings.CutPrefix(suggestion, before.text)
	if !ok || before.quote != 0 || strings.HasSuffix(kept, "$") { // a $ would join what comes: $name, $'…' with escapes of its own
		return "", false
	}
	switch w.quote {
	case '\'':
		return "'" + strings.ReplaceAll(rest, "'", `'\''`) + "'", true
	case '"':
		return `"` + doubleQuoted.Replace(rest) + `"`, true
	}
	return backslashed(rest), true
}

// doubleQuoted writes text in double quotes. An exclamation mark has to stand outside:
// interactive bash looks for a command of its history in them, and a backslash before
// the mark would stay.
var doubleQuoted = strings.NewReplacer("$", `\$`, "`", "\\`", `"`, `\"`, `\`, `\\`, "!", `"\!"`)

// backslashed is the text without quotes, of which bash takes every character as it is.
func backslashed(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		isBare := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("-_./:,@%+=", c) >= 0
		if !isBare {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
