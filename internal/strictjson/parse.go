package strictjson

// Parse reads exactly one JSON value. The error is an *Error.
func Parse(data []byte) (*Value, error) {
	var value *Value
	err := Read(data, func(r *Reader) { value = (&builder{Reader: r}).value() })
	if err != nil {
		return nil, err
	}
	return value, nil
}

// builder makes the Value of what it reads.
type builder struct {
	*Reader
	slab []Value // values not yet handed out, allocated together
}

// smallCap is the capacity that objects and arrays begin with: most have few
// members, and growing from one costs two allocations more.
const smallCap = 4

// value reads a value; its depth is bounded by the reader.
func (b *builder) value() *Value {
	v := b.alloc()
	switch v.Kind = b.Kind(); v.Kind {
	case Number:
		v.Text = b.Number()
	case String:
		v.Text = b.Text()
	case Array:
		v.Elems = make([]*Value, 0, smallCap)
		b.Array(func() { v.Elems = append(v.Elems, b.value()) })
	case Object:
		v.Members = make([]Member, 0, smallCap)
		b.Object(func(name string) { v.Members = append(v.Members, Member{Name: name, Value: b.value()}) })
	default:
		b.Skip()
	}
	return v
}

// alloc is a new value. Slabs grow with the document, so that a small one
// wastes nothing and a large one makes few allocations.
func (b *builder) alloc() *Value {
	if len(b.slab) == 0 {
		b.slab = make([]Value, min(max(b.values+1, 4), 256))
	}
	v := &b.slab[0]
	b.slab = b.slab[1:]
	return v
}
