#!/bin/sh
# The host of a Kata Containers pod that runs, as root, until it is interrupted:
#
#	sh kata.sh SANDBOX_ID      # the one of `crictl pods -q --no-trunc`
#
# The commands belong into the container's image, when it is built:
#
#	agentosd install --example weather --guest vm7 --addr vsock://2:5000 --root IMAGE
#
# and the container's seccomp profile has to allow AF_VSOCK (family 40), which those of
# Docker and containerd do not. A Unix socket that is mounted into the pod does not
# work: guest and host are two kernels (kata-containers issues 4244 and 8024). All
# containers of a pod are one guest. Ports 1024 and 1025 are Kata's own.
#
# Where the socket lies, for Kata's Go runtime (src/runtime/virtcontainers, clh.go and
# fc.go): under Cloud Hypervisor in /run/vc/vm/ID, under Firecracker in the jail of the
# first 32 characters of ID. Under QEMU there is none but the kernel's vhost-vsock;
# its guests are told apart by their CIDs, which Kata draws by lot.
#
# Tested: agentosd on the sockets of both, with a stand-in for the VMM.
# Not tested: Kata itself, vsock under QEMU, the Rust runtime (whose paths differ),
# a VMM that is not root.
set -eu
RUN_VC=${RUN_VC:-/run/vc}
PORT=${PORT:-5000}
ID=${1:?the ID of a sandbox}
. "$(dirname "$0")/host.sh"

need "$AGENTOSD" "run make build and put bin/ into PATH, or set AGENTOSD"
firecracker=$RUN_VC/firecracker/$(printf '%.32s' "$ID")/root
if [ -d "$firecracker" ]; then
	listen="hybrid://$firecracker/kata.hvsock?port=$PORT&guest=$GUEST"
elif [ -S "$RUN_VC/vm/$ID/clh.sock" ]; then
	listen="hybrid://$RUN_VC/vm/$ID/clh.sock?port=$PORT&guest=$GUEST"
elif [ -d "$RUN_VC/vm/$ID" ]; then
	listen="vsock://:$PORT?cid=any" # QEMU: every VM of this host is a guest, cid-N
else
	echo "$0: no sandbox $ID below $RUN_VC: crictl pods -q --no-trunc lists them" >&2
	exit 69
fi
exec "$AGENTOSD" serve --example "$EXAMPLE" --listen "$listen"
