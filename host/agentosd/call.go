package main

import (
	"fmt"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/shim"
	"github.com/urfave/cli/v2"
)

// guestFlag says as which guest a command acts.
func guestFlag() cli.Flag {
	return &cli.StringFlag{Name: "guest", Usage: "act as the guest `ID`", Value: host.DefaultGuest}
}

func callCommand() *cli.Command {
	return &cli.Command{
		Name:        "call",
		Usage:       "call a tool in this process, as a guest",
		UsageText:   "agentosd call [--guest ID] --example NAME… TOOLKIT TOOL [ARGUMENTS…]",
		Description: "Arguments, output and exit status are those of `agentos call` in the guest.",
		Flags:       append(toolkitFlags(), guestFlag()),
		Action: func(c *cli.Context) error {
			return asShim(c, append([]string{"agentos", "call"}, c.Args().Slice()...))
		},
	}
}

func toolsCommand() *cli.Command {
	return &cli.Command{
		Name:      "tools",
		Usage:     "list the toolkits and their tools",
		ArgsUsage: "[TOOLKIT]",
		Flags:     append(toolkitFlags(), guestFlag(), &cli.BoolFlag{Name: "json", Usage: "print JSON"}),
		Action: func(c *cli.Context) error {
			args := append([]string{"agentos", "list-tools"}, c.Args().Slice()...)
			if c.Bool("json") {
				args = append(args, "--json")
			}
			return asShim(c, args)
		},
	}
}

func promptCommand() *cli.Command {
	return &cli.Command{
		Name:  "prompt",
		Usage: "print the text that tells a guest's agent about its tools",
		Flags: append(toolkitFlags(), guestFlag(),
			&cli.IntFlag{Name: "budget", Usage: "most `TOKENS` of four bytes that the text may cost"},
			&cli.PathFlag{Name: "into", Usage: "`FILE`, such as AGENTS.md, in which to keep a marked block with the text up to date"}),
		Action: func(c *cli.Context) error {
			args := []string{"agentos", "prompt"}
			for _, name := range []string{"budget", "into"} {
				if c.IsSet(name) {
					args = append(args, "--"+name+"="+fmt.Sprint(c.Value(name)))
				}
			}
			return asShim(c, args)
		},
	}
}

// asShim runs a guest's command against a host in this process: one way from
// argv to output, wherever it runs.
func asShim(c *cli.Context, args []string) error {
	h, err := newHost(c)
	if err != nil {
		return err
	}
	defer h.Close()
	p := shim.System()
	p.Args = args
	p.Dial = h.Dialer(c.String("guest"))
	if exit := shim.Run(c.Context, p); exit != 0 {
		return cli.Exit("", exit)
	}
	return nil
}
