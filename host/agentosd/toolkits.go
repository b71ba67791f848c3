package main

import (
	"fmt"
	"os"

	files "github.com/agentos-go/agentos/examples/files/kit"
	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
	"github.com/urfave/cli/v2"
)

// toolkitFlags choose the toolkits that a command works with.
func toolkitFlags() []cli.Flag {
	return []cli.Flag{
		exampleFlag(),
		&cli.PathFlag{Name: "root", Usage: "`DIR` below which the files toolkit reads and writes"},
	}
}

func exampleFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "example", Usage: "compiled-in example toolkit `NAME`: weather or files; may be repeated"}
}

// newHost is a host with the chosen toolkits.
func newHost(c *cli.Context) (*host.Host, error) {
	return hostWith(c.StringSlice("example"), c.Path("root"))
}

// hostWith is a host with the named example toolkits.
func hostWith(examples []string, root string) (*host.Host, error) {
	kits, err := toolkits(examples, root)
	if err != nil {
		return nil, err
	}
	return host.New(&host.Options{Toolkits: kits, Listening: func(addr string) {
		fmt.Fprintf(os.Stderr, "agentosd: listening on %s\n", addr)
	}})
}

func toolkits(names []string, root string) ([]*toolkit.Toolkit, error) {
	if len(names) == 0 {
		return nil, usage("no toolkit chosen: --example weather, --example files --root DIR")
	}
	var kits []*toolkit.Toolkit
	for _, name := range names {
		kit, err := example(name, root)
		if err != nil {
			return nil, err
		}
		kits = append(kits, kit)
	}
	return kits, nil
}

// example is one of the compiled-in example toolkits.
func example(name, root string) (*toolkit.Toolkit, error) {
	switch name {
	case "weather":
		return weather.Toolkit(), nil
	case "files":
		if root == "" {
			return nil, usage("the files toolkit needs --root DIR")
		}
		return files.Toolkit(root)
	}
	return nil, usage("no example toolkit %q: there are weather and files", name)
}
