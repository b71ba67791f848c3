// Files serves the files below one directory to the guests that reach it, to
// read and to write.
//
//	go run ./examples/files /srv/docs unix:///tmp/agentos.sock
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentos-go/agentos/examples/files/kit"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: files DIRECTORY ADDRESS (such as unix:///tmp/agentos.sock or vsock://:5000?cid=any)")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, os.Args[1], os.Args[2])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// serve runs the host until the context ends.
func serve(ctx context.Context, dir, addr string) error {
	files, err := kit.Toolkit(dir)
	if err != nil {
		return err
	}
	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{files}})
	if err != nil {
		return err
	}
	defer h.Close()
	return h.ListenAndServe(ctx, addr)
}
