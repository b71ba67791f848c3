package wire

import (
	"bytes"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// script is a net.Conn whose peer has said everything in advance: what is read
// comes from peer, what is written is kept in said.
type script struct {
	peer io.Reader
	said bytes.Buffer
	// reads and writes count the calls that a socket would make system calls of.
	reads, writes int
}

func (s *script) Read(p []byte) (int, error)       { s.reads++; return s.peer.Read(p) }
func (s *script) Write(p []byte) (int, error)      { s.writes++; return s.said.Write(p) }
func (s *script) Close() error                     { return nil }
func (s *script) LocalAddr() net.Addr              { return nil }
func (s *script) RemoteAddr() net.Addr             { return nil }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// said is the bytes of the messages as a Conn sends them.
func said(t testing.TB, msgs ...Message) []byte {
	t.Helper()
	link := &script{}
	conn := NewConn(link)
	for _, msg := range msgs {
		if err := conn.Send(msg); err != nil {
			t.Fatalf("Send: %v", err)
		}
	}
	conn.flush()
	return link.said.Bytes()
}

// heard is the messages that a Conn receives from the reader, with the error
// that ended them. Data is copied.
func heard(r io.Reader) (msgs []Message, err error) {
	conn := NewConn(&script{peer: r})
	for {
		msg, err := conn.Receive()
		if err != nil {
			return msgs, err
		}
		if data, ok := msg.(*Data); ok {
			data.Bytes = bytes.Clone(data.Bytes)
		}
		msgs = append(msgs, msg)
	}
}

// pipe is two Conns over an in-memory connection without buffers.
func pipe(t *testing.T) (a, b *Conn) {
	left, right := net.Pipe()
	a, b = NewConn(left), NewConn(right)
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// sockets is the two ends of a Unix socket.
func sockets(t testing.TB) (a, b net.Conn) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if a, err = net.Dial("unix", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}
