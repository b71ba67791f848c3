package toolkit

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strconv"
	"testing"
	"testing/quick"
)

// scalars are types for the leaves of random types.
var scalars = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[Scalar](),
}

// anyTags are those of fields that are optional, required or have another JSON
// form; exactTags are those that keep an empty list apart from none.
var (
	exactTags = []string{``, `validate:"required"`, `json:"f%d,omitzero"`, `json:"é%d"`}
	anyTags   = append(exactTags, `json:"f%d,omitempty"`)
)

// randomType is a type of at most the depth.
func randomType(r *rand.Rand, tags []string, depth int) reflect.Type {
	if depth == 0 {
		return scalars[r.Intn(len(scalars))]
	}
	inner := randomType(r, tags, depth-1)
	switch r.Intn(6) {
	case 0:
		return reflect.SliceOf(inner)
	case 1:
		return reflect.MapOf(reflect.TypeFor[string](), inner)
	case 2:
		return reflect.PointerTo(scalars[r.Intn(len(scalars))])
	case 3, 4:
		return randomStruct(r, tags, depth-1)
	}
	return inner
}

// randomStruct is a struct of a few fields, which bear some of the tags.
func randomStruct(r *rand.Rand, tags []string, depth int) reflect.Type {
	fields := make([]reflect.StructField, 1+r.Intn(4))
	for i := range fields {
		tag := tags[r.Intn(len(tags))]
		if len(tag) > 0 && tag[0] == 'j' {
			tag = fmt.Sprintf(tag, i)
		}
		fields[i] = reflect.StructField{Name: "F" + strconv.Itoa(i), Type: randomType(r, tags, depth), Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// randomValue is an addressable struct value of a random type. Its lists and
// maps may be empty and are never nil.
func randomValue(t *testing.T, tags []string, seed int64) reflect.Value {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	typ := randomStruct(r, tags, 3)
	value, ok := quick.Value(typ, r)
	if !ok {
		t.Fatalf("no value of %s", typ)
	}
	return addressable(value)
}

// TestResultIsThatOfEncodingJSON for any type, as long as nothing is nil.
func TestResultIsThatOfEncodingJSON(t *testing.T) {
	for seed := range int64(200) {
		v := randomValue(t, anyTags, seed)
		_, ts := resultSchema(v.Type())
		got, err := json.Marshal(result{ts, v})
		want, wantErr := json.Marshal(v.Interface())
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Fatalf("seed %d, %s:\n got %s (%v)\nwant %s (%v)", seed, v.Type(), got, err, want, wantErr)
		}
	}
}

// TestCallKeepsEveryValue: what a caller sends is what the handler decodes, of
// any type.
func TestCallKeepsEveryValue(t *testing.T) {
	for seed := range int64(200) {
		v := randomValue(t, exactTags, seed)
		_, ts := readInput(v.Type())
		input, err := ts.encode(v, givenInCall)
		if err != nil || len(ts.mistakes) > 0 {
			t.Fatalf("seed %d: %v, mistakes %v", seed, err, ts.mistakes)
		}
		decoded := reflect.New(v.Type())
		if err := json.Unmarshal(input, decoded.Interface()); err != nil {
			t.Fatalf("seed %d: decode %s: %v", seed, input, err)
		}
		if got := decoded.Elem().Interface(); !reflect.DeepEqual(got, v.Interface()) {
			t.Fatalf("seed %d, input %s:\n got %+v\nwant %+v", seed, input, got, v.Interface())
		}
	}
}
