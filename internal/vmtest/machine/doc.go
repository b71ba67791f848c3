// Package machine boots small virtual machines with QEMU, from a kernel and a tree of
// files in memory:
//
//	kernel, err := machine.Debian(ctx, cache)
//	var tree machine.Tree
//	err = tree.Base(kernel, machine.VirtioVsock)
//	tree.Add("main", 0o755, []byte("uname -r > /dev/ttyS1"))
//	vm := &machine.VM{Kernel: kernel.Image, Tree: &tree, Memory: 256, Main: "/main"}
//	status, err := vm.Run(ctx, func(line string) { fmt.Println(line) })
//
// A VM has two serial lines: the console, and one for what it reports, so that a
// verdict never stands between the messages of a kernel. It ends when its main script
// ends, with that one's exit status.
//
// It needs Linux on amd64, QEMU and a static busybox; the kernel is Debian's for
// clouds, downloaded once and not installed, or one of the caller's.
package machine
