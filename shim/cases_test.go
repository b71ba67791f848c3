package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/toolkit"
)

// newX is a world with the toolkit x.
func newX(t *testing.T) *world {
	t.Helper()
	kit, err := fixture.X()
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, kit)
}

// An echo is a command line and the input that the handler sees.
type echo struct {
	words []string
	want  string
}

func (w *world) echoes(tests ...echo) {
	w.t.Helper()
	for _, test := range tests {
		got := w.run(append([]string{"agentos-x", "t"}, test.words...)...)
		if want := `{"ok":true,"result":` + test.want + "}\n"; got.exit != 0 || got.stdout != want {
			w.t.Errorf("t %q: exit %d, %s%s\nwant %s", test.words, got.exit, got.stdout, got.stderr, want)
		}
	}
}

// refused checks that a line is a usage or validation error that says these things.
func (w *world) refused(code string, words []string, says ...string) {
	w.t.Helper()
	got := w.run(append([]string{"agentos-x", "t"}, words...)...)
	w.wantFailure(got, 2, code, says...)
}

func in(words ...string) []string { return words }

func TestCase_B001(t *testing.T) {
	newX(t).echoes(
		echo{in("--n", "-5"), `{"n":-5}`}, echo{in("--f", "-71.09"), `{"f":-71.09}`},
		echo{in("--f", "-1e-3"), `{"f":-1e-3}`}, echo{in("--n=-5"), `{"n":-5}`})
}

func TestCase_B002(t *testing.T) {
	for _, text := range []string{"000123", "326030", "020", "true", "null"} {
		newX(t).echoes(echo{in("--s", text), `{"s":"` + text + `"}`})
	}
}

func TestCase_B003(t *testing.T) {
	newX(t).echoes(echo{in("--s", "1234567890.123456"), `{"s":"1234567890.123456"}`}, echo{in("--f", "1234567890.123456"), `{"f":1234567890.123456}`})
}

func TestCase_B004(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--n", "5"), `{"n":5}`})
	w.refused("USAGE_ERROR", in("--n", "5x"), "--n", "5x", "integer")
}

func TestCase_B005(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--n", "9007199254740993"), `{"n":9007199254740993}`}, echo{in("--json", `{"n":9007199254740993}`), `{"n":9007199254740993}`},
		echo{in("--n", "5"), `{"n":5}`}, echo{in("--n", "5.0"), `{"n":5}`}, echo{in("--json", `{"n":5.0}`), `{"n":5}`})
	w.refused("USAGE_ERROR", in("--n", "5.5"), "--n", "5.5")
}

func TestCase_B006(t *testing.T) {
	newX(t).echoes(echo{in("--xs", `["a","b"]`), `{"xs":["a","b"]}`}, echo{in("--xs", "a", "--xs", "b"), `{"xs":["a","b"]}`},
		echo{in("--xs", "a"), `{"xs":["a"]}`}, echo{in("--arg:xs", `["a"]`), `{"xs":["[\"a\"]"]}`})
}

func TestCase_B007(t *testing.T) {
	newX(t).echoes(echo{in("--os", `{"a":1,"b":"p,q"}`, "--os", `{"a":2}`), `{"os":[{"a":1,"b":"p,q"},{"a":2}]}`},
		echo{in("--os", `[{"a":1},{"a":2}]`), `{"os":[{"a":1},{"a":2}]}`})
}

func TestCase_B008(t *testing.T) {
	w := newX(t)
	w.refused("USAGE_ERROR", in("--xs"), "--xs")
	w.refused("USAGE_ERROR", in("--xs", "--n", "1"), "--xs")
	w.echoes(echo{in("--xs", "[]"), `{"xs":[]}`})
}

func TestCase_B009(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--o", `{"a":1}`), `{"o":{"a":1}}`}, echo{in("--o.a", "1", "--o.b", "z"), `{"o":{"a":1,"b":"z"}}`})
	w.refused("USAGE_ERROR", in("--o", "nonsense"), "object", "JSON")
}

func TestCase_B010(t *testing.T) {
	newX(t).refused("USAGE_ERROR", in("--limt", "5"), "--limt", "--n")
}

