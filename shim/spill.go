package shim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"unicode/utf8"

	"github.com/agentos-go/agentos/internal/wire"
)

// spillHead is how many bytes of a spilled result stdout shows.
const spillHead = 1024

// spill writes a result to a new private file and says where it is.
func (p *Process) spill(result []byte) (*wire.Spill, error) {
	dir, err := p.spillDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, rand.Text()+".json")
	if err := writeNew(path, result); err != nil {
		return nil, fmt.Errorf("spill the result: %w", errors.Join(err, os.RemoveAll(path)))
	}
	sum := sha256.Sum256(result)
	return &wire.Spill{Path: path, Bytes: int64(len(result)), SHA256: hex.EncodeToString(sum[:]), Head: head(result)}, nil
}

// head is the beginning of the result, cut at a rune's border.
func head(result []byte) string {
	if len(result) <= spillHead {
		return string(result)
	}
	n := spillHead
	for n > 0 && !utf8.RuneStart(result[n]) {
		n--
	}
	return string(result[:n])
}

// spillDir is a directory that only this user can enter, made if it is missing:
// the first that works below $XDG_RUNTIME_DIR, /run and $TMPDIR.
func (p *Process) spillDir() (string, error) {
	own := "agentos-" + strconv.Itoa(os.Getuid())
	candidates := []string{filepath.Join("/run", own), filepath.Join("/tmp", own)}
	if dir, _ := p.Env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		candidates = slices.Insert(candidates, 0, filepath.Join(dir, own))
	}
	if dir, _ := p.Env("TMPDIR"); filepath.IsAbs(dir) {
		candidates[len(candidates)-1] = filepath.Join(dir, own)
	}
	var errs []error
	for _, dir := range candidates {
		err := privateDir(dir)
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no private directory for the result: %w", errors.Join(errs...))
}

// privateDir makes the directory, or checks that it is a real one, of this user
// and closed to others: somebody else may have made it first.
func privateDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a private directory of this user", dir)
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// replaceFile puts a new file in the place of path, whole or not at all.
func replaceFile(path string, data []byte) error {
	if staysAsItIs(path) {
		f, err := os.OpenFile(path, writeAsItIs, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	}
	temporary := filepath.Join(filepath.Dir(path), ".agentos-"+rand.Text())
	if err := writeNew(temporary, data); err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}
