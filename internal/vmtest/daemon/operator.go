package main

import (
	"context"
	"fmt"

	"github.com/agentos-go/agentos/host"
	"github.com/agentos-go/agentos/toolkit"
)

// serveOperator serves the toolkit by which whoever starts and ends VMs tells the host
// of them, at an address of its own: no guest of that host has it.
func serveOperator(ctx context.Context, at string, h *host.Host) error {
	type added struct {
		Guest string `json:"guest" validate:"required"`
		CID   uint32 `json:"cid" validate:"required"`
		Reuse bool   `json:"reuse"`
	}
	type removed struct {
		Guest string `json:"guest" validate:"required"`
	}
	operator, err := newHost(&toolkit.Toolkit{Name: "operator", Summary: "The guests of the host", Tools: []toolkit.Tool{
		toolkit.Func(toolkit.Spec{Name: "add"}, func(ctx context.Context, in added) (toolkit.None, error) {
			return toolkit.None{}, h.AddGuest(ctx, host.Guest{ID: in.Guest, CID: in.CID, ReuseCID: in.Reuse})
		}),
		toolkit.Func(toolkit.Spec{Name: "remove"}, func(_ context.Context, in removed) (toolkit.None, error) {
			if !h.RemoveGuest(in.Guest) {
				return toolkit.None{}, fmt.Errorf("no guest %q", in.Guest)
			}
			return toolkit.None{}, nil
		}),
	}})
	if err != nil {
		return err
	}
	defer operator.Close()
	return operator.ListenAndServe(ctx, at)
}
