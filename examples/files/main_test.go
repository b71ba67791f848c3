package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentos-go/agentos/guest"
)

// The program serves a guest until it is told to stop.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello"), []byte("world\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := "unix://" + filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, dir, addr) }() // joined below
	client, err := guest.Dial(ctx, &guest.Options{Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, result, code string }{
		{"hello", `{"text":"world\n","size":6}`, ""},
		{"../hello", "", "OUTSIDE_ROOT"},
	}
	for _, test := range tests {
		input, _ := json.Marshal(map[string]string{"path": test.path})
		answer := client.Call(ctx, &guest.Call{Toolkit: "files", Path: []string{"read"}, Input: input})
		if string(answer.Result) != test.result || answer.Code != test.code {
			t.Errorf("read %s = %s, want result %q, error %q", test.path, answer.Document(), test.result, test.code)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("serve = %v, want nil after the context ended", err)
	}
}

func TestServeWithoutADirectory(t *testing.T) {
	if err := serve(context.Background(), "/nope", "unix:///nope/s"); err == nil {
		t.Error("serve of a directory that is not there = nil, want an error")
	}
}
