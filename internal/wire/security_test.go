package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// raw is a frame's bytes.
func raw(typ Type, slot Slot, flags Flags, payload string) string {
	return string(AppendFrame(nil, Frame{Type: typ, Slot: slot, Flags: flags, Payload: []byte(payload)}))
}

// announce is a header alone.
func announce(typ Type, length uint32) string {
	b := make([]byte, HeaderSize)
	header{length: length, typ: typ}.put(b)
	return string(b)
}

const (
	goodCall = `{"id":"c-1","toolkit":"x","path":["t"],"input":{}}`
	goodAck  = `{"id":"c-1"}`
)

// Each stream is well-formed up to one thing. An empty error means that the
// stream is accepted to its end: those rows are the positive controls of the
// ones around them.
var hostileStreams = []struct {
	name   string
	stream string
	err    string
}{
	{"a well-formed call", raw(typeCall, 0, 0, goodCall), ""},
	{"nothing", "", ""},

	{"control frame over the limit", announce(typeCall, MaxFrame+1), "CALL frame of 1048577 bytes, the limit is 1048576"},
	{"data frame over the limit", announce(typeData, MaxData+1), "DATA frame of 65537 bytes, the limit is 65536"},
	{"the longest length there is", announce(typeResult, 1<<32-1), "RESULT frame of 4294967295 bytes"},
	{"a negative length", announce(typeOpen, 1<<31), "OPEN frame of 2147483648 bytes"},
	{"an unknown optional frame over the limit", "\x00\x10\x00\x01\xc8\x00\x00\x02", "type 200 frame of 1048577 bytes"},
	{"data frame at the limit", raw(typeData, Stdin, 0, strings.Repeat("x", MaxData)), ""},

	{"truncated header", raw(typeAck, 0, 0, goodAck)[:5], "unexpected EOF"},
	{"truncated payload", raw(typeAck, 0, 0, goodAck)[:12], "unexpected EOF"},
	{"end within a message", raw(typeCall, 0, More, goodCall[:9]), "unexpected EOF"},
	{"garbage", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "type 47 frame of 1195725856 bytes"},

	{"empty control frame", raw(typePing, 0, 0, ""), "empty PING frame"},
	{"empty data frame", raw(typeData, Stdin, 0, ""), "empty DATA frame"},
	{"empty frame with more to follow", raw(typeCall, 0, More, ""), "empty CALL frame"},
	{"empty last frame", raw(typeCall, 0, More, goodCall) + raw(typeCall, 0, 0, ""), "empty CALL frame"},

	{"data for no slot", raw(typeData, 0, 0, "x"), "DATA frame for no slot"},
	{"end for no slot", raw(typeEnd, 0, 0, "{}"), "END frame for no slot"},
	{"data for a file", raw(typeData, 4, 0, "x") + raw(typeEnd, 255, 0, "{}"), ""},
	{"call for a slot", raw(typeCall, Stdin, 0, goodCall), "CALL frame for stdin, it belongs to none"},
	{"reserved flag", raw(typeAck, 0, 4, goodAck), "ACK frame with reserved flags 0x0004"},
	{"data for stderr", raw(typeData, Stderr, 0, "x"), ""},

	{"unknown type", raw(16, 0, 0, "{}"), "unknown type 16"},
	{"type 0", raw(0, 0, 0, "{}"), "unknown type 0"},
	{"unknown type that may be skipped", raw(16, 9, Optional|8, "not JSON") + raw(255, 0, Optional|More, ""), ""},
	{"known type that may be skipped", raw(typeAck, 0, Optional, "not JSON"), "ACK: not a JSON object"},

	{"more to follow of a short message", raw(typeOpen, 0, More, "{"), "OPEN does not span frames"},
	{"more data to follow", raw(typeData, Stdin, More, "x"), "DATA does not span frames"},
	{"call inside a result", raw(typeResult, 0, More, "{") + raw(typeCall, 0, 0, goodCall), "CALL frame inside RESULT"},
	{"long call inside a result", raw(typeResult, 0, More, "{") + raw(typeCall, 0, More, "{"), "CALL frame inside RESULT"},
	{"short messages inside a call", raw(typeCall, 0, More, goodCall[:9]) + raw(typeAck, 0, 0, goodAck) +
		raw(typePing, 0, 0, "{}") + raw(typeData, Stdin, 0, "x") + raw(typeCall, 0, 0, goodCall[9:]), ""},

	{"not JSON", raw(typeOpen, 0, 0, "open, please"), "OPEN: not a JSON object"},
	{"a list", raw(typeOpen, 0, 0, "[]"), "OPEN: not a JSON object"},
	{"null", raw(typeOpen, 0, 0, "null"), "OPEN: not a JSON object"},
	{"two objects", raw(typePing, 0, 0, "{}{}"), "PING: text after the JSON object"},
	{"the wrong type", raw(typeOpen, 0, 0, `{"v":"1"}`), "OPEN: v: a string where an array is expected"},
	{"a number that is no integer", raw(typeCredit, Stdin, 0, `{"bytes":1.5}`), "CREDIT: bytes: 1.5 is not an integer of 64 bits"},

	{"unknown wish in a call", raw(typeCall, 0, 0, `{"simulate":true,`+goodCall[1:]), "simulate: unknown member"},
	{"unknown member elsewhere", raw(typeAck, 0, 0, `{"at":[1,2],"id":"c-1"}`), ""},
	{"call without id", raw(typeCall, 0, 0, `{"input":{}}`), `id ""`},
	{"call without input", raw(typeCall, 0, 0, `{"id":"c-1"}`), "input is not an object"},
	{"call with a list for input", raw(typeCall, 0, 0, `{"id":"c-1","input":[]}`), "input is not an object"},
	{"call with a negative timeout", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"timeout_ms":-1}`), "timeout_ms is -1"},
	{"call with an unknown slot", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"slots":["stdlog"]}`), `no slot "stdlog"`},
	{"call with a slot twice", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"slots":["/a","/a"]}`), `slot "/a": given twice`},
	{"call with a bad pointer", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"slots":["/a~2"]}`), `no slot "/a~2"`},
	{"call with a long pointer", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"slots":["/`+strings.Repeat("a", 256)+`"]}`), `no slot "/a`},
	{"call with 65 slots", raw(typeCall, 0, 0, `{"id":"c-1","input":{},"slots":[`+slotList(65)+`]}`), "65 slots, the limit is 64"},
	{"call with 64 slots", raw(typeCall, 0, 0, `{"id":"c-1","toolkit":"x","input":{},"slots":[`+slotList(64)+`]}`), ""},
	{"id with a path in it", raw(typeAttach, 0, 0, `{"id":"../../etc"}`), `id "../../etc"`},
	{"id of 65 bytes", raw(typeAck, 0, 0, `{"id":"`+strings.Repeat("a", 65)+`"}`), "want 1 to 64"},
	{"negative offset", raw(typeAttach, 0, 0, `{"id":"c-1","have":{"stdout":-1}}`), "offset -1 of slot"},
	{"offset of no slot", raw(typeAttach, 0, 0, `{"id":"c-1","sent":{"3":1}}`), `offset 1 of slot "3"`},
	{"offsets of 65 slots", raw(typeAccepted, 0, 0, `{"id":"c-1","have":{`+strings.ReplaceAll(slotList(65), `",`, `":1,`)+`:1}}`), "offsets of 65 slots"},
	{"offset of a file", raw(typeAttach, 0, 0, `{"id":"c-1","have":{"/a~1b/0":1}}`), ""},
	{"nine words", raw(typeOpen, 0, 0, `{"words":["1","2","3","4","5","6","7","8","9"]}`), "9 words"},
	{"a long word", raw(typeOpen, 0, 0, `{"words":["`+strings.Repeat("a", 65)+`"]}`), "a word of 65 bytes"},
	{"no credit", raw(typeCredit, Stdin, 0, `{"bytes":0}`), "0 bytes of credit"},
	{"credit that overflows", raw(typeCredit, Stdin, 0, `{"bytes":9223372036854775807}`), "9223372036854775807 bytes of credit"},
	{"a success with a status", raw(typeResult, 0, 0, `{"ok":true,"exit":7}`), "ok is true, exit is 7"},
	{"a failure without one", raw(typeResult, 0, 0, `{"ok":false,"error":"X","exit":0}`), "ok is false, exit is 0"},
	{"a status that is none", raw(typeResult, 0, 0, `{"ok":false,"error":"X","exit":256}`), "exit is 256"},
	{"another version's refusal that is ok", raw(typePresent, 0, 0, `{"v":98,"error":{"ok":true}}`), "an error that is ok"},
	{"a result that is neither", raw(typeResult, 0, 0, `{"ok":false,"exit":0}`), "neither ok nor an error"},
	{"a result that is both", raw(typeResult, 0, 0, `{"ok":true,"error":"BUSY","exit":0}`), `ok with the error "BUSY"`},
	{"a failure that is ok", raw(typeFail, 0, 0, `{"ok":true}`), "a failure that is ok"},
	{"a refusal that is ok", raw(typePresent, 0, 0, `{"v":1,"error":{"ok":true}}`), "an error that is ok"},
}

