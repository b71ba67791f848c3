package conformance

import (
	"context"
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/wire"
)

// ask is what a guest may begin with.
var ask = map[string]func(ctx context.Context, c *guest.Client) error{
	"call": func(ctx context.Context, c *guest.Client) error {
		return asError(c.Call(ctx, &guest.Call{ID: "late", Toolkit: "suite", Path: []string{"echo"}, Input: encoded(textInput{"a"})}))
	},
	"present": func(ctx context.Context, c *guest.Client) error {
		_, err := c.Present(ctx, "suite", []string{"echo"})
		return err
	},
	"prompt": func(ctx context.Context, c *guest.Client) error {
		_, err := c.Prompt(ctx, 0)
		return err
	},
}

// B065: whatever comes right behind PRESENT, and in one piece with it, counts.
func TestCase_B065_GluedToTheNextFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		optional := wire.AppendFrame(nil, wire.Frame{Type: unknownType, Flags: wire.Optional, Payload: []byte("{}")})
		ping := Frames(t, TypePing, struct{}{})
		heard := make(chan wire.Type, 10)
		go func() { // ends when the guest closes; the bubble waits
			defer close(heard)
			for {
				f, err := wire.ReadFrame(far, nil)
				if err != nil {
					return
				}
				heard <- f.Type
				switch f.Type {
				case TypeOpen:
					far.Write(slices.Concat(Frames(t, TypePresent, map[string]any{"v": 1, "epoch": "1"}), optional, ping))
				case TypeCall:
					far.Write(slices.Concat(
						Frames(t, TypeAccepted, idMessage{"glued"}), optional,
						Frames(t, TypeNote, noteMessage{"progress", "half way"}), ping,
						Frames(t, TypeResult, map[string]any{"ok": true, "result": "done", "exit": 0})))
				}
			}
		}()
		c := client(t, func(context.Context) (net.Conn, error) { return near, nil })
		var notes []string
		answer := c.Call(t.Context(), &guest.Call{ID: "glued", Toolkit: "any", Note: func(text string) { notes = append(notes, text) }})
		if !answer.OK || string(answer.Result) != `"done"` || !slices.Equal(notes, []string{"half way"}) {
			t.Errorf("answer %+v, notes %q; want both", answer, notes)
		}
		synctest.Wait() // for the PONG that is owed
		c.Close()
		var types []wire.Type
		for typ := range heard {
			if typ != TypePong { // two, or one for both
				types = append(types, typ)
			}
		}
		if want := []wire.Type{TypeOpen, TypeCall, TypeAck}; !slices.Equal(types, want) {
			t.Errorf("the host heard %v, want %v", types, want)
		}
	})
}

// B065: a host that comes byte by byte is a host.
func TestCase_B065_OneByteAtATime(t *testing.T) {
	b := newBed(t, Memory())
	c := client(t, func(ctx context.Context) (net.Conn, error) {
		conn, err := b.dial(ctx)
		if err != nil {
			return nil, err
		}
		return byByte(conn), nil
	})
	for what, ask := range ask {
		if err := ask(t.Context(), c); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
