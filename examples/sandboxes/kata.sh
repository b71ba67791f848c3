#!/bin/sh
# The host of a Kata Containers pod that runs, as root, until it is interrupted:
#
#	sh kata.sh SANDBOX_ID      # the one of `crictl pods -q --no-trunc --name POD`
#
# The ID is known when the pod runs, and its first commands wait for the host as long
# as AGENTOS_DIAL_WAIT says (2s). How this is started for each pod (a systemd unit, an
# operator) is yours to choose; a host of many pods in Go calls host.AddGuest instead.
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
# first 32 characters of ID. Under QEMU there is none but the kernel's vhost-vsock, at
# which every VM of this machine is a guest, cid-N, of one host: ANY_CID=yes says so.
#
# Tested: agentosd on the sockets of both, with a stand-in for the VMM.
# Not tested: Kata itself, vsock under QEMU, the Rust runtime (whose paths differ),
# a VMM that is not root.
set -eu
RUN_VC=${RUN_VC:-/run/vc}
PORT=${PORT:-5000}
ANY_CID=${ANY_CID:-no}
ID=${1:?the ID of a sandbox}
. "$(dirname "$0")/host.sh"

need "$AGENTOSD" "run make build and put bin/ into PATH, or set AGENTOSD"
firecracker=$RUN_VC/firecracker/$(printf '%.32s' "$ID")/root
if [ -d "$firecracker" ]; then
	listen="hybrid://$firecracker/kata.hvsock?port=$PORT&guest=$GUEST"
elif [ -S "$RUN_VC/vm/$ID/clh.sock" ]; then
	listen="hybrid://$RUN_VC/vm/$ID/clh.sock?port=$PORT&guest=$GUEST"
elif [ -d "$RUN_VC/vm/$ID" ] && [ "$ANY_CID" != yes ]; then
	echo "$0: sandbox $ID has no socket, so it is QEMU's: ANY_CID=yes serves all VMs of this machine" >&2
	exit 69
elif [ -d "$RUN_VC/vm/$ID" ]; then
	listen="vsock://:$PORT?cid=any"
else
	echo "$0: no sandbox $ID below $RUN_VC: crictl pods -q --no-trunc lists them" >&2
	exit 69
fi
exec "$AGENTOSD" serve --example "$EXAMPLE" --listen "$listen"
