//go:build unix

package guest

import "syscall"

// noFollow makes an open fail where the name is a link.
const noFollow = syscall.O_NOFOLLOW
