package machine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// VM is a virtual machine with one processor.
type VM struct {
	// Kernel is the file of the kernel's image.
	Kernel string
	// Initramfs is the file that Tree.WriteFile wrote.
	Initramfs string
	// Memory is in MiB.
	Memory int
	// Main is the script that the VM runs, a path in it.
	Main string
	// Nests says that the VM can have VMs of its own. The processor is an emulated one
	// of AMD then, whose virtualization QEMU emulates too.
	Nests bool
	// Arguments are more of QEMU's, for devices.
	Arguments []string
	// Silence is how long the VM may say nothing; 0 means the constant of that name.
	Silence time.Duration
	// Stdin and Console are the ends of the console; nil: nothing, and nowhere. A
	// terminal is raw while the VM runs, so that an interrupt is typed into the VM.
	Stdin   io.Reader
	Console io.Writer
}

// Program is the emulator's.
const Program = "qemu-system-x86_64"

// Args are QEMU's arguments, with what the VM reports going to a character device
// (-chardev) with the id "report", which the caller adds.
func (v *VM) Args(accelerator []string) []string {
	args := []string{
		"-m", strconv.Itoa(v.Memory), "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-no-reboot",
		"-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console", "-serial", "chardev:report",
		"-kernel", v.Kernel, "-initrd", v.Initramfs,
		"-append", "console=ttyS0 quiet panic=-1 cryptomgr.notests main=" + v.Main,
	}
	return append(append(args, accelerator...), v.Arguments...)
}

// Accelerator is how QEMU runs a VM fastest here. That /dev/kvm opens is no proof: a
// hypervisor may offer it for its own kind of guests only.
func (v *VM) Accelerator() []string {
	if v.Nests {
		return []string{"-accel", "tcg", "-cpu", "max,+svm,+npt"}
	}
	flags, err := os.ReadFile("/proc/cpuinfo")
	if err == nil && regexp.MustCompile(`\b(vmx|svm)\b`).Match(flags) {
		if kvm, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0); err == nil && kvm.Close() == nil {
			return []string{"-accel", "kvm", "-cpu", "host"}
		}
	}
	return []string{"-accel", "tcg", "-cpu", "max"}
}

// ShareMemory are the arguments that let a back end outside of QEMU (vhost-user) see
// the VM's memory.
func (v *VM) ShareMemory() []string {
	return []string{
		"-machine", "pc,memory-backend=ram",
		"-object", fmt.Sprintf("memory-backend-memfd,id=ram,size=%dM,share=on", v.Memory),
	}
}

// Silence is how long a VM that says every five seconds that it lives may say nothing,
// also when it boots, which takes two seconds where it is emulated. Tries is how often
// it is booted: what is emulated stands still now and then.
const (
	Silence = 60 * time.Second
	tries   = 2
)

// errSilent says that a VM stands still: not its script, but the machine.
var errSilent = errors.New("the VM stands still")

// Run boots the VM and waits until its main script ends, whose exit status it returns.
// Each line that the VM reports is given to report. A VM that stands still is booted
// once more, and then reports from the start.
func (v *VM) Run(ctx context.Context, report func(line string)) (status int, err error) {
	for range tries {
		if status, err = v.boot(ctx, report); !errors.Is(err, errSilent) {
			break
		}
	}
	return status, err
}

func (v *VM) boot(ctx context.Context, report func(line string)) (status int, err error) {
	program, err := find(Program)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dir, err := os.MkdirTemp("", "vm-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "report")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	args := append([]string{"-chardev", "socket,id=report,path=" + socket}, v.Args(v.Accelerator())...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = v.Stdin, v.Console, v.Console
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // QEMU leaves a terminal as it was
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	patience := cmp.Or(v.Silence, Silence)
	late := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer late.Stop()
	ended := make(chan struct{})
	go func() { // waited for below
		_ = cmd.Wait() // what it has to say, hear knows
		l.Close()
		close(ended)
	}()
	status, err = hear(l, func(line string) {
		if late.Reset(patience); line != "tick" {
			report(line)
		}
	})
	if err == nil {
		late.Reset(powerOff)
		<-ended
		return status, nil // however the machine stopped
	}
	cancel(err) // nothing more will come
	<-ended
	return 0, context.Cause(ctx)
}

// powerOff is how long a VM may take to stop, when all is said.
const powerOff = 10 * time.Second

// hear gives the lines of the VM that connects to report, but for the last: how its
// main script ended.
func hear(l net.Listener, report func(line string)) (status int, err error) {
	conn, err := l.Accept()
	if err != nil {
		return 0, fmt.Errorf("the VM ended before it came up: %w", err)
	}
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if text, ended := strings.CutPrefix(line, "exit "); ended {
			return strconv.Atoi(text)
		}
		report(line)
	}
	if lines.Err() != nil {
		return 0, fmt.Errorf("what the VM reports: %w", lines.Err())
	}
	return 0, errors.New("the VM ended before its script did")
}

// find is the path of a program, or the package that has it.
func find(name string, places ...string) (string, error) {
	for _, place := range places {
		if _, err := os.Stat(place); err == nil {
			return place, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	pkg := "qemu-system-x86"
	if name == "busybox" {
		pkg = "busybox-static"
	}
	return "", fmt.Errorf("no %s here: apt-get install %s", name, pkg)
}
