package validate

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// place is where the walk is, as a list from the inside out, so that the path's
// text costs nothing unless there is a problem. The zero place is the input
// itself.
type place struct {
	up     *place
	name   string // of a member
	index  int    // of an element, -1 for a member
	secret bool   // at or below a secret parameter, whose value is never shown
}

func (p *place) member(name string, secret bool) *place {
	return &place{up: p, name: name, index: -1, secret: secret || p.secret}
}

func (p *place) element(index int) *place {
	return &place{up: p, index: index, secret: p.secret}
}

// String is the path: wire names and positions joined by dots.
func (p *place) String() string {
	var parts []string
	for ; p.up != nil; p = p.up {
		part := p.name
		if p.index >= 0 {
			part = strconv.Itoa(p.index)
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}

// mapKey is the key of type t that encoding/json decodes the name to.
func mapKey(t reflect.Type, name string) (key reflect.Value, ok bool) {
	pointer := reflect.New(t)
	key = pointer.Elem()
	text, isText := pointer.Interface().(encoding.TextUnmarshaler)
	var err error
	switch {
	case isText:
		err = text.UnmarshalText([]byte(name))
	case key.CanInt():
		var n int64
		n, err = strconv.ParseInt(name, 10, 64)
		key.SetInt(n)
	case key.CanUint():
		var n uint64
		n, err = strconv.ParseUint(name, 10, 64)
		key.SetUint(n)
	default:
		key.SetString(name)
	}
	return key, err == nil
}
