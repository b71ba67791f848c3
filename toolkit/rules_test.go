package toolkit

import (
	"reflect"
	"testing"
	"time"
)

// TestValidateFeedsSchema: the rules that JSON Schema can express are stated in
// it, so that help shows them and the guest checks them.
func TestValidateFeedsSchema(t *testing.T) {
	var (
		integer = reflect.TypeFor[int]()
		number  = reflect.TypeFor[float64]()
		text    = reflect.TypeFor[string]()
		texts   = reflect.TypeFor[[]string]()
		table   = reflect.TypeFor[map[string]int]()
	)
	for _, row := range []struct {
		typ   reflect.Type
		rules string
		want  string
	}{
		{integer, "min=1,max=16", `{"type":"integer","minimum":1,"maximum":16}`},
		{integer, "gte=1,lte=16", `{"type":"integer","minimum":1,"maximum":16}`},
		{integer, "gt=0,lt=17", `{"type":"integer","minimum":1,"maximum":16}`},
		{integer, "len=5", `{"type":"integer","minimum":5,"maximum":5}`},
		{integer, "min=0x10", `{"type":"integer","minimum":16}`},
		{integer, "min=-5", `{"type":"integer","minimum":-5}`},
		{integer, "oneof=1 2 3", `{"type":"integer","enum":[1,2,3]}`},
		{reflect.TypeFor[*int](), "min=1", `{"type":"integer","minimum":1}`},
		{reflect.TypeFor[int8](), "min=1", `{"type":"integer","minimum":1,"maximum":127}`},
		{reflect.TypeFor[uint64](), "gt=0", `{"type":"integer","minimum":1,"maximum":18446744073709551615}`},
		{reflect.TypeFor[uint64](), "max=18446744073709551614", `{"type":"integer","minimum":0,"maximum":18446744073709551614}`},
		{reflect.TypeFor[time.Duration](), "min=1s", `{"type":"integer","description":"nanoseconds","minimum":1000000000}`},
		{number, "min=0.5,max=1e3", `{"type":"number","minimum":0.5,"maximum":1e3}`},
		{number, "gt=0,lt=1", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`},
		{number, "len=2.50", `{"type":"number","minimum":2.50,"maximum":2.50}`},
		{text, "min=1,max=3", `{"type":"string","minLength":1,"maxLength":3}`},
		{text, "gt=1,lt=3", `{"type":"string","minLength":2,"maxLength":2}`},
		{text, "len=2", `{"type":"string","minLength":2,"maxLength":2}`},
		{text, "oneof=red 'dark green'  blue", `{"type":"string","enum":["red","dark green","blue"]}`},
		{text, "oneof=a0x2Cb c0x7Cd", `{"type":"string","enum":["a,b","c|d"]}`},
		{text, "oneof='open", `{"type":"string","enum":["'open"]}`},
		{text, "email", `{"type":"string","format":"email"}`},
		{text, "url", `{"type":"string","format":"uri"}`},
		{text, "https_url", `{"type":"string","format":"uri"}`},
		{text, "uuid4", `{"type":"string","format":"uuid"}`},
		{text, "ipv4", `{"type":"string","format":"ipv4"}`},
		{text, "ipv6", `{"type":"string","format":"ipv6"}`},
		{text, "datetime=2006-01-02", `{"type":"string","format":"date"}`},
		{text, "datetime=2006-01-02T15:04:05Z07:00", `{"type":"string","format":"date-time"}`},
		{texts, "min=1,max=3,unique", `{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,"uniqueItems":true}`},
		{texts, "max=3,dive,min=1,max=9", `{"type":"array","items":{"type":"string","minLength":1,"maxLength":9},"maxItems":3}`},
		{reflect.TypeFor[[][]int](), "dive,max=3,dive,min=1", `{"type":"array","items":{"type":"array","items":{"type":"integer","minimum":1},"maxItems":3}}`},
		{table, "min=1,max=3", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":3}`},
		{table, "dive,keys,min=2,endkeys,min=1", `{"type":"object","additionalProperties":{"type":"integer","minimum":1}}`},
		{reflect.TypeFor[[]*string](), "dive,oneof=a b", `{"type":"array","items":{"type":"string","enum":["a","b"]}}`},
	} {
		t.Run(row.typ.String()+" "+row.rules, func(t *testing.T) {
			checkBody(t, oneField(row.typ, `json:"f" validate:"`+row.rules+`"`), optionOf(row.typ, row.want))
		})
	}
}

// optionOf is option, with the value name that durations have.
func optionOf(typ reflect.Type, schema string) string {
	if typ == durationType {
		return `{"options":[{"name":"f","value_name":"nanoseconds","schema":` + schema + `}]}`
	}
	return option(schema)
}

// TestRulesLeftToTheValidator: what a schema would state too narrowly or too
// widely is not stated.
func TestRulesLeftToTheValidator(t *testing.T) {
	for _, row := range []struct {
		typ   reflect.Type
		rules string
		want  string
	}{
		{reflect.TypeFor[string](), "uri", `{"type":"string"}`},
		{reflect.TypeFor[string](), "email|url", `{"type":"string"}`},
		{reflect.TypeFor[string](), "datetime=15:04", `{"type":"string"}`},
		{reflect.TypeFor[string](), "required_with=Other,startswith=a,my_own_rule", `{"type":"string"}`},
		{reflect.TypeFor[string](), "-", `{"type":"string"}`},
		{reflect.TypeFor[float64](), "oneof=1 2", `{"type":"number"}`},
		{reflect.TypeFor[int](), "email,datetime=2006-01-02,unique", `{"type":"integer"}`},
		{reflect.TypeFor[[]string](), "unique=Name", `{"type":"array","items":{"type":"string"}}`},
		{reflect.TypeFor[[]byte](), "min=3", `{"type":"string","contentEncoding":"base64"}`},
		{reflect.TypeFor[time.Time](), "gt", `{"type":"string","format":"date-time"}`},
		{reflect.TypeFor[level](), "oneof=a b", `{"type":"string"}`},
		{reflect.TypeFor[any](), "min=3", `{}`},
	} {
		t.Run(row.typ.String()+" "+row.rules, func(t *testing.T) {
			checkBody(t, oneField(row.typ, `json:"f" validate:"`+row.rules+`"`), option(row.want))
		})
	}
}

func TestSplitWords(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"  ", nil},
		{"a", []string{"a"}},
		{" a  b ", []string{"a", "b"}},
		{"'a b' c", []string{"a b", "c"}},
		{"''", []string{""}},
		{"'", []string{"'"}},
		{"'a", []string{"'a"}},
	} {
		if got := splitWords(row.text); !reflect.DeepEqual(got, row.want) {
			t.Errorf("splitWords(%q): got %q, want %q", row.text, got, row.want)
		}
	}
}
