#!/bin/sh
# Installs what make test-vm needs, on Debian and as root; elsewhere it says what is
# missing.
set -eu
missing=
command -v qemu-system-x86_64 >/dev/null || missing="$missing qemu-system-x86"
busybox=$(command -v busybox) && ! ldd "$busybox" 2>/dev/null | grep -q '=>' || missing="$missing busybox-static"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "install$missing (Debian's names), or run this as root on Debian" >&2
	exit 69
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# The list of words is meant to be split.
apt-get -qq install -y --no-install-recommends $missing >/dev/null
