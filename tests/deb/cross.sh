#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Another architecture's packages on a fresh system: a cross compiler builds them, they are installed beside this architecture's own,
# and perfex runs under qemu-user, which has no perf_event_open(2): it says so, and the command runs.
# usage: cross.sh [ARCH]	in a fresh.sh's system; default: arm64
set -u
cd "$(dirname "$0")/../.." || exit
arch=${1:-arm64} failed=0
export DEBIAN_FRONTEND=noninteractive DEBFULLNAME="A Tester" DEBEMAIL=tester@debian.org DEB_HOST_ARCH="$arch"
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
dpkg --add-architecture "$arch"
scripts/again apt-get update -qq
scripts/again apt-get install -y -qq --no-install-recommends "crossbuild-essential-$arch" "libelf-dev:$arch" "libdw-dev:$arch" "libpython3-dev:$arch" \
	"pkgconf:$arch" \
	lintian qemu-user binutils >/dev/null
scripts/deb /opt/deb
check "scripts/deb" $?
for package in libperfctr7 libperfctr-dev perfctr-tools perfctr-compat python3-perfctr; do
	[ "$(dpkg-deb -f /opt/deb/"${package}"_*"_$arch.deb" Architecture)" = "$arch" ]
	check "$package" $?
done
lintian --allow-root --fail-on error,warning --tag-display-limit 0 /opt/deb/*.changes
check "lintian" $?
# Its Python would take the place of this architecture's.
rm /opt/deb/python3-perfctr*_"$arch".deb
scripts/again apt-get install -y -qq --no-install-recommends /opt/deb/*_"$arch".deb >/tmp/log 2>&1 || cat /tmp/log
[ "$(dpkg-query -W -f '${db:Status-Abbrev}\n' "libperfctr7:$arch" "libperfctr-dev:$arch" "perfctr-tools:$arch" "perfctr-compat:$arch" |
	grep -c '^ii')" = 4 ]
check "install" $?
triplet=$(dpkg-architecture -a"$arch" -qDEB_HOST_MULTIARCH) cpu=$(dpkg-architecture -a"$arch" -qDEB_HOST_GNU_CPU)
"qemu-$cpu" /usr/bin/perfex -o /tmp/said -e task-clock /bin/echo ran >/tmp/ran
cat /tmp/said
grep -qx ran /tmp/ran && grep -q 'CONFIG_PERF_EVENTS' /tmp/said
check "perfex" $?
# shellcheck disable=SC2046
"$triplet-gcc" tests/consumers/program.c $("$triplet-pkg-config" --cflags --libs libperfctr) -o /tmp/program &&
	"$triplet-readelf" -d /tmp/program | grep -q 'NEEDED.*\[libperfctr\.so\.7\]'
check "a program by pkg-config" $?
exit $failed
