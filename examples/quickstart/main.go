// Quickstart is a whole host in one file: it serves the weather toolkit to the
// guests that reach it.
//
//	go run ./examples/quickstart unix:///tmp/agentos.sock
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: quickstart ADDRESS (such as unix:///tmp/agentos.sock or vsock://:5000?cid=any)")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, os.Args[1])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// serve runs the host until the context ends.
func serve(ctx context.Context, addr string) error {
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{kit.Toolkit()}})
	if err != nil {
		return err
	}
	defer h.Close()
	return h.ListenAndServe(ctx, addr)
}
