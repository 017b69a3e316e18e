#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Others' build systems find an installed libperfctr: pkg-config, CMake and Meson, the shared library and the static one.
# usage: run.sh PREFIX	where it was installed by DESTDIR or --prefix; /usr is looked into without a word to the tools
# Prints a line per test; exit status 0 if none failed.
set -u
prefix=${1:?usage: run.sh PREFIX}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
missing() {	# COMMAND NAME
	! command -v "$1" >/dev/null && echo "SKIP $2: there is no $1"
}
libdir=$(find "$prefix/lib" -name libperfctr.pc | sed 's,/pkgconfig/libperfctr.pc$,,')
[ -n "$libdir" ] || { echo "FAIL libperfctr.pc is not in $prefix/lib"; exit 1; }
if [ "$prefix" != /usr ]; then
	PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
	export PKG_CONFIG_PATH LD_LIBRARY_PATH
fi

# PROGRAM shared|static: it counts, and needs libperfctr.so.7 or not.
works() {
	"$1" || return
	if readelf -d "$1" | grep -q 'NEEDED.*\[libperfctr\.so\.7\]'; then [ "$2" = shared ]; else [ "$2" = static ]; fi
}

# shellcheck disable=SC2046
if ! missing pkg-config pkg-config; then
	cc "$here/program.c" $(pkg-config --cflags --libs libperfctr) -o "$work/shared" && works "$work/shared" shared
	check "pkg-config, shared" $?
	cc -static "$here/program.c" $(pkg-config --static --cflags --libs libperfctr) -o "$work/static" &&
		works "$work/static" static
	check "pkg-config --static" $?
fi

by_cmake() {	# DIRECTORY PREFIX STATIC
	cmake -S "$here/cmake" -B "$work/$1" -DCMAKE_PREFIX_PATH="$2" -DSTATIC="$3" >"$work/log" 2>&1 &&
		cmake --build "$work/$1" >>"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}
if ! missing cmake CMake; then
	by_cmake cmake-shared "$prefix" OFF && works "$work/cmake-shared/program" shared
	check "CMake, shared" $?
	by_cmake cmake-static "$prefix" ON && works "$work/cmake-static/program" static
	check "CMake, static" $?
	if [ "$prefix" != /usr ]; then
		cp -R "$prefix" "$work/moved" &&
			by_cmake cmake-moved "$work/moved" ON && works "$work/cmake-moved/program" static &&
			grep -rq "$work/moved/include" "$work/cmake-moved/CMakeFiles/program.dir"
		check "CMake, a tree that was moved" $?
		find "$work/moved" -name 'libperfctr.a' -exec rm {} +
		by_cmake cmake-none "$work/moved" ON >"$work/said" && false || grep -q 'libperfctr.a is not installed' "$work/said"
		check "CMake, a static library that is missing" $?
	fi
fi

if ! missing meson Meson; then
	for kind in shared static; do
		static=$([ $kind = static ] && echo true || echo false)
		meson setup "$work/meson-$kind" "$here/meson" -Dstatic="$static" >"$work/log" 2>&1 &&
			ninja -C "$work/meson-$kind" >>"$work/log" 2>&1 &&
			works "$work/meson-$kind/program" $kind || { cat "$work/log"; false; }
		check "Meson, $kind" $?
	done
fi
exit $failed
