package sandboxes_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/conformance"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/shim"
)

// vsockAddr is what the guest of a VM dials.
var vsockAddr = transport.Address{Scheme: "vsock", CID: 2, Port: 5000}

// machine is a guest in a VM: the shim's own code, whose AF_VSOCK is a function.
type machine struct{ dial guest.DialFunc }

// behind is a guest whose VMM connects to the host as the double does.
func behind(v *conformance.VMM) machine {
	return machine{func(ctx context.Context) (net.Conn, error) {
		conn, err := v.Dial(ctx, vsockAddr.Port)
		if err != nil {
			return nil, asVsock(err)
		}
		return conn, nil
	}}
}

// asVsock is the error of a connect in the guest, as the shim would have it.
func asVsock(err error) error {
	reason := transport.Other
	if errors.Is(err, syscall.ECONNRESET) {
		reason = transport.Reset
	}
	return &transport.DialError{Addr: vsockAddr, Reason: reason, Err: err}
}

// run runs a command line of plain words, with variables before it, in the guest.
func (m machine) run(ctx context.Context, line string, out io.Writer) int {
	env := map[string]string{"AGENTOS_ADDR": vsockAddr.String()}
	words := strings.Fields(line)
	for len(words) > 0 {
		name, value, found := strings.Cut(words[0], "=")
		if !found {
			break
		}
		env[name], words = value, words[1:]
	}
	return shim.Run(ctx, &shim.Process{
		Args: words, Stdout: out, Stderr: out, Dial: m.dial,
		Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
	})
}

// console runs the lines of stdin in the guest, and answers as console does in
// session_linux_test.go.
func (m machine) console() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		status := m.run(context.Background(), lines.Text(), os.Stdout)
		fmt.Printf("\n=%d\n", status)
	}
}

// boot is a VM whose vsock device has that path, with somebody at its console. It
// listens there, as VMMs do for what the host connects to.
func boot(kind conformance.Kind, path string) {
	l := must(net.Listen("unix", path))
	defer l.Close()
	v := conformance.NewVMM(kind, path, 0)
	defer v.Close()
	behind(v).console()
}

// jailer does what Firecracker's does, as far as a Unix socket could tell: it goes
// into the jail, gives it to the VM's user, becomes that user, and then is Firecracker.
func jailer() {
	flags := flag.NewFlagSet("jailer", flag.ExitOnError)
	id, exec, base := flags.String("id", "", ""), flags.String("exec-file", "", ""), flags.String("chroot-base-dir", "", "")
	uid, gid := flags.Int("uid", -1, ""), flags.Int("gid", -1, "")
	_ = flags.Parse(os.Args[1:])
	firecracker := flag.NewFlagSet("firecracker", flag.ExitOnError)
	_, config := firecracker.Bool("no-api", false, ""), firecracker.String("config-file", "", "")
	_ = firecracker.Parse(flags.Args())

	must(os.Stat(*exec))
	check(syscall.Chroot(filepath.Join(*base, filepath.Base(*exec), *id, "root")))
	check(os.Chdir("/"))
	check(os.Chown("/", *uid, *gid))
	check(syscall.Setgroups(nil))
	check(syscall.Setgid(*gid))
	check(syscall.Setuid(*uid))

	var vm struct {
		Boot struct {
			Kernel string `json:"kernel_image_path"`
		} `json:"boot-source"`
		Vsock struct {
			Path string `json:"uds_path"`
		}
		Drives []struct {
			Path string `json:"path_on_host"`
		}
	}
	check(json.Unmarshal(must(os.ReadFile(*config)), &vm))
	must(os.ReadFile(vm.Boot.Kernel))
	check(must(os.OpenFile(vm.Drives[0].Path, os.O_RDWR, 0)).Close())
	boot(conformance.Firecracker, vm.Vsock.Path)
}

func cloudHypervisor() {
	flags := flag.NewFlagSet("cloud-hypervisor", flag.ExitOnError)
	for _, name := range []string{"cpus", "memory", "cmdline"} {
		flags.String(name, "", "")
	}
	kernel, disk, vsock := flags.String("kernel", "", ""), flags.String("disk", "", ""), flags.String("vsock", "", "")
	_ = flags.Parse(os.Args[1:])
	must(os.ReadFile(*kernel))
	must(os.Stat(option(*disk, "path")))
	if cid := option(*vsock, "cid"); cid != "3" {
		check(fmt.Errorf("the guest's cid is %q, want 3", cid))
	}
	boot(conformance.CloudHypervisor, option(*vsock, "socket"))
}

// krunkit connects to the socket as libkrun does: one connection for each of the
// guest's to that port.
func krunkit() {
	flags := flag.NewFlagSet("krunkit", flag.ExitOnError)
	flags.String("cpus", "", "")
	var device string
	flags.StringVar(&device, "device", "", "")
	_ = flags.Parse(os.Args[1:])
	if port := option(device, "port"); port != strconv.Itoa(int(vsockAddr.Port)) || !strings.HasPrefix(device, "virtio-vsock,") {
		check(fmt.Errorf("%q is no vsock device of port %d", device, vsockAddr.Port))
	}
	machine{func(ctx context.Context) (net.Conn, error) {
		conn, err := net.Dial("unix", option(device, "socketURL"))
		if err != nil {
			return nil, asVsock(&net.OpError{Op: "connect", Err: syscall.ECONNRESET})
		}
		return conn, nil
	}}.console()
}

// option is a value in a list such as cid=3,socket=/tmp/v.sock.
func option(list, name string) string {
	for pair := range strings.SplitSeq(list, ",") {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value
		}
	}
	return ""
}

// check ends a stand-in that found a recipe wrong.
func check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}