func TestCase_B011(t *testing.T) {
	newX(t).echoes(echo{in("--b=false"), `{"b":false}`}, echo{in("--n=5"), `{"n":5}`}, echo{in("--s="), `{"s":""}`}, echo{in("--s=a=b"), `{"s":"a=b"}`})
}

func TestCase_B012(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--b"), `{"b":true}`}, echo{in("--b", "true"), `{"b":true}`}, echo{in("--b", "false"), `{"b":false}`}, echo{in("--no-b"), `{"b":false}`})
	w.refused("USAGE_ERROR", in("--b", "maybe"), "maybe")
}

func TestCase_B013(t *testing.T) {
	newX(t).echoes(echo{in("--s", ""), `{"s":""}`}, echo{in("--s="), `{"s":""}`})
}

func TestCase_B014(t *testing.T) {
	newX(t).echoes(echo{in("--json", `{"z":null}`), `{"z":null}`}, echo{in("--z", "null"), `{"z":"null"}`})
}

func TestCase_B015(t *testing.T) {
	w := newX(t)
	w.want(w.run("agentos-x", "r", "--json", `{"s":"v"}`), 0, `{"ok":true,"result":{"s":"v"}}`+"\n")
	w.echoes(echo{in("--n", "3", "--json", `{"s":"v"}`), `{"n":3,"s":"v"}`}, echo{in("--json", `{"n":1}`, "--n", "2"), `{"n":2}`})
}

