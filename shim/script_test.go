package shim_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes this binary the host of hostprocess_test.go when it is called by that
// name.
func TestMain(m *testing.M) {
	testscript.Main(checked{m}, map[string]func(){hostProgram: serveWork})
}

// programs are the names of the shim that tests find in PATH.
var programs = []string{
	"agentos", "agentos-math", "agentos-paint", "agentos-text", "agentos-weather", "agentos-x", "agentos-work", "agentos-h", "agentos-s",
}

// shimProgram is the guest's program as it is built: this binary is ten times its size,
// and slow to start where it looks for races.
var shimProgram string

// install builds the guest's program and puts it into PATH under its names.
func (c checked) install() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "agentos-shim-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	shimProgram = filepath.Join(dir, "agentos")
	build := exec.Command("go", "build", "-o", shimProgram, "./agentos")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return remove, fmt.Errorf("go build: %w\n%s", err, out)
	}
	for _, name := range programs[1:] {
		if err := os.Symlink("agentos", filepath.Join(dir, name)); err != nil {
			return remove, err
		}
	}
	return remove, os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// checked is a test run that leaves no goroutine behind.
type checked struct{ *testing.M }

func (c checked) Run() int {
	remove, err := c.install()
	if remove != nil {
		defer remove()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := c.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// The scripts run real shims in real shells against a host on a Unix socket.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"install": install},
		Setup: func(env *testscript.Env) error {
			socket := filepath.Join(env.WorkDir, "agentos.sock")
			x, err := fixture.X()
			if err != nil {
				return err
			}
			h, err := host.New(&host.Options{Toolkits: append(fixture.Kits(), x, paint(t)), Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				return err
			}
			env.Defer(func() { h.Close() })
			env.Setenv("AGENTOS_ADDR", "unix://"+socket)
			env.Values[hostKey{}] = h
			return h.AddGuest(context.Background(), host.Guest{ID: "g", Addr: "unix://" + socket})
		},
	})
}

// hostKey is the script's value that is its host.
type hostKey struct{}

// install is the script command that installs the toolkits below a directory, as
// for a guest. It changes PATH and where
// the host is looked for.
//
//	install DIR ADDR
func install(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: install DIR ADDR")
	}
	binary, err := os.Open(shimProgram)
	ts.Check(err)
	defer binary.Close()
	root := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(root, 0o755))
	defs := ts.Value(hostKey{}).(*host.Host).Definitions(context.Background(), "g")
	installed, err := guest.Install(root, defs, &guest.InstallOptions{Shim: binary, Addr: args[1]})
	ts.Check(err)
	ts.Setenv("PATH", filepath.Join(root, installed.LinkDir)+":"+ts.Getenv("PATH"))
	ts.Setenv("AGENTOS_ADDR", "")
}
