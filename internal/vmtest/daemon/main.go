// Command daemon is the host of the VM tests: the example toolkits and one of its own,
// for guests of an AF_VSOCK or hybrid listener, and beside them listeners that a test
// compares with. It runs until it is interrupted, or killed by its own tool.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	files "github.com/agentos-go/agentos/examples/files/kit"
	weather "github.com/agentos-go/agentos/examples/quickstart/kit"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// setting is what the command line says.
type setting struct {
	root      string
	listen    string
	guest     string
	cid       uint
	strangers string
	minimal   string
	operator  string
}

func main() {
	var s setting
	flag.StringVar(&s.root, "root", "", "`DIR` of the files toolkit")
	flag.StringVar(&s.listen, "listen", "", "`ADDR` to serve guests at")
	flag.StringVar(&s.guest, "guest", "", "`ID` of the guest that is registered at the start")
	flag.UintVar(&s.cid, "cid", 0, "its `CID` on a shared listener; 0: the address says whose it is")
	flag.StringVar(&s.strangers, "strangers", "", "`ADDR` where a second host takes whoever comes")
	flag.StringVar(&s.minimal, "minimal", "", "`ADDR` of the minimal server")
	flag.StringVar(&s.operator, "operator", "", "`ADDR` where guests are added and removed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "daemon:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop is called above
	}
}

// serve serves at every address until the context ends.
func (s *setting) serve(ctx context.Context) error {
	h, err := s.host()
	if err != nil {
		return err
	}
	defer h.Close()
	if s.cid != 0 {
		if err := h.AddGuest(ctx, host.Guest{ID: s.guest, CID: uint32(s.cid)}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ends := make(chan error)
	serving := 0
	serve := func(at string, serve func(context.Context, string) error) {
		if at != "" {
			serving++
			go func() { ends <- serve(ctx, at) }() // received below
		}
	}
	serve(s.listen, func(ctx context.Context, at string) error { return h.ListenAndServe(ctx, at) })
	serve(s.strangers, func(ctx context.Context, at string) error { return s.serveStrangers(ctx, at) })
	serve(s.operator, func(ctx context.Context, at string) error { return serveOperator(ctx, at, h) })
	serve(s.minimal, func(ctx context.Context, at string) error { return serveMinimal(ctx, at, h) })
	var errs []error
	for range serving {
		errs = append(errs, <-ends)
		cancel()
	}
	return errors.Join(errs...)
}

// host is a host with all toolkits.
func (s *setting) host() (*host.Host, error) {
	kit, err := files.Toolkit(s.root)
	if err != nil {
		return nil, err
	}
	return newHost(weather.Toolkit(), kit, lab())
}

func newHost(kits ...*toolkit.Toolkit) (*host.Host, error) {
	return host.New(&host.Options{Toolkits: kits, Listening: func(addr string) {
		fmt.Fprintf(os.Stderr, "daemon: listening on %s\n", addr)
	}})
}

// serveStrangers is a host without a registry of guests.
func (s *setting) serveStrangers(ctx context.Context, at string) error {
	h, err := s.host()
	if err != nil {
		return err
	}
	defer h.Close()
	return h.ListenAndServe(ctx, at)
}
