package wire

import (
	"strings"
	"testing"
)

func TestNegotiate(t *testing.T) {
	tests := []struct {
		name         string
		ours, theirs []int
		version      int
		message      string
		hint         string
	}{
		{"the same", []int{1}, []int{1}, 1, "", ""},
		{"the highest in common", []int{1, 2, 3}, []int{2, 5, 1}, 2, "", ""},
		{"a newer guest", []int{1}, []int{2, 3}, 0, "the host speaks protocol 1, this agentos speaks 2, 3",
			"install an agentos for protocol 1 in this guest, or an agentosd for protocol 2 on the host"},
		{"an older guest", []int{2, 3}, []int{1}, 0, "the host speaks protocol 2, 3, this agentos speaks 1",
			"install an agentos for protocol 3 in this guest"},
		{"a gap", []int{1, 3}, []int{2}, 0, "the host speaks protocol 1, 3, this agentos speaks 2",
			"install an agentos for protocol 3 in this guest"},
		{"none stated", []int{1}, nil, 0, "the host speaks protocol 1, this agentos speaks none",
			"install an agentos for protocol 1 in this guest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version, err := negotiate(tt.ours, tt.theirs)
			if version != tt.version || (err == nil) != (tt.message == "") {
				t.Fatalf("got %d, %v, want %d, %q", version, err, tt.version, tt.message)
			}
			if err != nil && (err.Message != tt.message || err.Hint != tt.hint || err.ExitStatus() != 69) {
				t.Errorf("got %q, %q, exit %d\nwant %q, %q, exit 69", err.Message, err.Hint, err.ExitStatus(), tt.message, tt.hint)
			}
		})
	}
	if version, err := Negotiate(Versions()); version != 1 || err != nil {
		t.Errorf("with itself: got %d, %v, want 1", version, err)
	}
}

func TestNegotiate_HostileList(t *testing.T) {
	if _, err := Negotiate(make([]int, 100_000)); err == nil || len(err.Message) > 200 || strings.Count(err.Message, "0") != 8 {
		t.Errorf("got %v, want a short message", err)
	}
}
