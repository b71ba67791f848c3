package guest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/agentos-go/agentos/internal/argv"
	"github.com/agentos-go/agentos/toolkit"
)

// Where the installer puts things, below the root it is given.
const (
	BinaryPath      = "/usr/local/lib/agentos/agentos"
	AddrPath        = "/etc/agentos/addr"
	DefinitionsPath = "/etc/agentos/definitions.json"
	PromptPath      = "/etc/agentos/prompt.md"
)

// LinkDirs are the directories for the links agentos and agentos-NAME, in the
// order in which they are tried.
var LinkDirs = []string{"/usr/local/bin", "/usr/bin", "/opt/agentos/bin"}

// InstallOptions say what is installed.
type InstallOptions struct {
	// Shim is the guest binary, for the guest's system and processor.
	Shim io.Reader
	// Addr is the address of the host as the guest dials it; empty writes none.
	Addr string
	// Prompt is the text for the agent's system prompt; empty writes none.
	Prompt string
	// Shared leaves out what is one guest's own: definitions and prompt.
	Shared bool
}

// Installed says where things went.
type Installed struct {
	// LinkDir is the one of LinkDirs that took the links.
	LinkDir string
	// Links are the commands there, sorted.
	Links []string
}

// Install puts the guest binary, its links, the host's address, definitions and
// prompt text below a root directory: a mounted image, a sandbox's root or "/".
// It can be repeated: what stays is replaced whole and never missing for a
// moment, links of toolkits that are gone are removed. Nothing below root is
// trusted: links on the way are refused, and so is a foreign file in the place
// of one of ours.
func Install(root string, definitions []*toolkit.Definition, o *InstallOptions) (*Installed, error) {
	dir, err := os.OpenRoot(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("install below %s: %w; mount the guest's image there first, or make the directory", root, err)
	case err != nil:
		return nil, fmt.Errorf("install below %s: %w", root, err)
	}
	defer dir.Close()
	in := &installer{root: dir}
	return in.install(definitions, o)
}

// installer writes below one root.
type installer struct{ root *os.Root }

func (in *installer) install(definitions []*toolkit.Definition, o *InstallOptions) (*Installed, error) {
	for _, def := range definitions {
		if !argv.IsName(def.Name) { // it becomes a path
			return nil, fmt.Errorf("install: %q is no name of a toolkit", def.Name)
		}
	}
	shim, err := io.ReadAll(o.Shim)
	if err != nil {
		return nil, fmt.Errorf("read the guest binary: %w", err)
	}
	if err := in.write(BinaryPath, shim, 0o755); err != nil {
		return nil, err
	}
	if err := in.writeTexts(definitions, o); err != nil {
		return nil, err
	}
	var errs []error
	for _, linkDir := range LinkDirs {
		links, err := in.link(linkDir, definitions)
		if err == nil {
			return &Installed{LinkDir: linkDir, Links: links}, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("no directory takes the links: %w", errors.Join(errs...))
}

// writeTexts writes address, definitions and prompt text.
func (in *installer) writeTexts(definitions []*toolkit.Definition, o *InstallOptions) error {
	if o.Addr != "" {
		if err := in.write(AddrPath, []byte(o.Addr+"\n"), 0o644); err != nil {
			return err
		}
	}
	if o.Shared {
		return nil
	}
	data, err := json.Marshal(definitions)
	if err != nil {
		return fmt.Errorf("encode definitions: %w", err)
	}
	if err := in.write(DefinitionsPath, append(data, '\n'), 0o644); err != nil {
		return err
	}
	if o.Prompt == "" {
		return nil
	}
	return in.write(PromptPath, []byte(o.Prompt), 0o644)
}

// write puts a file in place, whole: a new file beside it, synced, renamed.
func (in *installer) write(name string, data []byte, mode fs.FileMode) error {
	name = below(name)
	if err := in.makeDirs(path.Dir(name)); err != nil {
		return err
	}
	if info, err := in.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: something that is not a regular file is there", name)
	}
	if in.holds(name, data, mode) {
		return nil
	}
	temporary := name + "." + rand.Text()
	f, err := in.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = in.root.Rename(temporary, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, in.root.Remove(temporary)))
	}
	return nil
}

// holds reports whether a file of ours with this content is there already. Of a
// file that somebody else made no more is read than ours is long.
func (in *installer) holds(name string, data []byte, mode fs.FileMode) bool {
	f, err := in.root.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Mode() != mode || info.Size() != int64(len(data)) || !isOurs(info) {
		return false
	}
	old, err := io.ReadAll(io.LimitReader(f, int64(len(data))))
	return err == nil && bytes.Equal(old, data)
}

// makeDirs makes the directories of a path that are missing. Every one that is
// there must be a real directory.
func (in *installer) makeDirs(dir string) error {
	at := ""
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		if err := in.root.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make directory %s: %w", at, err)
		}
		info, err := in.root.Lstat(at)
		if err != nil {
			return fmt.Errorf("make directory %s: %w", at, err)
		}
		if !info.IsDir() {
			return fmt.Errorf("make directory %s: a link or file of that name is in the way", at)
		}
	}
	return nil
}

// link makes agentos and agentos-NAME point to the binary, and removes our
// links of toolkits that are gone.
func (in *installer) link(linkDir string, definitions []*toolkit.Definition) ([]string, error) {
	dir := below(linkDir)
	if err := in.makeDirs(dir); err != nil {
		return nil, err
	}
	target := strings.Repeat("../", strings.Count(dir, "/")+1) + below(BinaryPath)
	names := []string{"agentos"}
	for _, def := range definitions {
		names = append(names, "agentos-"+def.Name)
	}
	for _, name := range names {
		if err := in.linkOne(path.Join(dir, name), target); err != nil {
			return nil, err
		}
	}
	return names, in.unlinkOthers(dir, target, names)
}

// linkOne makes one link, replacing one of ours and nothing else.
func (in *installer) linkOne(name, target string) error {
	old, err := in.root.Readlink(name)
	switch {
	case err == nil && old == target:
		return nil
	case err == nil:
		return fmt.Errorf("link %s: another link is there, to %s", name, old)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("link %s: a file that is not ours is there", name)
	}
	if err := in.root.Symlink(target, name); err != nil {
		return fmt.Errorf("link %s: %w", name, err)
	}
	return nil
}

// unlinkOthers removes the links to our binary whose names are not wanted.
func (in *installer) unlinkOthers(dir, target string, wanted []string) error {
	entries, err := fs.ReadDir(in.root.FS(), dir)
	if err != nil {
		return fmt.Errorf("read %s: %w", dir, err)
	}
	keep := map[string]bool{}
	for _, name := range wanted {
		keep[name] = true
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if keep[entry.Name()] || !strings.HasPrefix(entry.Name(), "agentos-") || entry.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if old, err := in.root.Readlink(name); err != nil || old != target {
			continue
		}
		if err := in.root.Remove(name); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}

// below is an absolute path as one relative to the root.
func below(name string) string { return strings.TrimPrefix(name, "/") }
