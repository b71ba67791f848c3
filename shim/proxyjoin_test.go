package shim

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// joined is two ends that are joined in memory, and the end of that.
func joined(near, far func(net.Conn) net.Conn) (client, host net.Conn, done chan struct{}) {
	client, a := net.Pipe()
	host, b := net.Pipe()
	done = make(chan struct{})
	go func() { // ends with either end; whoever called waits for done
		defer close(done)
		join(near(a), far(b))
	}()
	return client, host, done
}

func plainly(c net.Conn) net.Conn { return c }

func TestJoin_WhatCameIsPassedOnAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, host, done := joined(plainly, plainly)
		go func() { // ends with its Write; the ReadAll below waits for it
			io.WriteString(host, "all of it")
			host.Close()
		}()
		got, err := io.ReadAll(client)
		if string(got) != "all of it" || err != nil {
			t.Errorf("got %q, %v, want all of it", got, err)
		}
		<-done
		if _, err := client.Write([]byte("x")); err == nil {
			t.Error("the other direction still takes something")
		}
	})
}

// A reader that takes nothing holds 32 KiB, and its connection for 10 s.
func TestSec_T10_ASlowReaderBehindAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, host, done := joined(plainly, plainly)
		start := time.Now()
		host.SetWriteDeadline(start.Add(time.Hour))
		n, err := host.Write(make([]byte, 1<<20))
		if n > joinBuffer || err == nil {
			t.Errorf("%d bytes were taken for a reader that takes none, %v, want at most %d", n, err, joinBuffer)
		}
		<-done
		if held := time.Since(start); held < joinProgress || held > joinProgress+2*lastWordsWait {
			t.Errorf("the connection was held for %v, want about %v", held, joinProgress)
		}
		client.Close()
	})
}

// The control: one that takes little at a time gets all of it, in whatever time.
func TestSec_T10_ASlowReaderThatReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, host, done := joined(plainly, plainly)
		const all = 4 * joinBuffer
		go func() { // ends with its Write; the loop below waits for all of it
			host.Write(make([]byte, all))
			host.Close()
		}()
		start := time.Now()
		got := 0
		for part := make([]byte, 1000); ; {
			time.Sleep(joinProgress - time.Second)
			n, err := client.Read(part)
			if got += n; err != nil {
				break
			}
		}
		if got != all || time.Since(start) < 10*joinProgress {
			t.Errorf("got %d bytes in %v, want %d", got, time.Since(start), all)
		}
		<-done
	})
}

// deaf takes nothing more, without a word.
type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, errors.New("shut down") }

func TestJoin_AnEndThatTakesNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, host, done := joined(plainly, func(c net.Conn) net.Conn { return deaf{c} })
		start := time.Now()
		io.WriteString(client, "x")
		io.WriteString(host, "because")
		got, err := io.ReadAll(client)
		if string(got) != "because" || err != nil {
			t.Errorf("got %q, %v, want what the host said at last", got, err)
		}
		<-done
		if waited := time.Since(start); waited != lastWordsWait {
			t.Errorf("it was waited %v for more, want %v", waited, lastWordsWait)
		}
		host.Close()
	})
}

// A host that refuses a message in its middle closes with bytes unread: what it
// said before that arrives all the same.
func TestJoin_TheLastWordsOfAHost(t *testing.T) {
	for range 50 {
		client, a := socketPair(t)
		host, b := socketPair(t)
		done := make(chan struct{})
		go func() { // ends with the host's end; waited for below
			defer close(done)
			join(a, b)
		}()
		sent := make(chan struct{})
		go func() { // ends when the client's end is closed; waited for below
			defer close(sent)
			client.Write(make([]byte, 4<<20))
		}()
		host.Read(make([]byte, 1))
		io.WriteString(host, "too long")
		host.Close()
		got, _ := io.ReadAll(client) // may end with a reset: the client has sent more than was taken
		if string(got) != "too long" {
			t.Fatalf("got %q, want the host's last words", got)
		}
		<-done
		<-sent
		client.Close()
	}
}

// socketPair is the two ends of a Unix socket.
func socketPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return a, b
}
