package validate

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

func TestVet(t *testing.T) {
	type unknown struct {
		Days int `json:"days" validate:"required,foo=3,min=1"`
	}
	type nested struct {
		OS []struct {
			A int `json:"a" validate:"bar"`
		} `json:"os"`
	}
	type number struct {
		N int `json:"n" validate:"min=many"`
	}
	type misfit struct {
		B bool      `json:"b" validate:"max=3"`
		T time.Time `json:"t" validate:"datetime=2006"`
		S leaf      `json:"s" validate:"min=1"`
	}
	type dive struct {
		A int        `json:"a" validate:"dive,min=1"`
		B []int      `json:"b" validate:"dive,dive,min=1"`
		C []string   `json:"c" validate:"dive,required_with=A"`
		D [][]string `json:"d" validate:"dive,dive,nope"`
	}
	type keys struct {
		M map[string]int `json:"m" validate:"dive,keys,min=x,endkeys,max=y"`
	}
	type fields struct {
		A int `json:"a" validate:"required_with=Nope"`
		B int `json:"b" validate:"eqfield=Nope"`
		C int `json:"c" validate:"required_if=A 1 B"`
		D int `json:"d" validate:"required_with"`
		E int `json:"e" validate:"gtcsfield=Inner.X"`
	}
	type unhashable struct {
		L [][]int `json:"l" validate:"unique"`
	}
	type either struct {
		S string `json:"s" validate:"email|min=x"`
	}
	type empty struct {
		S string `json:"s" validate:"min=1,"`
	}
	tests := []struct {
		name string
		v    any
		want []string
	}{
		{"an unknown rule", unknown{}, []string{`days: unknown rule "foo=3"`}},
		{"an unknown rule further down", &nested{}, []string{`os.a: unknown rule "bar"`}},
		{"a parameter that is no number", number{}, []string{`n: rule "min=many" does not fit: strconv.ParseInt: parsing "many": invalid syntax`}},
		{"rules that do not fit the type", misfit{}, []string{
			`b: rule "max=3" does not fit: Bad field type bool`,
			`t: rule "datetime=2006" does not fit: Bad field type time.Time`,
			`s: rule "min=1" does not fit: Bad field type validate.leaf`,
		}},
		{"dive", dive{}, []string{
			`a: rule "dive" is for lists and maps`, `b: rule "dive" is for lists and maps`,
			`c: rule "required_with=A" cannot stand after dive`, `d: unknown rule "nope"`,
		}},
		{"rules of keys and values", keys{}, []string{
			`m: rule "min=x" does not fit: strconv.ParseInt: parsing "x": invalid syntax`,
			`m: rule "max=y" does not fit: strconv.ParseInt: parsing "y": invalid syntax`,
		}},
		{"names of other fields", fields{}, []string{
			`a: rule "required_with=Nope" names no field Nope`, `b: rule "eqfield=Nope" names no field Nope`,
			`c: rule "required_if=A 1 B" has a wrong number of parameters`,
			`d: rule "required_with" has a wrong number of parameters`,
			`e: rule "gtcsfield=Inner.X" names no field Inner.X`,
		}},
		{"unique on what cannot be compared", unhashable{}, []string{`l: rule "unique" does not fit: hash of unhashable type: []int`}},
		{"every alternative", either{}, []string{`s: rule "email|min=x" does not fit: strconv.ParseInt: parsing "x": invalid syntax`}},
		{"an empty rule", empty{}, []string{`s: a rule without a name in "min=1,"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := Vet(test.v); err != nil {
				got = err.Error()
			}
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("Vet\n got %s\nwant %s", got, want)
			}
			if fault := Struct(test.v, json.RawMessage(`{}`)); fault == nil || fault.Code != toolkit.CodeInternalError {
				t.Errorf("Struct = %v, want INTERNAL_ERROR", fault)
			}
		})
	}
}

func TestVet_Accepts(t *testing.T) {
	type args struct {
		globals
		A string            `json:"a" validate:"required,email|uuid,max=40"`
		B []string          `json:"b" validate:"min=1,unique,dive,required,oneof=red green"`
		C map[string]string `json:"c" validate:"dive,keys,alpha,endkeys,min=1"`
		D *time.Time        `json:"d" validate:"omitempty,gt"`
		E leaf              `json:"e" validate:"required,structonly"`
		F any               `json:"f" validate:"required,min=3"`
		G string            `json:"g" validate:"eqfield=A,required_without=B C"`
		H tree              `json:"h"`
		I io.Reader         `stdin:"text/plain" validate:"required"`
		J []byte            `json:"j" validate:"max=10"`
	}
	var none *args
	for name, v := range map[string]any{
		"a struct": args{}, "a pointer": &args{}, "a nil pointer": none, "a map": map[string]int{}, "nil": nil, "a number": 1,
	} {
		if err := Vet(v); err != nil {
			t.Errorf("Vet of %s: %v, want nil", name, err)
		}
	}
}

// A stream is no part of the JSON, so that nothing is missing from it.
func TestStruct_StreamsAreNotInTheJSON(t *testing.T) {
	type args struct {
		In  io.Reader `stdin:"text/plain" validate:"required"`
		Out io.Writer `json:"out" validate:"required"`
		N   int       `json:"n" validate:"max=1"`
	}
	judgeAll[args](t, trial{`{"n":2}`, "n: must be at most 1, got 2"})
}
