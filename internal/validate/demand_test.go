package validate

import "testing"

func TestDemand_OnPresence(t *testing.T) {
	type inner struct {
		X int `json:"x"`
	}
	type args struct {
		A     int   `json:"a"`
		B     int   `json:"b"`
		Inner inner `json:"inner"`
		With  int   `json:"with" validate:"required_with=A B"`
		All   int   `json:"all" validate:"required_with_all=A B"`
		Deep  int   `json:"deep" validate:"required_with=Inner.X"`
	}
	judgeAll[args](t,
		trial{`{}`, ""},
		trial{`{"a":0}`, "with: required with a or b"},
		trial{`{"b":1,"with":0}`, ""},
		trial{`{"a":0,"b":0,"with":0}`, "all: required with a and b"},
		trial{`{"inner":{}}`, ""},
		trial{`{"inner":{"x":0}}`, "deep: required with inner.x"},
	)
	type without struct {
		A       int `json:"a"`
		B       int `json:"b"`
		Without int `json:"without" validate:"required_without=A B"`
		Neither int `json:"neither" validate:"required_without_all=A B"`
	}
	judgeAll[without](t,
		trial{`{"a":0,"b":0}`, ""},
		trial{`{"a":0}`, "without: required without a or b"},
		trial{`{}`, "without: required without a or b; neither: required without a and b"},
		trial{`{"neither":0,"without":0}`, ""},
	)
	type excluded struct {
		A       int `json:"a"`
		B       int `json:"b"`
		With    int `json:"with" validate:"excluded_with=A B"`
		All     int `json:"all" validate:"excluded_with_all=A B"`
		Without int `json:"without" validate:"excluded_without=A"`
		Neither int `json:"neither" validate:"excluded_without_all=A B"`
	}
	judgeAll[excluded](t,
		trial{`{"with":0}`, ""},
		trial{`{"a":0,"with":0}`, "with: must be absent with a or b"},
		trial{`{"a":0,"all":0}`, ""},
		trial{`{"a":0,"all":0,"b":0}`, "all: must be absent with a and b"},
		trial{`{"without":0}`, "without: must be absent without a"},
		trial{`{"neither":0}`, "neither: must be absent without a and b"},
		trial{`{"b":0,"neither":0}`, ""},
	)
}

// The other field's value is the decoded one: an absent boolean is false.
func TestDemand_OnValues(t *testing.T) {
	type args struct {
		Mode   string `json:"mode"`
		Dry    bool   `json:"dry"`
		N      *int   `json:"n"`
		If     int    `json:"if" validate:"required_if=Mode 'very fast' Dry true"`
		Unless int    `json:"unless" validate:"required_unless=Mode slow N 3"`
	}
	judgeAll[args](t,
		trial{`{"mode":"slow"}`, ""},
		trial{`{"n":3}`, ""},
		trial{`{}`, "unless: required unless mode is slow or n is 3"},
		trial{`{"mode":"very fast","unless":0}`, ""},
		trial{`{"dry":true,"mode":"very fast","unless":0}`, "if: required when mode is very fast and dry is true"},
		trial{`{"dry":true,"if":0,"mode":"very fast","unless":0}`, ""},
	)
	type excluded struct {
		Dry    bool `json:"dry"`
		If     int  `json:"if" validate:"excluded_if=Dry false"`
		Unless int  `json:"unless" validate:"excluded_unless=Dry true"`
		Skip   int  `json:"skip" validate:"skip_unless=Dry true"`
	}
	judgeAll[excluded](t,
		trial{`{}`, ""},
		trial{`{"if":0}`, "if: must be absent when dry is false"},
		trial{`{"dry":true,"if":0,"skip":0,"unless":0}`, ""},
		trial{`{"unless":0}`, "unless: must be absent unless dry is true"},
		trial{`{"dry":true}`, "skip: required when dry is true"},
	)
}

// Fields of embedded structs are named with and without the struct.
func TestDemand_NamesEmbeddedFields(t *testing.T) {
	type args struct {
		globals
		A int `json:"a" validate:"required_with=Hidden"`
		B int `json:"b" validate:"required_with=globals.Hidden"`
	}
	judgeAll[args](t,
		trial{`{"region":"eu"}`, ""},
		trial{`{"hidden":0,"region":"eu"}`, "a: required with hidden; b: required with hidden"},
	)
}
