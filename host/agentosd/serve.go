package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve toolkits to guests until interrupted",
		UsageText: "agentosd serve --listen ADDR… --example NAME…",
		Description: "Addresses: unix:///PATH?guest=ID (one socket a guest), hybrid:///PATH?port=N&guest=ID (Firecracker,\n" +
			"Cloud Hypervisor), vsock://:PORT?cid=any (every CID is a guest of its own).",
		Flags: append(toolkitFlags(), &cli.StringSliceFlag{Name: "listen", Usage: "`ADDR` to listen on; may be repeated", Required: true}),
		Action: func(c *cli.Context) error {
			h, err := newHost(c)
			if err != nil {
				return err
			}
			defer h.Close()
			for _, addr := range c.StringSlice("listen") {
				fmt.Fprintf(os.Stderr, "agentosd: listening on %s\n", addr)
			}
			return h.ListenAndServe(c.Context, c.StringSlice("listen")...)
		},
	}
}
