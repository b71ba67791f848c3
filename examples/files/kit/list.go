package kit

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ListArgs is the input of the tool list.
type ListArgs struct {
	Path string `json:"path,omitempty" arg:"positional" help:"Directory below the root" default:"."`
}

// Listing is the result of the tool list, sorted by name.
type Listing struct {
	Entries   []Entry `json:"entries"`
	Truncated bool    `json:"truncated,omitempty" help:"The directory has more entries than are shown"`
}

// Entry is one name in a directory.
type Entry struct {
	Name string `json:"name"`
	Type string `json:"type" help:"file, directory, link (not followed) or other (not shown)"`
	Size int64  `json:"size" help:"Bytes of a file, else 0"`
}

// maxEntries is how many entries list shows.
const maxEntries = 1000

func (r root) list(ctx context.Context, in ListArgs) (Listing, error) {
	dir, info, err := r.get(in.Path)
	if err != nil {
		return Listing{}, err
	}
	defer dir.Close()
	if !info.IsDir() {
		return Listing{}, notADir.Errorf("%.200q is a file; read it", in.Path)
	}
	names, err := dir.Readdirnames(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return Listing{}, err
	}
	slices.Sort(names)
	listing := Listing{Truncated: len(names) > maxEntries}
	for _, name := range names[:min(len(names), maxEntries)] {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		// What fails here is gone by now, or is where another file system is mounted.
		if info, err := r.lstat(path.Join(in.Path, name)); err == nil {
			listing.Entries = append(listing.Entries, entry(name, info))
		}
	}
	return listing, nil
}

func entry(name string, info fs.FileInfo) Entry {
	e := Entry{Name: strings.ToValidUTF8(name, "\uFFFD"), Type: "other"}
	switch {
	case info.IsDir():
		e.Type = "directory"
	case info.Mode().Type() == fs.ModeSymlink:
		e.Type = "link"
	case served(info):
		e.Type, e.Size = "file", info.Size()
	}
	return e
}
