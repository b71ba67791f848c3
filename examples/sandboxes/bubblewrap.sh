#!/bin/sh
# An agent in bubblewrap, with the host's tools as commands:
#
#	sh bubblewrap.sh agentos-weather forecast --city Paris
#	sh bubblewrap.sh sh
#
# For any user. `agentosd run` does the like in one command; this is how to do it
# in a sandbox of your own. There is no filter of system calls: on a host that is a
# VM itself, AF_VSOCK leads from the sandbox to the hypervisor below (see runc.sh).
#
# Tested: all of it, as root; a restart of agentosd; a user who is not admitted.
# Not tested: a bubblewrap that is setuid root.
set -eu
BWRAP=${BWRAP:-bwrap}
ADMIT=${ADMIT:-$(id -u)} # the user, as a number, who may connect to the socket
. "$(dirname "$0")/host.sh"

given "$@"
begin
need "$BWRAP" "apt-get install bubblewrap"

# The guest's commands, and the address that they dial inside.
mkdir "$work/root"
"$AGENTOSD" install --example "$EXAMPLE" --guest "$GUEST" --addr unix:///run/agentos/agentos.sock --root "$work/root" >/dev/null

# The host. The socket is this guest's alone: whoever connects to it is $GUEST.
serve "unix://$work/run/agentos.sock?guest=$GUEST&uid=$ADMIT"

# The sandbox. What is mounted at /run/agentos is the socket's directory, since a
# restart of agentosd makes a new file; read-only, so that nothing can be put there.
# --new-session keeps the agent from typing into this terminal; env -i, since the agent
# can read the environment of bwrap itself; /proc/sys is read-only for root's sake.
env -i PATH="$PATH" "$BWRAP" --unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv \
	--ro-bind /usr /usr --ro-bind-try /bin /bin --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 \
	--proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --tmpfs /tmp --dir /home/agent --chdir /home/agent --setenv HOME /home/agent \
	--ro-bind "$work/root" /agentos --setenv PATH /agentos/usr/local/bin:/usr/local/bin:/usr/bin:/bin \
	--ro-bind "$work/run" /run/agentos \
	-- "$@"
