package strictjson

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// String is the kind with its article, as error messages name it.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is a JSON value; the zero Value is null. In one that Parse has made,
// names are unique, strings are valid UTF-8, numbers keep their literal text.
type Value struct {
	Kind    Kind
	Text    string   // a string's decoded text, or a number's literal
	Elems   []*Value // of an array
	Members []Member // of an object, in the order of the document
}

// Member is a name and value of an object.
type Member struct {
	Name  string
	Value *Value
}

// Get is the member's value, or nil.
func (v *Value) Get(name string) *Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Set replaces or appends the member.
func (v *Value) Set(name string, value *Value) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			v.Members[i].Value = value
			return
		}
	}
	v.Members = append(v.Members, Member{Name: name, Value: value})
}

// Bool is the value true or false.
func Bool(b bool) *Value {
	if b {
		return &Value{Kind: True}
	}
	return &Value{Kind: False}
}

// Text is a string. It must be valid UTF-8.
func Text(text string) *Value { return &Value{Kind: String, Text: text} }

// Literal is a number by its text, which must be one in JSON's grammar.
func Literal(number string) *Value { return &Value{Kind: Number, Text: number} }

// NewArray is an array of these values.
func NewArray(elems ...*Value) *Value { return &Value{Kind: Array, Elems: elems} }

// NewObject is an object of these members, whose names must differ.
func NewObject(members ...Member) *Value { return &Value{Kind: Object, Members: members} }
