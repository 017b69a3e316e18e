#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian's packages are built from the checkout, lintian has nothing to say of them, and the main job runs on a fresh system that has
# only them.
# usage: packages.sh WORKDIR	wants root for the fresh system; without it that part says SKIP
set -u
cd "$(dirname "$0")/../.." || exit
work=${1:?usage: packages.sh WORKDIR} failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
mkdir -p "$work"
# The packages are for nobody: their maintainer is the one of the last commit.
DEBFULLNAME=${DEBFULLNAME:-$(git log -1 --format=%an)} DEBEMAIL=${DEBEMAIL:-$(git log -1 --format=%ae)}
export DEBFULLNAME DEBEMAIL
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH
# The tests run in other stages; debugging symbols, a small archive and full optimization, which take half a minute, are whole.sh's.
XZ_OPT=-1 DEB_BUILD_OPTIONS="nocheck noautodbgsym" DEB_CFLAGS_APPEND="-g0 -O1" scripts/deb "$work/deb" >"$work/names" || exit
check "scripts/deb" $?
for package in libperfctr7 libperfctr-dev perfctr-tools perfctr-compat perfctr-dkms perfctr-doc python3-perfctr librust-perfctr-dev; do
	grep -q "^\./${package}_" "$work/names"
	check "$package" $?
done
# Each of these is a wrong address, for which the sentence says what to set.
for wrong in nobody 'a b@c' '<a@b>' ; do
	DEBEMAIL=$wrong scripts/deb "$work/wrong" 2>&1 | grep -q '^deb: DEBEMAIL is no address: '
	check "a maintainer \"$wrong\" is refused" $?
done
ln -sfn "$PWD" "$work/link"
DEBEMAIL=nobody "$work/link/scripts/deb" "$work/wrong" 2>&1 | grep -q '^deb: DEBEMAIL is no address: '
check "a checkout through a symbolic link" $?
scripts/deb "$work/a blank" 2>&1 | grep -q '^deb: libtool takes no path with a blank'
check "a path with a blank is refused" $?
# It reads meanwhile, half a minute long.
judge=
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/deb/*.changes >"$work/lintian" 2>&1 &
	judge=$!
else
	echo "SKIP lintian: it is not installed"
fi
# shellcheck disable=SC1091
FRESH_FILES=$work/deb tests/fresh.sh "$(. /etc/os-release && echo "$VERSION_CODENAME")" "tests/deb/job.sh /opt/files" || failed=1
if [ -n "$judge" ]; then
	wait "$judge"
	judged=$?
	cat "$work/lintian"
	check "lintian" $judged
fi
exit $failed
