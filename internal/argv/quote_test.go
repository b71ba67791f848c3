package argv

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestQuote(t *testing.T) {
	tests := []struct{ word, want string }{
		{"Paris", "Paris"},
		{"--days", "--days"},
		{"-5", "-5"},
		{"a=b", "a=b"},
		{"user@example.com:/srv/x_y-1.txt", "user@example.com:/srv/x_y-1.txt"},
		{"", "''"},
		{"San Francisco's $HOME", `'San Francisco'\''s $HOME'`},
		{"two\nlines", "'two\nlines'"},
		{`back\slash`, `'back\slash'`},
		{"`id`", "'`id`'"},
		{"~", "'~'"},
		{"*", "'*'"},
		{"{a,b}", "'{a,b}'"},
		{"!!", "'!!'"},
		{"#", "'#'"},
		{"=ls", "'=ls'"},
		{"é", "'é'"},
		{`{"city":"Paris"}`, `'{"city":"Paris"}'`},
		{"--s=a b", "--s='a b'"},
		{"--s=~", "--s='~'"},
		{"--s=", "--s="},
		{"--s=it's", `--s='it'\''s'`},
		{"--a b=c", "'--a b=c'"},
		{"key=a b", "'key=a b'"},
	}
	for _, test := range tests {
		if got := Quote(test.word); got != test.want {
			t.Errorf("Quote(%q) = %s, want %s", test.word, got, test.want)
		}
	}
}

// shells are the POSIX shells of this machine, as commands that read a script
// from stdin.
func shells(t testing.TB) map[string][]string {
	found := map[string][]string{}
	for name, command := range map[string][]string{
		"sh": {"sh"}, "bash": {"bash"}, "dash": {"dash"}, "ash": {"ash"}, "busybox ash": {"busybox", "ash"},
		"ksh": {"ksh"}, "zsh": {"zsh", "-f"},
	} {
		if _, err := exec.LookPath(command[0]); err == nil {
			found[name] = command
		}
	}
	if len(found) == 0 {
		t.Skip("no shell on this machine: nothing splits the lines")
	}
	return found
}

// split has a real shell split the lines into words, all in one process. A line
// is the arguments of a command.
func split(t testing.TB, shell []string, lines []string) [][]string {
	t.Helper()
	var script strings.Builder
	script.WriteString("each() { printf '%s\\0' \"$#\" \"$@\"; }\n")
	for _, line := range lines {
		script.WriteString("each " + line + "\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Dir = t.TempDir() // where a wrongly quoted > does no harm
	cmd.Stdin = strings.NewReader(script.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %v: %s", shell, err, stderr.String())
	}
	return readWords(t, string(out))
}

// readWords reads what each wrote: a number and as many words, all ended by NUL.
func readWords(t testing.TB, out string) [][]string {
	t.Helper()
	var all [][]string
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for len(fields) > 0 {
		n := len(fields[0])
		count := 0
		for _, digit := range fields[0][:n] {
			count = count*10 + int(digit-'0')
		}
		if count >= len(fields) {
			t.Fatalf("a line of %d words, but only %d follow", count, len(fields)-1)
		}
		all = append(all, fields[1:count+1])
		fields = fields[count+1:]
	}
	return all
}

// awkward are the characters that mean something to a shell, and some that do not.
var awkward = []rune(" \t\n'\"\\$`~!#&*()[]{}<>|;?=%^-+@,.:/aZ0é😀\u00a0\u202e\u200b\x01\x1b\x7f\r")

// randomWord is a short word of awkward characters.
func randomWord(random *rand.Rand) string {
	word := make([]rune, random.IntN(12))
	for i := range word {
		word[i] = awkward[random.IntN(len(awkward))]
	}
	return string(word)
}

func TestQuoteInShells(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "-", "--", "--help", "San Francisco's $HOME", "a\n\nb\n", "'", "''", `\'`, "$(id)", "${x}", "!!", "x=~", "--s=~/x"}
	for range cases(t) {
		words = append(words, randomWord(random))
	}
	var lines []string
	var want [][]string
	for part := range slices.Chunk(words, 3) {
		quoted := make([]string, len(part))
		for i, word := range part {
			quoted[i] = Quote(word)
		}
		lines = append(lines, strings.Join(quoted, " "))
		want = append(want, part)
	}
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			got := split(t, shell, lines)
			for i := range want {
				if i >= len(got) || !slices.Equal(got[i], want[i]) {
					t.Fatalf("line %d: %s\ngot  %q\nwant %q", i, lines[i], got[i], want[i])
				}
			}
		})
	}
}
