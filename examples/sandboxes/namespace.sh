#!/bin/sh
# An agent in namespaces of its own by util-linux alone, for an ordinary user:
#
#	sh namespace.sh agentos-weather forecast --city Paris
#
# The agent has no network, no other processes, no terminal, a fresh /home, /tmp and
# /run, and no capabilities; it is root by name only. All other files stay as this user sees them
# (bubblewrap.sh shows less), and AF_VSOCK is not filtered (runc.sh does that).
#
# Tested: all of it, by a user who is not root; a restart of agentosd; a socket whose
# mode forbids it.
# Not tested: systems that restrict user namespaces (sysctl
# kernel.apparmor_restrict_unprivileged_userns on Ubuntu, user.max_user_namespaces=0).
set -eu
UNSHARE=${UNSHARE:-unshare} # of util-linux; that of busybox can do less
. "$(dirname "$0")/host.sh"

given "$@"
begin
need "$UNSHARE" "apt-get install util-linux"
need setpriv "apt-get install util-linux"
if [ "$(id -u)" -eq 0 ]; then
	echo "$0: the agent would be root outside too: run this as an ordinary user" >&2
	exit 77
fi

# The guest's commands, and the address that they dial inside.
mkdir "$work/root"
"$AGENTOSD" install --example "$EXAMPLE" --guest "$GUEST" --addr unix:///run/agentos/agentos.sock --root "$work/root" >/dev/null

# The host: uid= says that nobody but this user may connect. The kernel tells the
# host who that is outside, whoever the agent is inside.
serve "unix://$work/run/agentos.sock?guest=$GUEST&uid=$(id -u)"

# The sandbox. The socket's directory is mounted, not the file, which a restart of
# agentosd replaces; read-only, so that the agent can put nothing there.
"$UNSHARE" --user --map-root-user --mount --pid --fork --kill-child --mount-proc --net --ipc --uts -- \
	sh -euc '
		work=$1
		shift
		mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /run
		mkdir /run/agentos /run/tools
		mount --bind "$work/run" /run/agentos
		mount --bind "$work/root" /run/tools
		mount -o remount,bind,ro,nosuid,nodev /run/agentos
		mount -o remount,bind,ro,nosuid,nodev /run/tools
		mount -t tmpfs -o mode=700,nosuid,nodev tmpfs "$work" # the originals of what is mounted
		for dir in /home /tmp; do mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$dir"; done
		cd /home
		exec setsid --wait env -i PATH="/run/tools/usr/local/bin:/usr/local/bin:/usr/bin:/bin" HOME=/home \
			setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"
	' sh "$work" "$@"
