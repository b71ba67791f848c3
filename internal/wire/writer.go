package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/agentos-go/agentos/toolkit"
)

// appendObject appends the object as one line of JSON: <, > and & as they are,
// control characters escaped, invalid UTF-8 replaced by U+FFFD.
func appendObject(dst []byte, table func(object)) ([]byte, error) {
	w := &writer{out: dst}
	w.braces(func() { table(w) })
	if w.err != nil {
		return dst, w.err
	}
	return w.out, nil
}

// writer writes the members of an object.
type writer struct {
	out  []byte
	keep bool  // the next member is written also when it is empty
	err  error // of the first member that cannot be written
}

func (w *writer) braces(members func()) {
	w.out = append(w.out, '{')
	members()
	w.out = append(w.out, '}')
}

// name begins a member, unless it is to be left out. No value ends with the
// brace that comes before an object's first member.
func (w *writer) name(name string, empty bool) bool {
	leaveOut := empty && !w.keep
	w.keep = false
	if leaveOut {
		return false
	}
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(appendText(w.out, name), ':')
	return true
}

func (w *writer) always() object {
	w.keep = true
	return w
}

func (w *writer) flag(name string, v *bool) {
	if w.name(name, !*v) {
		w.out = strconv.AppendBool(w.out, *v)
	}
}

func (w *writer) int(name string, v *int) {
	n := int64(*v)
	w.int64(name, &n)
}

func (w *writer) int64(name string, v *int64) {
	if w.name(name, *v == 0) {
		w.out = strconv.AppendInt(w.out, *v, 10)
	}
}

func (w *writer) ints(name string, v *[]int) {
	array(w, name, *v, func(n int) { w.out = strconv.AppendInt(w.out, int64(n), 10) })
}

func (w *writer) text(name string, v *string) {
	if w.name(name, *v == "") {
		w.out = appendText(w.out, *v)
	}
}

func (w *writer) texts(name string, v *[]string) {
	array(w, name, *v, func(text string) { w.out = appendText(w.out, text) })
}

func array[T any](w *writer, name string, v []T, write func(T)) {
	if !w.name(name, len(v) == 0) {
		return
	}
	w.out = append(w.out, '[')
	for i, elem := range v {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		write(elem)
	}
	w.out = append(w.out, ']')
}

func (w *writer) offsets(name string, v *map[string]int64) {
	if w.name(name, len(*v) == 0) {
		w.braces(func() {
			for _, slot := range slices.Sorted(maps.Keys(*v)) {
				offset := (*v)[slot]
				w.always().int64(slot, &offset)
			}
		})
	}
}

// raw leaves white space out. What is not JSON is an error, but for invalid UTF-8.
func (w *writer) raw(name string, v *json.RawMessage) {
	if w.name(name, len(*v) == 0) {
		start := len(w.out)
		out := bytes.NewBuffer(w.out)
		w.wrote(name, json.Compact(out, *v))
		w.out = appendValid(out.Bytes()[:start], out.Bytes()[start:])
	}
}

func (w *writer) inner(name string, there bool, open func() table) {
	if w.name(name, !there) {
		w.braces(func() { open().members(w) })
	}
}

func (w *writer) files(name string, v *[]FileInfo) {
	array(w, name, *v, func(f FileInfo) { w.braces(func() { f.members(w) }) })
}

func (w *writer) definition(name string, v **toolkit.Definition) {
	w.value(name, *v == nil, *v)
}

func (w *writer) definitions(name string, v *[]*toolkit.Definition) {
	w.value(name, len(*v) == 0, *v)
}

func (w *writer) value(name string, empty bool, v any) {
	if w.name(name, empty) {
		var err error
		w.out, err = appendJSON(w.out, v)
		w.wrote(name, err)
	}
}

func (w *writer) wrote(name string, err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("%s: %w", name, err)
	}
}

// appendText appends a JSON string, with no escapes but those that are needed:
// U+2028 and U+2029 end a line in JavaScript.
func appendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	done := 0 // text[:done] is in dst
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if escape := escaped(r, size); escape != "" {
			dst = append(append(dst, text[done:i]...), escape...)
			done = i + size
		}
		i += size
	}
	return append(append(dst, text[done:]...), '"')
}

// escaped is the rune's escape, or empty where it stands for itself.
func escaped(r rune, size int) string {
	switch r {
	case '"', '\\':
		return `\` + string(r)
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r < ' ' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1 {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return ""
}

// appendJSON appends any value in the way of appendObject.
func appendJSON(dst []byte, value any) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return dst, err
	}
	doc := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	return appendValid(doc[:len(dst)], doc[len(dst):]), nil
}

// appendValid appends JSON that stands right behind dst already, with the
// invalid UTF-8 in its strings replaced: encoding/json passes it on.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return dst[:len(dst)+len(text)]
	}
	return append(dst, bytes.ToValidUTF8(text, []byte(`\ufffd`))...)
}
