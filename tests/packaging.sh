#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The driver from a source package: "make install-dkms", and DKMS's whole way with what it installs, for
# the kernel whose headers are installed. DKMS works in directories below WORKDIR, not in the system's.
# usage: packaging.sh TARBALL WORKDIR
# Prints a line per test; exit status 0 if none failed.
set -u
if ! [ -e "${1:-}" ] || [ -z "${2:-}" ]; then
	sed -n '6s/^# //p' "$0" >&2
	exit 2
fi
checkout=$(cd "$(dirname "$0")/.." && pwd) tarball=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/tarball" "$2/build" "$2/dkms" || exit
work=$(cd "$2" && pwd)
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

tar -C "$work/tarball" -xf "$tarball" || exit
top=$(echo "$work"/tarball/*)
version=${top##*-}
release=$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | sed 's/^linux-headers-\([^ ,]*\).*/\1/')
mkdir -p "$work/modules/$release" || exit
: >"$work/begun"

# Each file that git has is in the archive, but for those that only the checkout needs.
if (cd "$checkout" && git ls-files) >"$work/files" 2>/dev/null; then
	tar -tf "$tarball" | sed 's,^[^/]*/,,' | LC_ALL=C sort >"$work/archived"
	LC_ALL=C sort "$work/files" | LC_ALL=C comm -23 - "$work/archived" |
		grep -vE '^\.|^findings/|^scripts/(format|likwid-groups|machine|mutants.*|papi-presets|perf-names|published-metrics|test)$|^tests/(again|findings|test-again)\.sh$'
	check "the archive has every file of the checkout" $((1 - $?))
fi

(cd "$work/build" && "$top/configure" -q && make -s install-dkms DESTDIR="$work/root") || exit
sources=$work/root/usr/src/perfctr-$version
[ "$(find "$work/root" -name dkms.conf)" = "$sources/dkms.conf" ] &&
	! grep -rq '@VERSION@' "$sources" && [ -z "$(find "$sources" -type f ! -perm 644)" ]
check "the sources are where DKMS wants them" $?

# The modules are signed with a key made here: DKMS would else make one for the system.
openssl req -new -x509 -nodes -newkey rsa:2048 -keyout "$work/key" -outform DER -out "$work/certificate" \
	-days 2 -subj "/CN=perfctr test/" >/dev/null 2>&1 || exit
in_private() {	# ACTION [argument...]
	action=$1
	shift
	mok_signing_key=$work/key mok_certificate=$work/certificate TMPDIR=$work \
		dkms "$action" --dkmstree "$work/dkms" --sourcetree "$work/root/usr/src" \
		--installtree "$work/modules" "perfctr/$version" "$@"
}
in_private add
check "add" $?
in_private build -k "$release"
check "build" $?
log=$(find "$work/dkms" -name make.log)
[ -z "$log" ] || cat "$log"
[ -n "$log" ] && ! grep -q 'warning:' "$log"
check "no warnings" $?
in_private install -k "$release" --no-depmod
check "install" $?

module=$(find "$work/modules" -name 'perfctr.ko*')
about() { modinfo -F "$1" "$module"; }
[ "$(about version)" = "$version" ]
check "the module has the package's version" $?
about vermagic | grep -q "^$release "
check "the module is the kernel's" $?
[ "$(about signer)" = "perfctr test" ]
check "the module is signed" $?

in_private remove --all --no-depmod && [ -z "$(find "$work/modules" "$work/dkms" -type f)" ]
check "remove leaves nothing" $?
(cd "$work/build" && make -s uninstall-dkms DESTDIR="$work/root") && [ -z "$(find "$work/root" -type f)" ]
check "uninstall leaves nothing" $?
changed=$(find /usr/src /lib/modules /var/lib/dkms -newer "$work/begun")
[ -z "$changed" ] || echo "$changed"
check "the system's directories are untouched" "$([ -z "$changed" ]; echo $?)"
exit $failed
