package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// Message is one of the fifteen messages of the protocol, as a pointer to its
// struct. What each means and when it may be sent is in PROTOCOL.md.
type Message interface {
	Type() Type
	// members is the table of the message's JSON object.
	members(o object)
	// check keeps the message's own rules. Send and Receive ask it alike.
	check() error
}

// Open asks the host for what the guest may see. It is the first message of a
// connection.
type Open struct {
	// Versions are the protocol versions that the guest speaks.
	Versions []int  `json:"v"`
	Toolkit  string `json:"toolkit,omitempty"`
	// Words are the leading words of the command line, before the first that
	// begins with "-"; the definition is pruned to what they select.
	Words []string `json:"words,omitempty"`
	// Want is one of the Want constants.
	Want string `json:"want"`
	// Budget limits the prompt text, in tokens of four bytes; 0 means the host's
	// default.
	Budget int `json:"budget,omitempty"`
	// Query is what a search looks for, and the id of the call to tell about.
	Query string `json:"query,omitempty"`
}

// What an Open may want.
const (
	WantCommand  = "command"  // the definition that the words select
	WantList     = "list"     // the definitions of all toolkits, or of the one named
	WantSearch   = "search"   // text and found: the tools that fit the query
	WantPrompt   = "prompt"   // text: the prompt
	WantDescribe = "describe" // the definition that the words select, with all its schemas
	WantCalls    = "calls"    // found: the guest's own calls, or the one that Query names
)

// The limits of Open's words, so that neither values nor bulk travel in them.
const (
	MaxWords = 8
	MaxWord  = 64 // bytes
)

// Present is the host's answer to Open: one of Definition, Definitions, Text
// and Error. It also answers a Call whose revision is no longer the current one.
type Present struct {
	// Version is the protocol version that the host chose.
	Version int `json:"v"`
	// Epoch names this life of the host's records of the guest: within one the host
	// knows every call that it accepted.
	Epoch string `json:"epoch,omitempty"`
	// Revision names the definition as this guest sees it; Call repeats it.
	Revision    string                `json:"revision,omitempty"`
	Definition  *toolkit.Definition   `json:"definition,omitempty"`
	Definitions []*toolkit.Definition `json:"definitions,omitempty"`
	Text        string                `json:"text,omitempty"`
	// Found is what the Text of a search says, as a JSON object, and the guest's
	// calls.
	Found  json.RawMessage `json:"found,omitempty"`
	Limits Limits          `json:"limits,omitzero"`
	// Error says why there is nothing to present. The connection may be used
	// for another Open.
	Error *Envelope `json:"error,omitempty"`
}

// Limits are the host's limits that a guest can heed. 0 means not stated.
type Limits struct {
	InputBytes  int64 `json:"input_bytes,omitempty"`
	ResultBytes int64 `json:"result_bytes,omitempty"`
	// HandshakeMS is how long the host waits for Open, and after Present for
	// Call; a guest that needs longer dials again.
	HandshakeMS int64 `json:"handshake_ms,omitempty"`
	// IdleMS is how long a connection may idle between calls.
	IdleMS int64 `json:"idle_ms,omitempty"`
}

// Call asks the host to run a tool. It is the one message in which unknown
// members are refused: what it asks for must not be dropped in silence.
type Call struct {
	ID      string   `json:"id"`
	Toolkit string   `json:"toolkit"`
	Path    []string `json:"path,omitempty"`
	// Input is a JSON object.
	Input    json.RawMessage `json:"input"`
	Revision string          `json:"revision,omitempty"`
	// TimeoutMS is the time that the caller gives, in milliseconds from now;
	// 0 means that it sets none.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Slots are the names of the slots that the guest serves.
	Slots SlotNames `json:"slots,omitempty"`
	// Files are what the guest says of the files among Slots that it sends.
	Files  []FileInfo `json:"files,omitempty"`
	DryRun bool       `json:"dry_run,omitempty"`
}

