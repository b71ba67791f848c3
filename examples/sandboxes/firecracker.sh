#!/bin/sh
# A Firecracker VM in its jailer, as root of the host:
#
#	KERNEL=vmlinux ROOTFS=/srv/image VM=vm7 sh firecracker.sh
#
# ROOTFS is a directory with all the VM's files (docker export, debootstrap) and a
# program of its own as /sbin/init; the kernel has CONFIG_VIRTIO_VSOCKETS. On the
# guest's console, which is this terminal, `agentos doctor` tells how the link is.
#
# Firecracker connects to v.sock_PORT beside its uds_path when the guest dials
# vsock://2:PORT. Jailed, it sees /v.sock_5000, so the jail's path may be of any
# length; outside a jail the whole path, _5000 included, has at most 107 bytes. The
# jail stays when the VM ends, and the VM's disk in it.
#
# Tested: all but the VM: a stand-in for the jailer goes into the jail, becomes the
# VM's user and carries a guest's connections as Firecracker does; a user who is not
# admitted; a restart of agentosd.
# Not tested: jailer and Firecracker themselves, the boot, the guest's kernel.
set -eu
FIRECRACKER=${FIRECRACKER:-firecracker}
JAILER=${JAILER:-jailer}
CHROOT_BASE=${CHROOT_BASE:-/srv/jailer}
KERNEL=${KERNEL:-vmlinux}
ROOTFS=${ROOTFS:-rootfs} # the commands go into it
SIZE=${SIZE:-2G}         # of the disk that is made of it
VM=${VM:-vm7}            # the jailer's id, used once; letters, digits and hyphens
VM_ID=${VM_ID:-10007}    # the VM's user and group on the host, of no other VM
ADMIT=${ADMIT:-$VM_ID}   # the user who may connect to the socket
PORT=${PORT:-5000}
GUEST=${GUEST:-$VM}
. "$(dirname "$0")/host.sh"

plain VM "$VM"
begin
need "$JAILER" "install a release of Firecracker, or set JAILER"
need "$FIRECRACKER" "install a release of Firecracker, or set FIRECRACKER"
need mkfs.ext4 "apt-get install e2fsprogs"
firecracker=$(command -v "$FIRECRACKER")
home=$CHROOT_BASE/${firecracker##*/}/$VM
jail=$home/root
umask 077 # nobody else reads the VM's files
mkdir -p "${home%/*}"
if ! mkdir "$home"; then
	echo "$0: there is a jail $VM already: remove $home, or set VM" >&2
	exit 73
fi
trap '[ -n "$started" ] || rm -rf "$home"; end' EXIT # of a jail that was not used nothing stays
started=
mkdir "$jail"

"$AGENTOSD" install --example "$EXAMPLE" --guest "$GUEST" --addr "vsock://2:$PORT" --root "$ROOTFS" >/dev/null
mkfs.ext4 -q -d "$ROOTFS" "$jail/rootfs.ext4" "$SIZE" >/dev/null
cp "$KERNEL" "$jail/vmlinux"
cat >"$jail/vm.json" <<END
{"boot-source": {"kernel_image_path": "/vmlinux", "boot_args": "console=ttyS0 reboot=k panic=1 pci=off"},
 "drives": [{"drive_id": "rootfs", "path_on_host": "/rootfs.ext4", "is_root_device": true, "is_read_only": false}],
 "machine-config": {"vcpu_count": 1, "mem_size_mib": 512},
 "vsock": {"guest_cid": 3, "uds_path": "/v.sock"}}
END
chown "$VM_ID:$VM_ID" "$jail" "$jail/rootfs.ext4" "$jail/vmlinux" "$jail/vm.json"

# Before the VM boots, and for its user alone.
serve "hybrid://$jail/v.sock?port=$PORT&guest=$GUEST&uid=$ADMIT&gid=$VM_ID"
started=yes
"$JAILER" --id "$VM" --exec-file "$firecracker" --uid "$VM_ID" --gid "$VM_ID" --chroot-base-dir "$CHROOT_BASE" \
	-- --no-api --config-file /vm.json
