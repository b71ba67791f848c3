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
	"slices"
	"strings"
	"syscall"

	"github.com/agentos-go/agentos/guest"
	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/internal/wire"
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
	// begins is told of each new file before it is there; may be nil.
	begins func(path string)
}

// goneError is the cause of a call's end when nobody reads its stdout or stderr any more.
type goneError struct{ pipe io.Writer }

// Error tells the host.
func (*goneError) Error() string { return "broken pipe" }

// attach gives the call its streams. The error tells every file that cannot be
// opened, and then none is left behind. A dry run has the names of the streams only.
// Cancel ends the call when stdout or stderr is gone.
func (p *Process) attach(ctx context.Context, call *guest.Call, def *toolkit.Definition, cancel context.CancelCauseFunc) (*streams, error) {
	s := &streams{process: p, begins: p.begins}
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
		call.Stdout = &pipe{p.Stdout, cancel}
	}
	if cmd.Body.Stderr != nil {
		call.Stderr = &pipe{p.Stderr, cancel}
	}
	if (call.Stdout != nil || call.Stderr != nil) && p.keepPipe != nil {
		p.keepPipe()
	}
	refs := argv.Files(def, call.Path, call.Input)
	if len(refs) > wire.MaxSlots-3 {
		return s, &toolkit.Error{Code: toolkit.CodeUsageError, Message: fmt.Sprintf("%d files, a call takes at most %d; nothing was called", len(refs), wire.MaxSlots-3)}
	}
	if p.hear != nil && slices.ContainsFunc(refs, func(f argv.FileRef) bool { return f.Out }) {
		p.hear() // a signal would leave a file behind
	}
	if err := s.open(ctx, call, refs); err != nil {
		return s, errors.Join(err, s.end(false))
	}
	return s, nil
}

// pipe is stdout or stderr, and ends the call when nobody reads it.
type pipe struct {
	io.Writer
	cancel context.CancelCauseFunc
}

// Write writes on.
func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.cancel(&goneError{p.Writer})
	}
	return n, err
}

