package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/shim"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this binary the shim when it is called by its name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentos-files": func() { os.Exit(shim.Main()) }})
}

// The scripts run real shims in real shells against the program on a Unix socket. It
// serves the directory host, in which big has 20 MB and the digest $BIG_SHA256.
func TestScript(t *testing.T) {
	big := make([]byte, 20_000_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(big) // it never fails
	sum := sha256.Sum256(big)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"isbig": func(ts *testscript.TestScript, _ bool, args []string) {
				if ts.ReadFile(args[0]) != string(big) {
					ts.Fatalf("%s is not as big is", args[0])
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			dir, addr := filepath.Join(env.WorkDir, "host"), "unix://"+filepath.Join(env.WorkDir, "s")
			env.Setenv("AGENTOS_ADDR", addr)
			env.Setenv("BIG_SHA256", hex.EncodeToString(sum[:]))
			if err := os.WriteFile(filepath.Join(dir, "big"), big, 0o644); err != nil {
				return err
			}
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- serve(ctx, dir, addr) }() // joined below
			env.Defer(func() {
				stop()
				if err := <-ended; err != nil {
					t.Errorf("serve = %v, want nil after the context ended", err)
				}
			})
			return nil
		},
	})
}
