// Command agentosd is the host's side of the bridge: it serves toolkits to
// guests, installs their commands and runs programs in a sandbox that has them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

func main() { os.Exit(run(os.Args)) }

// run runs the program and returns its exit status.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := app().RunContext(ctx, args)
	var status cli.ExitCoder
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return status.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "agentosd: %v\n", err)
	return 1
}

// app is the command line of the daemon.
func app() *cli.App {
	return &cli.App{
		Name:           "agentosd",
		Usage:          "give agents in VMs and sandboxes safe hands on this host",
		HideVersion:    true,
		ExitErrHandler: func(*cli.Context, error) {}, // main is the one place that exits
		Commands: []*cli.Command{
			serveCommand(), callCommand(), toolsCommand(), promptCommand(), installCommand(), runCommand(), versionCommand(),
		},
	}
}