// open opens the files, all of them before anything is called: those that are read
// first, since they may be waited for.
func (s *streams) open(ctx context.Context, call *guest.Call, refs []argv.FileRef) error {
	call.Files, call.OutFiles = map[string]guest.File{}, map[string]io.Writer{}
	var problems []toolkit.Problem
	var texts []string
	for _, out := range []bool{false, true} {
		open := s.read
		if out {
			open = s.write
		}
		for _, ref := range refs {
			if ref.Out != out {
				continue
			}
			err := open(ctx, call, ref)
			if ctx.Err() != nil {
				return &toolkit.Error{Code: toolkit.CodeCancelled, Message: fmt.Sprintf("cancelled while %s was opened (%v); nothing was called", ref.Path, context.Cause(ctx))}
			}
			if err != nil {
				place, why := strings.ReplaceAll(ref.Pointer[1:], "/", "."), cause(err).Error()
				problems = append(problems, toolkit.Problem{Path: place, Got: ref.Path, Expected: "a file that can be opened: " + why})
				texts = append(texts, fmt.Sprintf("%s: %s cannot be opened: %s", place, ref.Path, why))
			}
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &toolkit.Error{Code: toolkit.CodeUsageError, Message: strings.Join(texts, "; ") + "; nothing was called", Details: problems}
}

// read opens a file to read. What a dry run would find is checked without opening it:
// the writer of a FIFO would notice.
func (s *streams) read(ctx context.Context, call *guest.Call, ref argv.FileRef) error {
	if s.process.CreateFile != nil {
		return s.process.readGiven(call, ref)
	}
	info, err := os.Stat(ref.Path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case call.DryRun:
		call.Files[ref.Pointer] = guest.File{Size: -1, Reader: strings.NewReader("")}
		return syscall.Access(ref.Path, mayRead)
	}
	f, err := openPatiently(ctx, ref.Path, os.O_RDONLY)
	if err != nil {
		return err
	}
	s.ins = append(s.ins, f)
	if info, err = f.Stat(); err != nil {
		return err
	}
	file := guest.File{Name: filepath.Base(ref.Path), Size: -1, MIME: mimeOf(ref.Path), Reader: f}
	if info.Mode().IsRegular() {
		file.Size = info.Size()
	}
	call.Files[ref.Pointer] = file
	return nil
}

// openPatiently opens what is there. A FIFO is waited for until somebody has opened its
// other end, or the context ends.
func openPatiently(ctx context.Context, path string, flag int) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() { // ends with the FIFO's other end, or with the process
		f, err := os.OpenFile(path, flag, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *streams) write(ctx context.Context, call *guest.Call, ref argv.FileRef) error {
	if s.process.CreateFile != nil {
		s.process.writeGiven(call, ref)
		return nil
	}
	if err := checkPlace(ref.Path); err != nil {
		return err
	}
	if call.DryRun {
		call.OutFiles[ref.Pointer] = io.Discard
		return nil
	}
	out, err := s.newOutFile(ctx, ref.Path)
	if err != nil {
		return err
	}
	s.outs = append(s.outs, out)
	call.OutFiles[ref.Pointer] = out.file
	return nil
}

// What access(2) is asked for.
const mayRead, mayWrite, mayEnter = 4, 2, 1

// checkPlace says why a file cannot be written: one that is there by its own
// permissions, and what is to replace it by those of the directory.
func checkPlace(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	default:
		if err := syscall.Access(path, mayWrite); err != nil || staysAsItIs(path) {
			return err
		}
	}
	return syscall.Access(filepath.Dir(path), mayWrite|mayEnter)
}

// staysAsItIs reports whether what is there is written to and not replaced: no regular
// file (/dev/null, a FIFO), or whatever a descriptor of this process is (/dev/stdout).
func staysAsItIs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (!info.Mode().IsRegular() || namesDescriptor(path))
}

// writeAsItIs is how such a file is opened: beside what else a descriptor's file has.
const writeAsItIs = os.O_WRONLY | os.O_APPEND

// namesDescriptor reports whether the path, which leads to something, does so through
// a link of /proc.
func namesDescriptor(path string) bool {
	link, err := os.Readlink(path)
	if err != nil {
		return false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || strings.HasPrefix(dir, "/proc/") {
		return err == nil
	}
	if !filepath.IsAbs(link) {
		link = filepath.Join(dir, link)
	}
	return namesDescriptor(link)
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

// outFile is a file that a tool writes: a new one, until it takes the place of path,
// or what stays as it is.
type outFile struct {
	path, temporary string
	file            *os.File
}

// newOutFile opens the file. A new one has the mode of that which it replaces, and
// the owner if this user may give it away. A link is replaced, and not what it leads to.
func (s *streams) newOutFile(ctx context.Context, path string) (*outFile, error) {
	if staysAsItIs(path) {
		f, err := openPatiently(ctx, path, writeAsItIs)
		return &outFile{path: path, file: f}, err
	}
	old, err := os.Lstat(path)
	replaces, mode := err == nil && old.Mode().IsRegular(), fs.FileMode(0o666) // less the umask
	if replaces {
		mode = old.Mode().Perm()
	}
	temporary := filepath.Join(filepath.Dir(path), ".agentos-"+rand.Text())
	if s.begins != nil {
		s.begins(temporary)
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return nil, err
	}
	out := &outFile{path, temporary, f}
	if replaces {
		_ = keepOwner(f, old) // else it is this user's
		err = f.Chmod(mode)
	}
	if err != nil {
		return nil, errors.Join(err, out.end(false))
	}
	return out, nil
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
		return errors.Join(fmt.Errorf("%s: %w", o.path, cause(err)), os.Remove(o.temporary))
	}
	return nil
}

// mimeTypes are those of common files, as words: a map would be made at each start. A
// guest's own tables may be large, and read slowly.
const mimeTypes = " .csv text/csv .gif image/gif .gz application/gzip .htm text/html .html text/html" +
	" .jpeg image/jpeg .jpg image/jpeg .json application/json .md text/markdown .mp3 audio/mpeg" +
	" .mp4 video/mp4 .pdf application/pdf .png image/png .svg image/svg+xml .tar application/x-tar" +
	" .txt text/plain .wav audio/wav .webp image/webp .xml application/xml .yaml application/yaml" +
	" .yml application/yaml .zip application/zip "

// mimeOf is the type that a name suggests, or empty.
func mimeOf(path string) string {
	_, rest, _ := strings.Cut(mimeTypes, " "+strings.ToLower(filepath.Ext(path))+" ")
	mime, _, _ := strings.Cut(rest, " ")
	return mime
}
