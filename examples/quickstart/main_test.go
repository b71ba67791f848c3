package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/guest"
)

// The program serves a guest until it is told to stop.
func TestServe(t *testing.T) {
	addr := "unix://" + filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, addr) }() // joined below
	client, err := guest.Dial(ctx, &guest.Options{Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	answer := client.Call(ctx, &guest.Call{
		Toolkit: "weather", Path: []string{"forecast"}, Input: json.RawMessage(`{"city":"Paris","month":7}`)})
	if want := `{"temperature":20.4,"condition":"some rain"}`; string(answer.Result) != want {
		t.Errorf("answer = %s, want the result %s", answer.Document(), want)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("serve = %v, want nil after the context ended", err)
	}
}

func TestServeNowhere(t *testing.T) {
	if err := serve(context.Background(), "carrier-pigeon://coop"); err == nil {
		t.Error("serve at an unknown kind of address = nil, want an error")
	}
}
