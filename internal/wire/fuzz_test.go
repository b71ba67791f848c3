package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/agentos-go/agentos/toolkit"
)

// Whatever a peer sends: Receive ends with an error, sees the same messages
// however the bytes are cut, and what it accepts can be sent and received again.
func FuzzReceive(f *testing.F) {
	for _, v := range vectors {
		f.Add(golden(f, v.name))
	}
	for _, tt := range hostileStreams {
		if len(tt.stream) < 1000 {
			f.Add([]byte(tt.stream))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		msgs, err := heard(bytes.NewReader(stream))
		if !expected(err) {
			t.Errorf("ended with %v", err)
		}
		slow, slowErr := heard(iotest.OneByteReader(bytes.NewReader(stream)))
		if err.Error() != slowErr.Error() || !reflect.DeepEqual(msgs, slow) {
			t.Errorf("byte by byte: got %d messages, %v, want %d, %v", len(slow), slowErr, len(msgs), err)
		}
		for _, msg := range msgs {
			sent := said(t, msg)
			again, err := heard(bytes.NewReader(sent))
			if err != io.EOF || len(again) != 1 || !bytes.Equal(said(t, again[0]), sent) {
				t.Errorf("sent again: got %+v, %v, want %+v", again, err, msg)
			}
		}
	})
}

// expected reports whether a stream that nobody disturbs may end so.
func expected(err error) bool {
	var failure *toolkit.Error // a FAIL of the peer
	return errors.Is(err, ErrProtocol) || err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &failure)
}
