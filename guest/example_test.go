package guest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/internal/fixture"
)

// A host of one's own puts the commands of its toolkits into a guest's image.
func ExampleInstall() {
	h, err := host.New(&host.Options{Toolkits: fixture.Kits()})
	if err != nil {
		panic(err)
	}
	defer h.Close()
	image, err := os.MkdirTemp("", "agentos-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(image)
	if err := os.MkdirAll(filepath.Join(image, "usr/local/bin"), 0o755); err != nil {
		panic(err)
	}

	ctx := context.Background()
	installed, err := guest.Install(image, h.Definitions(ctx, "vm7"), &guest.InstallOptions{
		Shim: strings.NewReader("the file bin/agentos"), Addr: "vsock://2:5000", Prompt: h.Prompt(ctx, "vm7", nil),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(installed.LinkDir, installed.Links)
	// Output: /usr/local/bin [agentos agentos-math agentos-text agentos-weather]
}

// An outcome can be asked for again, from another process too, by the call's id.
func ExampleClient_Await() {
	h, err := host.New(&host.Options{Toolkits: fixture.Kits()})
	if err != nil {
		panic(err)
	}
	defer h.Close()
	ctx := context.Background()
	client, err := guest.Dial(ctx, &guest.Options{Dial: h.Dialer("vm7")})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	call := &guest.Call{ID: guest.NewCallID(), Toolkit: "math", Path: []string{"add"}, Input: []byte(`{"a":2,"b":3}`)}
	fmt.Printf("%s\n", client.Call(ctx, call).Document())
	fmt.Printf("%s\n", client.Await(ctx, call.ID, nil).Document())
	// Output:
	// {"ok":true,"result":{"sum":5}}
	// {"ok":true,"result":{"sum":5}}
}
