package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
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
			&cli.PathFlag{Name: "root", Usage: "`DIR` to install below", Required: true},
			shimFlag(),
		},
		Action: func(c *cli.Context) error {
			h, err := hostWith(c.StringSlice("example"), ".") // definitions do not depend on what a toolkit reads
			if err != nil {
				return err
			}
			defer h.Close()
			installed, err := install(c, h, c.Path("root"), c.String("addr"))
			if err != nil {
				return err
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

// openShim opens the guest binary: the one named, or the first beside this
// program.
func openShim(name string) (*os.File, error) {
	if name != "" {
		return os.Open(name)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the guest binary: %w", err)
	}
	for _, base := range []string{"agentos-linux-" + runtime.GOARCH, "agentos"} {
		f, err := os.Open(filepath.Join(filepath.Dir(self), base))
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("no agentos beside %s: build it (make build) or name it with --shim", self)
}
