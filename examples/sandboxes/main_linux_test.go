package sandboxes_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes this binary each of the programs that the recipes start and that
// need a KVM, when it is called by their names.
func TestMain(m *testing.M) {
	testscript.Main(checked{m}, map[string]func(){
		"jailer": jailer, "firecracker": func() {}, "cloud-hypervisor": cloudHypervisor, "krunkit": krunkit,
	})
}

// programs is a directory with agentosd, the guest's program beside it, and probe,
// all readable to every user.
var programs string

// checked is a test run with the programs built, which leaves no goroutine behind.
type checked struct{ *testing.M }

func (c checked) Run() int {
	remove, err := build()
	defer remove()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := c.M.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func build() (remove func(), err error) {
	programs, err = os.MkdirTemp("", "agentos-bin-")
	if err != nil {
		return func() {}, err
	}
	remove = func() { _ = os.RemoveAll(programs) }
	cmd := exec.Command("go", "build", "-o", programs+string(filepath.Separator), "../../shim/agentos", "../../host/agentosd", "./testdata/probe")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return remove, errors.Join(err, os.Chmod(programs, 0o755))
}
