package machine

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// kernelDir is a kernel whose modules are files of that name.
func kernelDir(t *testing.T, builtin string, modules ...string) *Kernel {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "modules.builtin"), builtin)
	for _, name := range modules {
		write(t, filepath.Join(dir, "kernel", name+".ko"), name)
	}
	return &Kernel{Image: "none", Modules: dir}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is written is what the usual programs read.
func TestTree_IsACpioArchive(t *testing.T) {
	unpack := unpacker(t)
	image := t.TempDir()
	write(t, filepath.Join(image, "usr/lib/agentos"), "program")
	if err := os.Symlink("../lib/agentos", filepath.Join(image, "usr/bin")); err != nil {
		t.Fatal(err)
	}
	var tree Tree
	tree.Add("init", 0o755, []byte("#!/bin/sh\n"))
	tree.Add("/etc/deep/er/empty", 0o600, nil)
	if err := tree.CopyAll("", image); err != nil {
		t.Fatal(err)
	}
	archive, dir := filepath.Join(t.TempDir(), "a.cpio"), t.TempDir()
	if err := tree.WriteFile(archive); err != nil {
		t.Fatal(err)
	}
	unpack(archive, dir)
	for name, want := range map[string]struct {
		mode fs.FileMode
		text string
	}{
		"init": {0o755, "#!/bin/sh\n"}, "etc/deep/er/empty": {0o600, ""}, "usr/lib/agentos": {0o644, "program"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		info, _ := os.Stat(filepath.Join(dir, name))
		if err != nil || string(text) != want.text || info.Mode() != want.mode {
			t.Errorf("%s: %q, %v; want %q with mode %s", name, text, err, want.text, want.mode)
		}
	}
	if target, err := os.Readlink(filepath.Join(dir, "usr/bin")); err != nil || target != "../lib/agentos" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
}

// unpacker unpacks an archive by cpio, or by busybox's.
func unpacker(t *testing.T) func(archive, dir string) {
	t.Helper()
	var command []string
	if path, err := exec.LookPath("cpio"); err == nil {
		command = []string{path}
	} else if path, err := exec.LookPath("busybox"); err == nil {
		command = []string{path, "cpio"}
	} else {
		t.Skip("neither cpio nor busybox here")
	}
	return func(archive, dir string) {
		t.Helper()
		f, err := os.Open(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], "-i", "-d")...)
		cmd.Dir, cmd.Stdin = dir, f
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
}

func TestTree_BaseLoadsModulesInOrder(t *testing.T) {
	if _, err := find("busybox", "/bin/busybox"); err != nil {
		t.Skip(err)
	}
	k := kernelDir(t, "kernel/drivers/virtio/virtio.ko\n", "b", "a", "unused")
	var tree Tree
	if err := tree.Base(k, []string{"b", "virtio", "a"}); err != nil {
		t.Fatal(err)
	}
	if got := string(tree.files["lib/modules/order"].data); got != "b.ko\na.ko\n" {
		t.Errorf("order = %q, want b, then a; virtio is built in", got)
	}
	if string(tree.files["lib/modules/a.ko"].data) != "a" || tree.files["lib/modules/unused.ko"].data != nil {
		t.Error("want the modules that were asked for, and no others")
	}
	if err := tree.Base(k, []string{"c"}); err == nil || !strings.Contains(err.Error(), "no module c.ko") {
		t.Errorf("a module that is missing: %v", err)
	}
}

func TestTree_ProgramBringsItsLibraries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ldd is Linux's")
	}
	program, err := exec.LookPath("ls")
	if err != nil {
		t.Skip(err)
	}
	var tree Tree
	if err := tree.Program(context.Background(), program); err != nil {
		t.Fatal(err)
	}
	if _, ok := tree.files[strings.TrimPrefix(program, "/")]; !ok || len(tree.files) < 3 {
		t.Errorf("files = %v, want %s, its loader and its libraries", tree.names(), program)
	}
}

func TestDebian_TakesWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "kernel/boot/vmlinuz-6.1"), "")
	write(t, filepath.Join(dir, "kernel/lib/modules/6.1/modules.builtin"), "")
	k, err := Debian(t.Context(), dir)
	if err != nil || filepath.Base(k.Image) != "vmlinuz-6.1" || filepath.Base(k.Modules) != "6.1" {
		t.Errorf("Debian = %+v, %v; want the one that is unpacked", k, err)
	}
}
