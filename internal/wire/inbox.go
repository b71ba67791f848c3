package wire

import "io"

// inbox reads ahead, like a bufio.Reader, and takes back what was read too much
// by who reads around it.
type inbox struct {
	from io.Reader
	buf  []byte
	r, w int // buf[r:w] is read ahead
}

// buffered is what is read ahead.
func (b *inbox) buffered() []byte { return b.buf[b.r:b.w] }

// peek waits until n bytes are there and returns them; n is at most the size of
// the buffer. After an error what came before it stays.
func (b *inbox) peek(n int) ([]byte, error) {
	if b.r+n > len(b.buf) || b.r == b.w {
		b.w = copy(b.buf, b.buffered())
		b.r = 0
	}
	for b.w-b.r < n {
		m, err := b.from.Read(b.buf[b.w:])
		b.w += m
		if err != nil && b.w-b.r < n {
			return nil, err
		}
	}
	return b.buf[b.r : b.r+n], nil
}

// skip forgets n bytes, waiting for those that are not there.
func (b *inbox) skip(n int) error {
	for {
		m := min(n, b.w-b.r)
		b.r += m
		if n -= m; n == 0 {
			return nil
		}
		if _, err := b.peek(1); err != nil {
			return err
		}
	}
}

// Read reads what is there, or waits for some. A long p is filled without the
// buffer.
func (b *inbox) Read(p []byte) (int, error) {
	if b.r == b.w {
		if len(p) >= len(b.buf) {
			return b.from.Read(p)
		}
		if _, err := b.peek(1); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.buffered())
	b.r += n
	return n, nil
}

// readAhead fills p[:n], and as much of the rest as has come with it, and returns
// how much that is. The buffer is empty afterwards.
func (b *inbox) readAhead(p []byte, n int) (got int, err error) {
	got = copy(p, b.buffered())
	b.r += got
	for got < n {
		m, err := b.from.Read(p[got:])
		got += m
		if err != nil && got < n {
			return got, err
		}
	}
	return got, nil
}

// unread gives back bytes, which fit, to the empty buffer.
func (b *inbox) unread(p []byte) {
	b.r, b.w = 0, copy(b.buf, p)
}
