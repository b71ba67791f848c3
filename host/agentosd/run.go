package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/shim"
	"github.com/urfave/cli/v2"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a program in a sandbox that has the tools as commands",
		UsageText: "agentosd run --example NAME… -- CMD [ARGUMENTS…]",
		Description: "With bubblewrap the program sees the system's programs, a home of its own and the tools; no IP network,\n" +
			"no other files, no other processes. Without it, it is an ordinary process. Either way it gets none of\n" +
			"this process's environment.",
		Flags: append(toolkitFlags(), guestFlag(), shimFlag()),
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usage("run: no command given: agentosd run --example weather -- sh")
			}
			h, err := newHost(c)
			if err != nil {
				return err
			}
			defer h.Close()
			return runSandboxed(c, h)
		},
	}
}

// runSandboxed serves a sandbox of its own while the command runs in it.
func runSandboxed(c *cli.Context, h *host.Host) error {
	dir, err := os.MkdirTemp("", "agentos-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	box := newSandbox(dir)
	if err := box.makeDirs(); err != nil {
		return err
	}
	if _, err := install(c, h, box.root, box.addr); err != nil {
		return err
	}
	id := c.String("guest")
	if _, err := shim.Into(filepath.Join(box.home, "AGENTS.md"), h.Prompt(c.Context, id, nil)); err != nil {
		return err
	}
	if err := h.AddGuest(c.Context, host.Guest{ID: id, Addr: "unix://" + box.socket}); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "agentosd: %s\n", box.about)
	return execute(box.command(c.Args().Slice()))
}

// execute runs the command in the foreground and ends with its exit status. An
// interrupt from the terminal is the command's to answer; other ends are passed on
// as SIGTERM.
func execute(argv []string, env []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	if err := keepDescriptors(); err != nil {
		return err
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintf(os.Stderr, "agentosd: run: %v\n", err)
		return cli.Exit("", 127) // as shells do
	case !errors.As(err, &exit):
		return err
	}
	status := exit.ExitCode()
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		status = 128 + int(ws.Signal())
	}
	return cli.Exit("", status)
}

// sandbox is where a command runs: what is installed, the way to the host, and
// how it is kept apart.
type sandbox struct {
	bwrap  string // path of bubblewrap, or empty
	about  string // what the sandbox isolates, for the operator
	root   string // what the tools are installed below, on this side
	run    string // the socket's directory, on this side
	home   string // the command's home, on this side
	socket string
	addr   string // the host's address, as the command sees it
	inside string // root, as the command sees it
}

// newSandbox lays a sandbox out below a directory.
func newSandbox(dir string) *sandbox {
	s := &sandbox{root: filepath.Join(dir, "root"), run: filepath.Join(dir, "run"), home: filepath.Join(dir, "home")}
	s.socket = filepath.Join(s.run, "agentos.sock")
	var err error
	if s.bwrap, err = exec.LookPath("bwrap"); err != nil {
		s.inside, s.addr = s.root, "unix://"+s.socket
		s.about = "no bubblewrap here: the command runs as an ordinary process, which isolates nothing but the environment variables"
		return s
	}
	s.inside, s.addr = "/agentos", "unix:///run/agentos/agentos.sock"
	s.about = "sandboxed with bubblewrap: no IP network, no processes and no files of this machine but its programs (read-only); a fresh home"
	return s
}

func (s *sandbox) makeDirs() error {
	for _, dir := range []string{s.root, s.run, s.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// command is the command line and environment that run argv in the sandbox.
func (s *sandbox) command(argv []string) (line, env []string) {
	home := s.home
	if s.bwrap != "" {
		home = "/home/agent"
		line = append(s.bwrapArgs(home), "--")
	}
	env = []string{
		"PATH=" + filepath.Join(s.inside, "usr/local/bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"HOME=" + home, "AGENTOS_ADDR=" + s.addr,
	}
	for _, name := range []string{"TERM", "LANG", "LC_ALL", "TZ", "NO_COLOR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(line, argv...), env
}

// systemDirs are what a sandbox sees of the machine, read-only, where they are.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}

// systemFiles are the files of /etc that ordinary programs need; none is secret.
var systemFiles = []string{"/etc/alternatives", "/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/etc/ssl/certs"}

// bwrapArgs keep the command apart from everything but what it is given.
func (s *sandbox) bwrapArgs(home string) []string {
	args := []string{s.bwrap, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "agentos"}
	if legacyTIOCSTI() {
		args = append(args, "--new-session")
	}
	for _, dir := range systemDirs {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
			continue
		}
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, file := range systemFiles {
		args = append(args, "--ro-bind-try", file, file)
	}
	return append(args, "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", s.home, home, "--chdir", home,
		"--ro-bind", s.root, s.inside, "--ro-bind", s.run, "/run/agentos")
}

// legacyTIOCSTI reports whether a program may push characters into its
// terminal (tty_ioctl(4)), so that it needs a session without one.
func legacyTIOCSTI() bool {
	setting, err := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
	return err != nil || len(setting) == 0 || setting[0] != '0'
}
