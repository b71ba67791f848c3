package shim

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// streams are what flows beside a call of a command line: the standard streams that
// its tool declares, and the files that the line names.
type streams struct {
	process *Process
	ins     []*os.File
	outs    []*outFile
	// toStdout says that stdout carries the tool's bytes, and no document.
	toStdout bool
}

// errPipe is the cause of a call's end when nobody reads its stdout any more.
var errPipe = errors.New("broken pipe")

// attach gives the call its streams. The error tells every file that cannot be
// opened, and then none is left behind. Cancel ends the call when stdout is gone.
func (p *Process) attach(call *guest.Call, def *toolkit.Definition, cancel context.CancelCauseFunc) (*streams, error) {
	s := &streams{process: p}
	_, cmd, err := argv.Resolve(def, call.Path)
	if err != nil {
		return s, err
	}
	if slot := cmd.Body.Stdin; slot != nil {
		if call.Stdin = p.Stdin; call.Stdin == nil && slot.Required {
			call.Stdin = p.Input
		}
	}
	if cmd.Body.Stdout != nil {
		s.toStdout = true
		call.Stdout = &stdout{p.Stdout, cancel}
		if p.keepPipe != nil {
			p.keepPipe()
		}
	}
	if cmd.Body.Stderr != nil {
		call.Stderr = p.Stderr
	}
	if err := s.open(call, argv.Files(def, call.Path, call.Input)); err != nil {
		s.end(false)
		return s, err
	}
	return s, nil
}

// stdout ends the call when nobody reads it.
type stdout struct {
	io.Writer
	cancel context.CancelCauseFunc
}

// Write writes on.
func (s *stdout) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		s.cancel(errPipe)
	}
	return n, err
}

// open opens the files, all of them before anything is called.
func (s *streams) open(call *guest.Call, refs []argv.FileRef) error {
	call.Files, call.OutFiles = map[string]guest.File{}, map[string]io.Writer{}
	var problems []toolkit.Problem
	for _, ref := range refs {
		var err error
		if ref.Out {
			err = s.write(call, ref)
		} else {
			err = s.read(call, ref)
		}
		if err != nil {
			problems = append(problems, toolkit.Problem{
				Path: strings.ReplaceAll(ref.Pointer[1:], "/", "."), Got: ref.Path, Expected: "a file that can be opened: " + reason(err),
			})
		}
	}
	if len(problems) == 0 {
		return nil
	}
	var texts []string
	for _, problem := range problems {
		texts = append(texts, fmt.Sprintf("%s: %s cannot be opened: %s", problem.Path, problem.Got, strings.TrimPrefix(problem.Expected, "a file that can be opened: ")))
	}
	return &toolkit.Error{Code: toolkit.CodeUsageError, Message: strings.Join(texts, "; ") + "; nothing was called", Details: problems}
}

// reason is the error without the path, which is told beside it.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}

func (s *streams) read(call *guest.Call, ref argv.FileRef) error {
	if s.process.CreateFile != nil {
		return s.process.readGiven(call, ref)
	}
	f, err := os.Open(ref.Path)
	if err != nil {
		return err
	}
	s.ins = append(s.ins, f)
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	}
	file := guest.File{Name: filepath.Base(ref.Path), Size: -1, MIME: mimeOf(ref.Path), Reader: f}
	if info.Mode().IsRegular() {
		file.Size = info.Size()
	}
	call.Files[ref.Pointer] = file
	return nil
}

func (s *streams) write(call *guest.Call, ref argv.FileRef) error {
	if s.process.CreateFile != nil {
		s.process.writeGiven(call, ref)
		return nil
	}
	out, err := newOutFile(ref.Path)
	if err != nil {
		return err
	}
	s.outs = append(s.outs, out)
	call.OutFiles[ref.Pointer] = out.file
	return nil
}

// end closes the files; those that the tool wrote take their places if the call
// succeeded, and nothing is left of them if not.
func (s *streams) end(ok bool) error {
	for _, f := range s.ins {
		_ = f.Close() // nothing was written
	}
	var errs []error
	for _, out := range s.outs {
		errs = append(errs, out.end(ok))
	}
	return errors.Join(errs...)
}

// outFile is a file that a tool writes: a new one, until it takes the place of path.
// What is there and no regular file (/dev/null, a FIFO) is written to as it is.
type outFile struct {
	path, temporary string
	file            *os.File
}

func newOutFile(path string) (*outFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &outFile{path: path, file: f}, err
	}
	temporary := filepath.Join(filepath.Dir(path), ".agentos-"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o666)
	return &outFile{path, temporary, f}, err
}

func (o *outFile) end(ok bool) error {
	err := o.file.Close()
	switch {
	case o.temporary == "":
		return err
	case !ok || err != nil:
		return errors.Join(err, os.Remove(o.temporary))
	}
	if err := os.Rename(o.temporary, o.path); err != nil {
		return errors.Join(err, os.Remove(o.temporary))
	}
	return nil
}

// mimeTypes are those of common files; a guest's own tables may be large, and read
// slowly.
var mimeTypes = map[string]string{
	".csv": "text/csv", ".gif": "image/gif", ".gz": "application/gzip", ".htm": "text/html", ".html": "text/html",
	".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".json": "application/json", ".md": "text/markdown", ".mp3": "audio/mpeg",
	".mp4": "video/mp4", ".pdf": "application/pdf", ".png": "image/png", ".svg": "image/svg+xml", ".tar": "application/x-tar",
	".txt": "text/plain", ".wav": "audio/wav", ".webp": "image/webp", ".xml": "application/xml", ".yaml": "application/yaml",
	".yml": "application/yaml", ".zip": "application/zip",
}

// mimeOf is the type that a name suggests, or empty.
func mimeOf(path string) string { return mimeTypes[strings.ToLower(filepath.Ext(path))] }
