// Package kit is a toolkit by which a guest reads and writes the files below one
// directory of the host, its root:
//
//	agentos-files list docs
//	agentos-files read docs/plan.md
//	agentos-files search TODO docs
//	agentos-files cat data.tar | tar -x
//	tar -c results | agentos-files write results.tar
//	agentos-files copy logo.png --to /tmp/logo.png
//	agentos-files copy screenshot.png --from /tmp/shot.png
//
// cat, write, copy and hash stream: no byte of a file is in their JSON, and none
// has to be text.
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
// A file is written, in a directory found the same way, under a temporary name
// (.agentos-…) that nothing else has, and takes its place by a rename when all of
// it is there. A rename follows no link, whatever took the name meanwhile. What is
// replaced has to be a file that could be read, and not read-only; it keeps its
// permissions. When anything fails, the old file is there as it was.
//
// Every answer is bounded and says when it is cut, and a file that is written has
// 1 GiB at most. How many of them there are is not bounded: a quota of the file
// system does that. The guest may write any name, so nothing on the host should
// run or trust what is below the root.
package kit