// FileInfo is what a guest says of a file that it sends in a slot. None of it is
// proven.
type FileInfo struct {
	// Slot is the slot's name, the JSON pointer of the parameter.
	Slot string `json:"slot"`
	Name string `json:"name,omitempty"`
	// Size is in bytes, -1 where it is not known.
	Size int64  `json:"size"`
	MIME string `json:"mime,omitempty"`
}

// Attach takes up a call again after a lost connection.
type Attach struct {
	ID string `json:"id"`
	// Have counts the bytes that the guest has read of each slot it receives: the
	// host goes on sending from there.
	Have map[string]int64 `json:"have,omitempty"`
	// Sent counts the bytes that it has sent on each slot it sends.
	Sent map[string]int64 `json:"sent,omitempty"`
}

// Accepted says that the call's start is recorded and the call is the host's.
type Accepted struct {
	ID string `json:"id"`
	// TimeoutMS is what is left of the call's time, in milliseconds from now:
	// it ends by then, whatever comes. 0 is not stated.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Have answers Attach: the bytes that the host has read of each slot it
	// receives, where the guest goes on sending.
	Have map[string]int64 `json:"have,omitempty"`
}

// Data is bytes of a slot.
type Data struct {
	Slot Slot
	// Bytes are 1 to MaxData bytes. Those that Receive returned are valid only
	// until the next Receive.
	Bytes []byte

	// lent is where the Conn that received them keeps the chunk that they lie in;
	// nil when they lie elsewhere.
	lent **chunk
}

// take keeps the chunk of lent, and Bytes with it, beyond the next Receive.
func (m *Data) take() *chunk {
	c := *m.lent
	*m.lent, m.lent = nil, nil
	return c
}

// End of the slot's sender says that no Data follows. End of its receiver says
// that it takes no more.
type End struct {
	Slot Slot `json:"-"`
	// Error says why the bytes are not all there, or why no more are taken; it may
	// be empty.
	Error string `json:"error,omitempty"`
}

// Credit lets the peer send that many more bytes on a slot, since as many were
// read. A slot never has more than Window bytes of credit.
type Credit struct {
	Slot  Slot  `json:"-"`
	Bytes int64 `json:"bytes"`
}

// maxCredit keeps a sum of credits far from overflowing.
const maxCredit = 1<<31 - 1

// Cancel asks the host to stop the call.
type Cancel struct {
	Reason string `json:"reason"`
}

