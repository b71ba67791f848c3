package main

import (
	"github.com/urfave/cli/v2"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve toolkits to guests until interrupted",
		UsageText: "agentosd serve --listen ADDR… --example NAME…",
		Description: "Addresses: unix:///PATH?guest=ID (one socket a guest), hybrid:///PATH?port=N&guest=ID (Firecracker,\n" +
			"Cloud Hypervisor), vsock://:PORT?cid=any (every CID is a guest of its own).",
		Flags: append(toolkitFlags(), &cli.StringSliceFlag{Name: "listen", Usage: "`ADDR` to listen on; may be repeated"}),
		Action: func(c *cli.Context) error {
			if len(c.StringSlice("listen")) == 0 {
				return usage("serve: no address to listen on: --listen unix:///run/agentos/vm7/agentos.sock?guest=vm7")
			}
			h, err := newHost(c)
			if err != nil {
				return err
			}
			defer h.Close()
			return h.ListenAndServe(c.Context, c.StringSlice("listen")...)
		},
	}
}
