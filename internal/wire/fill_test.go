package wire

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// filler puts values of all kinds into the fields of structs, so that a test
// sees every field that there is, also one that is added tomorrow.
type filler struct {
	*rand.Rand
	// all leaves no field empty; otherwise about half of them are.
	all bool
	// raws are the JSON texts for fields that hold any JSON.
	raws []string
	// inside counts the structs of each type around the present one: types that
	// hold themselves do so once.
	inside map[reflect.Type]int
}

// filled is a message with what travels in its JSON filled in.
func filled(typ Type, seed uint64, raws []string) Message {
	f := &filler{Rand: rand.New(rand.NewPCG(seed, 0)), all: seed == 0, raws: raws, inside: map[reflect.Type]int{}}
	msg := newMessage(typ, 0)
	f.fill(reflect.ValueOf(msg).Elem())
	return msg
}

func (f *filler) fill(v reflect.Value) {
	switch field := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*field = json.RawMessage(f.raws[f.IntN(len(f.raws))])
		return
	case *json.Number:
		*field = json.Number([]string{"-5", "0.10", "1e400", "9007199254740993"}[f.IntN(4)])
		return
	case *toolkit.Schema:
		field.Extra = map[string]json.RawMessage{"$anchor": json.RawMessage(f.raws[0]), "Items": json.RawMessage("1")}
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(f.Int64N(1<<40) - 1<<39)
	case reflect.String:
		v.SetString([]string{"city", "\"<\\&>\"\n\x00", "é世🙂\u2028", "\ufffd"}[f.IntN(4)])
	case reflect.Struct:
		f.fields(v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+f.IntN(2), 2))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range 1 + f.IntN(2) {
			elem := reflect.New(v.Type().Elem()).Elem()
			f.fill(elem)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d <é>", 9-i)), elem)
		}
	default:
		panic("teach the filler about " + v.Type().String())
	}
}

func (f *filler) fields(v reflect.Value) {
	f.inside[v.Type()]++
	for i := range v.NumField() {
		field := v.Type().Field(i)
		_, rules, _ := strings.Cut(field.Tag.Get("json"), ",")
		// A list or raw part that is written always is never nil.
		needed := rules == "" && field.Type.Kind() == reflect.Slice
		empty := !f.all && !needed && f.IntN(2) == 0 || f.inside[innermost(field.Type)] > 1
		if field.Tag.Get("json") != "-" && !empty {
			f.fill(v.Field(i))
		}
	}
	f.inside[v.Type()]--
}

// innermost is the type that pointers, lists and maps lead to.
func innermost(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}
