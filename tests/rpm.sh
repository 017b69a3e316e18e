#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# RPM's packages from a release's archive, by Debian's rpmbuild as far as that goes: they are built and have all files that are
# installed. They are not installed: this system has no database of RPM's.
# usage: rpm.sh TARBALL WORKDIR
set -u
if ! [ -e "${1:-}" ] || [ -z "${2:-}" ]; then
	sed -n '5s/^# //p' "$0" >&2
	exit 2
fi
tarball=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
work=$(cd "$2" && pwd)
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
command -v rpmbuild >/dev/null || { echo "SKIP rpm: there is no rpmbuild"; exit 0; }
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH
# A file that no package takes ends it, too. Debian has no script that finds debugging information.
rpmbuild -tb --nodeps --define "_topdir $work" --define 'debug_package %{nil}' --define 'perfctr_nocheck 1' "$tarball" \
	>"$work/log" 2>&1 || tail -n 30 "$work/log"
for package in libperfctr libperfctr-devel perfctr-tools perfctr-dkms; do
	[ "$(find "$work/RPMS" -name "$package-[0-9]*.rpm" | wc -l)" = 1 ]
	check "$package" $?
done
files() {	# PACKAGE
	rpm -qpl "$(find "$work/RPMS" -name "$1-[0-9]*.rpm")" 2>/dev/null
}
files libperfctr | grep -q '/libperfctr\.so\.7$' && files libperfctr-devel | grep -q 'perfctrConfig.cmake$' &&
	files perfctr-tools | grep -q '^/usr/bin/perfex$' && files perfctr-dkms | grep -q '/dkms.conf$'
check "the packages' files" $?
files libperfctr-devel | grep -q '^/usr/include/perfctr/2.6/asm/perfctr.h$' && ! files libperfctr-devel | grep -E '^/usr/include/(asm|linux)(/|$)'
check "the kernel's directories of headers are not the package's" $?
rpm -qp --requires "$(find "$work/RPMS" -name 'perfctr-tools-[0-9]*.rpm')" 2>/dev/null | grep -q 'libperfctr.so.7(LIBPERFCTR_3.0)'
check "the tools require the library by its name and version" $?
[ "$(rpm -qp --qf '[%{REQUIREFLAGS:deptype} %{REQUIRENAME}\n]' "$(find "$work/RPMS" -name 'perfctr-dkms-[0-9]*.rpm')" 2>/dev/null |
	grep -cxE '(post|preun) dkms')" = 2 ]
check "the driver's scripts require dkms" $?
! rpm -qp --provides "$(find "$work/RPMS" -name 'perfctr-tools-[0-9]*.rpm')" 2>/dev/null | grep '^lib.*\.so'
check "the tools provide no library" $?
exit $failed
