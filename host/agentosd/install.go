package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/transport"
	"github.com/agentos-go/agentos/prompt"
	"github.com/urfave/cli/v2"
)

func installCommand() *cli.Command {
	return &cli.Command{
		Name:      "install",
		Usage:     "install a guest's commands below a root directory, a mounted image or a sandbox",
		UsageText: "agentosd install --guest ID --addr ADDR --root DIR --example NAME…",
		Flags: []cli.Flag{
			exampleFlag(), guestFlag(),
			&cli.StringFlag{Name: "addr", Usage: "`ADDR` of the host as the guest dials it: vsock://2:5000 or unix:///PATH"},
			&cli.PathFlag{Name: "root", Usage: "`DIR` to install below"},
			shimFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Path("root") == "" {
				return usage("install: no directory to install below: --root DIR")
			}
			if addr := c.String("addr"); addr != "" {
				if _, err := transport.ParseDial(addr); err != nil {
					return usage("--addr: %w", err)
				}
			}
			h, err := hostWith(c.StringSlice("example"), ".") // definitions do not depend on what a toolkit reads
			if err != nil {
				return err
			}
			defer h.Close()
			installed, err := install(c, h, c.Path("root"), c.String("addr"))
			if err != nil {
				return err
			}
			if c.String("addr") == "" {
				fmt.Fprintln(os.Stderr, "agentosd: no --addr: the guest has to be told by AGENTOS_ADDR where this host is")
			}
			for _, link := range installed.Links {
				fmt.Fprintln(c.App.Writer, filepath.Join(installed.LinkDir, link))
			}
			return nil
		},
	}
}

func shimFlag() cli.Flag {
	return &cli.PathFlag{Name: "shim", Usage: "guest binary `FILE`; by default the agentos beside this program"}
}

// install installs the guest's commands, definitions and prompt text.
func install(c *cli.Context, h *host.Host, root, addr string) (*guest.Installed, error) {
	shim, err := openShim(c.Path("shim"))
	if err != nil {
		return nil, err
	}
	defer shim.Close()
	id := c.String("guest")
	return guest.Install(root, h.Definitions(c.Context, id), &guest.InstallOptions{
		Shim: shim, Addr: addr, Prompt: h.Prompt(c.Context, id, &prompt.Options{}),
	})
}

// openShim opens the guest binary: the one named, or the one beside this program.
func openShim(name string) (*os.File, error) {
	if name == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the guest binary: %w", err)
		}
		name = filepath.Join(filepath.Dir(self), "agentos")
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no guest binary at %s: build it (make build) or name it with --shim", name)
	}
	if err != nil {
		return nil, err
	}
	if _, err := elf.NewFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is no program for Linux: %w", name, err), f.Close())
	}
	return f, nil
}
