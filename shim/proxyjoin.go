package shim

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// joinBuffer is the most bytes that are held for an end that reads slowly.
	joinBuffer = 32 << 10
	// joinProgress is how long an end may take none of what is sent to it, as in
	// PROTOCOL.md, §5: the other one cannot know, since this end takes from it.
	joinProgress = 10 * time.Second
	// lastWordsWait is how long an end that takes nothing more may take to say why.
	lastWordsWait = time.Second
)

// join passes on what each of two connections sends to the other one. When one
// ends, what came from it is passed on and both are closed; nothing is made of the
// end of one direction, which a transport may not know. It returns when both are
// closed.
func join(a, b net.Conn) {
	var back sync.WaitGroup
	back.Go(func() { pass(b, a) }) // ends with either connection; waited for below
	pass(a, b)
	back.Wait()
	a.Close()
	b.Close()
}

// pass passes on what the source sends. At the source's end it closes both. At the
// destination's it leaves the other direction a moment: the destination may have
// said why before it closed, as a host does with FAIL.
func pass(dst, src net.Conn) {
	buffer := make([]byte, joinBuffer)
	for {
		n, err := src.Read(buffer)
		if passOn(dst, buffer[:n]) != nil {
			_ = dst.SetReadDeadline(time.Now().Add(lastWordsWait)) // fails where it is closed already
			return
		}
		if err != nil {
			src.Close()
			dst.Close()
			return
		}
	}
}

// passOn writes all of the data, however slowly it is taken.
func passOn(dst net.Conn, data []byte) error {
	for len(data) > 0 {
		if err := dst.SetWriteDeadline(time.Now().Add(joinProgress)); err != nil {
			return err
		}
		n, err := dst.Write(data)
		data = data[n:]
		if err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
	}
	return nil
}
