package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// As a program of QEMU's name this binary stands in for it: what it does as a VM is
// the name of its main script.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == Program {
		standIn()
		return
	}
	goleak.VerifyTestMain(m)
}

func standIn() {
	line := strings.Join(os.Args, " ")
	_, socket, _ := strings.Cut(line, "report,path=")
	socket, _, _ = strings.Cut(socket, " ")
	_, main, _ := strings.Cut(line, "main=/")
	main, _, _ = strings.Cut(main, " ")
	if main == "never" {
		return
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		os.Exit(1)
	}
	fmt.Println("a kernel's message")
	if tried := os.Getenv("TRIED"); main == "hangs" || main == "hangs-once" && os.Mkdir(tried, 0o700) == nil {
		select {}
	}
	fmt.Fprint(conn, "tick\r\nok one\ntick\n")
	switch main {
	case "dies":
	case "hangs-late":
		select {}
	case "garbage":
		fmt.Fprint(conn, strings.Repeat("x", 100<<10))
	default:
		fmt.Fprint(conn, "bad two\nexit 3\n")
	}
}

// boots runs a VM of the stand-in.
func boots(ctx context.Context, t *testing.T, main string) (lines []string, console string, status int, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, Program)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // for the stand-in
	t.Setenv("TRIED", filepath.Join(dir, "tried"))
	var out bytes.Buffer
	vm := &VM{Kernel: "k", Initramfs: "i", Memory: 64, Main: "/" + main, Console: &out}
	if strings.HasPrefix(main, "hangs") {
		vm.Silence = 2 * time.Second
	}
	status, err = vm.Run(ctx, func(line string) { lines = append(lines, line) })
	return lines, out.String(), status, err
}

func TestVM_ReportsBesideItsConsole(t *testing.T) {
	lines, console, status, err := boots(t.Context(), t, "main")
	if err != nil || status != 3 || !slices.Equal(lines, []string{"ok one", "bad two"}) || console != "a kernel's message\n" {
		t.Errorf("Run = %d, %v with %q and %q on the console", status, err, lines, console)
	}
}

func TestVM_IsBootedAgainWhenItHangs(t *testing.T) {
	if lines, _, status, err := boots(t.Context(), t, "hangs-once"); err != nil || status != 3 || len(lines) != 2 {
		t.Errorf("Run = %d, %v with %q; want the second boot's", status, err, lines)
	}
	for _, main := range []string{"hangs", "hangs-late"} {
		if _, _, _, err := boots(t.Context(), t, main); !errors.Is(err, errSilent) {
			t.Errorf("%s: Run = %v, want that it stands still", main, err)
		}
	}
}

func TestVM_EndsTooSoon(t *testing.T) {
	for _, main := range []string{"never", "dies", "garbage"} {
		if _, _, _, err := boots(t.Context(), t, main); err == nil || errors.Is(err, errSilent) {
			t.Errorf("%s: Run = %v, want an error of its own", main, err)
		}
	}
}

func TestVM_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(100*time.Millisecond, func() { cancel(enough) })
	if _, _, _, err := boots(ctx, t, "hangs"); !errors.Is(err, enough) {
		t.Errorf("Run = %v, want %v", err, enough)
	}
}
