package main

import (
	"fmt"
	"runtime/debug"

	"github.com/agentos-go/agentos/internal/wire"
	"github.com/urfave/cli/v2"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			_, err := fmt.Fprintf(c.App.Writer, "agentosd %s, protocol %v\n", version, wire.Versions()[0])
			return err
		},
	}
}
