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

// CheckChosen is the error of a guest whose host chose a version that was not offered;
// it says what to install.
func CheckChosen(version int) *toolkit.Error {
	if speaks(version) {
		return nil
	}
	return &toolkit.Error{
		Code:    toolkit.CodeHostUnreachable,
		Message: fmt.Sprintf("the host chose protocol %d, which this agentos does not speak", version),
		Hint:    fmt.Sprintf("install an agentos for protocol %d in this guest", version),
	}
}

// speaks reports whether one of the versions is spoken here. It is Negotiate without
// the words, which the guest's program does not need.
func speaks(versions ...int) bool {
	for _, ours := range Versions() {
		for _, v := range versions {
			if v == ours {
				return true
			}
		}
	}
	return false
}

// decodeForeign is an OPEN or PRESENT of versions that are not spoken here, by the
// members that are the same in all of them: enough to say, or to hear, which version
// to install. Of any other message it is nil.
func decodeForeign(typ Type, payload []byte) Message {
	open, present := &Open{}, &Present{}
	switch typ {
	case typeOpen:
		err := readSome(payload, func(o object) { o.ints("v", &open.Versions) })
		if err == nil && len(open.Versions) > 0 && !speaks(open.Versions...) {
			return open
		}
	case typePresent:
		err := readSome(payload, func(o object) {
			o.int("v", &present.Version)
			present.error(o)
		})
		if err == nil && present.Error != nil && present.check() == nil && !speaks(present.Version) {
			return present
		}
	}
	return nil
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
