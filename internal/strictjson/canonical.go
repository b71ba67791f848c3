package strictjson

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical is the canonical text of the document. The error is that of Parse.
func Canonical(data []byte) ([]byte, error) {
	v, err := Parse(data)
	if err != nil {
		return nil, err
	}
	return v.Append(make([]byte, 0, len(data))), nil
}

// Append appends the canonical text of the value: members sorted by the bytes
// of their names, no white space, only the escapes that JSON demands in their
// shortest form (RFC 8785 §3.2.2.2), numbers by their literal text. The value is
// not changed. Text that is not UTF-8, which only a value made by hand can hold,
// is written with U+FFFD in place of each invalid byte.
func (v *Value) Append(dst []byte) []byte {
	switch v.Kind {
	case False:
		return append(dst, "false"...)
	case True:
		return append(dst, "true"...)
	case Number:
		return append(dst, v.Text...)
	case String:
		return appendString(dst, v.Text)
	case Array:
		return appendElems(dst, v.Elems)
	case Object:
		return appendMembers(dst, v.Members)
	}
	return append(dst, "null"...)
}

func appendElems(dst []byte, elems []*Value) []byte {
	dst = append(dst, '[')
	for i, elem := range elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = elem.Append(dst)
	}
	return append(dst, ']')
}

func appendMembers(dst []byte, members []Member) []byte {
	dst = append(dst, '{')
	for i, member := range Sorted(members) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, member.Name), ':')
		dst = member.Value.Append(dst)
	}
	return append(dst, '}')
}

// Sorted are the members by name, in the order of bytes.
func Sorted(members []Member) []*Member {
	sorted := make([]*Member, len(members))
	for i := range members {
		sorted[i] = &members[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Member) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

func appendString(dst []byte, text string) []byte {
	// The error only says that invalid UTF-8 was replaced.
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}
