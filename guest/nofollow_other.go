//go:build !unix

package guest

// noFollow is nothing where the system has no such flag: O_EXCL refuses links there.
const noFollow = 0
