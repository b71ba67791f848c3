package sandboxes_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/bytes.golden from what is said without a sandbox")

// A guest's commands say the same bytes in a sandbox as without one. The VMs of
// make test-vm are held against the same file.
func TestBytesAreTheSame(t *testing.T) {
	text, err := os.ReadFile("testdata/bytes.sh")
	if err != nil {
		t.Fatal(err)
	}
	direct := newPlace(t).direct(string(text))
	if *update {
		if err := os.WriteFile("testdata/bytes.golden", []byte(direct), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile("testdata/bytes.golden")
	if err != nil {
		t.Fatal(err)
	}
	want := string(golden)
	if direct != want {
		t.Fatalf("without a sandbox:\n%s\nwant\n%s", direct, want)
	}
	for name, output := range map[string]func(t *testing.T, p *place) ([]byte, error){
		"bubblewrap": func(t *testing.T, p *place) ([]byte, error) {
			needs(t, false, "bwrap")
			return p.command(shell{"sh"}, "bubblewrap.sh", nil, "sh", "-c", string(text)).Output()
		},
		"namespace": func(t *testing.T, p *place) ([]byte, error) {
			needsNamespaces(t)
			return p.asNobody().command(shell{"sh"}, "namespace.sh", nil, "sh", "-c", string(text)).Output()
		},
		"runc": func(t *testing.T, p *place) ([]byte, error) {
			needs(t, true, "runc", "busybox")
			p.env["ROOTFS"] = p.rootfs()
			return p.command(shell{"sh"}, "runc.sh", nil, "sh", "-c", string(text)).Output()
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := output(t, newPlace(t)); err != nil || string(got) != want {
				t.Errorf("%v; got\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// direct is the output of a script on this machine, with a host of its own.
func (p *place) direct(script string) string {
	p.t.Helper()
	daemon, root := filepath.Join(programs, "agentosd"), filepath.Join(p.dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if out, err := exec.Command(daemon, "install", "--example", "weather", "--guest", "vm7", "--root", root).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	socket, log := filepath.Join(p.dir, "run", "agentos.sock"), newLog()
	serve := exec.Command(daemon, "serve", "--example", "weather", "--listen", "unix://"+socket+"?guest=vm7")
	serve.Stderr = log
	if err := serve.Start(); err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	}()
	log.address(p.t)
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = []string{"PATH=" + filepath.Join(root, "usr/local/bin") + ":" + os.Getenv("PATH"), "AGENTOS_ADDR=unix://" + socket}
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}