func TestCase_B016(t *testing.T) {
	w := newX(t)
	dir := t.TempDir()
	note, args := filepath.Join(dir, "note.txt"), filepath.Join(dir, "args.json")
	for name, text := range map[string]string{note: "from a file\n", args: `{"n":7}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.echoes(echo{in("--s", "@note.txt"), `{"s":"@note.txt"}`}, echo{in("--s", "@@handle"), `{"s":"@@handle"}`},
		echo{in("--s-file", note), `{"s":"from a file\n"}`}, echo{in("--json", "@"+args), `{"n":7}`})
	w.stdin = strings.NewReader(`{"n":8}`)
	w.echoes(echo{in("--json", "-"), `{"n":8}`})
}

func TestCase_B018(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--s", "-y"), `{"s":"-y"}`}, echo{in("--s=--help"), `{"s":"--help"}`})
	w.refused("USAGE_ERROR", in("--s", "--help"), "--s=--help")
	w.refused("USAGE_ERROR", in("--xs", "--", "--y"), "--xs")
	w.refused("USAGE_ERROR", in("--", "--weird"), "--weird")
}

func TestCase_B019(t *testing.T) {
	w := newX(t)
	w.refused("USAGE_ERROR", in("--n", "1", "--n", "2"), "--n")
	w.echoes(echo{in("--n", "1", "--n", "1"), `{"n":1}`}, echo{in("--xs", "a", "--xs", "a"), `{"xs":["a","a"]}`})
}

func TestCase_B020(t *testing.T) {
	w := newX(t)
	w.refused("VALIDATION_ERROR", in("--json", `{"o":"{\"a\":1}"}`), "o", "object", "string", "quotes")
	w.echoes(echo{in("--json", `{"s":"{\"a\":1}"}`), `{"s":"{\"a\":1}"}`})
}

func TestCase_B021(t *testing.T) {
	w := newX(t)
	w.echoes(echo{in("--e", "RED"), `{"e":"red"}`})
	w.refused("USAGE_ERROR", in("--e", "rde"), "red, green")
	w.wantFailure(w.line("agentos-x lst"), 2, "TOOL_NOT_FOUND", "lst", "Available")
}

func TestCase_B022(t *testing.T) {
	w := newX(t)
	const text = 16_000_000
	file := filepath.Join(t.TempDir(), "big.txt")
	if err := os.WriteFile(file, bytes.Repeat([]byte("a"), text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(w.run("agentos-x", "length", "--s-file", file), 0, `{"ok":true,"result":16000000}`+"\n")
	w.stdin = strings.NewReader(`{"s":"` + strings.Repeat("a", text) + `"}`)
	w.want(w.run("agentos-x", "length", "--json", "-"), 0, `{"ok":true,"result":16000000}`+"\n")
}

func TestCase_B023(t *testing.T) {
	w := newX(t)
	w.echoes(echo{nil, `{}`})
	w.refused("USAGE_ERROR", in("--json", "null"), "object")
}

func TestCase_B034(t *testing.T) {
	w := newX(t)
	w.wantFailure(w.line("agentos-x nosuch"), 2, "TOOL_NOT_FOUND", "nosuch", "Available")
	w.wantFailure(w.line("agentos-x nosuch --help"), 2, "TOOL_NOT_FOUND", "nosuch")
	w.wantFailure(w.line("agentos call nosuch t"), 127, "TOOLKIT_NOT_FOUND", "nosuch")
}

func TestCase_B035(t *testing.T) {
	w := newX(t)
	w.want(w.line("agentos-x fail --code NOT_FOUND"), 3, `{"ok":false,"error":"NOT_FOUND","message":"as asked"}`+"\n")
	if got := w.line("agentos-x fail --code NOT_FOUND --output result"); got.exit != 3 || got.stdout != "" || !strings.HasPrefix(got.stderr, `{"ok":false,"error":"NOT_FOUND"`) {
		t.Errorf("--output result: %+v, want stdout empty, the envelope on stderr, exit 3", got)
	}
}

func TestCase_B037(t *testing.T) {
	w := newX(t)
	for _, line := range []string{"agentos-x r", "agentos-x t --e blue", "agentos-x slow --ms 60000 --timeout 10ms", "agentos nosuch"} {
		var failure struct{ Error, Message, Hint string }
		got := w.line(line)
		if err := json.Unmarshal([]byte(got.stdout), &failure); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if failure.Error == "" || failure.Message == "" || strings.Contains(failure.Message, "\n") || !strings.HasPrefix(failure.Hint, "agentos") {
			t.Errorf("%s: %+v, want a code, a message of one line, a command to run next", line, failure)
		}
	}
}

func TestCase_B041(t *testing.T) {
	w := newX(t)
	w.env["XDG_RUNTIME_DIR"] = t.TempDir()
	if got := w.line("agentos-x big --bytes 2000000"); len(got.stdout) < 2000000 || got.exit != 0 {
		t.Errorf("without a limit: %d bytes, exit %d, want all", len(got.stdout), got.exit)
	}
	w.env["AGENTOS_INLINE_LIMIT"] = "64000"
	for _, line := range []string{"agentos-x big --bytes 2000000", "agentos-x big --bytes 2000000 --output result", "agentos-x big --bytes 2000000 --output text"} {
		var got struct {
			OK    bool
			Spill struct {
				Path, SHA256, Head string
				Bytes              int
			}
		}
		out := w.line(line)
		if err := json.Unmarshal([]byte(out.stdout), &got); err != nil {
			t.Fatalf("%s: %v in %.300s", line, err, out.stdout)
		}
		data, err := os.ReadFile(got.Spill.Path)
		if err != nil || len(data) != 2000002 || got.Spill.Bytes != len(data) || len(got.Spill.Head) != 1024 || len(got.Spill.SHA256) != 64 {
			t.Errorf("%s: spill %.200v with %d bytes in the file, %v", line, got, len(data), err)
		}
		info, err := os.Stat(got.Spill.Path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v, want 0600", line, info.Mode(), err)
		}
	}
}

func TestCase_B046(t *testing.T) {
	newX(t).echoes(
		echo{in("--json", `{"n":9223372036854775807}`), `{"n":9223372036854775807}`},
		echo{in("--n", "18446744073709551615"), `{"n":18446744073709551615}`},
		echo{in("--f", "1e400"), `{"f":1e400}`},
		echo{in("--f", "0.1000000000000000055"), `{"f":0.1000000000000000055}`},
		echo{in("--f", "-0"), `{"f":-0}`}, echo{in("--n", "-0"), `{"n":-0}`})
}

func TestCase_B109(t *testing.T) {
	w := newX(t)
	for _, line := range []string{"agentos-x fail", "agentos-x fail --code panic"} {
		got := w.line(line)
		for _, secret := range []string{"alice", "permission", "secret", "goroutine"} {
			if strings.Contains(got.stdout+got.stderr, secret) {
				t.Errorf("%s tells %q: %+v", line, secret, got)
			}
		}
		if got.exit != 1 || !strings.Contains(got.stdout, `"call":"`) {
			t.Errorf("%s: %+v, want exit 1 and the call's id", line, got)
		}
	}
}

