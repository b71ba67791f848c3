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

const forecastSchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":16},
	"mail":{"type":"string","format":"email"},"o":{"anyOf":[{"$ref":"#/$defs/o"},{"type":"null"}]},"tags":{"type":"array","items":{"type":"string"}}},
	"required":["city"],"additionalProperties":false,"$defs":{"o":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}}}`

// BenchmarkSchema puts an input that the validator has to judge beside one that it has
// not, a wrong one, and what a compiled copy costs.
func BenchmarkSchema(b *testing.B) {
	good := json.RawMessage(`{"city":"Paris","days":3,"mail":"a@example.org","o":{"a":1,"b":"x"},"tags":["a","b"]}`)
	wrong := json.RawMessage(`{"city":"Paris","days":3,"mail":"example","o":{"a":1,"b":"x"},"tags":["a","b"]}`)
	schema := compiled(b, forecastSchema, nil)
	b.Run("judged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if report := schema.Validate(good); report != nil {
				b.Fatal(report.Message())
			}
		}
	})
	b.Run("wrong", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if schema.Validate(wrong) == nil {
				b.Fatal("want a problem")
			}
		}
	})
	b.Run("nothing to judge", func(b *testing.B) {
		open := compiled(b, `{"properties":{"city":{"type":"string"}}}`, &Options{Completed: true})
		b.ReportAllocs()
		for b.Loop() {
			if open.Validate(good) != nil {
				b.Fatal("want nothing")
			}
		}
	})
	b.Run("survey", func(b *testing.B) {
		source := schemaOf(b, forecastSchema)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Compile(source, &Options{Completed: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := newMachine(schema); err != nil {
				b.Fatal(err)
			}
		}
	})
}
