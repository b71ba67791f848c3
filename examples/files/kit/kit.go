package kit

import (
	"fmt"
	"time"

	"github.com/agentos-go/agentos/toolkit"
)

// The declared errors of the three tools.
var (
	notFound    = toolkit.DeclareError("NOT_FOUND", toolkit.Usage, 3, "no such file or directory")
	outsideRoot = toolkit.DeclareError("OUTSIDE_ROOT", toolkit.Usage, 4, "the path leads out of the root")
	notAFile    = toolkit.DeclareError("NOT_A_FILE", toolkit.Usage, 5, "a link, FIFO, device or socket, or a directory where a file is meant")
	notADir     = toolkit.DeclareError("NOT_A_DIRECTORY", toolkit.Usage, 6, "a file where a directory is meant")
	notText     = toolkit.DeclareError("NOT_TEXT", toolkit.Usage, 7, "the file is not UTF-8 text")
)

// Toolkit is the toolkit files over the directory at root. It holds that
// directory open, wherever it is moved, for as long as the toolkit is in use.
func Toolkit(root string) (*toolkit.Toolkit, error) {
	tree, err := openRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", err)
	}
	return &toolkit.Toolkit{
		Name: "files", Summary: "Read files below one directory of the host", Timeout: 10 * time.Second,
		Tools: []toolkit.Tool{
			toolkit.Func(readOnly(toolkit.Spec{
				Name: "list", Summary: "List a directory",
				Examples: []toolkit.Example{{Summary: "What is in docs", Input: ListArgs{Path: "docs"}}},
				Errors:   []*toolkit.Error{notFound, outsideRoot, notAFile, notADir},
			}), tree.list),
			toolkit.Func(readOnly(toolkit.Spec{
				Name: "read", Summary: "Read a text file",
				Examples: []toolkit.Example{{Summary: "The start of a plan", Input: ReadArgs{Path: "docs/plan.md", MaxBytes: 500}}},
				Errors:   []*toolkit.Error{notFound, outsideRoot, notAFile, notText},
			}), tree.read),
			toolkit.Func(readOnly(toolkit.Spec{
				Name: "search", Summary: "Find the lines that contain a text",
				Examples: []toolkit.Example{{Summary: "Where docs speaks of the budget", Input: SearchArgs{Text: "budget", Path: "docs"}}},
				Errors:   []*toolkit.Error{notFound, outsideRoot, notAFile},
			}), tree.search),
		},
	}, nil
}

// readOnly adds what the tools promise alike: no effects, and nothing beyond the root.
func readOnly(spec toolkit.Spec) toolkit.Spec {
	openWorld := false
	spec.ReadOnly, spec.Idempotent, spec.OpenWorld = true, true, &openWorld
	return spec
}
