package host

import (
	"cmp"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// Limits are what one guest may take of the host. Whoever goes beyond is told
// BUSY, with the name of the limit in the details; nothing has run then. Zero
// values mean the defaults, which are given with each field.
type Limits struct {
	// Connections is how many may be open at once (1,000). Limit "connections".
	Connections int
	// Slots is how many streams and files the running calls may have (1,000).
	// Limit "slots".
	Slots int
	// Calls is how many may run at once (256); a handler that ignores its
	// cancelled context runs until it returns. Limit "calls".
	Calls int
	// Queued is how many calls more may wait for a place to run (1,000); less
	// than 0 is none. Limit "queued".
	Queued int
	// QueueWait is how long one may wait (30 s). Limit "calls".
	QueueWait time.Duration
	// ConnectRate is for new connections (1,000 a second, bursts of 2,000). At a
	// guest's own socket they are accepted more slowly then, which makes a flood
	// wait in its own queue. Limit "connect_rate".
	ConnectRate Rate
	// CallRate is for calls, answers to repeated ones among them (2,000 a second,
	// bursts of 10,000). Limit "call_rate".
	CallRate Rate
	// FrameRate is for frames of the protocol (20,000 a second, bursts of
	// 100,000). A guest that is faster is slowed down first, by a second at most.
	// Limit "frame_rate".
	FrameRate Rate
	// ByteRate is for bytes that the guest sends (1 GiB a second, bursts of
	// 1 GiB), which is kept as FrameRate is. Limit "byte_rate".
	ByteRate Rate
	// InputBytes is how much long inputs may take together (24 MiB), from the
	// first byte of one to the end of its call. Limit "byte_rate".
	InputBytes int
	// ResultBytes is how much long results may take together that the guest has
	// not read yet (64 MiB); until it does, no further call begins. Limit
	// "byte_rate".
	ResultBytes int
}

// Rate is a number of events per second, and how many may come at once after a
// pause.
type Rate struct {
	PerSecond float64
	Burst     int
}

// DefaultConcurrency is how many calls run at once, of all guests together.
const DefaultConcurrency = 1024

// orDefaults are the limits with the defaults in place of zero values.
func (l *Limits) orDefaults() Limits {
	var given Limits
	if l != nil {
		given = *l
	}
	return Limits{
		Connections: cmp.Or(given.Connections, 1000),
		Slots:       cmp.Or(given.Slots, 1000),
		Calls:       cmp.Or(given.Calls, 256),
		Queued:      cmp.Or(given.Queued, 1000),
		QueueWait:   cmp.Or(given.QueueWait, 30*time.Second),
		ConnectRate: cmp.Or(given.ConnectRate, Rate{1000, 2000}),
		CallRate:    cmp.Or(given.CallRate, Rate{2000, 10000}),
		FrameRate:   cmp.Or(given.FrameRate, Rate{20000, 100000}),
		ByteRate:    cmp.Or(given.ByteRate, Rate{1 << 30, 1 << 30}),
		InputBytes:  cmp.Or(given.InputBytes, 24<<20),
		ResultBytes: cmp.Or(given.ResultBytes, 64<<20),
	}
}

// The names of the limits, in the details of BUSY and in Stats.
const (
	limitConnections = "connections"
	limitSlots       = "slots"
	limitCalls       = "calls"
	limitQueued      = "queued"
	limitConnectRate = "connect_rate"
	limitCallRate    = "call_rate"
	limitFrameRate   = "frame_rate"
	limitByteRate    = "byte_rate"
)

// busy is why nothing was done for a guest that is over one of its limits.
type busy struct{ limit, message string }

// Error is for logs; guests are told what forGuest says.
func (b *busy) Error() string { return b.message }

func (b *busy) forGuest() *toolkit.Error {
	return &toolkit.Error{
		Code: toolkit.CodeBusy, Message: b.message + "; nothing ran", Hint: "run the same command again in a few seconds",
		Details: limitDetails(b.limit),
	}
}
