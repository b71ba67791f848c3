package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"
)

// Streams are what flows beside the JSON of a call. A stream that the caller does
// not serve is nil. They end with the call: a reader or writer that is kept
// longer fails.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Files are the contents of File parameters and the places of OutFile ones, by
	// the JSON Pointer (RFC 6901) of the parameter in the input.
	Files    map[string]File
	OutFiles map[string]io.Writer
}

type streamsKey struct{}

// StreamsFrom are the streams of the call that the context belongs to, for
// handlers without a struct to put them in. They are never nil, and empty outside
// of a call.
func StreamsFrom(ctx context.Context) *Streams {
	if s, ok := ctx.Value(streamsKey{}).(*Streams); ok && s != nil {
		return s
	}
	return &Streams{}
}

// WithStreams is a context whose calls have the streams. Hosts and tests of
// handlers use it.
func WithStreams(ctx context.Context, s *Streams) context.Context {
	return context.WithValue(ctx, streamsKey{}, s)
}

type callerStreamsKey struct{}

// CallerStreams are the streams that a caller gives to the call it is about to make,
// nil for none. Implementations of Caller send them.
func CallerStreams(ctx context.Context) *Streams {
	s, _ := ctx.Value(callerStreamsKey{}).(*Streams)
	return s
}

// WithCallerStreams is a context for one CallTool of a Caller, which sends the
// streams. A typed call makes it by itself.
func WithCallerStreams(ctx context.Context, s *Streams) context.Context {
	return context.WithValue(ctx, callerStreamsKey{}, s)
}

// File is a parameter that names a file of the guest: in JSON and on the command
// line it is the path, which is opened there with the rights of the caller. The
// handler reads the contents as they come, once.
type File struct {
	// Path is the path as the caller wrote it, Name its last element.
	Path, Name string
	// Size is the file's length in bytes when it was opened, -1 where that is not
	// known (a pipe). Neither it nor MIME is proven: both are the guest's word.
	Size int64
	// MIME is what the guest takes the contents for, empty when it cannot tell.
	MIME string
	// Reader is nil outside of a call. In a typed call it is where the contents come
	// from, beside the path.
	io.Reader
}

// UnmarshalJSON reads the path.
func (f *File) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &f.Path); err != nil {
		return err
	}
	f.Name, f.Size = path.Base(f.Path), -1
	return nil
}

// MarshalJSON is the path.
func (f File) MarshalJSON() ([]byte, error) { return json.Marshal(f.Path) }

// OutFile is a parameter that names a file of the guest to write: in JSON and on
// the command line it is the path. What the handler writes is there when the call
// succeeds, in place of a file of that name; when it fails nothing is left.
type OutFile struct {
	// Path is the path as the caller wrote it.
	Path string
	// Writer is nil outside of a call. In a typed call it is where the contents go.
	io.Writer
}

// UnmarshalJSON reads the path.
func (f *OutFile) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &f.Path) }

// MarshalJSON is the path.
func (f OutFile) MarshalJSON() ([]byte, error) { return json.Marshal(f.Path) }

// The formats of the schemas of File and OutFile.
const (
	FormatFile    = "agentos-file"
	FormatOutFile = "agentos-out-file"
)

var (
	readerType  = reflect.TypeFor[io.Reader]()
	writerType  = reflect.TypeFor[io.Writer]()
	fileType    = reflect.TypeFor[File]()
	outFileType = reflect.TypeFor[OutFile]()
)

func isStream(t reflect.Type) bool { return t == readerType || t == writerType }

// streamField is a field of an input struct that is a stream.
type streamField struct {
	name  string // stdin, stdout or stderr
	index []int
}

// stream reads a field that is a stream: which one, and what its tags say of it.
func (ts *types) stream(field reflect.StructField, index []int, at string) {
	tags, err := parseTag(field.Tag)
	ts.report(at, err)
	var given []string
	for _, name := range []string{"stdin", "stdout", "stderr"} {
		if _, ok := tags[name]; ok {
			given = append(given, name)
		}
	}
	name, err := streamName(field.Type, given)
	if err != nil {
		ts.report(at, err)
		return
	}
	if _, taken := ts.slots[name]; taken {
		ts.mistake(at, "a second field for %s", name)
		return
	}
	slot := &Slot{Required: hasRule(parseRules(tags["validate"])[0], "required")}
	for mime := range strings.SplitSeq(tags[name], ",") {
		if mime = strings.TrimSpace(mime); mime != "" {
			slot.MIME = append(slot.MIME, mime)
		}
	}
	ts.slots[name] = slot
	ts.streams = append(ts.streams, streamField{name, index})
}

