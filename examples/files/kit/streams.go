package kit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/agentos-go/agentos/toolkit"
)

// CatArgs is the input of the tool cat.
type CatArgs struct {
	Path string    `json:"path" arg:"positional" help:"File below the root" validate:"required"`
	To   io.Writer `stdout:"" validate:"required"`
}

// WriteArgs is the input of the tool write.
type WriteArgs struct {
	Path string    `json:"path" arg:"positional" help:"File below the root; one that is there is replaced" validate:"required"`
	From io.Reader `stdin:"" validate:"required"`
}

// HashArgs is the input of the tool hash.
type HashArgs struct {
	From io.Reader `stdin:"" validate:"required"`
}

// CopyArgs is the input of the tool copy: one of To and From is given.
type CopyArgs struct {
	Path string           `json:"path" arg:"positional" help:"File below the root" validate:"required"`
	To   *toolkit.OutFile `json:"to" help:"File here to copy it to"`
	From *toolkit.File    `json:"from" help:"File here to copy it from"`
}

// Copied is the result of the tools write and copy.
type Copied struct {
	Bytes int64 `json:"bytes"`
}

// Digest is the result of the tool hash.
type Digest struct {
	SHA256 string `json:"sha256" help:"In hexadecimal"`
	Bytes  int64  `json:"bytes"`
}

func (r root) cat(_ context.Context, in CatArgs) (toolkit.None, error) {
	_, err := r.send(in.Path, in.To)
	return toolkit.None{}, err
}

func (r root) write(_ context.Context, in WriteArgs) (Copied, error) {
	n, err := r.put(in.Path, in.From, maxBytes)
	return Copied{n}, err
}

func (r root) copy(_ context.Context, in CopyArgs) (copied Copied, err error) {
	if in.To != nil {
		copied.Bytes, err = r.send(in.Path, in.To)
	} else {
		copied.Bytes, err = r.put(in.Path, in.From, maxBytes)
	}
	return copied, err
}

// send copies a file below the root.
func (r root) send(name string, to io.Writer) (int64, error) {
	file, _, err := r.file(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(to, file)
}

func hash(_ context.Context, in HashArgs) (Digest, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, in.From)
	return Digest{hex.EncodeToString(sum.Sum(nil)), n}, err
}
