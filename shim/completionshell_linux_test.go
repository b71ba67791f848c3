package shim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// hostile are values in which a shell would find quotes, expansions and commands.
// The first two characters of each tell it from the others.
var hostile = []string{
	"a1$(touch PWNED)", "a2`touch PWNED`", "a3;touch PWNED", `a4" ; touch PWNED ; "`, `a5' ; touch PWNED ; '`,
	`a6\"$(touch PWNED)`, `a7\'$(touch PWNED)`, "a8!!$(touch PWNED)", `a9'$(touch PWNED)'`, `b0"$(touch PWNED)"`,
	"b1 it's", `b2 q"x`, "b3!h", "b4!", `b5"`, "b6'", `b7\`, "b8 é$(touch PWNED)", "b9~ #{a,b}*?", "c0=a:b;$(touch PWNED)",
	"$(touch PWNED)", "!h", "it's", `q"x`, "dark red!", "dark red!!", ";touch PWNED", ";touch PWNED;",
}

// hostileHost serves a tool x t, which returns its input and takes those values. It
// returns the environment to find it by.
func hostileHost(t *testing.T) []string {
	t.Helper()
	enum, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	def, err := toolkit.ParseDefinition(fmt.Appendf(nil, `{"name":"x","commands":[{"name":"t","summary":"Echo","body":{"options":[{"name":"p","schema":{"type":"string","enum":%s}}]}}]}`, enum))
	if err != nil {
		t.Fatal(err)
	}
	echo := func(_ context.Context, inv *toolkit.Invocation) (json.RawMessage, error) { return inv.Input, nil }
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{toolkit.FromDefinition(def, echo)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	addr := "unix://" + filepath.Join(t.TempDir(), "s")
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Addr: addr}); err != nil {
		t.Fatal(err)
	}
	return []string{"AGENTOS_ADDR=" + addr}
}

// shells are the interactive shells, with what makes them complete and say that they
// are ready, and a line by which each runs a value that nobody has quoted.
var shells = []struct {
	name           string
	command        []string
	setup, control string
}{
	{"bash", []string{"bash", "--norc", "--noprofile", "-i"},
		`PROMPT_COMMAND='printf "\036"'; PS2=$'\036'; source <(agentos completion bash); bad() { COMPREPLY=('$(touch PWNED)'); }; complete -F bad bad`, "bad \"$\t"},
	{"zsh", []string{"zsh", "-f", "-i"},
		`PS2=$'\036'; precmd() { printf '\036' }; source <(agentos completion zsh); bad() { compadd -Q -- '$(touch PWNED)' }; compdef bad bad`, "bad \"\t"},
	{"fish", []string{"fish", "--no-config", "-i"},
		`function ready --on-event fish_prompt; printf '\036'; end; agentos completion fish | source`, `echo "$(touch PWNED)"`},
}

// TestSec_CompletedValuesAreData completes values as a person does, in an open quote or
// in none, and presses Enter: the tool receives the value, and nothing else runs.
func TestSec_CompletedValuesAreData(t *testing.T) {
	env := hostileHost(t)
	for _, shell := range shells {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			x := interactive(t, env, shell.setup, shell.command...)
			x.enter(shell.control + "\r")
			if !x.ran() {
				t.Fatal("control: nothing ran")
			}
			for _, value := range hostile {
				if strings.IndexByte("0123456789", value[1]) >= 0 { // no shell reads anything into so much of it
					for _, quote := range []string{"", `"`, "'"} {
						x.completes("--p "+quote+value[:2]+"\t", value)
					}
				}
			}
		})
	}
}

// Readline decides what of a word it replaces, and by the quotes before it how.
func TestSec_CompletedValuesAreDataAnywhereInBash(t *testing.T) {
	const tab, all, left, end = "\t", "\x1b*", "\x02", "\x05"
	env, bash := hostileHost(t), shells[0]
	for _, locale := range []string{"C", "C.UTF-8"} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			x := interactive(t, append(env, "LC_ALL="+locale), bash.setup, bash.command...)
			for typed, want := range map[string]string{
				"--p $" + tab:                   "$(touch PWNED)",
				`--p "$` + tab:                  "$(touch PWNED)",
				`--p '$` + tab:                  "$(touch PWNED)",
				`--p "!` + tab:                  "!h",
				`--p 'it` + tab:                 "it's",
				`--p "q` + tab:                  `q"x`,
				"--p=a1" + tab:                  "a1$(touch PWNED)",
				`--p="a1` + tab:                 "a1$(touch PWNED)",
				`--p='b8` + tab:                 "b8 é$(touch PWNED)",
				`"--p=a1` + tab:                 "a1$(touch PWNED)",
				`--p a"1` + tab:                 "a1$(touch PWNED)",
				`--p a'1` + tab:                 "a1$(touch PWNED)",
				`--p 'a'"1` + tab:               "a1$(touch PWNED)",
				`--p "a"'8` + tab:               "a8!!$(touch PWNED)",
				`--p c0=a:` + tab:               "c0=a:b;$(touch PWNED)",
				`--p "c0=a:` + tab:              "c0=a:b;$(touch PWNED)",
				`--p \;` + tab + `\;` + tab:     ";touch PWNED;",
				`--p ";` + tab + ";" + tab:      ";touch PWNED;",
				`--p 'dark` + tab + "!" + tab:   "dark red!!",
				`--p "dark` + tab + `\!"` + tab: "dark red!!", // as far as both are the same it ends in an open quote
			} {
				x.completes(typed, want)
			}
		})
	}
	// Here it is enough that nothing runs: the lines may be wrong, or not end.
	for _, typed := range []string{
		`--p "a1" "` + all, `--p '` + all, `--p ` + all, `--p ";` + all, `--p "a"1` + tab, `--p 'a'1` + tab, `--p "dark` + tab + tab,
		`--p "a1$(touch ` + tab, `--p $'a1` + tab + "'", `--p $"a1` + tab + `"`,
		`--p "a1"` + left + tab + end, `--p a1'b'` + left + left + left + tab + end, `--p "a"a` + left + left + tab + end,
	} {
		for _, locale := range []string{"C", "C.UTF-8"} {
			interactive(t, append(env, "LC_ALL="+locale), bash.setup, bash.command...).completes(typed, "")
		}
	}
}

// ran reports whether a value was run, and forgets it.
func (x *session) ran() bool { return os.Remove(filepath.Join(x.dir, "PWNED")) == nil }

// completes types a line of options with what completes it, and checks that the tool
// received the value. Without a value it is enough that nothing else was run.
func (x *session) completes(typed, value string) {
	x.t.Helper()
	printed := x.enter("agentos-x t " + typed + " >out\r")
	got, err := os.ReadFile(filepath.Join(x.dir, "out"))
	_ = os.Remove(filepath.Join(x.dir, "out")) // where the shell has run the line
	want, _ := json.Marshal(map[string]string{"p": value})
	if value != "" && (err != nil || strings.TrimSpace(string(got)) != `{"ok":true,"result":`+string(want)+`}`) {
		x.t.Errorf("%q: got %s%v, want %s; the terminal:\n%s", typed, got, err, want, printed)
	}
	if x.ran() {
		x.t.Errorf("%q: the value was run; the terminal:\n%s", typed, printed)
	}
}
