package shim

import (
	"bytes"
	"io"
	"path"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
)

// readGiven gives the call a file that is not the system's.
func (p *Process) readGiven(call *guest.Call, ref argv.FileRef) error {
	data, err := p.ReadFile(ref.Path)
	if err != nil {
		return err
	}
	call.Files[ref.Pointer] = guest.File{
		Name: path.Base(ref.Path), Size: int64(len(data)), MIME: mimeOf(ref.Path), Reader: bytes.NewReader(data),
	}
	return nil
}

// writeGiven gives the call a place that is not the system's.
func (p *Process) writeGiven(call *guest.Call, ref argv.FileRef) {
	call.OutFiles[ref.Pointer] = io.Discard
	if !call.DryRun {
		call.OutFiles[ref.Pointer] = p.CreateFile(ref.Path)
	}
}
