package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentos-go/agentos/toolkit"
)

// Versions are the protocol versions that this package speaks, for Open.
func Versions() []int { return []int{1} }

// Negotiate is the host's choice of a version: the highest that both speak. The
// error says which version to install.
func Negotiate(offered []int) (version int, err *toolkit.Error) {
	return negotiate(Versions(), offered)
}

func negotiate(ours, theirs []int) (int, *toolkit.Error) {
	common := slices.DeleteFunc(slices.Clone(ours), func(v int) bool { return !slices.Contains(theirs, v) })
	if len(common) > 0 {
		return slices.Max(common), nil
	}
	err := &toolkit.Error{
		Code:    toolkit.CodeHostUnreachable,
		Message: fmt.Sprintf("the host speaks protocol %s, this agentos speaks %s", list(ours), list(theirs)),
		Hint:    fmt.Sprintf("install an agentos for protocol %d in this guest", slices.Max(ours)),
	}
	if len(theirs) > 0 && slices.Min(theirs) > slices.Max(ours) {
		err.Hint += fmt.Sprintf(", or an agentosd for protocol %d on the host", slices.Min(theirs))
	}
	return 0, err
}

// list is "1, 2"; a hostile list is cut.
func list(versions []int) string {
	if len(versions) == 0 {
		return "none"
	}
	var text []string
	for _, v := range versions[:min(len(versions), 8)] {
		text = append(text, strconv.Itoa(v))
	}
	return strings.Join(text, ", ")
}
