// Package vhostuser gives a virtual machine a virtio-vsock device on a host
// without /dev/vhost-vsock. It is the back end of the device: the VMM, such as
// QEMU with vhost-user-vsock-pci, hands it the guest's memory and queues over a
// Unix socket.
//
// The host's side is that of Firecracker and Cloud Hypervisor: when a guest
// connects to CID 2 and a port, the device connects to the Unix socket PATH_PORT.
//
//	d, err := vhostuser.Listen(dir+"/vmm.sock", &vhostuser.Options{CID: 3, Path: dir + "/v.sock"})
//	…
//	defer d.Close()
//	l, err := net.Listen("unix", dir+"/v.sock_1024")
//
// and the VMM is
//
//	qemu-system-x86_64 -object memory-backend-memfd,id=mem,size=256M,share=on \
//		-M pc,memory-backend=mem -m 256 -chardev socket,id=vsock,path=vmm.sock \
//		-device vhost-user-vsock-pci,chardev=vsock …
//
// A [Device] serves one VMM after another. Only guests open connections, and only
// stream sockets are there. A guest may say and do what it likes: what breaks the
// rules of its queues ends its VMM's connection, what breaks those of a connection
// resets that, and both are bounded in what they hold of this process. The VMM is
// trusted in one point: that it does not shrink the file behind the guest's memory.
//
// What is said here of virtqueues and packets is from Virtual I/O Device (VIRTIO)
// Version 1.2, of the VMM's messages from docs/interop/vhost-user.rst of QEMU. The
// device is Linux's.
package vhostuser
