package sandboxes_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agentos-go/agentos/internal/conformance"
)

const (
	paris     = `{"ok":true,"result":{"temperature":20.4,"condition":"some rain"}}` + "\n"
	inUnix    = "unix:///run/agentos/agentos.sock"
	absent    = "There is no such socket: start agentosd on this address"
	deserted  = "The socket is there, but no host listens on it: start agentosd. If it runs, mount the socket's directory"
	forbidden = "Connecting is blocked by a sandbox or by file modes here: allow /run/agentos/agentos.sock, name this user by uid="
	blocked   = "AF_VSOCK is blocked by a sandbox here"
	nobody    = "Nobody listens on port 5000 at that CID: start agentosd"
	soon      = "AGENTOS_DIAL_WAIT=50ms " // before a command whose host will not come
)

// stranger is a user who is in none of the sandboxes.
const stranger = "4242"

// needs skips a test that cannot run here, with the reason.
func needs(t *testing.T, root bool, names ...string) {
	t.Helper()
	if root && os.Geteuid() != 0 {
		t.Skip("not root")
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// works asserts a call, its failure and a healthy link, in a sandbox that dials that
// address.
func (s *session) works(addr string) {
	s.t.Helper()
	const call = "agentos-weather forecast --city Paris --month 7"
	if out, exit := s.run(call); out != paris || exit != 0 {
		s.t.Errorf("%s: exit status %d, %q, want %q", call, exit, out, paris)
	}
	s.expect("agentos-weather forecast --city Atlantis", 3, `{"ok":false,"error":"NOT_FOUND"`)
	s.expect("agentos doctor", 0, "ok    address "+addr, "ok    the host answered")
}

// isClosed asserts that the sandbox cannot write where the socket is, nor change this
// machine's kernel, has none of the environment of who started it, nor its terminal's
// session, and no descriptor but those that every program gets from this test.
func (s *session) isClosed() {
	s.t.Helper()
	s.expect("touch /run/agentos/mine", 1, "Read-only file system")
	s.expect("[ -w /proc/sys/kernel/printk ]", 1)
	if out, exit := s.run("cat /proc/1/environ"); exit != 0 || strings.Contains(out, "PID_FILE") {
		s.t.Errorf("the environment of process 1 is %q, exit status %d", out, exit)
	}
	const sessionAt = 5 // of proc_pid_stat(5), from 0; 0 for one outside
	if out, _ := s.run("cat /proc/self/stat"); len(strings.Fields(out)) <= sessionAt || strings.Fields(out)[sessionAt] == "0" {
		s.t.Errorf("the session is that outside: %s", out)
	}
	const list = "ls /proc/self/fd"
	usual, err := exec.Command("sh", "-c", list).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	out, exit := s.run(list)
	for fd := range strings.Lines(out) {
		if !slices.Contains(strings.SplitAfter(string(usual), "\n"), fd) || exit != 0 {
			s.t.Errorf("%s: %q with exit status %d, usual is %q", list, out, exit, usual)
		}
	}
}

// survives asserts that the sandbox sees its host go and come back. The advice is for
// a host that ended, and for one that was killed.
func (s *session) survives(addr, ended, killed string) {
	s.t.Helper()
	for _, life := range []struct {
		end    syscall.Signal
		advice string
	}{{syscall.SIGTERM, ended}, {syscall.SIGKILL, killed}} {
		s.endHost(life.end)
		s.unreached(life.advice)
		s.expect(soon+"agentos-weather forecast --city Paris", 69, `"error":"HOST_UNREACHABLE"`)
		s.startHost()
		s.works(addr)
	}
}

// unreached asserts what doctor says where no host is.
func (s *session) unreached(advice string, variables ...string) {
	s.t.Helper()
	unreached(s.t, s.run, advice, variables...)
}

// unreached is what doctor says by any way into a sandbox.
func unreached(t *testing.T, run func(line string) (out string, exit int), advice string, variables ...string) {
	t.Helper()
	line := soon + strings.Join(append(variables, "agentos doctor"), " ")
	out, exit := run(line)
	if exit != 69 || !strings.Contains(out, "FAIL  ") || !strings.Contains(out, advice) {
		t.Errorf("%s: exit status %d, want 69; it said\n%s\nwant in it: %s", line, exit, out, advice)
	}
}

// inside is the console as the command of a recipe.
var inside = []string{"sh", "-c", console}

func TestRecipe_bubblewrap(t *testing.T) {
	needs(t, false, "bwrap")
	for _, sh := range shells() {
		newPlace(t).open(sh, "bubblewrap.sh", nil, inside...).works(inUnix)
	}
	s := newPlace(t).open(shell{"sh"}, "bubblewrap.sh", nil, inside...)
	s.isClosed()
	s.unreached(absent, "AGENTOS_ADDR=unix:///run/elsewhere/agentos.sock")
	s.survives(inUnix, absent, deserted)

	needs(t, true) // to give the socket to a stranger
	s = newPlace(t).open(shell{"sh"}, "bubblewrap.sh", map[string]string{"ADMIT": stranger}, inside...)
	s.expect("agentos doctor", 69, forbidden)
}

// A socket that is mounted as a file is lost with the first restart, and doctor says so.
func TestRestartNeedsTheDirectory(t *testing.T) {
	needs(t, false, "bwrap")
	p := newPlace(t)
	text, err := os.ReadFile("bubblewrap.sh")
	if err != nil {
		t.Fatal(err)
	}
	const right, wrong = `--ro-bind "$work/run" /run/agentos`, `--ro-bind "$work/run/agentos.sock" /run/agentos/agentos.sock`
	if !bytes.Contains(text, []byte(right)) {
		t.Fatalf("no %s in the recipe", right)
	}
	p.write("the recipes/file.sh", strings.Replace(string(text), right, wrong, 1))
	s := p.open(shell{"sh"}, "file.sh", nil, inside...)
	s.works(inUnix)
	s.endHost(syscall.SIGTERM)
	s.startHost()
	s.unreached(deserted)
}

// asNobody has recipes run as an ordinary user.
func (p *place) asNobody() *place {
	if os.Geteuid() == 0 {
		p.user = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	return p
}

// needsNamespaces skips a test where an ordinary user gets no namespaces.
func needsNamespaces(t *testing.T) {
	t.Helper()
	needs(t, false, "unshare", "setpriv")
	cmd := newPlace(t).asNobody().command(shell{"unshare"}, "", nil)
	cmd.Args = []string{"unshare", "--user", "--map-root-user", "--mount", "--net", "true"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no user namespaces: %v: %s", err, out)
	}
}

func TestRecipe_namespace(t *testing.T) {
	needsNamespaces(t)
	unshare, err := exec.LookPath("unshare") // the whole path, since busybox sh knows another of that name
	if err != nil {
		t.Fatal(err)
	}
	for _, sh := range shells() {
		newPlace(t).asNobody().open(sh, "namespace.sh", map[string]string{"UNSHARE": unshare}, inside...).works(inUnix)
	}
	s := newPlace(t).asNobody().open(shell{"sh"}, "namespace.sh", nil, inside...)
	s.isClosed()
	s.expect("ls /home /tmp; grep CapEff /proc/self/status", 0, "/home:\n\n/tmp:\n", "0000000000000000")
	s.survives(inUnix, absent, deserted)

	sockets, err := filepath.Glob(filepath.Join(s.tmp, "*", "run", "agentos.sock"))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets %q, %v, want one", sockets, err)
	}
	for _, mode := range []os.FileMode{0, 0o600} {
		if err := os.Chmod(sockets[0], mode); err != nil {
			t.Fatal(err)
		}
		if mode == 0 {
			s.expect("agentos doctor", 69, forbidden)
			continue
		}
		s.works(inUnix)
	}
}

// rootfs is an image with busybox and a probe in it.
func (p *place) rootfs() string {
	p.t.Helper()
	dir := filepath.Join(p.dir, "the image")
	bin := filepath.Join(dir, "bin")
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		p.t.Skip(err)
	}
	script := `set -e; mkdir -p "$1"; cp "$2" "$1/busybox"; cp "$3" "$1/probe"; for name in sh cat ls touch; do ln -s busybox "$1/$name"; done`
	if out, err := exec.Command("sh", "-c", script, "sh", bin, busybox, filepath.Join(programs, "probe")).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("chroot", dir, "/bin/sh", "-c", "true").CombinedOutput(); err != nil {
		p.t.Skipf("busybox is not static: %v: %s", err, out)
	}
	return dir
}

func TestRecipe_runc(t *testing.T) {
	needs(t, true, "runc", "busybox")
	open := func(sh shell, env map[string]string) *session {
		p := newPlace(t)
		p.env["ROOTFS"] = p.rootfs()
		return p.open(sh, "runc.sh", env, inside...)
	}
	for _, sh := range shells() {
		open(sh, nil).works(inUnix)
	}
	s := open(shell{"sh"}, nil)
	s.isClosed()
	s.expect("cat /proc/self/status", 0, "Uid:\t1000\t1000\t1000\t1000\n", "CapEff:\t0000000000000000\n")
	s.survives(inUnix, absent, deserted)
	open(shell{"sh"}, map[string]string{"ADMIT": stranger}).expect("agentos doctor", 69, forbidden)
}

// The filter of the container forbids AF_VSOCK, and doctor says so.
func TestRecipe_runc_vsock(t *testing.T) {
	needs(t, true, "runc", "busybox")
	switch out, err := exec.Command(filepath.Join(programs, "probe")).Output(); {
	case err != nil:
		t.Fatal(err)
	case string(out) != "<nil>\n": // the control: without the filter there is a socket
		t.Skipf("no AF_VSOCK in this kernel: %s", out)
	}
	p := newPlace(t)
	p.env["ROOTFS"] = p.rootfs()
	s := p.open(shell{"sh"}, "runc.sh", nil, inside...)
	if out, _ := s.run("probe"); out != "operation not permitted\n" {
		t.Fatalf("socket(AF_VSOCK) in the container: %s, want EPERM", out) // nothing may be dialled then
	}
	s.expect("AGENTOS_ADDR=vsock://2:5000 agentos doctor", 69, "ok    address vsock://2:5000 (from AGENTOS_ADDR)", blocked)
}

// vm is a place for a VM's recipe.
func vm(t *testing.T) *place {
	t.Helper()
	needs(t, false, "mkfs.ext4")
	p := newPlace(t)
	image := filepath.Join(p.dir, "the image")
	if err := os.Mkdir(image, 0o755); err != nil {
		t.Fatal(err)
	}
	p.env["ROOTFS"], p.env["KERNEL"], p.env["SIZE"] = image, p.write("the kernel", "vmlinux"), "32M"
	return p
}

// The jail's path is longer than a socket's may be.
func TestRecipe_firecracker(t *testing.T) {
	needs(t, true)
	open := func(sh shell, env map[string]string) *session {
		p := vm(t)
		p.env["CHROOT_BASE"] = filepath.Join(p.dir, strings.Repeat("long ", 25))
		return p.open(sh, "firecracker.sh", env)
	}
	for _, sh := range shells() {
		open(sh, nil).works("vsock://2:5000")
	}
	s := open(shell{"sh"}, nil)
	s.survives("vsock://2:5000", nobody, nobody)
	disk := filepath.Join(s.env["CHROOT_BASE"], "firecracker", "vm7", "root", "rootfs.ext4")
	if out, err := exec.Command("debugfs", "-R", "cat /etc/agentos/addr", disk).Output(); err == nil && string(out) != "vsock://2:5000\n" {
		t.Errorf("the address on the VM's disk is %q", out)
	}
	open(shell{"sh"}, map[string]string{"ADMIT": stranger}).unreached(nobody)
}

// A jail is one VM's: a second one of that name is refused. Of one that came to nothing
// nothing stays.
func TestRecipe_firecracker_twice(t *testing.T) {
	needs(t, true)
	p := vm(t)
	p.env["CHROOT_BASE"] = filepath.Join(p.dir, "jails")
	if out, err := p.command(shell{"sh"}, "firecracker.sh", map[string]string{"KERNEL": "/nowhere"}).CombinedOutput(); err == nil {
		t.Errorf("a VM without a kernel ends well: %s", out)
	}
	p.open(shell{"sh"}, "firecracker.sh", nil).works("vsock://2:5000")
	out, err := p.command(shell{"sh"}, "firecracker.sh", nil).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("there is a jail vm7 already: remove ")) {
		t.Errorf("a second VM of that name: %v: %s", err, out)
	}
}

