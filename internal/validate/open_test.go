package validate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
)

// The type of a value in any is the input's, and a number in it keeps its text. Rules
// judge it as a number, and one that is not for values of the type is broken.
func TestStruct_OpenValues(t *testing.T) {
	type args struct {
		Min    any            `json:"min" validate:"min=3"`
		Half   any            `json:"half" validate:"min=1.5"`
		One    any            `json:"one" validate:"omitempty,oneof=a b"`
		Number any            `json:"number" validate:"oneof=1 2"`
		Lower  any            `json:"lower" validate:"lowercase|email"`
		Mail   *any           `json:"mail" validate:"min=2,email"`
		Time   any            `json:"time" validate:"datetime=2006-01-02"`
		List   []any          `json:"list" validate:"dive,oneof=a b"`
		Table  map[string]any `json:"table" validate:"max=2,dive,max=5"`
		Set    []any          `json:"set" validate:"unique"`
		Deep   any            `json:"deep" validate:"dive,min=2"`
		N      json.Number    `json:"n" validate:"min=3,max=1e300"`
		M      json.Number    `json:"m" validate:"gtfield=N"`
		Same   any            `json:"same" validate:"eqfield=Min"`
	}
	judgeAll[args](t,
		trial{`{"min":3,"half":2,"one":"a","number":2,"lower":"x","mail":"a@b.org","time":"2026-01-31"}`, ""},
		trial{`{"min":2}`, "min: must be at least 3, got 2"},
		trial{`{"min":9007199254740993,"half":1.50}`, ""},
		trial{`{"min":18446744073709551615,"half":1e400}`, ""},
		trial{`{"min":2.90}`, "min: must be at least 3, got 2.90"},
		trial{`{"min":"ab"}`, "min: must be at least 3 characters, got 2 characters"},
		trial{`{"min":[1,2]}`, "min: must be at least 3 items, got 2 items"},
		trial{`{"min":true}`, "min: must be at least 3, got true"},
		trial{`{"min":null}`, ""},
		trial{`{"half":1}`, "half: must be at least 1.5, got 1"},
		trial{`{"half":-1e400}`, "half: must be at least 1.5, got -1e400"},
		trial{`{"one":5}`, "one: must be one of a, b, got 5"},
		trial{`{"one":5.50}`, "one: must be one of a, b, got 5.50"},
		trial{`{"one":{"a":1}}`, "one: must be one of a, b, got 1 item"},
		trial{`{"number":3}`, "number: must be one of 1, 2, got 3"},
		trial{`{"lower":5}`, "lower: must be lower case only or an email address, got 5"},
		trial{`{"mail":5}`, "mail: must be an email address, got 5"},
		trial{`{"mail":1}`, "mail: must be at least 2, got 1"},
		trial{`{"time":20260131}`, `time: must be a time written like "2006-01-02", got 20260131`},
		trial{`{"list":["a",1,"c",true]}`, `list.1: must be one of a, b, got 1; list.2: must be one of a, b, got "c"; list.3: must be one of a, b, got true`},
		trial{`{"table":{"a":5,"b":6}}`, "table.b: must be at most 5, got 6"},
		trial{`{"table":{"a":5,"b":5,"c":1}}`, "table: must be at most 2 items, got 3 items"},
		trial{`{"set":[{"a":1},{"a":2},1,"1"]}`, ""},
		trial{`{"set":[{"a":1},{"a":1}]}`, "set: must be a list without duplicates"},
		trial{`{"set":[1,1]}`, "set: must be a list without duplicates"},
		trial{`{"deep":[2,"ab",1]}`, "deep.2: must be at least 2, got 1"},
		trial{`{"n":2}`, "n: must be at least 3, got 2"},
		trial{`{"n":10,"m":9}`, "m: must be more than n, got 9"},
		trial{`{"n":9,"m":10.5}`, ""},
		trial{`{"n":10.5,"m":9}`, "m: must be more than n, got 9"},
		trial{`{"n":9007199254740993,"m":9007199254740993}`, "m: must be more than n, got 9007199254740993"},
		trial{`{"min":5,"same":5}`, ""},
		trial{`{"min":5,"same":"5"}`, `same: must be the same as min, got "5"`},
	)
}

// A condition on a value that the input has given another type does not hold.
func TestStruct_ConditionsOnOpenValues(t *testing.T) {
	type args struct {
		Kind   any    `json:"kind"`
		If     string `json:"if" validate:"required_if=Kind 5"`
		Unless string `json:"unless" validate:"required_unless=Kind a Kind 5"`
		Not    string `json:"not" validate:"excluded_if=Kind 5"`
		Only   string `json:"only" validate:"excluded_unless=Kind 5"`
	}
	judgeAll[args](t,
		trial{`{"kind":5}`, "if: required when kind is 5"},
		trial{`{"kind":5,"if":"x","not":"x","only":"x"}`, "not: must be absent when kind is 5"},
		trial{`{"kind":"a","only":"x"}`, "only: must be absent unless kind is 5"},
		trial{`{"kind":{"a":1},"not":"x"}`, "unless: required unless kind is a or kind is 5"},
		trial{`{"kind":[],"unless":"x"}`, ""},
	)
}

// What is the author's fault stays so: a method that panics, and a rule that is for no
// value at all.
func TestStruct_FaultyRulesOfOpenValues(t *testing.T) {
	type args struct {
		V checked `json:"v" validate:"validateFn=Check"`
	}
	fault := Struct(&args{}, json.RawMessage(`{"v":{}}`))
	if fault == nil || fault.Code != toolkit.CodeInternalError {
		t.Errorf("got %v, want INTERNAL_ERROR", fault)
	}
	type unfit struct {
		A any `json:"a" validate:"min=x"`
		B any `json:"b" validate:"lowercase"`
		C int `json:"c" validate:"required_if=N x"`
		N int `json:"n"`
	}
	err := Vet(unfit{})
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), `a: rule "min=x" does not fit`) || !strings.Contains(err.Error(), `c: rule "required_if=N x" does not fit`) {
		t.Errorf("got %v, want a and c named", err)
	}
}

// checked is a type whose own check panics.
type checked struct {
	Any any `json:"any"`
}

func (checked) Check() error { panic("faulty") }

// A type that points to itself leads nowhere, and Vet comes back from it.
func TestVet_TypeThatPointsToItself(t *testing.T) {
	type pointer *pointer
	type args struct {
		P pointer `json:"p" validate:"required"`
		A int     `json:"a" validate:"foo"`
	}
	if err := Vet(args{}); err == nil || err.Error() != `a: unknown rule "foo"` {
		t.Errorf("got %v, want the unknown rule", err)
	}
	if got := base(reflect.TypeFor[pointer]()).Kind(); got != reflect.Pointer {
		t.Errorf("base = %v, want a pointer", got)
	}
}
