package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agentos-go/agentos/toolkit"
)

var update = flag.Bool("update", false, "write testdata/*.hex from what the code does")

const callID = "c-4f1d09"

var forecast = &toolkit.Definition{Command: toolkit.Command{
	Name: "weather", Summary: "Weather data tools",
	Commands: []toolkit.Command{{
		Name: "forecast", Summary: "Get the weather forecast for a city",
		Body: &toolkit.Body{Options: []toolkit.Option{{
			Name: "city", Schema: &toolkit.Schema{Type: toolkit.Types{"string"}}, Required: true,
		}}},
	}},
}}

// vectors are messages with the frames that they are, in testdata/NAME.hex.
// Those of oneCall are the example of PROTOCOL.md.
var vectors = []struct {
	name string
	msg  Message
}{
	{"open", &Open{Versions: []int{1}, Toolkit: "weather", Words: []string{"forecast"}, Want: WantCommand}},
	{"open-list", &Open{Versions: []int{1}, Want: WantList}},
	{"open-search", &Open{Versions: []int{1, 2}, Want: WantSearch, Query: "open a <ticket> & more"}},
	{"open-calls", &Open{Versions: []int{1}, Want: WantCalls, Query: callID}},
	{"open-prompt", &Open{Versions: []int{1}, Want: WantPrompt, Budget: 1500}},
	{"present", &Present{Version: 1, Epoch: "17", Revision: "9b2e", Definition: forecast}},
	{"present-list", &Present{Version: 1, Epoch: "17", Revision: "9b2e", Definitions: []*toolkit.Definition{forecast, forecast}}},
	{"present-text", &Present{Version: 1, Text: "## Host tools\n", Limits: Limits{16 << 20, 8 << 20, 2000, 300000}}},
	{"present-found", &Present{Version: 1, Text: "agentos-weather forecast\n", Found: json.RawMessage(`{"total":0,"tools":[]}`)}},
	{"present-error", &Present{Version: 1, Error: &Envelope{Code: "TOOLKIT_NOT_FOUND", Message: `No toolkit "wether"`}}},
	{"call", &Call{ID: callID, Toolkit: "weather", Path: []string{"forecast"},
		Input: json.RawMessage(`{"city":"Paris"}`), Revision: "9b2e"}},
	{"call-full", &Call{ID: callID, Toolkit: "weather", Path: []string{"a", "b"}, Input: json.RawMessage(`{"n":9007199254740993}`),
		Revision: "9b2e", TimeoutMS: 5000, Slots: []string{"stdin", "stdout"}, DryRun: true}},
	{"call-files", &Call{ID: callID, Toolkit: "image", Path: []string{"resize"}, Input: json.RawMessage(`{"photo":{"name":"a.jpg"}}`),
		Slots: SlotNames{"stdout", "/photo", "/out"}}},
	{"attach", &Attach{ID: callID, Have: map[string]int64{"stdout": 4096, "stderr": 0}, Sent: map[string]int64{"stdin": 100}}},
	{"attach-files", &Attach{ID: callID, Have: map[string]int64{"/out": 65536}, Sent: map[string]int64{"/photo": 262144}}},
	{"accepted", &Accepted{ID: callID}},
	{"accepted-limit", &Accepted{ID: callID, TimeoutMS: 30000}},
	{"accepted-again", &Accepted{ID: callID, Have: map[string]int64{"stdin": 64}}},
	{"data", &Data{Slot: Stdout, Bytes: []byte("raw \x00\xff bytes\n")}},
	{"data-file", &Data{Slot: 4, Bytes: []byte("\xff\xd8\xff\xe0")}},
	{"end", &End{Slot: Stdin}},
	{"end-error", &End{Slot: Stdout, Error: "the file shrank"}},
	{"end-file", &End{Slot: 5, Error: "no space left on device"}},
	{"credit", &Credit{Slot: Stderr, Bytes: 131072}},
	{"cancel", &Cancel{Reason: "interrupt"}},
	{"note", &Note{Kind: NoteApproval, Text: "waiting for a person"}},
	{"result", &Result{Envelope: Success(json.RawMessage(`{"temperature":22,"condition":"sunny"}`))}},
	{"result-none", &Result{Envelope: Success(nil)}},
	{"result-null", &Result{Envelope: Envelope{OK: true, Result: json.RawMessage("null"), Call: callID, Replayed: true}}},
	{"result-error", &Result{Exit: 3, Envelope: Failure(&toolkit.Error{
		Code: "NOT_FOUND", Message: `no <city> "Atlantis"`, Hint: "agentos-weather cities", Details: map[string]int{"near": 0}})}},
	{"ack", &Ack{ID: callID}},
	{"ping", &Ping{}},
	{"pong", &Pong{}},
	{"fail", &Fail{Failure(&toolkit.Error{Code: "BUSY", Message: "too many connections",
		Details: []map[string]string{{"limit": "connections"}}})}},
}

// oneCall is the vectors that PROTOCOL.md shows, in order.
var oneCall = []string{"open", "present", "call", "accepted", "result", "ack"}

func TestSend_GoldenFrames(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			got := hex.Dump(said(t, v.msg))
			file := filepath.Join("testdata", v.name+".hex")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := readFile(t, file); got != want {
				t.Errorf("frame differs from %s\ngot:\n%s\nwant:\n%s", file, got, want)
			}
		})
	}
}

// What goes over the wire is what was meant, also one byte at a time. PING,
// PONG and FAIL never leave Receive; decode stands in for it.
func TestReceive_GoldenFrames(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			frames := golden(t, v.name)
			frame, err := ReadFrame(iotest.OneByteReader(bytes.NewReader(frames)), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(frame.Type, frame.Slot, frame.Payload)
			if err != nil || !reflect.DeepEqual(got, v.msg) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, v.msg)
			}
		})
	}
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	return undump(t, readFile(t, filepath.Join("testdata", name+".hex")))
}

// undump is the bytes of which the text is the hex.Dump.
func undump(t testing.TB, dump string) (data []byte) {
	t.Helper()
	for line := range strings.Lines(dump) {
		digits, _, _ := strings.Cut(line[min(8, len(line)):], "|")
		row, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		data = append(data, row...)
	}
	return data
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
