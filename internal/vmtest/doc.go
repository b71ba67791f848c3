// Package vmtest runs the guest's commands in real virtual machines, with a real
// kernel's AF_VSOCK below them. make test-vm runs it; without that its tests are
// skipped.
//
// In TestVM_Nested the kernel's AF_VSOCK is at both ends: a VM is the host and has VMs
// of its own, whose CIDs the daemon sees. In TestVM_Hybrid the guest's kernel speaks
// to a hybrid listener on this machine, through a device like that of Cloud Hypervisor
// or of Firecracker (package vhostuser).
//
// What is checked is written in shell, in testdata: scripts that run in a guest and
// report a line for each check, which is a subtest here. Of each kind of failure that
// would go unnoticed there is a control, by which the same checks must fail: no
// listener, no registry of CIDs, another version of the protocol, no device.
//
// Package machine boots the VMs, daemon is their host, lap times commands in a shell.
package vmtest
