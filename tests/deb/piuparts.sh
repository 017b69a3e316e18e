#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian's judge of installing and removing, over the packages: it makes a system, installs, removes and purges them, and finds what
# is left there, links that lead nowhere, and processes that run on.
# usage: piuparts.sh DEBS	wants root
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:?usage: piuparts.sh DEBS}" || exit
[ "$(id -u)" = 0 ] || { echo "SKIP piuparts: a system of its own needs root"; exit 0; }
command -v piuparts >/dev/null || { echo "SKIP piuparts: it is not installed"; exit 0; }
# shellcheck source=tests/mirror.sh
. "$top/tests/mirror.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The upgrade is whole.sh's: no release is in an archive. systemd, which has sysusers for the group, leaves directories of its own.
# shellcheck disable=SC1091,SC2046
if piuparts --no-upgrade-test -d "$(. /etc/os-release && echo "$VERSION_CODENAME")" ${mirror:+-m "$mirror"} \
	-I '^/(root/\.ssh|var/(cache|lib|log)/private|var/lib/systemd/(coredump|pstore))(/|$)' $(find . -name "*.deb" ! -name "*-dbgsym_*") >"$log" 2>&1; then
	echo "PASS piuparts"
else
	tail -n 60 "$log"
	echo "FAIL piuparts"
	exit 1
fi
