package main

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/urfave/cli/v2"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintf(c.App.Writer, "agentosd %s\n", version())
			return err
		},
	}
}

// version is that of this program and of its protocol.
func version() string {
	program := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		program = info.Main.Version
	}
	return fmt.Sprintf("%s, protocol %d", program, slices.Max(wire.Versions()))
}
