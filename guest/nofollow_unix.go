//go:build unix

package guest

import (
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes an open fail where the name is a link, and not wait where it is
// a FIFO.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isOurs reports whether a file belongs to the user who installs.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
