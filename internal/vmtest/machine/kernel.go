package machine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kernel is a Linux kernel for amd64.
type Kernel struct {
	// Image is the compressed kernel, a file.
	Image string
	// Modules is the directory of its modules, as in /lib/modules/VERSION.
	Modules string
}

// meta is the Debian package that depends on the latest kernel for clouds, the
// smallest of Debian's that has AF_VSOCK at both ends.
const meta = "linux-image-cloud-amd64"

// Debian is Debian's kernel for clouds, unpacked below a directory where it stays.
// The first time it is downloaded by apt-get, which needs Debian and a network.
func Debian(ctx context.Context, dir string) (*Kernel, error) {
	dir = filepath.Join(dir, "kernel")
	if k, err := unpacked(dir); err == nil {
		return k, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil { // apt downloads as another user
		return nil, err
	}
	if err := download(ctx, work); err != nil {
		return nil, fmt.Errorf("download Debian's kernel: %w; name another with its modules", err)
	}
	if err := os.Rename(filepath.Join(work, "tree"), dir); err != nil && !errors.Is(err, fs.ErrExist) { // another was as fast
		return nil, err
	}
	return unpacked(dir)
}

// unpacked is the kernel in the tree of its package.
func unpacked(dir string) (*Kernel, error) {
	images, _ := filepath.Glob(filepath.Join(dir, "boot/vmlinuz-*"))
	modules, _ := filepath.Glob(filepath.Join(dir, "lib/modules/*"))
	if len(images) != 1 || len(modules) != 1 {
		return nil, fmt.Errorf("%s holds no kernel", dir)
	}
	return &Kernel{Image: images[0], Modules: modules[0]}, nil
}

// download unpacks the package in work/tree.
func download(ctx context.Context, work string) error {
	name, err := latest(ctx)
	if err != nil { // perhaps there are no lists yet
		if _, err = run(ctx, work, "apt-get", "-qq", "update"); err == nil {
			name, err = latest(ctx)
		}
	}
	if err != nil {
		return err
	}
	if _, err := run(ctx, work, "apt-get", "-qq", "download", name); err != nil {
		return err
	}
	packages, _ := filepath.Glob(filepath.Join(work, "*.deb"))
	if len(packages) != 1 {
		return fmt.Errorf("apt-get downloaded %d packages for %s", len(packages), name)
	}
	_, err = run(ctx, work, "dpkg-deb", "-x", packages[0], "tree")
	return err
}

// latest is the package that the meta package depends on.
func latest(ctx context.Context) (string, error) {
	out, err := run(ctx, "", "apt-cache", "depends", meta)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "Depends: linux-image-"); ok {
			return "linux-image-" + name, nil
		}
	}
	return "", fmt.Errorf("apt-cache knows nothing that %s depends on", meta)
}

// run is a command's output.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", cmd, err)
	}
	return string(out), err
}

// Modules in the order in which they are loaded.
var (
	// VirtioVsock are those of a guest with a virtio-vsock device on PCI.
	VirtioVsock = []string{
		"virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
		"vsock", "vmw_vsock_virtio_transport_common", "vmw_vsock_virtio_transport",
	}
	// VhostVsock are those of a host of such guests, on a processor of AMD.
	VhostVsock = []string{
		"vsock", "vmw_vsock_virtio_transport_common", "vhost_iotlb", "vhost", "vhost_vsock", "irqbypass", "kvm", "kvm-amd",
	}
)

// modules are the files of the named modules, in that order, without those that are
// built into the kernel.
func (k *Kernel) modules(names []string) ([]string, error) {
	builtin, err := k.builtin()
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	err = filepath.WalkDir(k.Modules, func(path string, entry fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), ".ko"); ok && err == nil && entry.Type().IsRegular() {
			found[name] = path
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("kernel modules: %w", err)
	}
	var files []string
	for _, name := range names {
		switch {
		case found[name] != "":
			files = append(files, found[name])
		case !builtin[name]:
			return nil, fmt.Errorf("no module %s.ko below %s, and it is not built in", name, k.Modules)
		}
	}
	return files, nil
}

// builtinList is the file of the modules that are part of a kernel.
const builtinList = "modules.builtin"

// builtin are the modules that are part of the kernel.
func (k *Kernel) builtin() (map[string]bool, error) {
	f, err := os.Open(filepath.Join(k.Modules, builtinList))
	if err != nil {
		return nil, fmt.Errorf("kernel modules: %w", err)
	}
	defer f.Close()
	names := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		names[strings.TrimSuffix(filepath.Base(lines.Text()), ".ko")] = true
	}
	return names, lines.Err()
}