// streamName is the stream of a field with the tags given; an io.Reader can only
// be stdin.
func streamName(t reflect.Type, given []string) (string, error) {
	switch {
	case len(given) > 1:
		return "", fmt.Errorf("the tags %s and %s: a field is one stream", given[0], given[1])
	case t == readerType && (len(given) == 0 || given[0] == "stdin"):
		return "stdin", nil
	case t == readerType:
		return "", fmt.Errorf("the tag %s: an io.Reader is stdin", given[0])
	case len(given) == 0:
		return "", errors.New("an io.Writer needs a tag that says which stream it is: stdout or stderr")
	case given[0] == "stdin":
		return "", errors.New("the tag stdin: an io.Writer is stdout or stderr")
	}
	return given[0], nil
}

// fileField is a field of an input struct that is a file, or a list of files.
type fileField struct {
	pointer string
	index   []int
}

// bind puts the call's streams into the fields of an input.
func (ts *types) bind(in reflect.Value, s *Streams) {
	for _, field := range ts.streams {
		if target, err := in.FieldByIndexErr(field.index); err == nil {
			target.Set(s.field(field.name))
		}
	}
	for _, field := range ts.files {
		if target, err := in.FieldByIndexErr(field.index); err == nil {
			bindFiles(target, field.pointer, s)
		}
	}
}

// gather is what an input gives to a typed call, nil for no streams.
func (ts *types) gather(in reflect.Value) *Streams {
	s := &Streams{}
	given := false
	for _, field := range ts.streams {
		if source, err := in.FieldByIndexErr(field.index); err == nil && !source.IsNil() {
			s.field(field.name).Set(source)
			given = true
		}
	}
	for _, field := range ts.files {
		if source, err := in.FieldByIndexErr(field.index); err == nil {
			gatherFiles(source, field.pointer, s)
		}
	}
	if !given && len(s.Files)+len(s.OutFiles) == 0 {
		return nil
	}
	return s
}

// field is the stream of that name, to be read or set.
func (s *Streams) field(name string) reflect.Value {
	switch name {
	case "stdin":
		return reflect.ValueOf(&s.Stdin).Elem()
	case "stdout":
		return reflect.ValueOf(&s.Stdout).Elem()
	}
	return reflect.ValueOf(&s.Stderr).Elem()
}

// gatherFiles are the files at the pointer that have contents or a place.
func gatherFiles(v reflect.Value, pointer string, s *Streams) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch f := v.Interface().(type) {
	case File:
		if f.Reader != nil {
			if s.Files == nil {
				s.Files = map[string]File{}
			}
			s.Files[pointer] = f
		}
	case OutFile:
		if f.Writer != nil {
			if s.OutFiles == nil {
				s.OutFiles = map[string]io.Writer{}
			}
			s.OutFiles[pointer] = f.Writer
		}
	default:
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				gatherFiles(v.Index(i), fmt.Sprintf("%s/%d", pointer, i), s)
			}
		}
	}
}

// holdsFile reports whether the member is a file, or a list of files.
func (m *member) holdsFile() bool {
	t := deref(m.typ)
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t == fileType || t == outFileType
}

// bindFiles gives the files at the pointer their contents or place.
func bindFiles(v reflect.Value, pointer string, s *Streams) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch f := v.Addr().Interface().(type) {
	case *File:
		if sent, ok := s.Files[pointer]; ok {
			sent.Path = f.Path
			*f = sent
		}
	case *OutFile:
		f.Writer = s.OutFiles[pointer]
	default:
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				bindFiles(v.Index(i), fmt.Sprintf("%s/%d", pointer, i), s)
			}
		}
	}
}

// pointerToken writes a key as a JSON Pointer does.
var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")
