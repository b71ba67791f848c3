package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	files "github.com/agentos-go/agentos/examples/files/kit"
	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/shim"
	"github.com/agentos-go/agentos/toolkit"
)

var update = flag.Bool("update", false, "record the task again")

// TestMain makes this binary the shim when it is called by one of its names.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "agentos") {
		os.Exit(shim.Main())
	}
	os.Exit(m.Run())
}

// serve starts a host with the example toolkits and is a shell's environment for it.
func serve(t *testing.T) []string {
	t.Helper()
	kit, err := files.Toolkit("testdata/root")
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit, weather.Toolkit()}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	dir := t.TempDir()
	addr := "unix://" + filepath.Join(dir, "agentos.sock")
	if err := h.AddGuest(t.Context(), host.Guest{ID: "g", Addr: addr}); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agentos", "agentos-files", "agentos-weather"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return append(os.Environ(), "AGENTOS_ADDR="+addr, "PATH="+dir+":"+os.Getenv("PATH"))
}

func shell(t *testing.T, env []string, words ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("sh", words...)
	cmd.Env, cmd.Stderr = env, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sh %q: %v\n%s%s", words, err, out, stderr.String())
	}
	return string(out)
}

// The recording is true: the calls give these results, and the script this output.
func TestTheTaskIsAsRecorded(t *testing.T) {
	env := serve(t)
	recorded, err := loadTask()
	if err != nil {
		t.Fatal(err)
	}
	got := *recorded
	got.Calls = nil
	for _, c := range recorded.Calls {
		out := shell(t, env, "-c", `agentos call "$@"`, "sh", c.Toolkit, c.Tool, "--json", string(c.Input), "--output", "result")
		c.Result = json.RawMessage(strings.TrimSpace(out))
		got.Calls = append(got.Calls, c)
	}
	got.Output = shell(t, env, "-c", got.script())
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile("testdata/task.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(text, taskFile) {
		t.Errorf("run again, the task is\n%s\nwant\n%s", text, taskFile)
	}
}

// Both ways come to the same: what the script prints last is in the last result.
func TestBothWaysAnswer(t *testing.T) {
	recorded, err := loadTask()
	if err != nil {
		t.Fatal(err)
	}
	if len(recorded.Calls) != 10 {
		t.Errorf("got %d calls, want ten", len(recorded.Calls))
	}
	lines := strings.Split(strings.TrimSpace(recorded.Output), "\n")
	if last := recorded.Calls[9]; !strings.Contains(string(last.Result), lines[len(lines)-1]) {
		t.Errorf("the script ends with %q, the calls with %s", lines, last.Result)
	}
}
