package validate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"

	"github.com/agentos-go/agentos/toolkit"
)

// encoding/json decodes "DAYS" into the field days. Judged by its key the field
// is absent, and its value would pass unseen.
func TestSec_I01_FoldedNamesDoNotEscapeTheRules(t *testing.T) {
	type args struct {
		Days int    `json:"days" validate:"max=16"`
		Note string `json:"note"`
		Both string `json:"Both"`
		Low  string `json:"both" validate:"max=3"`
	}
	var control args
	if err := json.Unmarshal([]byte(`{"DAYS":99}`), &control); err != nil || control.Days != 99 {
		t.Fatalf("control: encoding/json gives %d, %v, want 99", control.Days, err)
	}
	judgeAll[args](t,
		trial{`{"DAYS":99}`, "DAYS: unknown, nearest: days"},
		trial{`{"day\u017f":99}`, "dayſ: unknown, nearest: days"},
		trial{`{"NOTE":"x","other":1}`, ""},
		trial{`{"Both":"long text"}`, ""},
		trial{`{"both":"long text"}`, "both: must be at most 3 characters, got 9 characters"},
	)
}

// A map's key may look like a path. Paths of absent fields handed to validator
// as texts would then name fields that are there.
func TestSec_I01_KeysDoNotForgePaths(t *testing.T) {
	type end struct {
		F int `json:"f" validate:"max=5"`
	}
	type item struct {
		F   int            `json:"f" validate:"max=5"`
		Sub map[string]end `json:"sub" validate:"dive"`
	}
	type args struct {
		M map[string]item `json:"m" validate:"dive"`
	}
	const input = `{"m":{"x":{"sub":{"y":{"f":100}}},"x].Sub[y":{}}}`
	var in args
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		t.Fatal(err)
	}
	if err := validator.New().StructExcept(&in, "M[x].F", "M[x].Sub[y].F"); err != nil {
		t.Errorf("control: StructExcept finds %v, want nothing, since the absent field's path names the other", err)
	}
	judgeAll[args](t,
		trial{input, "m.x.sub.y.f: must be at most 5, got 100"},
		trial{`{"m":{"x":{"sub":{"y":{}}},"x].Sub[y":{"f":100}}}`, "m.x].Sub[y.f: must be at most 5, got 100"},
	)
}

// A secret's value is in no message and in no details.
func TestSec_SecretsAreNotShown(t *testing.T) {
	type key struct {
		PIN string `json:"pin" validate:"numeric"`
	}
	type args struct {
		Token  string         `json:"token" secret:"true" validate:"uuid"`
		Length string         `json:"length" secret:"true" validate:"min=40"`
		Keys   []key          `json:"keys" secret:"true"`
		Map    map[string]int `json:"map" secret:"true" validate:"dive,keys,alpha,endkeys,max=1"`
		Open   string         `json:"open" validate:"uuid"`
	}
	const input = `{"keys":[{"pin":"hunter2"}],"length":"hunter2","map":{"k":77},"open":"visible","token":"hunter2"}`
	var in args
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		t.Fatal(err)
	}
	fault := Struct(&in, json.RawMessage(input))
	details, err := json.Marshal(fault.Details)
	if err != nil {
		t.Fatal(err)
	}
	const want = `token: must be a UUID; length: must be at least 40 characters; keys.0.pin: must be a number; ` +
		`map.k: must be at most 1; open: must be a UUID, got "visible"`
	if fault.Message != want {
		t.Errorf("got %s\nwant %s", fault.Message, want)
	}
	if strings.Contains(string(details), "hunter2") || strings.Contains(string(details), "77") {
		t.Errorf("details show a secret: %s", details)
	}
	if !strings.Contains(string(details), "visible") {
		t.Errorf("control: details do not show a value that is no secret: %s", details)
	}
}

// explosive is a type of a user whose method panics.
type explosive struct{ N int }

func (explosive) Validate() error { panic("the database password is hunter2") }

func TestSec_PanicsStayInside(t *testing.T) {
	type args struct {
		E explosive `json:"e" validate:"validateFn"`
	}
	if err := Vet(args{}); err != nil {
		t.Fatalf("Vet: %v, want nil: the method is the user's and not called", err)
	}
	fault := Struct(&args{}, json.RawMessage(`{"e":{}}`))
	if fault == nil || fault.Code != toolkit.CodeInternalError || strings.Contains(fault.Message, "hunter2") {
		t.Errorf("got %v, want an INTERNAL_ERROR that does not show what the panic said", fault)
	}
	if fault := Struct(&args{}, json.RawMessage(`{}`)); fault != nil {
		t.Errorf("control: without the value got %v, want nil", fault)
	}
}
