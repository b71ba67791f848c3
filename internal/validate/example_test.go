package validate_test

import (
	"encoding/json"
	"fmt"

	"github.com/agentos-go/agentos/internal/validate"
	"github.com/agentos-go/agentos/toolkit"
)

func ExampleStruct() {
	type args struct {
		City string `json:"city" validate:"required"`
		Days int    `json:"days" validate:"min=1,max=16"`
	}
	for _, input := range []string{`{"city":"","days":3}`, `{"days":17}`} {
		var in args
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(validate.Struct(&in, json.RawMessage(input)))
	}
	// Output:
	// <nil>
	// VALIDATION_ERROR: city: required; days: must be at most 16, got 17
}

func ExampleVet() {
	type args struct {
		City string `json:"city" validate:"requird"`
		Days int    `json:"days" validate:"max=sixteen"`
	}
	fmt.Println(validate.Vet(args{}))
	// Output:
	// city: unknown rule "requird"
	// days: rule "max=sixteen" does not fit: strconv.ParseInt: parsing "sixteen": invalid syntax
}

func ExampleSchema_Validate() {
	var source toolkit.Schema
	if err := json.Unmarshal([]byte(`{"properties":{
		"mail":{"type":"string","format":"email"},
		"pet":{"oneOf":[
			{"properties":{"kind":{"const":"dog"},"age":{"type":"integer"}}},
			{"properties":{"kind":{"const":"cat"},"lives":{"maximum":9}}}
		]}
	}}`), &source); err != nil {
		fmt.Println(err)
		return
	}
	schema, err := validate.Compile(&source, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := schema.Validate(json.RawMessage(`{"mail":"ann","pet":{"kind":"cat","lives":10}}`))
	fmt.Println(report.Message())
	// Output:
	// mail: got "ann", expected email address; pet.lives: got 10, expected number of at most 9
}
