package kit

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
)

// Found is the result of the tool search, in the order of paths and lines.
type Found struct {
	Matches   []Match `json:"matches"`
	Skipped   int     `json:"skipped" help:"Files and directories not searched to the end: binary, very long lines, links, unreadable"`
	Truncated bool    `json:"truncated,omitempty" help:"A limit was reached; there may be more"`
}

// Match is one line that contains the text.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line" help:"Counts from 1"`
	Text string `json:"text" help:"The line, or the part around the match"`
}

// maxLine is the longest line that search looks at, in bytes.
const maxLine = 64 << 10

// scan searches a file line by line. The only error is that of the context; a
// file that can not be searched to its end counts as skipped.
func (h *hunt) scan(ctx context.Context, name string, file io.Reader) error {
	limited := &io.LimitedReader{R: file, N: h.bytes}
	defer func() { h.bytes = limited.N }()
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	for number := 1; h.matches > 0 && lines.Scan(); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := lines.Bytes()
		if !isText(line) {
			h.found.Skipped++
			return nil
		}
		if at := bytes.Index(line, h.text); at >= 0 {
			h.found.Matches = append(h.found.Matches, Match{strings.ToValidUTF8(name, "\uFFFD"), number, excerpt(line, at)})
			h.matches--
		}
	}
	if lines.Err() != nil {
		h.found.Skipped++
	}
	h.found.Truncated = h.found.Truncated || h.matches == 0 || limited.N == 0
	return nil
}

// excerpt is the line, or 300 bytes of it around the match with marks for what
// was left out.
func excerpt(line []byte, at int) string {
	const before, all = 100, 300
	if len(line) <= all {
		return string(line)
	}
	start := max(0, at-before)
	end := min(len(line), start+all)
	text := strings.ToValidUTF8(string(line[start:end]), "")
	if start > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}
