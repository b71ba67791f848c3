package shim_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
	"github.com/agentos-go/agentos/shim"
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes this binary the shim when it is called by one of its names, and the
// host of hostprocess_test.go by another.
func TestMain(m *testing.M) {
	run := func() { os.Exit(shim.Main()) }
	testscript.Main(checked{m}, map[string]func(){
		"agentos": run, "agentos-math": run, "agentos-paint": run, "agentos-text": run, "agentos-weather": run, "agentos-x": run,
		"agentos-work": run, "agentos-h": run, "agentos-s": run, hostProgram: serveWork,
	})
}

// checked is a test run that leaves no goroutine behind.
type checked struct{ *testing.M }

func (c checked) Run() int {
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
// for a guest, with this binary in place of the guest's. It changes PATH and where
// the host is looked for.
//
//	install DIR ADDR
func install(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: install DIR ADDR")
	}
	self, err := os.Executable()
	ts.Check(err)
	binary, err := os.Open(self)
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
