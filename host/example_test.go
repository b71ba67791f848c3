package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

type greeting struct {
	Name string `json:"name" help:"Whom to greet" validate:"required"`
}

// greet greets, and tells which guest asked and for whom.
var greet = toolkit.Func(toolkit.Spec{Name: "greet", Summary: "Greet somebody", ReadOnly: true},
	func(ctx context.Context, in greeting) (string, error) {
		g := toolkit.CallFrom(ctx).Guest
		return fmt.Sprintf("Hello %s, says %s of %s", in.Name, g.ID, g.Labels["tenant"]), nil
	})

func greeter() *host.Options {
	return &host.Options{Toolkits: []*toolkit.Toolkit{{Name: "hello", Summary: "Greetings", Tools: []toolkit.Tool{greet}}}}
}

// A typed call in the host's own process, as a guest would make it.
func ExampleHost_As() {
	h, err := host.New(greeter())
	if err != nil {
		panic(err)
	}
	defer h.Close()
	text, err := greet.Call(context.Background(), h.As("vm7"), greeting{Name: "Ada"})
	fmt.Println(text, err)
	// Output: Hello Ada, says vm7 of  <nil>
}

// A guest with a socket of its own, labels that handlers see, and limits.
func ExampleHost_AddGuest() {
	h, err := host.New(greeter())
	if err != nil {
		panic(err)
	}
	defer h.Close()
	dir, err := os.MkdirTemp("", "agentos-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, addr := context.Background(), "unix://"+filepath.Join(dir, "vm7.sock")
	err = h.AddGuest(ctx, host.Guest{
		ID: "vm7", Addr: addr, Labels: map[string]string{"tenant": "acme"}, Limits: &host.Limits{Calls: 8},
	})
	if err != nil {
		panic(err)
	}
	defer h.RemoveGuest("vm7")

	client, err := guest.Dial(ctx, &guest.Options{Addr: addr}) // inside the sandbox
	if err != nil {
		panic(err)
	}
	defer client.Close()
	answer := client.Call(ctx, &guest.Call{Toolkit: "hello", Path: []string{"greet"}, Input: []byte(`{"name":"Ada"}`)})
	fmt.Printf("%s\n", answer.Document())
	for _, s := range h.Stats() {
		fmt.Println(s.Guest.ID, s.Connections, "connection")
	}
	// Output:
	// {"ok":true,"result":"Hello Ada, says vm7 of acme"}
	// vm7 1 connection
}
