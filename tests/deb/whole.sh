#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# All of the packages' life on a fresh system: they are built twice, the second time elsewhere, and are the same; lintian; they are
# installed, upgraded and purged; and autopkgtest, with a compiler, CMake, Meson, Python, cargo and DKMS.
# usage: whole.sh	in a fresh.sh's system
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/deb/snapshot.sh
. tests/deb/snapshot.sh
failed=0
export DEBIAN_FRONTEND=noninteractive DEBFULLNAME="A Tester" DEBEMAIL=tester@debian.org PERFCTR_ARCHIVES=http://127.0.0.1
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
scripts/again apt-get update -qq
first=/opt/first second=/opt/another/place
[ -z "$(command -v git)" ]
check "there is no git" $?
unset DEB_BUILD_OPTIONS
scripts/deb "$first"
status=$?
check "scripts/deb" $status
[ $status = 0 ] || exit 1
# PASS lines of the tests, in the log: they ran.
passed=$(grep -c '^PASS: tests/' "$first/build.log")
[ "$passed" -gt 100 ] && ! grep -q '^FAIL: ' "$first/build.log"
check "with the package's tests, of which $passed passed" $?
# Another path, time zone, umask, host name and time.
mkdir -p "$second"
unshare --uts sh -c 'hostname elsewhere && umask 027 && TZ=Pacific/Auckland DEB_BUILD_OPTIONS=nocheck scripts/deb "$1"' - "$second"
check "scripts/deb elsewhere" $?
(cd "$first" && find . -name '*.deb' -o -name '*.dsc' -o -name '*.tar.xz' | LC_ALL=C sort) >/tmp/names
# Eight packages, three of them with debugging symbols beside them, and the source in three files.
same=0
[ "$(wc -l </tmp/names)" = 14 ] || same=1
while read -r name; do
	cmp "$first/$name" "$second/$name" || same=1
done </tmp/names
check "two builds are the same, $(wc -l </tmp/names) files" $same

scripts/again apt-get install -y -qq --no-install-recommends lintian >/dev/null
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$first"/*.changes
check "lintian" $?

# A later version of the same.
mkdir /opt/later
for package in "$first"/*.deb; do
	case $package in *-dbgsym_*) continue ;; esac
	dpkg-deb -R "$package" /opt/later/tree
	sed -i 's/0perfctr1/0perfctr2/' /opt/later/tree/DEBIAN/control
	dpkg-deb -b /opt/later/tree "/opt/later/$(basename "$package")" >/dev/null
	rm -rf /opt/later/tree
done
case $(dpkg --print-architecture) in amd64 | arm64) headers=linux-headers-$(dpkg --print-architecture) ;; *) headers= ;; esac
# shellcheck disable=SC2086
scripts/again apt-get install -y -qq --no-install-recommends $headers >/dev/null
install_needs_of /opt/later/*.deb
snapshot /tmp/before
packages=$(find "$first" -name '*.deb' ! -name '*-dbgsym_*')
# shellcheck disable=SC2086
dpkg -i $packages >/tmp/log 2>&1 || cat /tmp/log
[ "$(dpkg-query -W -f '${db:Status-Abbrev}\n' '*perfctr*' | grep -c '^ii')" = 8 ]
check "install" $?
[ -z "$headers" ] || [ -n "$(find /lib/modules/ /usr/lib/modules/ -name 'perfctr.ko*')" ]
check "the module is installed" $?
getent group perfctr
check "the group is there" $?
dpkg -i /opt/later/*.deb >/tmp/log 2>&1 || cat /tmp/log
[ "$(dpkg-query -W -f '${db:Status-Abbrev}${Version}\n' '*perfctr*' | grep -c '^ii .*0perfctr2')" = 8 ]
check "upgrade" $?
# shellcheck disable=SC2046
dpkg --purge $(dpkg-query -W -f '${Package}\n' '*perfctr*') >/tmp/log 2>&1 || cat /tmp/log
snapshot /tmp/after
nothing_left /tmp/before /tmp/after
check "purge leaves nothing" $?

# debian/watch finds the newest release, and neither what is no release nor the archive of its pages.
scripts/again apt-get install -y -qq --no-install-recommends devscripts >/dev/null
mkdir /opt/archives
for name in 3.0.0 98.0.0 99.0.0 99.0.0-html 99.1.0-dev; do
	: >"/opt/archives/libperfctr-$name.tar.xz"
done
dpkg-source --no-check -x "$first"/*.dsc /opt/watched >/tmp/log 2>&1
# On a port that is free, which its first line has.
(cd /opt/archives && exec python3 -u -m http.server --bind 127.0.0.1 0 >/tmp/server 2>&1) &
server=$! port='' tries=0
until [ -n "$port" ] || [ $tries = 100 ]; do
	sleep 0.1
	port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/\1/p' /tmp/server) tries=$((tries + 1))
done
[ -n "$port" ] || cat /tmp/server
sed -i "s,^http://127\.0\.0\.1/,http://127.0.0.1:$port/," /opt/watched/debian/watch
(cd /opt/watched && uscan --no-download --dehs 2>/dev/null) >/tmp/watched
kill $server
grep -q '<upstream-version>99\.0\.0</upstream-version>' /tmp/watched || { cat /tmp/watched; false; }
check "uscan finds the newest release" $?

scripts/again apt-get install -y -qq --no-install-recommends autopkgtest >/dev/null
autopkgtest --output-dir /opt/autopkgtest "$first"/*.deb "$first"/*.dsc -- null >/tmp/log 2>&1
status=$?
sed 's/^\([a-z0-9]*\) *PASS.*/PASS autopkgtest \1/; s/^\([a-z0-9]*\) *\(FAIL\|SKIP\).*/\2 autopkgtest \1/' /opt/autopkgtest/summary
[ $status = 0 ] || tail -n 200 /tmp/log
check "autopkgtest" $status
exit $failed