func TestRecipe_cloudHypervisor(t *testing.T) {
	for _, sh := range shells() {
		vm(t).open(sh, "cloud-hypervisor.sh", nil).works("vsock://2:5000")
	}
	vm(t).open(shell{"sh"}, "cloud-hypervisor.sh", nil).survives("vsock://2:5000", nobody, nobody)

	p := vm(t)
	p.env["TMPDIR"] = filepath.Join(p.tmp, strings.Repeat("long", 25))
	if err := os.Mkdir(p.env["TMPDIR"], 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := p.command(shell{"sh"}, "cloud-hypervisor.sh", nil).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("vm7.sock_5000 is longer than 107 bytes: set TMPDIR to a shorter path")) {
		t.Errorf("a path that is too long: %v: %s", err, out)
	}
	needs(t, true) // to give the socket to a stranger
	vm(t).open(shell{"sh"}, "cloud-hypervisor.sh", map[string]string{"ADMIT": stranger}).isRefused()
}

// isRefused asserts that a VMM which may open any file is refused as its user, and that
// the host's log says so.
func (s *session) isRefused() {
	s.t.Helper()
	s.expect(soon+"agentos doctor", 69, "FAIL  ")
	if said := s.log.rest(s.t, "is of uid 0, and "); !strings.Contains(said, "admits uid "+stranger) {
		s.t.Errorf("the log says %q, want who is admitted", said)
	}
}

