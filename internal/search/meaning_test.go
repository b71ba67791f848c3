package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"search", "search", 0},
		{"serach", "search", 1},  // two letters swapped
		{"searc", "search", 1},   // one left out
		{"seaarch", "search", 1}, // one too many
		{"seorch", "search", 1},  // another one
		{"saerhc", "search", 2},
		{"brance", "branch", 1},
		{"größe", "große", 1},
		{"search", "fetch", 3},
		{"search", "s", 3},
		{"", "ab", 2},
		{strings.Repeat("a", maxWord), strings.Repeat("a", 3*maxWord), 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b, 2); got != tt.want {
			t.Errorf("%q and %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a, 2); len(tt.b) <= maxWord && got != tt.want {
			t.Errorf("%q and %q: got %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestMeanings(t *testing.T) {
	x := newIndex([]*toolkit.Definition{kit("k", tool("run", "Rotate the calibration of an oscilloscope"))})
	tests := []struct {
		name, word string
		want       string // the first, or all that were guessed
	}{
		{"a word of a tool", "calibration", "calibration"},
		{"another form of it", "oscilloscopes", "oscilloscop"},
		{"a prefix", "oscillo", "oscilloscop"},
		{"one error", "calibraton", "calibration"},
		{"two errors in a long word", "oscilloskopp", "oscilloscop"},
		{"two errors in a short word", "rtte", ""},
		{"too short to guess", "roe", ""},
		{"a synonym that no tool has", "ticket", "ticket"},
		{"a synonym with an error", "tikcet", "ticket"},
		{"nothing known", "zzzzzz", ""},
	}
	for _, tt := range tests {
		got := ""
		if found := x.meanings(tt.word); len(found) > 0 {
			got = found[0].word
		}
		if got != tt.want {
			t.Errorf("%s: %q means %q, want %q", tt.name, tt.word, got, tt.want)
		}
	}
}

func TestMeanings_Weights(t *testing.T) {
	x := newIndex([]*toolkit.Definition{kit("k", tool("write", "Write an issue"))})
	weight := func(word, meaning string) float64 {
		for _, m := range x.meanings(word) {
			if m.word == stem(meaning) {
				return m.weight
			}
		}
		return 0
	}
	itself, synonym, guess := weight("issue", "issue"), weight("ticket", "issue"), weight("isuse", "issue")
	if itself != 1 || synonym >= guess || guess >= itself || synonym <= 0 {
		t.Errorf("got %v for the word, %v for an error in it, %v for a synonym; want 1 and less each time", itself, guess, synonym)
	}
}

// The tables are data that people will add to.
func TestTables(t *testing.T) {
	for _, group := range synonymGroups {
		members := strings.Fields(group)
		if len(members) < 2 || strings.ToLower(group) != group {
			t.Errorf("%q: want two words or more, in lower case", group)
		}
		slices.Sort(members)
		if len(slices.Compact(members)) != len(strings.Fields(group)) {
			t.Errorf("%q: a word stands in it twice", group)
		}
		for word := range strings.FieldsSeq(group) {
			if abbreviations()[word] != nil {
				t.Errorf("%q: the abbreviation %s never arrives as a word", group, word)
			}
		}
	}
	for short, full := range abbreviations() {
		for _, word := range full {
			if abbreviations()[word] != nil || word == short {
				t.Errorf("%s: %s is an abbreviation itself", short, word)
			}
		}
	}
	for key, others := range synonyms() {
		for _, other := range others {
			if !slices.Contains(synonyms()[other], key) {
				t.Errorf("%s is a synonym of %s, but not the other way", other, key)
			}
		}
	}
}