func TestCase_B042(t *testing.T) {
	kit := &toolkit.Toolkit{Name: "wide", Tools: []toolkit.Tool{toolkit.Func(toolkit.Spec{Name: "text"},
		func(context.Context, struct{}) (string, error) { return strings.Repeat("é😀", 20_000), nil })}}
	w := newWorld(t, kit)
	w.env["XDG_RUNTIME_DIR"] = t.TempDir()
	for limit := range 9 {
		got := w.run("agentos-wide", "text", "--inline-limit", strconv.Itoa(limit+1))
		var envelope struct{ Spill struct{ Head string } }
		if err := json.Unmarshal([]byte(got.stdout), &envelope); err != nil || got.exit != 0 {
			t.Fatalf("limit %d: exit %d, %v in %.200s", limit+1, got.exit, err, got.stdout)
		}
		if head := envelope.Spill.Head; !utf8.ValidString(head) || strings.ContainsRune(head, utf8.RuneError) || len(head) > 1024 || len(head) < 1021 {
			t.Errorf("limit %d: a head of %d bytes, want whole characters of at most 1024", limit+1, len(head))
		}
	}
}

func TestResultFile(t *testing.T) {
	w := newX(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "out.json")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.want(w.run("agentos-x", "t", "--n", "1", "--result-file", file), 0, "")
	data, err := os.ReadFile(file)
	if want := `{"ok":true,"result":{"n":1}}` + "\n"; err != nil || string(data) != want {
		t.Errorf("file = %q, %v, want %q", data, err, want)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files in the directory, %v, want the one", len(left), err)
	}
	got := w.run("agentos-x", "t", "--n", "1", "--result-file", filepath.Join(dir, "no", "out.json"))
	if got.exit != 74 || got.stdout != "" || !strings.Contains(got.stderr, `"error":"OUTPUT_ERROR"`) {
		t.Errorf("an impossible file: %+v, want OUTPUT_ERROR on stderr, exit 74", got)
	}
	w.want(w.run("agentos-x", "t", "--n", "1", "--result-file", "/dev/null"), 0, "")
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("/dev/null is now %v, %v", info.Mode(), err)
	}
}

func TestDryRun(t *testing.T) {
	w := newX(t)
	w.want(w.line("agentos-x write --dry-run"), 0, `{"ok":true,"dry_run":true}`+"\n")
	w.want(w.line("agentos-x write"), 0, `{"ok":true,"result":1}`+"\n")
	w.wantFailure(w.line("agentos-x r --dry-run"), 2, "VALIDATION_ERROR", "s: required")
}

func TestCallID(t *testing.T) {
	w := newX(t)
	w.want(w.line("agentos-x write --call-id once"), 0, `{"ok":true,"result":1}`+"\n")
	w.want(w.line("agentos-x write --call-id once"), 0, `{"ok":true,"result":1,"replayed":true}`+"\n")
	w.wantFailure(w.line("agentos-x t --call-id once"), 2, "CALL_ID_CONFLICT", "once")
	w.wantFailure(w.line("agentos-x write --call-id a/b"), 2, "USAGE_ERROR", "call-id")
}

// Every part of the output can be lost, and says so.
func TestAFullStdoutIsAnOutputError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no /dev/full here: %v", err)
	}
	defer full.Close()
	w := newX(t)
	w.stdout = full
	got := w.line("agentos-x write --call-id k")
	if got.exit != 74 || !strings.Contains(got.stderr, `"error":"OUTPUT_ERROR"`) || !strings.Contains(got.stderr, `"call":"k"`) {
		t.Errorf("%+v, want OUTPUT_ERROR with the call's id on stderr, exit 74", got)
	}
}

func TestDebugDiagnosticsGoToStderr(t *testing.T) {
	w := newX(t)
	w.env["AGENTOS_LOG"] = "debug"
	got := w.line("agentos-x t --n 1")
	w.want(got, 0, `{"ok":true,"result":{"n":1}}`+"\n")
	for _, want := range []string{"connected", "call "} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("stderr %q lacks %q", got.stderr, want)
		}
	}
	w.env["AGENTOS_LOG"] = ""
	if got := w.line("agentos-x t --n 1"); got.stderr != "" {
		t.Errorf("stderr without AGENTOS_LOG = %q, want nothing", got.stderr)
	}
}