// slotList is the JSON of n names of files.
func slotList(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = `"/` + strings.Repeat("f", i) + `"`
	}
	return strings.Join(names, ",")
}

func TestSec_T09_HostileStreams(t *testing.T) {
	for _, tt := range hostileStreams {
		t.Run(tt.name, func(t *testing.T) {
			whole, err := heard(strings.NewReader(tt.stream))
			slow, slowErr := heard(iotest.OneByteReader(strings.NewReader(tt.stream)))
			if err.Error() != slowErr.Error() || !reflect.DeepEqual(whole, slow) {
				t.Errorf("byte by byte: got %v, want %v", slowErr, err)
			}
			if tt.err == "" {
				if err != io.EOF {
					t.Errorf("got %v, want io.EOF after %d messages", err, len(whole))
				}
				return
			}
			if !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want …%s…", err, tt.err)
			}
			if broken := !errors.Is(err, io.ErrUnexpectedEOF); errors.Is(err, ErrProtocol) != broken {
				t.Errorf("protocol error: %v, want %v", !broken, broken)
			}
		})
	}
}

// A frame's length may be right and the sum of them not.
func TestSec_T09_JoinedLength(t *testing.T) {
	frame := raw(typeResult, 0, More, strings.Repeat(" ", MaxFrame))
	last := raw(typeResult, 0, 0, strings.Repeat(" ", MaxMessage-16*MaxFrame-20)+`{"ok":true,"exit":0}`)
	if _, err := heard(strings.NewReader(strings.Repeat(frame, 16) + last)); err != io.EOF {
		t.Errorf("at the limit: got %v, want io.EOF", err)
	}
	_, err := heard(strings.NewReader(strings.Repeat(frame, 17)))
	if want := "RESULT of over 16842752 bytes"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("one frame over: got %v, want …%s", err, want)
	}
}

