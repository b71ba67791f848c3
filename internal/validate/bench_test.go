package validate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
)

type forecastArgs struct {
	City  string   `json:"city" validate:"required"`
	Days  int      `json:"days" validate:"min=1,max=16"`
	Units string   `json:"units" validate:"oneof=metric imperial"`
	Tags  []string `json:"tags" validate:"max=5"`
	O     leaf     `json:"o"`
}

// BenchmarkStruct puts a good input beside validator alone, which does not judge
// presence, and beside a struct without rules.
func BenchmarkStruct(b *testing.B) {
	input := json.RawMessage(`{"city":"Paris","days":3,"o":{"a":1,"b":"x"},"tags":["a","b"],"units":"metric"}`)
	in := forecastArgs{City: "Paris", Days: 3, Units: "metric", Tags: []string{"a", "b"}, O: leaf{A: 1, B: "x"}}
	plain := struct{ A, B int }{}
	alone := validator.New()
	b.Run("rules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if fault := Struct(&in, input); fault != nil {
				b.Fatal(fault)
			}
		}
	})
	b.Run("validator", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := alone.Struct(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("norules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if fault := Struct(&plain, input); fault != nil {
				b.Fatal(fault)
			}
		}
	})
}

func BenchmarkLargeList(b *testing.B) {
	type args struct {
		N []int `json:"n" validate:"dive,max=5"`
	}
	input := json.RawMessage(`{"n":[` + strings.Repeat("1,", 9999) + `1]}`)
	var in args
	if err := json.Unmarshal(input, &in); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if fault := Struct(&in, input); fault != nil {
			b.Fatal(fault)
		}
	}
}
