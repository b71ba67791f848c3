package wire

import (
	"slices"
	"sync"
)

// aheadSize is how much of the next frame is read with a long DATA: enough to
// give it a chunk as well.
const aheadSize = HeaderSize + firstRead

// chunk is a part of a slot's bytes, with room for a frame's header before them.
// Beyond buf there is room for aheadSize bytes.
type chunk struct {
	buf      []byte
	from, to int  // buf[from:to] are the bytes; from is HeaderSize or more
	inUse    bool // somebody works with the bytes
	dropped  bool // meanwhile they were dropped
}

// A large chunk holds the longest DATA. A small one is enough for most of what
// people and their programs say at once.
const smallChunk = 4 << 10

var (
	smallChunks = chunkPool(smallChunk)
	largeChunks = chunkPool(MaxData)
)

func chunkPool(size int) sync.Pool {
	return sync.Pool{New: func() any {
		return &chunk{buf: make([]byte, HeaderSize+size, HeaderSize+size+aheadSize)}
	}}
}

// takeChunk is an empty chunk, a small one if n bytes fit.
func takeChunk(n int) *chunk {
	pool := &largeChunks
	if n <= smallChunk {
		pool = &smallChunks
	}
	c := pool.Get().(*chunk)
	*c = chunk{buf: c.buf, from: HeaderSize, to: HeaderSize}
	return c
}

func (c *chunk) recycle() {
	if len(c.buf) > smallChunk+HeaderSize {
		largeChunks.Put(c)
	} else {
		smallChunks.Put(c)
	}
}

// spool is a queue of a slot's bytes: those from offset start up to end.
type spool struct {
	start, end int64
	// chunks hold the bytes in order. Together they take at most twice the memory
	// of the bytes, and one chunk more.
	chunks []*chunk
}

// append copies the bytes to the end.
func (s *spool) append(p []byte) {
	for len(p) > 0 {
		c := s.tail(len(p))
		n := copy(c.buf[c.to:], p)
		c.to += n
		s.end += int64(n)
		p = p[n:]
	}
}

// tail is a chunk with room at the end; n bytes are to come.
func (s *spool) tail(n int) *chunk {
	if k := len(s.chunks); k > 0 {
		if last := s.chunks[k-1]; last.to < len(last.buf) {
			return last
		}
		n = MaxData // who sends much sends more
	}
	c := takeChunk(n)
	s.chunks = append(s.chunks, c)
	return c
}

// adoptable is the size from which the bytes of a chunk may be appended as they
// are: below it most of the memory would be empty.
const adoptable = MaxData / 2

// adopt appends the chunk with its bytes, without copying them.
func (s *spool) adopt(c *chunk) {
	s.chunks = append(s.chunks, c)
	s.end += int64(c.to - c.from)
}

// at is the place of the byte at the offset: buf[i] of the chunk.
func (s *spool) at(offset int64) (c *chunk, i int) {
	left := int(offset - s.start)
	for _, c := range s.chunks {
		if n := c.to - c.from; left >= n {
			left -= n
			continue
		}
		return c, c.from + left
	}
	return nil, 0
}

// drop forgets the bytes before the offset.
func (s *spool) drop(offset int64) {
	for s.start < offset {
		c := s.chunks[0]
		n := min(c.to-c.from, int(offset-s.start))
		c.from += n
		s.start += int64(n)
		if c.from < c.to {
			return
		}
		s.chunks = slices.Delete(s.chunks, 0, 1)
		if c.inUse {
			c.dropped = true
		} else {
			c.recycle()
		}
	}
}

// release ends the use of a chunk; nil is none.
func (s *spool) release(c *chunk) {
	if c == nil {
		return
	}
	c.inUse = false
	if c.dropped {
		c.recycle()
	}
}

// clear forgets all bytes and lets the queue go on at the offset. Their chunks
// may be in use, and are not used again.
func (s *spool) clear(offset int64) { *s = spool{start: offset, end: offset} }