func TestRecipe_libkrun(t *testing.T) {
	for _, sh := range shells() {
		newPlace(t).open(sh, "libkrun.sh", nil, "--cpus", "2").works("vsock://2:5000")
	}
	newPlace(t).open(shell{"sh"}, "libkrun.sh", nil).survives("vsock://2:5000", nobody, nobody)
	needs(t, true) // to give the socket to a stranger
	newPlace(t).open(shell{"sh"}, "libkrun.sh", map[string]string{"ADMIT": stranger}).isRefused()
}

func TestRecipe_kata(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, sandbox := range map[string]struct {
		kind conformance.Kind
		path string
	}{
		"CloudHypervisor": {conformance.CloudHypervisor, "vm/" + id + "/clh.sock"},
		"Firecracker":     {conformance.Firecracker, "firecracker/" + id[:32] + "/root/kata.hvsock"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			path := p.runVC(sandbox.path)
			l, err := net.Listen("unix", path) // as the VMM does
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			v := conformance.NewVMM(sandbox.kind, path, 0)
			defer v.Close()
			run := func(line string) (string, int) {
				var out bytes.Buffer
				exit := behind(v).run(t.Context(), line, &out)
				return out.String(), exit
			}
			host, log := p.command(shell{"sh"}, "kata.sh", nil, id), newLog()
			host.Stderr = log
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			log.address(t)
			for line, want := range map[string]string{
				"agentos-weather forecast --city Paris --month 7": paris, "agentos doctor": "ok    the host answered",
			} {
				if out, exit := run(line); exit != 0 || !strings.Contains(out, want) {
					t.Errorf("%s: exit status %d, %s, want %s", line, exit, out, want)
				}
			}
			if err := errors.Join(host.Process.Signal(syscall.SIGTERM), host.Wait()); err != nil {
				t.Errorf("kata.sh ended with %v", err)
			}
			unreached(t, run, nobody)
		})
	}
}

