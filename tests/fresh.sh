#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Run a command on a fresh system: Debian's base packages, a clone of what is committed, no environment and no locale. It finds
# what a machine that was used before hides: a package that nobody installs, a test that needs LANG.
# usage: fresh.sh SUITE COMMAND	e.g. fresh.sh trixie scripts/test
# The environment: FRESH_FILES, a directory that the system has as /opt/files.
# Wants root, and mmdebstrap or debootstrap; without them it says SKIP. The exit status is the command's.
set -eu
suite=${1:?usage: fresh.sh SUITE COMMAND} command=${2:?usage: fresh.sh SUITE COMMAND}
top=$(cd "$(dirname "$0")/.." && pwd)
skip() { echo "SKIP $suite: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "a system of its own needs root"
for make in mmdebstrap debootstrap none; do
	! command -v $make >/dev/null || break
done
[ "$make" != none ] || skip "needs mmdebstrap or debootstrap"
command -v git >/dev/null || skip "needs git"
if [ "${FRESH_NAMESPACE:-}" != 1 ]; then
	# The mounts are this process's own, and go with it.
	FRESH_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
root=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh.XXXXXX")
trap 'umount -R "$root/dev" "$root/sys" "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
# shellcheck source=tests/mirror.sh
. "$top/tests/mirror.sh"
$make --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
	{ tail "$root.log"; echo "FAIL $suite: it can't be made"; exit 1; }
rm "$root.log"
chmod 755 "$root"
# How this machine reaches the mirror.
cp /etc/resolv.conf "$root/etc/"
for settings in /etc/apt/apt.conf.d/* /etc/apt/auth.conf.d/*; do
	# A package's own comes with the package.
	! [ -e "$settings" ] || dpkg-query -S "$settings" >/dev/null 2>&1 || cp "$settings" "$root$settings"
done
mount --rbind /proc "$root/proc"
mount --bind /sys "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
	cp -a "/dev/$device" "$root/dev/"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do
	ln -s "fd/${stream%:*}" "$root/dev/${stream#*:}"
done
git clone -q "$top" "$root/opt/checkout"
[ -z "${FRESH_FILES:-}" ] || cp -R "$FRESH_FILES" "$root/opt/files"
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb sh -c "cd /opt/checkout && $command"