// Note is something to tell whoever waits, on standard error.
type Note struct {
	// Kind is one of the Note constants; guests show others as notices.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// The kinds of notes.
const (
	NoteProgress = "progress"
	NoteApproval = "approval" // the call waits for a person
	NoteNotice   = "notice"
)

// Result ends a call.
type Result struct {
	Envelope
	// Exit is the exit status of the guest's process.
	Exit int `json:"exit"`
}

// Error is the envelope's error with the exit status, nil for a success.
func (m *Result) Error() *toolkit.Error {
	err := m.Envelope.Error()
	if err != nil {
		err.Exit = m.Exit
	}
	return err
}

// Ack says that the result was delivered.
type Ack struct {
	ID string `json:"id"`
}

// Ping asks for a sign of life. Receive sends and answers it by itself.
type Ping struct{}

// Pong is the answer to Ping.
type Pong struct{}

// Fail says why its sender closes the connection: an error envelope. Receive
// returns it as an error.
type Fail struct{ Envelope }

// Type is OPEN.
func (*Open) Type() Type { return typeOpen }

// Type is PRESENT.
func (*Present) Type() Type { return typePresent }

// Type is CALL.
func (*Call) Type() Type { return typeCall }

// Type is ATTACH.
func (*Attach) Type() Type { return typeAttach }

// Type is ACCEPTED.
func (*Accepted) Type() Type { return typeAccepted }

// Type is DATA.
func (*Data) Type() Type { return typeData }

// Type is END.
func (*End) Type() Type { return typeEnd }

// Type is CREDIT.
func (*Credit) Type() Type { return typeCredit }

// Type is CANCEL.
func (*Cancel) Type() Type { return typeCancel }

// Type is NOTE.
func (*Note) Type() Type { return typeNote }

// Type is RESULT.
func (*Result) Type() Type { return typeResult }

// Type is ACK.
func (*Ack) Type() Type { return typeAck }

// Type is PING.
func (*Ping) Type() Type { return typePing }

// Type is PONG.
func (*Pong) Type() Type { return typePong }

// Type is FAIL.
func (*Fail) Type() Type { return typeFail }

// ValidCallID reports whether the text can be a call's id: 1 to 64 of
// A–Z a–z 0–9 . _ -
func ValidCallID(id string) bool {
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return 1 <= len(id) && len(id) <= 64
}

func (m *Open) check() error {
	if len(m.Words) > MaxWords {
		return fmt.Errorf("%d words, the limit is %d", len(m.Words), MaxWords)
	}
	for _, word := range m.Words {
		if len(word) > MaxWord {
			return fmt.Errorf("a word of %d bytes, the limit is %d", len(word), MaxWord)
		}
	}
	return nil
}

func (m *Present) check() error {
	if m.Error == nil {
		return nil
	}
	if m.Error.OK {
		return errors.New("an error that is ok")
	}
	return m.Error.check()
}

func (m *Call) check() error {
	if len(m.Input) == 0 || m.Input[0] != '{' {
		return errors.New("input is not an object")
	}
	if len(m.Input) > strictjson.MaxBytes {
		return fmt.Errorf("input of %d bytes, the limit is %d", len(m.Input), strictjson.MaxBytes)
	}
	if m.TimeoutMS < 0 {
		return fmt.Errorf("timeout_ms is %d", m.TimeoutMS)
	}
	return errors.Join(checkID(m.ID), m.Slots.check(), m.checkFiles())
}

func (m *Call) checkFiles() error {
	if len(m.Files) > len(m.Slots) {
		return fmt.Errorf("%d files in %d slots", len(m.Files), len(m.Slots))
	}
	for _, f := range m.Files {
		if slot := m.Slots.Slot(f.Slot); slot <= Stderr || f.Size < -1 {
			return fmt.Errorf("a file of %d bytes in slot %.40q", f.Size, f.Slot)
		}
	}
	return nil
}

func (m *Attach) check() error {
	return errors.Join(checkID(m.ID), checkOffsets(m.Have), checkOffsets(m.Sent))
}

func (m *Result) check() error {
	if err := m.Envelope.check(); err != nil {
		return err
	}
	if m.Exit < 0 || m.Exit > 255 || m.OK != (m.Exit == 0) {
		return fmt.Errorf("ok is %t, exit is %d", m.OK, m.Exit)
	}
	return nil
}

func (m *Accepted) check() error {
	if m.TimeoutMS < 0 {
		return fmt.Errorf("timeout_ms is %d", m.TimeoutMS)
	}
	return errors.Join(checkID(m.ID), checkOffsets(m.Have))
}

func (m *Data) check() error { return checkSlot(m.Slot) }

func (m *End) check() error { return checkSlot(m.Slot) }

func (m *Credit) check() error {
	if m.Bytes < 1 || m.Bytes > maxCredit {
		return fmt.Errorf("%d bytes of credit", m.Bytes)
	}
	return checkSlot(m.Slot)
}

func (*Cancel) check() error { return nil }

func (*Note) check() error { return nil }

func (m *Ack) check() error { return checkID(m.ID) }

func (*Ping) check() error { return nil }

func (*Pong) check() error { return nil }

func (m *Fail) check() error {
	if m.OK {
		return errors.New("a failure that is ok")
	}
	return m.Envelope.check()
}

func checkID(id string) error {
	if !ValidCallID(id) {
		return fmt.Errorf("id %.80q, want 1 to 64 of A-Z a-z 0-9 . _ -", id)
	}
	return nil
}
