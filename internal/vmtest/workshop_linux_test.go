package vmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	files "github.com/agentos-go/agentos/examples/files/kit"
	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/vmtest/machine"
	"github.com/agentos-go/agentos/toolkit"
)

// root is the folder of the module.
const root = "../.."

// agentosd is the daemon as make build makes it.
const agentosd = root + "/bin/agentosd"

// demoFiles are the files that the demo expects at its host.
const demoFiles = root + "/examples/demo/files"

// sandboxes has a script that prints what must be the same in every sandbox, and that.
const sandboxes = root + "/examples/sandboxes/testdata"

// workshop is where the parts of VMs are made.
type workshop struct {
	t      *testing.T
	kernel *machine.Kernel
	shim   string // the guest's program
	dir    string
}

// open is a workshop, unless this is not make test-vm.
func open(t *testing.T) *workshop {
	t.Helper()
	cache := os.Getenv("AGENTOS_VMTEST")
	if cache == "" {
		t.Skip("VMs are booted by make test-vm only")
	}
	kernel, err := machine.Debian(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "vm") // short, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &workshop{t: t, kernel: kernel, shim: filepath.Join(root, "bin/agentos"), dir: dir}
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

func (w *workshop) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// program builds one of ours, static, and is its file.
func (w *workshop) program(pkg string, flags ...string) string {
	w.t.Helper()
	out := filepath.Join(w.t.TempDir(), filepath.Base(pkg))
	cmd := exec.CommandContext(w.t.Context(), "go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, append(flags, "./"+pkg)...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", cmd, err, text)
	}
	return out
}

// protocol2 is the guest's program as it would be if it spoke another version.
func (w *workshop) protocol2() string {
	w.t.Helper()
	const ours, theirs = "return []int{1}", "return []int{2}"
	place, err := filepath.Abs(filepath.Join(root, "internal/wire/version.go"))
	w.must(err)
	text, err := os.ReadFile(place)
	w.must(err)
	if strings.Count(string(text), ours) != 1 {
		w.t.Fatalf("%s does not say %q once", place, ours)
	}
	replaced, overlay := w.path("version.go"), w.path("overlay.json")
	w.must(os.WriteFile(replaced, []byte(strings.Replace(string(text), ours, theirs, 1)), 0o600))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: replaced}})
	w.must(err)
	w.must(os.WriteFile(overlay, replace, 0o600))
	return w.program("shim/agentos", "-overlay", overlay)
}

// guest is the tree of a guest that dials that address, with the scripts.
func (w *workshop) guest(addr string, scripts ...string) *machine.Tree {
	w.t.Helper()
	var tree machine.Tree
	w.must(tree.Base(w.kernel, machine.VirtioVsock))
	w.install(&tree, "", w.shim, addr)
	w.install(&tree, "protocol2", w.protocol2(), addr)
	w.scripts(&tree, scripts...)
	w.must(tree.Copy("usr/local/bin/lap", w.program("internal/vmtest/lap")))
	for _, name := range []string{"bytes.sh", "bytes.golden"} {
		w.must(tree.Copy("tests/"+name, filepath.Join(sandboxes, name)))
	}
	w.must(tree.Copy("tests/inside.sh", filepath.Join(root, "examples/demo/inside.sh")))
	return &tree
}

// install puts the guest's commands below a folder of the tree, as agentosd install does.
func (w *workshop) install(tree *machine.Tree, below, shim, addr string) {
	w.t.Helper()
	binary, err := os.Open(shim)
	w.must(err)
	defer binary.Close()
	kit, err := files.Toolkit(w.dir)
	w.must(err)
	definitions := []*toolkit.Definition{{Command: toolkit.Command{Name: "lab"}}}
	for _, kit := range []*toolkit.Toolkit{weather.Toolkit(), kit} {
		definition, err := kit.Definition()
		w.must(err)
		definitions = append(definitions, definition)
	}
	image := w.t.TempDir()
	_, err = guest.Install(image, definitions, &guest.InstallOptions{Shim: binary, Addr: addr})
	w.must(err)
	w.must(tree.CopyAll(below, image))
}

// keep runs a program until the test ends, and again whenever it is killed.
func (w *workshop) keep(program string, args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	var log bytes.Buffer
	ended := make(chan error, 1)
	go func() { // received when the test ends
		for {
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Stderr = &log
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			err := cmd.Run()
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 && ctx.Err() == nil {
				continue
			}
			ended <- err
			return
		}
	}()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) || w.t.Failed() {
			w.t.Logf("%s: %v\n%s", filepath.Base(program), err, &log)
		}
	})
}

// scripts puts scripts of testdata there.
func (w *workshop) scripts(tree *machine.Tree, names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.must(tree.Copy("tests/"+name, filepath.Join("testdata", name)))
	}
}
