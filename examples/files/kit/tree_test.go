package kit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

const secret = "the host's secret"

// newTree makes a root with a few files, and beside it what a guest must not
// see. It returns the root's path.
func newTree(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for name, content := range map[string]string{
		"root/notes.txt":      "one\ntwo\n",
		"root/docs/plan.md":   "# Plan\nthe budget is 3\n",
		"root/docs/a/deep.md": "budget, again\n",
		"root/empty":          "",
		"secret":              secret,
		"root-secret/key":     secret,
	} {
		write(t, filepath.Join(base, name), content)
	}
	return filepath.Join(base, "root")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// native opens the root as the toolkit does on this platform.
func native(t *testing.T, dir string) root {
	t.Helper()
	r, err := openRoot(dir)
	must(t, err)
	return r
}

// both are the two ways to open a root; the second is the fallback.
func both(t *testing.T, dir string) map[string]root {
	t.Helper()
	r, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return map[string]root{"native": native(t, dir), "os.Root": {portable{r}}}
}

// readAll is the tool read without a limit that matters.
func readAll(r root, name string) (string, error) {
	content, err := r.read(context.Background(), ReadArgs{Path: name, MaxBytes: 1 << 20})
	return content.Text, err
}

// wantCode fails unless err is the declared error.
func wantCode(t *testing.T, err error, want *toolkit.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error = %v, want %s", err, want.Code)
	}
}

// call runs a tool of the toolkit as a host does, from JSON to JSON.
func call(t *testing.T, kit *toolkit.Toolkit, name, input string) (string, error) {
	t.Helper()
	at := slices.IndexFunc(kit.Tools, func(tool toolkit.Tool) bool {
		command, err := tool.Command()
		return err == nil && command.Name == name
	})
	if at < 0 {
		t.Fatalf("no sound tool %q", name)
	}
	in, err := kit.Tools[at].Decode(json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	out, err := kit.Tools[at].Run(context.Background(), in)
	if err != nil {
		return "", err
	}
	result, err := json.Marshal(out)
	return string(result), err
}
