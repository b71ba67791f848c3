package kit

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
)

// SearchArgs is the input of the tool search.
type SearchArgs struct {
	Text string `json:"text" arg:"positional" help:"Text to find in a line, taken as it is" validate:"required,min=1,max=200"`
	Path string `json:"path,omitempty" arg:"positional" help:"Directory or file below the root" default:"."`
	Max  int    `json:"max,omitempty" help:"Matches to show at most" default:"50" validate:"min=1,max=500"`
}

// hunt is a search under way, with what is left of its limits.
type hunt struct {
	root
	text    []byte
	matches int   // to show
	names   int   // to visit
	bytes   int64 // to read
	found   Found
}

func (r root) search(ctx context.Context, in SearchArgs) (Found, error) {
	h := &hunt{root: r, text: []byte(in.Text), matches: in.Max, names: 20_000, bytes: 64 << 20}
	err := h.walk(ctx, in.Path)
	return h.found, err
}

// walk searches a file, or a directory and all below it.
func (h *hunt) walk(ctx context.Context, name string) error {
	file, info, err := h.get(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		defer file.Close()
		return h.scan(ctx, name, file)
	}
	children, err := h.children(file)
	if err != nil {
		return err
	}
	for _, child := range children {
		err := h.walk(ctx, path.Join(name, child))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			h.found.Skipped++
		}
		if h.matches == 0 || h.bytes == 0 {
			break
		}
	}
	return nil
}

// children are the names in a directory, sorted, as far as the limit allows. It
// closes the directory: a deep tree must not take a descriptor for each level.
func (h *hunt) children(dir *os.File) ([]string, error) {
	defer dir.Close()
	names, err := dir.Readdirnames(h.names + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(names) > h.names {
		names, h.found.Truncated = names[:h.names], true
	}
	h.names -= len(names)
	slices.Sort(names)
	return names, nil
}
