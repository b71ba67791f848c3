//go:build linux

// Command qemu boots a small VM that has the weather tools as commands, and serves
// them to it over AF_VSOCK:
//
//	go run ./examples/qemu                          # a shell in the VM; exit ends it
//	go run ./examples/qemu 'agentos-weather cities' # one command line
//	go run ./examples/qemu <script.sh
//
// It ends with the exit status of what ran (which go run reports, and ends with 1).
// It needs QEMU and a static busybox (Debian: qemu-system-x86 busybox-static), and
// takes Debian's kernel for clouds, or the one of -kernel and -modules.
//
// Where the kernel here has vhost_vsock the VM has its device, and the host knows the
// VM by its CID. Elsewhere the device ends in a Unix socket, like that of Firecracker
// and Cloud Hypervisor. Without KVM the VM is emulated.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/vmtest/machine"
	"github.com/agentos-go/agentos/internal/vmtest/vhostuser"
	"github.com/agentos-go/agentos/toolkit"
	"golang.org/x/sys/unix"
)

// The guest, by the name and the CID that the host knows it by.
const (
	id  = "vm7"
	cid = 42
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "qemu:", err)
		status = 1
	}
	os.Exit(status)
}

func run(ctx context.Context) (status int, err error) {
	var kernel machine.Kernel
	flag.StringVar(&kernel.Image, "kernel", "", "`FILE` of a kernel (default: Debian's, downloaded once)")
	flag.StringVar(&kernel.Modules, "modules", "", "`DIR` of its modules, as /lib/modules/VERSION")
	shim := flag.String("shim", "", "guest binary `FILE` (default: built from here)")
	flag.Parse()
	dir, err := os.MkdirTemp("", "qemu-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if kernel.Image == "" {
		if kernel, err = debian(ctx); err != nil {
			return 0, err
		}
	}
	if *shim == "" {
		*shim = filepath.Join(dir, "agentos")
		if err := build(ctx, *shim); err != nil {
			return 0, err
		}
	}
	vm := &machine.VM{Kernel: kernel.Image, Initramfs: filepath.Join(dir, "guest.cpio"), Memory: 512, Main: "/main"}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{weather.Toolkit()}})
	if err != nil {
		return 0, err
	}
	defer h.Close()
	unlink, err := link(ctx, h, vm, dir)
	if err != nil {
		return 0, err
	}
	defer unlink()
	tree, err := files(ctx, h, &kernel, *shim, filepath.Join(dir, "image"))
	if err != nil {
		return 0, err
	}
	vm.Console = os.Stdout
	main, err := script(flag.Args(), vm)
	if err != nil {
		return 0, err
	}
	tree.Add("main", 0o755, []byte(main))
	if err := tree.WriteFile(vm.Initramfs); err != nil {
		return 0, err
	}
	return vm.Run(ctx, func(line string) { fmt.Fprintln(os.Stderr, "qemu:", line) })
}

// debian is Debian's kernel, in the user's cache.
func debian(ctx context.Context) (machine.Kernel, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return machine.Kernel{}, err
	}
	cache = filepath.Join(cache, "agentos")
	fmt.Fprintf(os.Stderr, "qemu: the kernel is Debian's, in %s; if it is not there, it is downloaded\n", cache)
	kernel, err := machine.Debian(ctx, cache)
	if err != nil {
		return machine.Kernel{}, err
	}
	return *kernel, nil
}

// build builds the guest's program.
func build(ctx context.Context, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "github.com/agentos-go/agentos/shim/agentos")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the guest binary: %w\n%s", err, text)
	}
	return nil
}

// files is what the VM boots into: a shell, and the commands of its guest.
func files(ctx context.Context, h *host.Host, kernel *machine.Kernel, shim, image string) (*machine.Tree, error) {
	binary, err := os.ReadFile(shim)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(image, 0o755); err != nil {
		return nil, err
	}
	if _, err = guest.Install(image, h.Definitions(ctx, id), &guest.InstallOptions{
		Shim: bytes.NewReader(binary), Addr: "vsock://2:5000", Prompt: h.Prompt(ctx, id, nil),
	}); err != nil {
		return nil, err
	}
	var tree machine.Tree
	return &tree, errors.Join(tree.Base(kernel, machine.VirtioVsock), tree.CopyAll("", image))
}

// script is what runs in the VM: a shell for whoever sits at the terminal, or what comes
// from stdin, or the command. More than one argument are the words of a command.
func script(args []string, vm *machine.VM) (string, error) {
	_, notTerminal := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS)
	switch {
	case len(args) == 1:
		return command + args[0] + "\n", nil
	case len(args) > 1:
		for i := range args {
			args[i] = argv.Quote(args[i])
		}
		return command + strings.Join(args, " ") + "\n", nil
	case notTerminal == nil:
		vm.Stdin = os.Stdin
		return "echo 'This VM has the commands of: agentos list-tools'\nsh -i\n", nil
	}
	text, err := io.ReadAll(os.Stdin)
	return command + string(text) + "\n", err
}

// command begins what runs with nobody at the console, whose output is not a
// terminal's.
const command = "stty -onlcr\nexec </dev/null\n"

// link gives the VM a vsock device and serves its guest there, until the link is undone.
func link(ctx context.Context, h *host.Host, vm *machine.VM, dir string) (undo func(), err error) {
	if _, err := os.Stat("/dev/vhost-vsock"); err == nil {
		return kernelLink(ctx, h, vm)
	}
	path, socket := filepath.Join(dir, "v.sock"), filepath.Join(dir, "device")
	if err := h.AddGuest(ctx, host.Guest{ID: id, Addr: "hybrid://" + path + "?port=5000"}); err != nil {
		return nil, err
	}
	device, err := vhostuser.Listen(socket, &vhostuser.Options{CID: cid, Path: path})
	if err != nil {
		return nil, err
	}
	vm.Arguments = append(vm.ShareMemory(), "-chardev", "socket,id=vsock,path="+socket, "-device", "vhost-user-vsock-pci,chardev=vsock")
	return func() { _ = device.Close() }, nil
}

// kernelLink is a link through this kernel's own vhost_vsock.
func kernelLink(ctx context.Context, h *host.Host, vm *machine.VM) (undo func(), err error) {
	vm.Arguments = []string{"-device", fmt.Sprintf("vhost-vsock-pci,guest-cid=%d", cid)}
	if err := h.AddGuest(ctx, host.Guest{ID: id, CID: cid}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.ListenAndServe(ctx, "vsock://:5000") }() // received when the link is undone
	return func() {
		cancel()
		if err := <-ended; err != nil {
			fmt.Fprintln(os.Stderr, "qemu:", err)
		}
	}, nil
}
