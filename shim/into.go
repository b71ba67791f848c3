package shim

import (
	"bytes"
	"context"
	"errors"

	"github.com/agentos-go/agentos/guest"
)

// keptPrompt puts the text of `agentos prompt` into the file of --into, and says
// what became of it.
func keptPrompt(ctx context.Context, client *guest.Client, in ownInput) (string, error) {
	text, err := client.Prompt(ctx, in.Budget)
	if err != nil {
		return "", err
	}
	switch changed, err := Into(in.Into, text); {
	case err != nil:
		return "", err
	case changed:
		return in.Into + ": tools written\n", nil
	}
	return in.Into + ": tools are up to date\n", nil
}

// intoAttempts is how often Into begins again because the file has changed.
const intoAttempts = 5

// Into keeps a block with the prompt text in a Markdown file that agents read, such
// as AGENTS.md. A file without the block has it added at its end, and a missing file
// is created; any other byte stays as it is. It reports whether that changed anything.
//
// The file is replaced whole or not at all, and keeps its permissions and owner. What
// somebody else writes to it before that is kept too, but for the instant between the
// last look at the file and its replacement. A link is refused, symbolic or hard: its
// other name would lead to another file from then on. Links on the way to the file's
// directory are followed. The error, a *toolkit.Error, says what to do.
func Into(path, text string) (changed bool, err error) {
	file, err := openMarked(path)
	if err != nil {
		return false, err
	}
	defer file.dir.Close()
	for range intoAttempts {
		if changed, err = file.update(text); !errors.Is(err, errChanged) {
			return changed, err
		}
	}
	return false, unwritten("%s changed again and again while it was read: try once more", path)
}

// update puts the text into the block, and reports whether that changed the file.
func (f *markedFile) update(text string) (changed bool, err error) {
	old, err := f.read()
	if err != nil {
		return false, err
	}
	merged, err := withBlock(old.text, text)
	switch {
	case err != nil:
		return false, unusable("%s: %v", f.path, err)
	case old.info != nil && bytes.Equal(merged, old.text):
		return false, nil
	}
	err = f.replace(old, merged)
	return err == nil, err
}
