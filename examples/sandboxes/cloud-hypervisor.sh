#!/bin/sh
# A Cloud Hypervisor VM, as a user who may use /dev/kvm:
#
#	KERNEL=vmlinux ROOTFS=/srv/image VM=vm7 sh cloud-hypervisor.sh
#
# ROOTFS is a directory with all the VM's files and a program of its own as
# /sbin/init; the kernel has CONFIG_VIRTIO_VSOCKETS. On the guest's console, which is
# this terminal, `agentos doctor` tells how the link is. The VM's disk is made of
# ROOTFS when there is none, and stays.
#
# Cloud Hypervisor connects to SOCKET_PORT beside its socket when the guest dials
# vsock://2:PORT. Unlike agentosd it cannot reach a path over 107 bytes.
#
# Tested: all but the VM: a stand-in for cloud-hypervisor carries a guest's
# connections as it does; a user who is not admitted; a restart of agentosd.
# Not tested: Cloud Hypervisor itself, the boot, the guest's kernel.
set -eu
CLOUD_HYPERVISOR=${CLOUD_HYPERVISOR:-cloud-hypervisor}
KERNEL=${KERNEL:-vmlinux}
ROOTFS=${ROOTFS:-rootfs}   # the commands go into it
SIZE=${SIZE:-2G}           # of the disk that is made of it
VM=${VM:-vm7}
DISK=${DISK:-$VM.ext4}
# Since version 51 writes to the first sector of a disk need its type; earlier ones
# may not know the option: set this empty.
DISK_TYPE=${DISK_TYPE-,image_type=raw}
ADMIT=${ADMIT:-$(id -u)}   # the user, as a number, who may connect to the socket
PORT=${PORT:-5000}
GUEST=${GUEST:-$VM}
. "$(dirname "$0")/host.sh"

plain VM "$VM"
begin
need "$CLOUD_HYPERVISOR" "install a release of Cloud Hypervisor, or set CLOUD_HYPERVISOR"
need mkfs.ext4 "apt-get install e2fsprogs"
socket=$work/$VM.sock
LC_ALL=C # lengths are in bytes
if [ "$((${#socket} + 1 + ${#PORT}))" -gt 107 ]; then
	echo "$0: ${socket}_$PORT is longer than 107 bytes: set TMPDIR to a shorter path" >&2
	exit 2
fi

"$AGENTOSD" install --example "$EXAMPLE" --guest "$GUEST" --addr "vsock://2:$PORT" --root "$ROOTFS" >/dev/null
if [ ! -e "$DISK" ]; then
	(umask 077 && mkfs.ext4 -q -d "$ROOTFS" "$DISK" "$SIZE" >/dev/null)
fi

# Before the VM boots, and for its user alone.
serve "hybrid://$socket?port=$PORT&guest=$GUEST&uid=$ADMIT"
"$CLOUD_HYPERVISOR" --cpus boot=1 --memory size=512M --kernel "$KERNEL" --cmdline "console=hvc0 root=/dev/vda rw" \
	--disk "path=$DISK$DISK_TYPE" --vsock "cid=3,socket=$socket"
