// Package kit is a toolkit that shows a guest the files below one directory of
// the host, its root, without a way to change them:
//
//	agentos-files list docs
//	agentos-files read docs/plan.md
//	agentos-files search TODO docs
//
// The guest is taken for hostile. Paths are resolved by the kernel, beneath the
// root and without following any symbolic link (openat2(2)), so that neither
// "..", nor a link, nor a race between the two leads out. What was opened is
// then looked at: only directories and regular files with a single name count,
// so a FIFO, a device, a socket or a hard link to a file elsewhere is refused.
// A file system mounted below the root does not belong to it. Where the kernel
// has no openat2, os.Root stands in: nothing leads out there either, but links
// that stay inside are followed and mounts belong to the root.
//
// Every answer is bounded and says when it is cut.
package kit
