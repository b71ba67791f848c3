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
	ctx, stop := signal.NotifyContext(context.Background(), endings(os.Interrupt)...)
	defer stop()
	err := app().RunContext(ctx, args)
	var status cli.ExitCoder
	var mistake *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return status.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "agentosd: %v\n", err)
	if errors.As(err, &mistake) {
		return 2
	}
	return 1
}

// endings are the signals that end the daemon, beside those given. Under nohup
// SIGHUP is none of them.
func endings(more ...os.Signal) []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return append(more, syscall.SIGTERM)
	}
	return append(more, syscall.SIGTERM, syscall.SIGHUP)
}

// usageError is a mistake in the command line of agentosd itself.
type usageError struct{ error }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// app is the command line of the daemon.
func app() *cli.App {
	a := &cli.App{
		Name:    "agentosd",
		Usage:   "give agents in VMs and sandboxes safe hands on this host",
		Version: version(),
		// A comma in an address is a character like any other.
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {}, // main is the one place that exits
		OnUsageError:              onUsageError,
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return usage("no command %q; agentosd --help lists them", name)
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			serveCommand(), callCommand(), toolsCommand(), promptCommand(), installCommand(), runCommand(), versionCommand(),
		},
	}
	for _, command := range a.Commands {
		command.OnUsageError = onUsageError
	}
	return a
}

// onUsageError tells of the mistake alone, not the whole help.
func onUsageError(c *cli.Context, err error, _ bool) error {
	name := "agentosd"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != name {
		name += " " + c.Command.Name
	}
	return usage("%w; see %s --help", err, name)
}
