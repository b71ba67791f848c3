package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/agentos-go/agentos/internal/strictjson"
	"github.com/agentos-go/agentos/toolkit"
)

// reader reads the members of an object, one after the other: a table is gone
// through for each, and the line that names it takes it. Names are compared as
// they are, whatever their case. A null is an absent member, except where any
// JSON is.
type reader struct {
	in    *strictjson.Reader
	name  string // of the member that is next
	taken bool   // it has been read
	// strict refuses members that no table names; unknown is the first of them.
	strict  bool
	unknown string
}

// member reads one member of the outermost object.
func (r *reader) member(name string, value []byte, table func(object)) error {
	r.name, r.taken = name, false
	err := strictjson.Read(value, func(in *strictjson.Reader) {
		r.in = in
		table(r)
	})
	switch {
	case err != nil || !r.strict:
		return err
	case r.unknown != "":
		return fmt.Errorf("%.40s: unknown member", r.unknown)
	case !r.taken:
		return errors.New("unknown member")
	}
	return nil
}

// take reports whether the next member has the name and takes it.
func (r *reader) take(name string) bool {
	if r.taken || r.name != name {
		return false
	}
	r.taken = true
	return true
}

// takes is take for a member that is not null.
func (r *reader) takes(name string) bool { return r.take(name) && !r.in.Null() }

// object reads an object by a table that takes its members from r.
func (r *reader) object(table func()) {
	r.in.Object(func(name string) {
		r.name, r.taken = name, false
		if table(); !r.taken {
			r.unknown = name
		}
	})
	r.taken = true
}

func (r *reader) always() object { return r }

func (r *reader) flag(name string, v *bool) {
	if r.takes(name) {
		*v = r.in.Bool()
	}
}

func (r *reader) int(name string, v *int) {
	if r.takes(name) {
		*v = r.nextInt()
	}
}

func (r *reader) nextInt() int { return int(r.in.Integer(strconv.IntSize)) }

func (r *reader) int64(name string, v *int64) {
	if r.takes(name) {
		*v = r.in.Integer(64)
	}
}

func (r *reader) ints(name string, v *[]int) {
	if r.takes(name) {
		r.in.Array(func() { *v = append(*v, r.nextInt()) })
	}
}

func (r *reader) text(name string, v *string) {
	if r.takes(name) {
		*v = r.in.Text()
	}
}

func (r *reader) texts(name string, v *[]string) {
	if r.takes(name) {
		r.in.Array(func() { *v = append(*v, r.in.Text()) })
	}
}

func (r *reader) offsets(name string, v *map[string]int64) {
	if r.takes(name) {
		*v = map[string]int64{}
		r.in.Object(func(slot string) { (*v)[slot] = r.in.Integer(64) })
	}
}

func (r *reader) raw(name string, v *json.RawMessage) {
	if r.take(name) {
		*v = r.nextRaw()
	}
}

// nextRaw is a copy, since the text is that of a frame, whose memory is used again.
func (r *reader) nextRaw() json.RawMessage { return bytes.Clone(r.in.Raw()) }

func (r *reader) inner(name string, _ bool, open func() table) {
	if r.takes(name) {
		t := open()
		r.object(func() { t.members(r) })
	}
}

func (r *reader) files(name string, v *[]FileInfo) {
	objects(r, name, v, func(r *reader, f *FileInfo) { f.members(r) })
}

func (r *reader) definition(name string, v **toolkit.Definition) {
	pointer(r, name, v, readDefinition)
}

func (r *reader) definitions(name string, v *[]*toolkit.Definition) {
	if r.takes(name) {
		r.in.Array(func() {
			d := &toolkit.Definition{}
			r.object(func() { readDefinition(r, d) })
			*v = append(*v, d)
		})
	}
}

// part reads an object into a struct.
func part[T any](r *reader, name string, v *T, read func(*reader, *T)) {
	if r.takes(name) {
		r.object(func() { read(r, v) })
	}
}

// pointer reads an object into a new struct.
func pointer[T any](r *reader, name string, v **T, read func(*reader, *T)) {
	if r.takes(name) {
		*v = new(T)
		r.object(func() { read(r, *v) })
	}
}

// objects reads an array of objects.
func objects[T any](r *reader, name string, v *[]T, read func(*reader, *T)) {
	if r.takes(name) {
		elements(r, v, read)
	}
}

func elements[T any](r *reader, v *[]T, read func(*reader, *T)) {
	r.in.Array(func() {
		*v = append(*v, *new(T))
		r.object(func() { read(r, &(*v)[len(*v)-1]) })
	})
}
