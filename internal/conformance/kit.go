package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"

	"github.com/agentos-go/agentos/toolkit"
)

// kit is a toolkit "suite" whose tools count their runs by call id.
//
//	echo --text T        T
//	digest --text T      the SHA-256 of T in hexadecimal
//	fill --bytes N       N bytes of text
//	gate [--notes N]     N notes, then it waits until it is released or cancelled
type kit struct {
	// started has the id of each gate that waits.
	started chan string

	mu       sync.Mutex // guards what follows
	runs     map[string]int
	released chan struct{}
}

func newKit() *kit {
	return &kit{started: make(chan string, 1<<10), runs: map[string]int{}, released: make(chan struct{})}
}

// release lets every gate go, those that come too.
func (k *kit) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.released:
	default:
		close(k.released)
	}
}

// ran is how often a handler ran for a call id.
func (k *kit) ran(id string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.runs[id]
}

func (k *kit) count(ctx context.Context) string {
	id := toolkit.CallFrom(ctx).ID
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runs[id]++
	return id
}

type textInput struct {
	Text string `json:"text"`
}

type bytesInput struct {
	Bytes int `json:"bytes"`
}

type notesInput struct {
	Notes int `json:"notes"`
}

func (k *kit) toolkit() *toolkit.Toolkit {
	return &toolkit.Toolkit{Name: "suite", Summary: "Tools of the conformance suite", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "echo", Summary: "Give the text back"}, k.echo),
		toolkit.Func(toolkit.Spec{Name: "digest", Summary: "Compute a text's digest"}, k.digest),
		toolkit.Func(toolkit.Spec{Name: "fill", Summary: "Give much text"}, k.fill),
		toolkit.Func(toolkit.Spec{Name: "gate", Summary: "Wait until released"}, k.gate),
	}}
}

func (k *kit) echo(ctx context.Context, in textInput) (string, error) {
	k.count(ctx)
	return in.Text, nil
}

func (k *kit) digest(ctx context.Context, in textInput) (string, error) {
	k.count(ctx)
	return digest(in.Text), nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (k *kit) fill(ctx context.Context, in bytesInput) (string, error) {
	k.count(ctx)
	return fill(in.Bytes), nil
}

// fill is so many bytes of text, at most 16 MiB, in which no two places far
// apart are alike, so that a piece lost or doubled shows.
func fill(n int) string { return filling()[:n] }

var filling = sync.OnceValue(func() string {
	const most = 16 << 20
	text := make([]byte, 0, most+16)
	for i := int64(0); len(text) < most; i++ {
		text = append(strconv.AppendInt(text, i, 10), ' ')
	}
	return string(text[:most])
})

func (k *kit) gate(ctx context.Context, in notesInput) (string, error) {
	id := k.count(ctx)
	for i := range in.Notes {
		toolkit.Progress(ctx, fmt.Sprintf("note %d", i))
	}
	k.started <- id
	select {
	case <-k.released:
		return "released", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
