package shim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The lines between which a Markdown file has the prompt text.
const (
	beginMark = "<!-- agentos:begin -->"
	endMark   = "<!-- agentos:end -->"
)

// withBlock is the file with the text between the lines of its marks, which are
// added at the end where there are none.
func withBlock(file []byte, text string) ([]byte, error) {
	from, to, err := findBlock(file)
	if err != nil {
		return nil, err
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	before, after := file, []byte(nil)
	added := text
	if from >= 0 {
		before, after = file[:from], file[to:]
	} else {
		added = gap(file) + beginMark + "\n" + text + endMark + "\n"
	}
	lineEnd := lineEndOf(before)
	merged := slices.Concat(before, []byte(strings.ReplaceAll(added, "\n", lineEnd)), after)
	from, to, err = findBlock(merged)
	if err != nil || from < 0 || string(merged[from:to]) != strings.ReplaceAll(text, "\n", lineEnd) {
		return nil, errors.New("the prompt text itself has one of the marks or an open code fence")
	}
	return merged, nil
}

// lineEndOf is how the last line with an end ends.
func lineEndOf(text []byte) string {
	if i := bytes.LastIndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// gap is what makes an empty line between the file and a block after it.
func gap(file []byte) string {
	lineEnd := lineEndOf(file)
	switch {
	case len(file) == 0 || bytes.HasSuffix(file, []byte(lineEnd+lineEnd)):
		return ""
	case bytes.HasSuffix(file, []byte(lineEnd)):
		return "\n"
	}
	return "\n\n"
}

// findBlock is where the text of the block is: after the line of the mark that
// begins it, and before that of the other. Both are negative where there is none.
func findBlock(file []byte) (from, to int, err error) {
	from, to = -1, -1
	var open fence
	beginLine, number, offset := 0, 0, 0
	for line := range bytes.Lines(file) {
		number++
		start := offset
		offset += len(line)
		if open.covers(string(line), number) {
			continue
		}
		mark, indented := markOf(line)
		switch {
		case indented:
			return 0, 0, fmt.Errorf("line %d has the mark %s, indented like code: move it to the start of the line, or put an example in a code fence", number, mark)
		case mark == beginMark && from >= 0:
			return 0, 0, fmt.Errorf("lines %d and %d both begin a block (%s): delete one block", beginLine, number, beginMark)
		case mark == beginMark:
			from, beginLine = offset, number
		case mark == endMark && (from < 0 || to >= 0):
			return 0, 0, fmt.Errorf("line %d ends a block (%s) that no line before it begins: delete it", number, endMark)
		case mark == endMark:
			to = start
		}
	}
	switch {
	case to < 0 && open.mark != "":
		return 0, 0, fmt.Errorf("line %d opens a code fence (%s) that no line closes: close it", open.line, open.mark)
	case to < 0 && from >= 0:
		return 0, 0, fmt.Errorf("line %d begins a block (%s) that no line ends: add the line %s after it, or delete it", beginLine, beginMark, endMark)
	}
	return from, to, nil
}

// markOf is the mark that the line consists of, or nothing. Before a mark there may
// be three spaces, as before any comment in Markdown (CommonMark 0.31, section 4.6).
// With more it is code, or belongs to a list: that is for a person to tell.
func markOf(line []byte) (mark string, indented bool) {
	text := strings.TrimPrefix(string(bytes.TrimRight(line, " \t\r\n")), "\ufeff")
	mark = strings.TrimLeft(text, " \t")
	if mark != beginMark && mark != endMark {
		return "", false
	}
	indent := strings.TrimSuffix(text, mark)
	return mark, len(indent) > 3 || strings.Contains(indent, "\t")
}

// fence is the code fence that is open (CommonMark 0.31, section 4.5): marks within
// are examples. The zero value is none.
type fence struct {
	mark string // three or more back-ticks or tildes
	line int
}

// covers reports whether the line, of that number, is one of a fence: within it, or
// the one that opens or closes it.
func (f *fence) covers(line string, number int) bool {
	before, mark, after := cutFence(line)
	switch {
	case mark == "":
		return f.mark != ""
	case f.mark == "" && mark[0] == '`' && strings.Contains(after, "`"):
		return false // code within a line
	case f.mark == "":
		*f = fence{mark, number}
	case strings.HasPrefix(mark, f.mark) && strings.Trim(before, " \t>")+strings.TrimSpace(after) == "":
		*f = fence{}
	}
	return true
}

// cutFence cuts a line around the mark of a fence, which may be within quotations and
// items of lists. Without one, the mark is empty.
func cutFence(line string) (before, mark, after string) {
	rest := strings.TrimLeft(line, " \t>")
	for {
		bullet := strings.TrimLeft(rest, "0123456789")
		if len(bullet) < 2 || strings.IndexByte("-+*.)", bullet[0]) < 0 || bullet[1] != ' ' && bullet[1] != '\t' {
			break
		}
		rest = strings.TrimLeft(bullet[1:], " \t>")
	}
	for _, char := range []string{"`", "~"} {
		after = strings.TrimLeft(rest, char)
		if n := len(rest) - len(after); n >= 3 {
			return line[:len(line)-len(rest)], rest[:n], after
		}
	}
	return line, "", ""
}
