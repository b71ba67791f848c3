// Package guest is the client of the bridge inside a VM or sandbox, and the
// installer of its commands.
//
//	client, err := guest.Dial(ctx, &guest.Options{Addr: "unix:///run/agentos/agentos.sock"})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	answer, err := client.Call(ctx, &guest.Call{Toolkit: "weather", Path: []string{"forecast"}, Input: input})
//
// A Client is safe for concurrent use; each call has a connection of its own
// while it runs. A call survives a broken link: the client dials again and asks
// for it by its id, and the host runs it once.
package guest
