package shim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Process is what a command has of the system around it.
type Process struct {
	// Args are the words of the command; the first is the name it was called by.
	Args []string
	// Env looks a variable up.
	Env func(name string) (value string, ok bool)
	// Stdin is nil where it must not be read: a terminal or /dev/null.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Input is stdin also where it is a terminal or /dev/null, for tools that demand
	// a stream.
	Input io.Reader
	// ReadFile reads a file with the rights of the caller.
	ReadFile func(path string) ([]byte, error)
	// ReadInstalled reads a file of the installer's, and waits for nobody; nil means
	// that nothing is installed.
	ReadInstalled func(path string) ([]byte, error)
	// CreateFile is where a tool's files are written, when set, and ReadFile where they
	// are read then: both in place of the system's. What is written counts only if the
	// command succeeds.
	CreateFile func(path string) io.Writer
	// Root is the directory below which etc/agentos is looked for; empty means
	// the one that this program is installed below.
	Root string
	// Dial opens connections in place of the configured address, when set.
	Dial guest.DialFunc

	// hear has signals end the context from here on, and not the process, when set.
	hear func()
	// keepPipe has a write to a stdout or stderr that nobody reads fail instead of
	// ending the process, and brokenPipe ends it as that would have; both when set.
	keepPipe   func()
	brokenPipe func(io.Writer)
	// begins is told of each file that must not outlive the process, when set.
	begins func(path string)
}

// System is the process that this program really is.
func System() *Process {
	p := &Process{
		Args: os.Args, Env: os.LookupEnv, Stdout: os.Stdout, Stderr: os.Stderr,
		ReadFile: readFile, ReadInstalled: readRegular, Input: os.Stdin,
	}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice == 0 {
		p.Stdin = os.Stdin
	}
	return p
}

// readFile reads a file as far as an input may be long, and one byte more.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, strictjson.MaxBytes+1))
}

// readRegular is readFile for a file that is one: to open a pipe would wait for a
// writer.
func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, strictjson.MaxBytes+1))
}

// installedFile is a file of the installer's, which has the path below the root.
func (p *Process) installedFile(path string) ([]byte, error) {
	if p.ReadInstalled == nil {
		return nil, fs.ErrNotExist
	}
	return p.ReadInstalled(p.installedPath(path))
}

// installedPath is where the installer puts what it calls path. To look for the root
// takes several system calls, and a command that has AGENTOS_ADDR needs none.
func (p *Process) installedPath(path string) string {
	root := p.Root
	if root == "" {
		root = installRoot()
	}
	return filepath.Join(root, path)
}

// installRoot is R where the program's real path is R/usr/local/lib/agentos/agentos,
// and / elsewhere.
func installRoot() string {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if root, ok := strings.CutSuffix(self, guest.BinaryPath); ok && err == nil && root != "" {
		return root
	}
	return "/"
}

// address is where the host is, and which setting says so; both are empty when
// nothing does.
func (p *Process) address() (addr, source string) {
	if addr, ok := p.Env("AGENTOS_ADDR"); ok && addr != "" {
		return addr, "AGENTOS_ADDR"
	}
	if data, err := p.installedFile(guest.AddrPath); err == nil {
		return strings.TrimSpace(string(data)), p.installedPath(guest.AddrPath)
	}
	return "", ""
}

// dialWait is how long a host that is not there yet is waited for; 0 means the
// default.
func (p *Process) dialWait() (time.Duration, error) {
	text, ok := p.Env("AGENTOS_DIAL_WAIT")
	if !ok || text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait <= 0 {
		return 0, &toolkit.Error{Code: toolkit.CodeUsageError, Message: fmt.Sprintf("AGENTOS_DIAL_WAIT: %q is not a duration above zero such as 5s or 500ms", text)}
	}
	return wait, nil
}
