#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# contrib/meson, a project that builds its own libperfctr from a release's archive, where none is installed.
# usage: wrap.sh TARBALL WORKDIR
set -u
if ! [ -e "${1:-}" ] || [ -z "${2:-}" ]; then
	sed -n '4s/^# //p' "$0" >&2
	exit 2
fi
command -v meson >/dev/null || { echo "SKIP Meson's wrap: there is no Meson"; exit 0; }
tarball=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
work=$(cd "$2" && pwd)
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH
cp -R "$(dirname "$0")/../../contrib/meson/." "$work" && cp "$tarball" "$work/subprojects/packagefiles/" && cd "$work" || exit
if meson setup build --wrap-mode=forcefallback >log 2>&1 && ninja -C build >>log 2>&1 && build/program &&
	! ldd build/program | grep libperfctr; then
	echo "PASS Meson's wrap"
else
	tail -n 30 log
	echo "FAIL Meson's wrap"
	exit 1
fi
