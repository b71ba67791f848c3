package wire

import (
	"errors"
	"fmt"
	"slices"
)

// maxMembers is more than any message has and few enough to compare each name
// with all before it.
const maxMembers = 64

// readObject reads one JSON object whose names are unique and plain, with values
// that strictjson accepts; the limits of strictjson hold for each value, so that
// an input has its full depth and size whatever surrounds it. Members that no
// table names are proven and ignored, or refused if strict.
func readObject(text []byte, table func(object), strict bool) error {
	r := &reader{strict: strict}
	return Members(text, func(name string, value []byte) error {
		if err := r.member(name, value, table); err != nil {
			return fmt.Errorf("%.40s: %w", name, err)
		}
		return nil
	})
}

// readSome reads the members that the table names, whatever the names of the others.
func readSome(text []byte, table func(object)) error {
	r := &reader{}
	return eachMember(text, func(name string, value []byte) error { return r.member(name, value, table) })
}

// Members hands over the members of a JSON object one by one. Their names are
// unique and plain (of a-z, 0-9 and _, at most 64 of them); the values are not
// proven: f has to read each with strictjson. Where it accepts all of them, the
// text was a JSON object. The first error, of the text or of f, ends it.
func Members(text []byte, f func(name string, value []byte) error) error {
	seen := make([]string, 0, 8)
	return eachMember(text, func(name string, value []byte) error {
		if err := checkName(name, seen); err != nil {
			return err
		}
		seen = append(seen, name)
		return f(name, value)
	})
}

func checkName(name string, seen []string) error {
	switch {
	case len(seen) == maxMembers:
		return fmt.Errorf("more than %d members", maxMembers)
	case !isPlain(name):
		return fmt.Errorf("the member name %.40q is not of a-z, 0-9 and _", name)
	case slices.Contains(seen, name):
		return fmt.Errorf("%.40s: given twice", name)
	}
	return nil
}

func isPlain(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return name != ""
}

var errNotObject = errors.New("not a JSON object")

// eachMember splits the text of an object into its members: names as they are
// written between the quotes, values unproven. Where every value proves to be
// one JSON value, the text was a JSON object.
func eachMember(text []byte, f func(name string, value []byte) error) error {
	c := cursor{text: text}
	if !c.take('{') {
		return errNotObject
	}
	for more := !c.take('}'); more; {
		name, ok := c.name()
		if !ok {
			return errNotObject
		}
		if err := f(name, c.value()); err != nil {
			return err
		}
		if more = c.take(','); !more && !c.take('}') {
			return errNotObject
		}
	}
	if c.space(); c.at < len(text) {
		return errors.New("text after the JSON object")
	}
	return nil
}

// cursor walks over the text of an object.
type cursor struct {
	text []byte
	at   int
}

func (c *cursor) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// take skips white space and then the byte, if it is there.
func (c *cursor) take(b byte) bool {
	c.space()
	if c.at == len(c.text) || c.text[c.at] != b {
		return false
	}
	c.at++
	return true
}

// name skips a name with its colon.
func (c *cursor) name() (string, bool) {
	if !c.take('"') {
		return "", false
	}
	start := c.at
	c.skipString()
	if c.at == start {
		return "", false
	}
	name := string(c.text[start : c.at-1])
	return name, c.take(':')
}

// value skips to the comma or brace that ends the value.
func (c *cursor) value() []byte {
	start := c.at
	for depth := 0; c.at < len(c.text); {
		b := c.text[c.at]
		if depth == 0 && (b == ',' || b == '}') {
			break
		}
		c.at++
		switch b {
		case '"':
			c.skipString()
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return c.text[start:c.at]
}

// skipString skips the rest of a string and its closing quote.
func (c *cursor) skipString() {
	for c.at < len(c.text) {
		b := c.text[c.at]
		c.at++
		switch b {
		case '"':
			return
		case '\\':
			c.at = min(c.at+1, len(c.text))
		}
	}
}
