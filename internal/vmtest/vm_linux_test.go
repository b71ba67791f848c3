package vmtest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/vmtest/machine"
	"github.com/agentos-go/agentos/internal/vmtest/vhostuser"
)

// longest is how long a VM and all that runs in it may take.
const longest = 4 * time.Minute

// outcome is what a VM reports of one check.
type outcome struct {
	name   string
	ok     bool
	detail string
}

// outcomes reads what a VM reports, line by line. A VM that is booted again reports
// again, which counts.
type outcomes struct {
	t      *testing.T
	all    []outcome
	detail strings.Builder
}

func (o *outcomes) hear(line string) {
	verdict, name, _ := strings.Cut(line, " ")
	switch verdict {
	case "ok", "bad":
		o.all = append(o.all, outcome{name, verdict == "ok", o.detail.String()})
		o.detail.Reset()
	case "#":
		o.detail.WriteString(name + "\n")
	default:
		o.t.Log(line)
	}
}

// judge is a subtest for each check of the scripts, whether it was reported or not.
func (o *outcomes) judge(scripts ...string) {
	o.t.Helper()
	reported := map[string]bool{}
	for i, last := range o.all {
		if slices.ContainsFunc(o.all[i+1:], func(later outcome) bool { return later.name == last.name }) {
			continue
		}
		reported[last.name] = true
		o.t.Run(last.name, func(t *testing.T) {
			if !last.ok {
				t.Error(last.detail)
			}
		})
	}
	for _, name := range checks(o.t, scripts) {
		if !reported[name] {
			o.t.Errorf("%s: the VM did not report it", name)
		}
	}
}

var checkLine = regexp.MustCompile(`(?m)\b(check|control) '([^']+)'`)

// checks are the names of the checks in the scripts.
func checks(t *testing.T, scripts []string) (names []string) {
	t.Helper()
	for _, script := range scripts {
		for _, match := range checkLine.FindAllStringSubmatch(source(t, script), -1) {
			name := match[2]
			if match[1] == "control" {
				name = "control: " + name
			}
			names = append(names, name)
		}
	}
	return names
}

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run boots the VM and is what it reports.
func run(t *testing.T, vm *machine.VM) *outcomes {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	var console bytes.Buffer
	vm.Console = &console
	o := &outcomes{t: t}
	start := time.Now()
	status, err := vm.Run(ctx, o.hear)
	t.Logf("the VM took %s", time.Since(start).Round(100*time.Millisecond))
	if err != nil || status != 0 {
		t.Errorf("the VM ended with %d, %v", status, err)
	}
	if t.Failed() {
		t.Logf("console:\n%s", &console)
	}
	return o
}

// The kernel's AF_VSOCK at both ends, in VMs of a VM.
func TestVM_Nested(t *testing.T) {
	w := open(t)
	guest := w.guest("vsock://2:5000", "check.sh", "core.sh", "guest.sh", "first.sh", "second.sh")
	w.must(guest.WriteFile(w.path("guest.cpio")))
	var host machine.Tree
	w.must(host.Base(w.kernel, machine.VhostVsock))
	w.must(host.Emulator(t.Context()))
	w.must(host.Copy("vm/kernel", w.kernel.Image))
	w.must(host.Modules("vm/modules", w.kernel, machine.VirtioVsock))
	w.must(host.Copy("vm/guest.cpio", w.path("guest.cpio")))
	w.must(host.Copy("usr/local/bin/daemon", w.program("internal/vmtest/daemon")))
	w.must(host.Copy("usr/local/bin/example", w.program("examples/qemu")))
	w.must(host.Copy("usr/local/bin/agentosd", agentosd))
	w.must(host.Copy("usr/local/bin/agentos", w.shim))
	w.must(host.CopyAll("tests/files", demoFiles))
	w.scripts(&host, "check.sh", "host.sh")
	for _, script := range []string{"first.sh", "second.sh"} {
		host.Add("tests/boot-"+script, 0o755, []byte(nested("/tests/"+script)))
	}
	w.must(host.WriteFile(w.path("host.cpio")))
	o := run(t, &machine.VM{Kernel: w.kernel.Image, Initramfs: w.path("host.cpio"), Memory: 1536, Main: "/tests/host.sh", Nests: true})
	o.judge("host.sh", "core.sh", "guest.sh", "first.sh", "second.sh")
}

// The guest's AF_VSOCK before a hybrid listener of this machine.
func TestVM_Hybrid(t *testing.T) {
	for name, firecracker := range map[string]bool{"CloudHypervisor": false, "Firecracker": true} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			w.must(os.CopyFS(w.path("files"), os.DirFS(demoFiles)))
			listen := func(port, guest string) string { return "hybrid://" + w.path("v.sock") + "?port=" + port + guest }
			w.keep(w.program("internal/vmtest/daemon"), "-root", w.path("files"), "-listen", listen("5000", "&guest=vm7"), "-minimal", listen("5003", ""))
			w.keep(agentosd, "serve", "--example", "weather", "--listen", listen("5004", "&guest=vm7"))
			device, err := vhostuser.Listen(w.path("device"), &vhostuser.Options{CID: 42, Path: w.path("v.sock"), Firecracker: firecracker})
			w.must(err)
			defer device.Close()

			guest := w.guest("vsock://2:5000", "check.sh", "core.sh", "guest.sh", "hybrid.sh")
			w.must(guest.WriteFile(w.path("guest.cpio")))
			vm := &machine.VM{Kernel: w.kernel.Image, Initramfs: w.path("guest.cpio"), Memory: 512, Main: "/tests/hybrid.sh"}
			vm.Arguments = append(vm.ShareMemory(), "-chardev", "socket,id=vsock,path="+w.path("device"), "-device", "vhost-user-vsock-pci,chardev=vsock")
			run(t, vm).judge("core.sh", "guest.sh", "hybrid.sh")
		})
	}
}

// nested is the command that boots a VM in a VM.
func nested(main string) string {
	vm := &machine.VM{
		Kernel: "/vm/kernel", Initramfs: "/vm/guest.cpio", Memory: 256, Main: main,
		Arguments: []string{"-device", "vhost-vsock-pci,guest-cid=42"},
	}
	command := "exec " + machine.Program + " -chardev file,id=report,path=/run/report"
	for _, arg := range vm.Args([]string{"-accel", "kvm", "-cpu", "host"}) {
		command += " " + argv.Quote(arg)
	}
	return command + "\n"
}
