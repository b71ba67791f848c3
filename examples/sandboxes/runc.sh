#!/bin/sh
# An agent in an OCI container by runc, as root of the host:
#
#	ROOTFS=/srv/image sh runc.sh agentos-weather forecast --city Paris
#
# Docker, Podman and Kubernetes run the same container; these lines are not tested:
#
#	docker run --user 1000 -v /run/agentos/vm7:/run/agentos:ro IMAGE
#	podman run --user 1000 -v /run/agentos/vm7:/run/agentos:ro IMAGE   # rootful
#	volumes: [{name: agentos, hostPath: {path: /run/agentos/vm7, type: Directory}}]
#	volumeMounts: [{name: agentos, mountPath: /run/agentos, readOnly: true}]
#
# with agentosd at unix:///run/agentos/vm7/agentos.sock?guest=vm7&uid=1000. Where the
# container's users are mapped (rootless Podman, hostUsers: false), uid= is the number
# outside. SELinux may refuse the connection even then.
#
# Tested: all of it with runc; a restart of agentosd under a running container; a user
# who is not admitted; AF_VSOCK, which the filter forbids.
# Not tested: Docker, Podman, Kubernetes, mapped users, SELinux.
set -eu
RUNC=${RUNC:-runc}
ROOTFS=${ROOTFS:-rootfs}   # the container's root directory; the commands go into it
AGENT_ID=${AGENT_ID:-1000} # the agent's user and group in the container
ADMIT=${ADMIT:-$AGENT_ID}  # the user who may connect to the socket
. "$(dirname "$0")/host.sh"

given "$@"
begin
need "$RUNC" "apt-get install runc"
if [ "$AGENT_ID" -eq 0 ]; then
	echo "$0: AGENT_ID=0 would be root of the host too" >&2
	exit 77
fi
"$AGENTOSD" install --example "$EXAMPLE" --guest "$GUEST" --addr unix:///run/agentos/agentos.sock --root "$ROOTFS" >/dev/null
serve "unix://$work/run/agentos.sock?guest=$GUEST&uid=$ADMIT"

# The container has the socket's directory, not the file, which a restart of agentosd
# replaces; read-only. Like the default filter of Docker and containerd, this one
# lets nobody make an AF_VSOCK socket (family 40): network namespaces do not hold it.
args=
for arg; do args="$args${args:+,}$(json "$arg")"; done
cat >"$work/config.json" <<END
{"ociVersion": "1.0.2", "hostname": "agentos",
 "root": {"path": $(json "$(cd "$ROOTFS" && pwd)"), "readonly": true},
 "process": {"user": {"uid": $AGENT_ID, "gid": $AGENT_ID}, "args": [$args], "cwd": "/", "noNewPrivileges": true,
  "env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp"]},
 "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
  {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
  {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
  {"destination": "/run/agentos", "type": "bind", "source": $(json "$work/run"), "options": ["bind", "ro", "nosuid", "nodev"]}],
 "linux": {"readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
  "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/sys/firmware"], "namespaces": [{"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}],
  "seccomp": {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["socket"], "action": "SCMP_ACT_ERRNO",
   "errnoRet": 1, "args": [{"index": 0, "value": 40, "op": "SCMP_CMP_EQ"}]}]}}}
END
"$RUNC" --root "$work/state" run --bundle "$work" "agentos-$GUEST-$$"
