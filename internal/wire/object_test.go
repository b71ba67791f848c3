package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/agentos-go/agentos/toolkit"
	"github.com/google/go-cmp/cmp"
)

// eachFilled calls f with messages of every type that is JSON, a full one first.
func eachFilled(t *testing.T, raws []string, f func(t *testing.T, msg Message)) {
	for typ := typeOpen; typ <= typeFail; typ++ {
		if typ == typeData {
			continue
		}
		t.Run(typ.String(), func(t *testing.T) {
			for seed := range uint64(30) {
				f(t, filled(typ, seed, raws))
			}
		})
	}
}

// What encoding/json writes by the tags of the fields, the reader reads by the
// tables, and nothing is lost.
func TestReader_ReadsEveryField(t *testing.T) {
	raws := []string{`{"b":1,"a":[null,"é"]}`, `null`, `"text"`, `0.10`, `[]`}
	eachFilled(t, raws, func(t *testing.T, want Message) {
		text, err := appendJSON(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		got := newMessage(want.Type(), 0)
		if err := readObject(text, got.members, true); err != nil {
			t.Fatalf("%v\nin %.1000s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got)\n%.4000s", diff)
		}
	})
}

// The writer writes the bytes that encoding/json does, also for what is not
// compact or no UTF-8.
func TestWriter_WritesEveryField(t *testing.T) {
	raws := []string{"{ \"b\" : 1,\n\"a\": [null, \"<&>\u2028\"] }", "\"a\xffb\"", `null`, `1E400`}
	eachFilled(t, raws, func(t *testing.T, msg Message) {
		want, err := appendJSON([]byte("before "), msg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendObject([]byte("before "), msg.members)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v, got\n%.1000s\nwant\n%.1000s", err, got, want)
		}
	})
}

func TestWriter_Text(t *testing.T) {
	var all strings.Builder
	for r := range rune(0x3000) {
		all.WriteRune(r)
	}
	for _, text := range []string{"", all.String(), "🙂\U0010ffff", "\xff", "a\xffb\xe2\x28\xed\xa0\x80", "cut \xe2\x82"} {
		want, err := appendJSON(nil, text)
		if got := appendText(nil, text); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%.20q: got %s, want %s", text, got, want)
		}
	}
}

// What is any JSON arrives as the bytes that were sent: results are shown with
// their keys in the order in which the tool wrote them.
func TestReader_LeavesRawPartsAsTheyAre(t *testing.T) {
	const part = "{\"b\" : 1.0,\n \"a\":\"\\u003c\\/\"}"
	message := func(typ Type, text string) Message {
		t.Helper()
		msg, err := decode(typ, 0, []byte(strings.ReplaceAll(text, "PART", part)))
		if err != nil {
			t.Fatal(err)
		}
		return msg
	}
	present := message(typePresent, `{"definition":{"body":{"options":[{"default": PART }],"input":{"const":PART,"enum":[ PART,1],"x": PART}},
		"examples":[{"input":PART }]},"found": PART ,"error":{"error":"A","details": PART}}`).(*Present)
	body := present.Definition.Body
	for name, got := range map[string]json.RawMessage{
		"result":  message(typeResult, `{"ok":true,"result": PART ,"exit":0}`).(*Result).Result,
		"details": message(typeFail, `{"details": PART ,"error":"A"}`).(*Fail).Details,
		"input":   message(typeCall, `{"id":"a","input": PART}`).(*Call).Input,
		"found":   present.Found, "details of a refusal": present.Error.Details,
		"default": body.Options[0].Default, "example": present.Definition.Examples[0].Input,
		"const": body.Input.Const, "enum": body.Input.Enum[0], "unknown keyword": body.Input.Extra["x"],
	} {
		if string(got) != part {
			t.Errorf("%s: got %s, want %s", name, got, part)
		}
	}
}

// Two readers that take each other's names for their own see different things.
func TestSec_I01_NamesOfDefinitions(t *testing.T) {
	const text = `{"definition":{"name":"a","NAME":"b","body":{"options":[{"name":"c","ſecret":true,"Required":true}]}}}`
	var loose Present
	if err := json.Unmarshal([]byte(text), &loose); err != nil || loose.Definition.Name != "b" || !loose.Definition.Body.Options[0].Secret {
		t.Errorf("control: encoding/json gives %+v, %v, want names of another case taken", loose.Definition, err)
	}
	got, err := decode(typePresent, 0, []byte(text))
	want := &Present{Definition: &toolkit.Definition{Command: toolkit.Command{
		Name: "a", Body: &toolkit.Body{Options: []toolkit.Option{{Name: "c"}}}}}}
	if diff := cmp.Diff(Message(want), got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, name := range []string{"a", `\u0061`} {
		twice := fmt.Sprintf(`{"definition":{"commands":[{"body":{"input":{"properties":{"a":{},"%s":{}}}}}]}}`, name)
		_, err := decode(typePresent, 0, []byte(twice))
		if want := `definition: commands.0.body.input.properties: the name "a" is given twice`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want …%s…", twice, err, want)
		}
	}
}

