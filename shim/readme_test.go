package shim_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	files "github.com/agentos-go/agentos/examples/files/kit"
	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/toolkit"
)

var update = flag.Bool("update", false, "write the table of codes in README.md")

// The table of error codes in README.md is that of the code.
func TestCase_B036_TheREADMEsCodesAreThoseOfTheCode(t *testing.T) {
	const begin, end = "by go test ./shim -update -->\n", "<!-- end of codes -->"
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("README.md has no table of codes")
	}
	table := "| exit | code | when |\n|---|---|---|\n"
	for _, code := range toolkit.Codes {
		table += fmt.Sprintf("| %d | `%s` | %s |\n", code.Exit, code.Name, code.When)
	}
	if *update {
		if err := os.WriteFile("../README.md", []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != table {
		t.Errorf("README.md has\n%s\nwant\n%s", got, table)
	}
}

// blocks are the fenced blocks of README.md in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		t.Fatalf("README.md has no %s block", language)
	}
	return found
}

// What README.md shows of a shell inside the VM is what that shell shows.
func TestCase_B036_TheREADMEShowsWhatHappens(t *testing.T) {
	kit, err := files.Toolkit(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, kit, weather.Toolkit())
	for _, block := range blocks(t, "console") {
		for _, part := range strings.Split("\n"+strings.TrimSpace(block), "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			w.stdin = nil
			if producer, consumer, piped := strings.Cut(command, " | "); piped {
				out, err := exec.Command("sh", "-c", producer).Output()
				if err != nil {
					t.Fatalf("%s: %v", producer, err)
				}
				command, w.stdin = consumer, bytes.NewReader(out)
			}
			got := w.run(words(t, command)...)
			if strings.TrimSpace(got.stdout+got.stderr) != strings.TrimSpace(want) {
				t.Errorf("$ %s\n%s%s\nREADME.md shows\n%s", command, got.stdout, got.stderr, want)
			}
		}
	}
}

// words splits a command as a shell does.
func words(t *testing.T, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+command).Output()
	if err != nil {
		t.Fatalf("split %q: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// The program in README.md compiles, as a package of this module that exists
// only in an overlay.
func TestCase_B036_TheREADMEsProgramCompiles(t *testing.T) {
	dir := t.TempDir()
	program, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	place, err := filepath.Abs("../examples/readme/main.go")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: program}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{program: []byte(blocks(t, "go")[0]), overlay: replace} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-o", os.DevNull, "-overlay", overlay, "../examples/readme").CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}

// Every program and make target that README.md tells a reader to run exists,
// and agentosd knows the commands and options it is shown with.
func TestCase_B036_TheREADMEsCommandsExist(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	daemon := filepath.Join(t.TempDir(), "agentosd")
	if out, err := exec.Command("go", "build", "-o", daemon, "../host/agentosd").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, line := range strings.Split(strings.Join(blocks(t, "sh"), ""), "\n") {
		command, _, _ := strings.Cut(line, " #")
		switch word := strings.Fields(command); {
		case len(word) == 0:
		case word[0] == "make":
			if !strings.Contains(string(makefile), "\n"+word[1]+":") {
				t.Errorf("%s: no such target", line)
			}
		case word[0] == "go" && word[1] == "run":
			if _, err := os.Stat(filepath.Join(root, word[2], "main.go")); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		case word[0] == "bin/agentosd":
			help, err := exec.Command(daemon, word[1], "--help").Output()
			for _, option := range regexp.MustCompile(`--[a-z]+`).FindAllString(command, -1) {
				if err != nil || !strings.Contains(string(help), option+" ") {
					t.Errorf("%s: agentosd %s has no %s (%v)", line, word[1], option, err)
				}
			}
		case word[0] == "agentos":
			w := newWorld(t, weather.Toolkit())
			t.Chdir(t.TempDir())
			if got := w.run(words(t, command)...); got.exit != 0 {
				t.Errorf("%s: %+v, want exit 0", line, got)
			}
		default:
			t.Errorf("%s: not checked by this test", line)
		}
	}
}
