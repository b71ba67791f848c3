package wire

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAppendFrame_ReadFrame(t *testing.T) {
	frames := []Frame{
		{Type: typeOpen, Payload: []byte("{}")},
		{Type: typeData, Slot: Stderr, Payload: bytes.Repeat([]byte("x"), MaxData)},
		{Type: 200, Slot: 255, Flags: Optional | More | 0x8000, Payload: []byte{}},
		{Type: typeResult, Payload: bytes.Repeat([]byte("y"), MaxFrame)},
	}
	var stream []byte
	for _, frame := range frames {
		stream = AppendFrame(stream, frame)
	}
	for name, r := range map[string]io.Reader{
		"whole":        bytes.NewReader(stream),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"halves":       iotest.HalfReader(bytes.NewReader(stream)),
	} {
		for i, want := range frames {
			got, err := ReadFrame(r, nil)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: frame %d: got %.60q…, %v, want %.60q…", name, i, got.Payload, err, want.Payload)
			}
		}
		if _, err := ReadFrame(r, nil); err != io.EOF {
			t.Errorf("%s: after the last frame: got %v, want io.EOF", name, err)
		}
	}
}

func TestReadFrame_HeaderLayout(t *testing.T) {
	got, err := ReadFrame(strings.NewReader("\x00\x00\x00\x03\x06\x02\x80\x01abcd"), nil)
	want := Frame{Type: typeData, Slot: Stdout, Flags: More | 0x8000, Payload: []byte("abc")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestReadFrame_Truncated(t *testing.T) {
	whole := AppendFrame(nil, Frame{Type: typeAck, Payload: []byte(`{"id":"a"}`)})
	for n := 1; n < len(whole); n++ {
		if _, err := ReadFrame(bytes.NewReader(whole[:n]), nil); err != io.ErrUnexpectedEOF {
			t.Errorf("%d of %d bytes: got %v, want io.ErrUnexpectedEOF", n, len(whole), err)
		}
	}
}

func TestTypeNames(t *testing.T) {
	for typ := typeOpen; typ <= typeFail; typ++ {
		if msg := newMessage(typ, 0); msg.Type() != typ {
			t.Errorf("newMessage(%s) is a %s", typ, msg.Type())
		}
		if strings.ToUpper(typ.String()) != typ.String() {
			t.Errorf("type %d is named %q", typ, typ)
		}
	}
	if got := Type(99).String(); got != "type 99" {
		t.Errorf("got %q, want type 99", got)
	}
}

// lies are headers whose lengths the payload does not live up to. Each must
// cost what arrives, not what it announces.
func TestSec_T09_AllocationFollowsWhatArrives(t *testing.T) {
	const rounds = 50
	cost := func(stream []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			_, _ = ReadFrame(bytes.NewReader(stream), nil)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / rounds
	}
	announced := AppendFrame(nil, Frame{Type: typeCall, Payload: make([]byte, MaxFrame)})
	if got := cost(announced[:HeaderSize+1]); got > 16<<10 {
		t.Errorf("1 byte of an announced MiB: %d bytes allocated, want at most 16 KiB", got)
	}
	if got := cost(announced[:HeaderSize+100<<10]); got > 512<<10 {
		t.Errorf("100 KiB of an announced MiB: %d bytes allocated, want at most 512 KiB", got)
	}
	if got := cost(announced); got < MaxFrame {
		t.Errorf("positive control: a whole MiB: %d bytes allocated, the measure does not work", got)
	}
}

func TestSec_T09_LengthsDoNotWrap(t *testing.T) {
	for _, length := range []uint32{MaxFrame + 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32 - 7, math.MaxUint32} {
		b := make([]byte, HeaderSize)
		header{length: length, typ: typeCall}.put(b)
		if _, err := ReadFrame(bytes.NewReader(b), nil); !errors.Is(err, ErrProtocol) {
			t.Errorf("length %d: got %v, want a protocol error", length, err)
		}
	}
}
