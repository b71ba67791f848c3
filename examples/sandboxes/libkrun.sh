#!/bin/sh
# A VM by libkrun, started by krunkit (macOS) or a program of your own. What is not the
# recipe's goes to krunkit as it is:
#
#	sh libkrun.sh --cpus 2 --memory 2048 --device virtio-blk,path=/srv/image.raw
#
# libkrun maps a port of the guest's AF_VSOCK to a Unix socket of the host: when the
# guest dials vsock://2:PORT, it connects to the socket (libkrun.h). So the host
# listens on a unix:// address, not on hybrid://. A program on libkrun says before
# krun_start_enter
#
#	krun_add_vsock_port(ctx, 5000, "/run/agentos/vm7/agentos.sock");
#
# A Unix socket in a directory that is shared with the VM does not work: guest and
# host are two kernels. The commands go into the image:
#
#	agentosd install --example weather --guest vm7 --addr vsock://2:5000 --root IMAGE
#
# Tested: all but the VM, on Linux: a stand-in for krunkit connects to the socket as
# libkrun does; a user who is not admitted; a restart of agentosd.
# Not tested: libkrun and krunkit themselves, macOS. libkrun's other way to the host,
# TSI, which passes the guest's network sockets on, is not used.
set -eu
KRUNKIT=${KRUNKIT:-krunkit}
PORT=${PORT:-5000}
ADMIT=${ADMIT:-} # the user, as a number, who may connect; Linux alone can tell
. "$(dirname "$0")/host.sh"

begin
need "$KRUNKIT" "brew install krunkit, or set KRUNKIT to a program that takes its arguments"
serve "unix://$work/run/agentos.sock?guest=$GUEST${ADMIT:+&uid=$ADMIT}"
"$KRUNKIT" "$@" --device "virtio-vsock,port=$PORT,socketURL=$work/run/agentos.sock,listen"