// runVC makes a directory for kata.sh whose path, unlike others of the place, is as
// short as Kata's own, and is a path in it.
func (p *place) runVC(name string) string {
	p.t.Helper()
	dir, err := os.MkdirTemp("/tmp", "vc")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.env["RUN_VC"] = dir
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// What kata.sh asks of agentosd where nothing can be tried out.
func TestRecipe_kata_address(t *testing.T) {
	p := newPlace(t)
	p.env["RUN_VC"] = filepath.Join(p.dir, "vc")
	p.env["AGENTOSD"] = p.write("echo", "#!/bin/sh\necho \"$*\"\n")
	for _, dir := range []string{"vm/qemu", "firecracker/jailed/root"} {
		if err := os.MkdirAll(filepath.Join(p.env["RUN_VC"], dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	qemu := p.command(shell{"sh"}, "kata.sh", nil, "qemu")
	if out, err := qemu.CombinedOutput(); err == nil || qemu.ProcessState.ExitCode() != 69 || !bytes.Contains(out, []byte("ANY_CID=yes")) {
		t.Errorf("QEMU: %v: %s, want exit status 69 and the next step", err, out)
	}
	p.env["ANY_CID"] = "yes"
	for id, want := range map[string]string{
		"qemu":   "serve --example weather --listen vsock://:5000?cid=any\n",
		"jailed": "serve --example weather --listen hybrid://" + p.env["RUN_VC"] + "/firecracker/jailed/root/kata.hvsock?port=5000&guest=vm7\n",
	} {
		if out, err := p.command(shell{"sh"}, "kata.sh", nil, id).Output(); err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q", id, out, err, want)
		}
	}
	cmd := p.command(shell{"sh"}, "kata.sh", nil, "other")
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != 69 || !bytes.Contains(out, []byte("crictl pods")) {
		t.Errorf("no such sandbox: %v: %s, want exit status 69 and the next step", err, out)
	}
}

// A missing program ends a recipe with the next step, and nothing is left behind.
func TestMissingPrograms(t *testing.T) {
	for _, test := range []struct{ script, variable, step string }{
		{"bubblewrap.sh", "BWRAP", "apt-get install bubblewrap"},
		{"namespace.sh", "UNSHARE", "apt-get install util-linux"},
		{"runc.sh", "RUNC", "apt-get install runc"},
		{"firecracker.sh", "JAILER", "install a release of Firecracker"},
		{"firecracker.sh", "FIRECRACKER", "install a release of Firecracker"},
		{"cloud-hypervisor.sh", "CLOUD_HYPERVISOR", "install a release of Cloud Hypervisor"},
		{"libkrun.sh", "KRUNKIT", "brew install krunkit"},
		{"kata.sh", "AGENTOSD", "run make build"},
		{"bubblewrap.sh", "AGENTOSD", "run make build"},
	} {
		for _, sh := range shells() {
			p := newPlace(t)
			cmd := p.command(sh, test.script, map[string]string{test.variable: "/nowhere/program"}, "x")
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 127 || !bytes.Contains(out, []byte("/nowhere/program is missing: "+test.step)) {
				t.Errorf("%v %s without %s: exit status %d, %s", sh, test.script, test.variable, code, out)
			}
			p.left()
		}
	}
}

// What would give a sandbox away is refused.
func TestRefusals(t *testing.T) {
	needs(t, true, "runc", "unshare", "setpriv", "bwrap")
	for _, test := range []struct {
		script, variable, value string
		exit                    int
		text                    string
	}{
		{"namespace.sh", "GUEST", "vm7", 77, "run this as an ordinary user"},
		{"runc.sh", "AGENT_ID", "0", 77, "root of the host too"},
		{"bubblewrap.sh", "GUEST", "vm7,unix:///tmp/other?guest=other", 2, "want letters"},
		{"firecracker.sh", "VM", "../vm7", 2, "want letters"},
	} {
		p := newPlace(t)
		cmd := p.command(shell{"sh"}, test.script, map[string]string{test.variable: test.value}, "true")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != test.exit || !bytes.Contains(out, []byte(test.text)) {
			t.Errorf("%s with %s=%s: exit status %d, %s", test.script, test.variable, test.value, code, out)
		}
		p.left()
	}
}

// The recipe ends as agentosd does that cannot listen, or as what runs inside.
func TestExitStatus(t *testing.T) {
	needs(t, false, "bwrap")
	for _, sh := range shells() {
		p := newPlace(t)
		cmd := p.command(sh, "bubblewrap.sh", map[string]string{"ADMIT": "agent"}, "true")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !bytes.Contains(out, []byte(`uid: "agent" is not a numeric id`)) {
			t.Errorf("%v: an address that is wrong: exit status %d, %s", sh, code, out)
		}
		p.left()
		cmd = p.command(sh, "bubblewrap.sh", nil, "agentos-weather", "forecast", "--city", "New  \"York")
		out, _ = cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 3 || !bytes.Contains(out, []byte(`no city \"New  \\\"York\"`)) {
			t.Errorf("%v: a call that fails: exit status %d, %s", sh, code, out)
		}
		p.left()
	}
}

// Whoever ends a recipe's processes with SIGTERM has ended agentosd too.
func TestInterrupted(t *testing.T) {
	needs(t, false, "bwrap")
	for _, sh := range shells() {
		s := newPlace(t).open(sh, "bubblewrap.sh", nil, inside...)
		s.works(inUnix)
		addr, err := url.Parse(s.log.address(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Wait()
		if code := s.cmd.ProcessState.ExitCode(); code != 143 {
			t.Errorf("%v: exit status %d, want 143", sh, code)
		}
		if _, err := os.Stat(addr.Path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: the socket: %v, want none", sh, err)
		}
		s.cmd = nil
		s.left()
	}
}
