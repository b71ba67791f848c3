// Package host is the bridge on the host: it exposes toolkits to guests, takes
// their calls through permission, record, middleware and handler, and answers.
//
//	h, err := host.New(&host.Options{Toolkits: []*toolkit.Toolkit{weather}})
//	if err != nil {
//		return err // every mistake in every definition, joined
//	}
//	defer h.Close()
//	return h.ListenAndServe(ctx, "unix:///run/agentos/vm7/agentos.sock?guest=vm7")
//
// dispatch.go is the page to read first: one call in seven steps. A guest is
// known by the channel that it comes through, never by what it says; AddGuest
// gives a guest its address and labels.
//
// Handlers are trusted code with the rights of the process. What they print
// goes to the process's own output, never to a guest.
package host
