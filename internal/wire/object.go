package wire

import (
	"encoding/json"

	"github.com/agentos-go/agentos/toolkit"
)

// object is a JSON object on its way in or out. Whatever travels names its
// members in one table, in the order in which they are written; the reader fills
// them in, the writer writes them. encoding/json would do the same by reflection,
// but a command that lives for a few milliseconds would spend one of them on
// learning its types.
type object interface {
	// always has the next member written also when it is empty; others are left out.
	always() object
	flag(name string, v *bool)
	int(name string, v *int)
	int64(name string, v *int64)
	ints(name string, v *[]int)
	text(name string, v *string)
	texts(name string, v *[]string)
	// offsets are numbers by name.
	offsets(name string, v *map[string]int64)
	// raw is any JSON, read as it is written.
	raw(name string, v *json.RawMessage)
	// inner is an object with a table of its own, which open gives. It is
	// written when it is there.
	inner(name string, there bool, open func() table)
	files(name string, v *[]FileInfo)
	definition(name string, v **toolkit.Definition)
	definitions(name string, v *[]*toolkit.Definition)
}

// table is what names its members.
type table interface{ members(o object) }

func (m *Open) members(o object) {
	o.always().ints("v", &m.Versions)
	o.text("toolkit", &m.Toolkit)
	o.texts("words", &m.Words)
	o.always().text("want", &m.Want)
	o.int("budget", &m.Budget)
	o.text("query", &m.Query)
}

func (m *Present) members(o object) {
	o.always().int("v", &m.Version)
	o.text("epoch", &m.Epoch)
	o.text("revision", &m.Revision)
	o.definition("definition", &m.Definition)
	o.definitions("definitions", &m.Definitions)
	o.text("text", &m.Text)
	o.raw("found", &m.Found)
	o.inner("limits", m.Limits != Limits{}, func() table { return &m.Limits })
	m.error(o)
}

func (m *Present) error(o object) {
	o.inner("error", m.Error != nil, func() table {
		if m.Error == nil {
			m.Error = &Envelope{}
		}
		return m.Error
	})
}

func (l *Limits) members(o object) {
	o.int64("input_bytes", &l.InputBytes)
	o.int64("result_bytes", &l.ResultBytes)
	o.int64("handshake_ms", &l.HandshakeMS)
	o.int64("idle_ms", &l.IdleMS)
}

func (m *Call) members(o object) {
	o.always().text("id", &m.ID)
	o.always().text("toolkit", &m.Toolkit)
	o.texts("path", &m.Path)
	o.always().raw("input", &m.Input)
	o.text("revision", &m.Revision)
	o.int64("timeout_ms", &m.TimeoutMS)
	o.texts("slots", (*[]string)(&m.Slots))
	o.files("files", &m.Files)
	o.flag("dry_run", &m.DryRun)
}

func (f *FileInfo) members(o object) {
	o.always().text("slot", &f.Slot)
	o.text("name", &f.Name)
	o.always().int64("size", &f.Size)
	o.text("mime", &f.MIME)
}

func (m *Attach) members(o object) {
	o.always().text("id", &m.ID)
	o.offsets("have", &m.Have)
	o.offsets("sent", &m.Sent)
}

func (m *Accepted) members(o object) {
	o.always().text("id", &m.ID)
	o.int64("timeout_ms", &m.TimeoutMS)
	o.offsets("have", &m.Have)
}

func (*Data) members(object) {} // it is no JSON

func (m *End) members(o object) { o.text("error", &m.Error) }

func (m *Credit) members(o object) { o.always().int64("bytes", &m.Bytes) }

func (m *Cancel) members(o object) { o.always().text("reason", &m.Reason) }

func (m *Note) members(o object) {
	o.always().text("kind", &m.Kind)
	o.always().text("text", &m.Text)
}

func (m *Result) members(o object) {
	m.Envelope.members(o)
	o.always().int("exit", &m.Exit)
}

func (m *Ack) members(o object) { o.always().text("id", &m.ID) }

func (*Ping) members(object) {}

func (*Pong) members(object) {}

func (e *Envelope) members(o object) {
	o.always().flag("ok", &e.OK)
	o.raw("result", &e.Result)
	o.text("error", &e.Code)
	o.text("message", &e.Message)
	o.text("hint", &e.Hint)
	o.raw("details", &e.Details)
	o.text("call", &e.Call)
	o.flag("replayed", &e.Replayed)
	o.flag("dry_run", &e.DryRun)
	o.inner("spill", e.Spill != nil, func() table {
		if e.Spill == nil {
			e.Spill = &Spill{}
		}
		return e.Spill
	})
}

func (s *Spill) members(o object) {
	o.always().text("path", &s.Path)
	o.always().int64("bytes", &s.Bytes)
	o.always().text("sha256", &s.SHA256)
	o.always().text("head", &s.Head)
}