func TestReader_TakesNullForAbsent(t *testing.T) {
	const text = `{"v":null,"epoch":null,"definition":{"name":null,"aliases":null,"globals":null,"commands":null,"body":{"tail":null,
		"input":{"type":null,"items":null,"$defs":null,"allOf":null,"minimum":null,"exclusiveMaximum":null,"minLength":null,"enum":null,"uniqueItems":null},
		"annotations":{"destructive":null},"timeout_ms":null,"constraints":[{"groups":null,"if":null}]}},"definitions":null,"limits":null,"error":null}`
	got, err := decode(typePresent, 0, []byte(text))
	want := &Present{Definition: &toolkit.Definition{Command: toolkit.Command{
		Body: &toolkit.Body{Input: &toolkit.Schema{}, Constraints: []toolkit.Constraint{{}}}}}}
	if diff := cmp.Diff(Message(want), got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestReader_RefusesWrongTypes(t *testing.T) {
	tests := []struct{ present, err string }{
		{`{"v":"1"}`, "v: a string where a number is expected"},
		{`{"v":1.5}`, "v: 1.5 is not an integer of 64 bits"},
		{`{"v":1e2}`, "v: 1e2 is not an integer of 64 bits"},
		{`{"v":99999999999999999999}`, "v: 99999999999999999999 is not an integer of 64 bits"},
		{`{"definition":[]}`, "definition: an array where an object is expected"},
		{`{"definitions":[null]}`, "definitions: 0: null where an object is expected"},
		{`{"definition":{"commands":[{"name":true}]}}`, "definition: commands.0.name: a boolean where a string is expected"},
		{`{"definition":{"aliases":["a",null]}}`, "definition: aliases.1: null where a string is expected"},
		{`{"definition":{"skeleton":1}}`, "definition: skeleton: a number where a boolean is expected"},
		{`{"definition":{"body":{"input":5}}}`, "definition: body.input: a number where an object is expected"},
		{`{"definition":{"body":{"input":{"properties":{"a":null}}}}}`, "definition: body.input.properties.a: null where an object is expected"},
		{`{"limits":{"idle_ms":{}}}`, "limits: idle_ms: an object where a number is expected"},
		{`{"error":{"error":1}}`, "error: error: a number where a string is expected"},
	}
	for _, tt := range tests {
		_, err := decode(typePresent, 0, []byte(tt.present))
		if err == nil || !strings.HasPrefix(err.Error(), "protocol error: PRESENT: "+tt.err) {
			t.Errorf("%s: got %v, want …%s…", tt.present, err, tt.err)
		}
	}
}

// A schema in a definition is the schema that its own UnmarshalJSON makes of it.
func TestReader_Schemas(t *testing.T) {
	for _, text := range []string{
		`{}`, `true`, `false`, `{"not":{}}`, `{"additionalProperties":false,"items":true}`,
		`{"type":"string"}`, `{"type":["string","null"]}`, `{"type":[]}`, `{"type":5}`, `{"type":[5]}`,
		`{"minimum":0.10,"maximum":1e400}`, `{"minimum":true}`, `{"exclusiveMinimum":true,"exclusiveMaximum":false,"minimum":1}`,
		`{"exclusiveMinimum":1}`, `{"exclusiveMinimum":[]}`, `{"minLength":2.0,"maxLength":1e1,"minItems":-0,"maxItems":3}`, `{"minLength":"2"}`,
		`{"items":[{"type":"string"},true]}`, `{"items":5}`, `{"items":{"items":[1]}}`, `{"enum":[1,null,"a"],"const":null,"default":null}`, `{"enum":1}`,
		`{"$anchor":"x","if":{"const": 1},"x":null}`, `{"properties":[]}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"oneOf":[]}}}`, `5`, `"string"`,
	} {
		want, wantErr := &toolkit.Schema{}, error(nil)
		wantErr = json.Unmarshal([]byte(text), want)
		got, err := decode(typePresent, 0, []byte(`{"definition":{"body":{"input":`+text+`}}}`))
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: got %v, want %v", text, err, wantErr)
			continue
		}
		if err != nil {
			continue
		}
		gotText, _ := json.Marshal(got.(*Present).Definition.Body.Input)
		wantText, _ := json.Marshal(want)
		if !reflect.DeepEqual(gotText, wantText) {
			t.Errorf("%s: got %s, want %s", text, gotText, wantText)
		}
	}
}
