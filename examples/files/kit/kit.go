package kit

import (
	"fmt"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// The declared errors of the tools.
var (
	notFound    = toolkit.DeclareError("NOT_FOUND", toolkit.Usage, 3, "no such file or directory")
	outsideRoot = toolkit.DeclareError("OUTSIDE_ROOT", toolkit.Usage, 4, "the path leads out of the root")
	notAFile    = toolkit.DeclareError("NOT_A_FILE", toolkit.Usage, 5, "a link, FIFO, device or socket, or a directory where a file is meant")
	notADir     = toolkit.DeclareError("NOT_A_DIRECTORY", toolkit.Usage, 6, "a file where a directory is meant")
	notText     = toolkit.DeclareError("NOT_TEXT", toolkit.Usage, 7, "the file is not UTF-8 text")
	notWritable = toolkit.DeclareError("NOT_WRITABLE", toolkit.Usage, 8, "the file or its directory is read-only, or the disk is full")
	tooLarge    = toolkit.DeclareError("TOO_LARGE", toolkit.Usage, 9, "more bytes than a file may have")
)

// Toolkit is the toolkit files over the directory at root. It holds that
// directory open, wherever it is moved, for as long as the toolkit is in use.
func Toolkit(root string) (*toolkit.Toolkit, error) {
	tree, err := openRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", err)
	}
	reads := []*toolkit.Error{notFound, outsideRoot, notAFile}
	writes := []*toolkit.Error{notFound, outsideRoot, notAFile, notADir, notWritable, tooLarge}
	return &toolkit.Toolkit{
		Name: "files", Summary: "Read and write files below one directory of the host",
		Tools: []toolkit.Tool{
			toolkit.Func(quick(toolkit.Spec{
				Name: "list", Summary: "List a directory",
				Examples: []toolkit.Example{{Summary: "What is in docs", Input: ListArgs{Path: "docs"}}},
				Errors:   append(reads, notADir),
			}), tree.list),
			toolkit.Func(quick(toolkit.Spec{
				Name: "read", Summary: "Read a text file",
				Examples: []toolkit.Example{{Summary: "The start of a plan", Input: ReadArgs{Path: "docs/plan.md", MaxBytes: 500}}},
				Errors:   append(reads, notText),
			}), tree.read),
			toolkit.Func(quick(toolkit.Spec{
				Name: "search", Summary: "Find the lines that contain a text",
				Examples: []toolkit.Example{{Summary: "Where docs speaks of the budget", Input: SearchArgs{Text: "budget", Path: "docs"}}},
				Errors:   reads,
			}), tree.search),
			toolkit.Func(streaming(toolkit.Spec{
				Name: "cat", Summary: "Write a file to stdout", ReadOnly: true, Idempotent: true,
				Examples: []toolkit.Example{{Summary: "All bytes of a picture", Input: CatArgs{Path: "logo.png"}}},
				Errors:   reads,
			}), tree.cat),
			toolkit.Func(streaming(toolkit.Spec{
				Name: "write", Summary: "Write stdin to a file, all of it or nothing",
				Examples: []toolkit.Example{{Summary: "Keep what is piped in", Input: WriteArgs{Path: "docs/notes.md"}}},
				Errors:   writes,
			}), tree.write),
			toolkit.Func(streaming(toolkit.Spec{
				Name: "copy", Summary: "Copy a file to a file here, or from one",
				Examples:    []toolkit.Example{{Summary: "Fetch a picture", Input: CopyArgs{Path: "logo.png", To: &toolkit.OutFile{Path: "/tmp/logo.png"}}}},
				Constraints: []toolkit.Constraint{toolkit.Mutex("to", "from"), toolkit.RequiresAny("to", "from")},
				Errors:      writes,
			}), tree.copy),
			toolkit.Func(streaming(toolkit.Spec{
				Name: "hash", Summary: "Compute the SHA-256 of stdin", ReadOnly: true,
			}), hash),
		},
	}, nil
}

// quick adds what the tools that look alike promise: no effects, and soon.
func quick(spec toolkit.Spec) toolkit.Spec {
	spec.ReadOnly, spec.Idempotent, spec.OpenWorld, spec.Timeout = true, true, new(bool), 10*time.Second
	return spec
}

// streaming adds what the tools that stream promise: nothing beyond the root, and an end.
func streaming(spec toolkit.Spec) toolkit.Spec {
	spec.OpenWorld, spec.Timeout = new(bool), 10*time.Minute
	return spec
}
