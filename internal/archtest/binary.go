package archtest

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Binary is what a program may be linked from. Its size and the packages that
// run at its start are paid by every call of every tool.
type Binary struct {
	// Ours are exactly the packages below Module that are linked.
	Ours []string
	// Others are the packages outside the standard library that may be linked,
	// as patterns of Covers.
	Others []string
	// Never are packages of the standard library that may not be, also as
	// patterns: large ones that a client of the bridge has no use for.
	Never []string
	// MaxBytes is the limit of the stripped size.
	MaxBytes int64
}

// GuestBinary is shim/agentos, the program inside the sandbox.
var GuestBinary = Binary{
	Ours: with(ground, "guest", "shim", "shim/agentos"),
	Others: []string{
		"github.com/go-json-experiment/json/internal/...",
		"github.com/go-json-experiment/json/jsontext",
		// vsock and what it needs.
		"github.com/mdlayher/socket",
		"github.com/mdlayher/vsock",
		"golang.org/x/net/bpf",
		"golang.org/x/sync/errgroup",
		"golang.org/x/sys/unix",
	},
	Never: []string{
		"archive/...", "compress/...", "crypto/tls", "crypto/x509", "database/...", "encoding/gob", "encoding/xml",
		"flag", "go/...", "html/...", "net/http/...", "regexp/...", "testing/...", "text/template/...",
	},
	MaxBytes: 4 << 20,
}

// Faults is one sentence for each linked package that the binary may not have,
// and each of ours that it should have and has not.
func (b *Binary) Faults(linked []string) []string {
	var faults []string
	missing := slices.Clone(b.Ours)
	for _, pkg := range linked {
		ours, isOurs := strings.CutPrefix(pkg, Module+"/")
		switch {
		case isOurs && slices.Contains(missing, ours):
			missing = slices.DeleteFunc(missing, func(s string) bool { return s == ours })
		case isOurs, thirdParty(pkg) && !coversAny(b.Others, pkg), coversAny(b.Never, pkg):
			faults = append(faults, pkg+" may not be linked")
		}
	}
	for _, pkg := range missing {
		faults = append(faults, pkg+" should be linked and is not")
	}
	return faults
}

// Linked are the import paths of the packages that a program for Linux on the
// architecture is linked from. Packages that the standard library vendors are
// left out.
func Linked(dir, program, arch string) ([]string, error) {
	out, err := goCommand(dir, linux(arch), "list", "-deps", program)
	if err != nil {
		return nil, err
	}
	linked := strings.Fields(string(out))
	return slices.DeleteFunc(linked, func(pkg string) bool { return within("vendor", pkg) }), nil
}

// Small are the flags with which make builds the guest's program beside those of
// both programs.
var Small = []string{"-tags=purego", "-gcflags=" + Module + "/...=-l"}

// Build builds a program for Linux on the architecture as make does.
func Build(dir, program, arch, output string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"}, Small...)
	_, err := goCommand(dir, linux(arch), append(args, "-o", output, program)...)
	return err
}

func linux(arch string) []string { return []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch} }

// goCommand runs the go command in a folder, with more variables than our own,
// and returns what it prints.
func goCommand(dir string, env []string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return out, nil
}

// IsStatic says whether an ELF program runs without a dynamic loader, so that it
// starts in any image, whatever C library that has, or none.
func IsStatic(program io.ReaderAt) (bool, error) {
	file, err := elf.NewFile(program)
	if err != nil {
		return false, fmt.Errorf("read ELF: %w", err)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return false, nil
		}
	}
	libraries, err := file.ImportedLibraries()
	if err != nil {
		return false, fmt.Errorf("read ELF: %w", err)
	}
	return len(libraries) == 0, nil
}