// Two readers of one document must not see two different things.
func TestSec_I01_MemberNames(t *testing.T) {
	tests := []struct{ name, ack, err string }{
		{"plain", `{"id":"a"}`, ""},
		{"twice", `{"id":"a","id":"b"}`, "id: given twice"},
		{"in capitals", `{"id":"a","ID":"b"}`, `the member name "ID" is not of a-z, 0-9 and _`},
		{"folded by Unicode", `{"id":"a","ıd":"b"}`, `the member name "ıd"`},
		{"escaped", `{"id":"a","\u0069d":"b"}`, `the member name "\\u0069d"`},
		{"with NUL", `{"id":"a","id\u0000":"b"}`, `the member name`},
		{"empty", `{"id":"a","":"b"}`, `the member name ""`},
		{"too many", "{" + strings.Repeat(`"a":1,`, 1) + many(64) + `"id":"a"}`, "more than 64 members"},
		{"many", "{" + many(63) + `"id":"a"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode(typeAck, 0, []byte(tt.ack))
			if tt.err == "" {
				if want := (&Ack{ID: "a"}); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want …%s…", err, tt.err)
			}
		})
	}
}

// many is n members m1 to mn, each with a comma.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"m` + strings.Repeat("x", i) + `":1,`)
	}
	return b.String()
}

// The limits on JSON hold for the input itself, not for what surrounds it.
func TestSec_I02_DepthOfInput(t *testing.T) {
	call := func(depth int) []byte {
		input := strings.Repeat(`{"a":`, depth-1) + "{}" + strings.Repeat("}", depth-1)
		return []byte(`{"id":"c-1","toolkit":"x","path":[],"input":` + input + "}")
	}
	if _, err := decode(typeCall, 0, call(64)); err != nil {
		t.Errorf("64 deep: got %v, want no error", err)
	}
	if _, err := decode(typeCall, 0, call(65)); !errors.Is(err, ErrProtocol) {
		t.Errorf("65 deep: got %v, want a protocol error", err)
	}
}

func TestSec_I03_InvalidText(t *testing.T) {
	for name, input := range map[string]string{
		"invalid UTF-8": "{\"s\":\"\xff\"}", "lone surrogate": `{"s":"\ud800"}`, "duplicate": `{"s":1,"s":2}`,
	} {
		call := `{"id":"c-1","toolkit":"x","path":[],"input":` + input + "}"
		if _, err := decode(typeCall, 0, []byte(call)); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: got %v, want a protocol error", name, err)
		}
	}
}

// A host must not be stopped by what its own tools return.
func TestSend_RepairsInvalidUTF8(t *testing.T) {
	got, err := heard(bytes.NewReader(said(t, &Result{Envelope: Success(json.RawMessage("\"a\xffb\xe2\x28\""))})))
	want := []Message{&Result{Envelope: Success(json.RawMessage(`"a\ufffdb\ufffd("`))}}
	if err != io.EOF || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// A peer that breaks the protocol is told once, in few words.
func TestReceive_TellsThePeer(t *testing.T) {
	link := &script{peer: strings.NewReader(raw(typeAck, 0, 0, `{"id":"`+strings.Repeat("é", 2000)+`"}`))}
	if _, err := NewConn(link).Receive(); !errors.Is(err, ErrProtocol) {
		t.Fatalf("got %v, want a protocol error", err)
	}
	frame, err := ReadFrame(&link.said, nil)
	if err != nil || frame.Type != typeFail {
		t.Fatalf("got %s %q, %v, want FAIL", frame.Type, frame.Payload, err)
	}
	msg, err := decode(frame.Type, frame.Slot, frame.Payload)
	if err != nil {
		t.Fatal(err)
	}
	failure := msg.(*Fail).Error()
	if failure.Code != "INTERNAL_ERROR" || !strings.HasPrefix(failure.Message, "protocol error: ACK: id") || len(failure.Message) > 310 {
		t.Errorf("got %s of %d bytes", failure, len(failure.Message))
	}
	if link.said.Len() > 0 {
		t.Errorf("%d more bytes sent", link.said.Len())
	}
}
