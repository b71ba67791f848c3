package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentos-go/agentos/toolkit"
)

// All forms of a word have one stem.
func TestStem(t *testing.T) {
	for _, forms := range []string{
		"issue issues", "create creates created creating", "branch branches", "repository repositories", "reply replies replied replying",
		"run runs running", "add adds added adding", "merge merged merging merges", "pull pulled pulling", "file files filed filing",
		"process processes processed", "box boxes", "access accessed accesses", "release releases released", "stop stopped stopping",
		"address addresses", "size sizes sized", "modify modifies modified", "status", "missing miss missed", "get getting gets",
	} {
		var stems []string
		for word := range strings.FieldsSeq(forms) {
			stems = append(stems, stem(word))
		}
		if slices.Sort(stems); stems[0] != stems[len(stems)-1] {
			t.Errorf("%s: got stems %v, want one", forms, slices.Compact(stems))
		}
	}
}

// Words that only look like forms of another keep their own stem.
func TestStem_KeepsWordsApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"need", "ne"}, {"string", "str"}, {"bus", "bu"}, {"this", "thi"}, {"red", "r"}, {"ring", "r"}, {"speed", "spe"}, {"is", "i"}, {"list", "last"},
	} {
		if a, b := stem(pair[0]), stem(pair[1]); a == b {
			t.Errorf("%s and %s: got one stem %q, want two", pair[0], pair[1], a)
		}
	}
}

func TestWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Open a Ticket!", "open a ticket"},
		{"issue-write", "issue write"},
		{`"list_workflow_runs"`, "list workflow runs"},
		{"PRs in the repo", "pull requests in the repository"},
		{"Größe 42 ändern", "größe 42 ändern"},
		{"a\x00b\u202ec", "a b c"},
		{"\xff\xfe", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(slices.Collect(words(tt.text)), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWords_Stops(t *testing.T) {
	for range words("repo pr x") {
		break
	}
	for word := range words("a pr x") {
		if word == "pull" {
			break
		}
	}
}

func TestAsked(t *testing.T) {
	x := newIndex([]*toolkit.Definition{kit("why", tool("use", "", text("up", "", false))), kit("k", toolkit.Command{Name: "x", Aliases: []string{"too"}, Body: &toolkit.Body{}})})
	tests := []struct{ query, want string }{
		{"open a ticket", "open ticket"},
		{"the ticket of the ticket", "ticket"},
		{"who am I", "i"}, // me, my, myself
		{"please do it for me", "me"},
		{"the of a", ""},
		{"What can you do?", ""},
		{"use of the", "use"},      // a tool
		{"why", "why"},             // a toolkit
		{"too", "too"},             // an alias
		{"up", ""},                 // a parameter
		{"use a ticket", "ticket"}, // nothing small is needed
		{"", ""}, {" \t\n", ""}, {".*+?^${}()|[]\\", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(x.asked(tt.query), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.query, got, tt.want)
		}
	}
}

// Whatever is sent, few and short words are looked up.
func TestAsked_Limits(t *testing.T) {
	for name, query := range hostile() {
		telling, little := parted(query)
		if len(telling) > maxWords || len(little) > len(small()) {
			t.Errorf("%s: got %d and %d words, want at most %d and %d", name, len(telling), len(little), maxWords, len(small()))
		}
		for _, word := range telling {
			if n := utf8.RuneCountInString(word); n > maxWord {
				t.Errorf("%s: got a word of %d characters, want at most %d", name, n, maxWord)
			}
		}
	}
}

// hostile are queries of 64 KiB.
func hostile() map[string]string {
	fill := func(text string) string { return strings.Repeat(text, 1+(64<<10)/len(text))[:64<<10] }
	var different strings.Builder
	for i := range 64 << 10 / 4 {
		for _, shift := range []int{0, 5, 10, 15} {
			different.WriteByte("abcdefghijklmnopqrstuvwxyz234567"[(i*7919>>shift)&31])
		}
		if i%5 == 4 {
			different.WriteByte(' ')
		}
	}
	return map[string]string{
		"one word":           fill("a"),
		"small words":        fill("the of a i "),
		"different words":    different.String(),
		"control characters": fill("\x00\x1b[31m\r\n"),
		"invalid UTF-8":      fill("\xf0\x28\xff"),
		"patterns":           fill(`(a+)+$ [^\]]* \Q`),
		"wide characters":    fill("ẞİ𝒳"),
		"abbreviations":      fill("pr prs "),
	}
}
