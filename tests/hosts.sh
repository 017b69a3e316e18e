# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154
# Static builds for other hosts, of which tests/cross.sh and tests/vm/run.sh each want some programs: whoever comes first makes
# what both need. Uses $top and $work. The environment: HOST_BUILDS, a directory for both; else each has its own.
hosts=${HOST_BUILDS:-$work/hosts}
mkdir -p "$hosts"

# HOST TARGET...: in $hosts/HOST. Check, which cross.sh builds, need not be there for what has no unit tests. Two are built
# as distributions build, which has warnings of its own, and two are built in less time; costs, which CI compares, are not measured there.
make_for() {
	host=$1 check=$hosts/check-$1 hardening='' optimize=-O2
	shift
	case $host in
	i686-*) hardening=-D_FORTIFY_SOURCE=2 ;;
	s390x-*) hardening=-D_FORTIFY_SOURCE=2 optimize=-O1 ;;
	powerpc-*) optimize=-O1 ;;
	esac
	mkdir -p "$hosts/$host"
	(
		flock 9
		cd "$hosts/$host" || exit
		[ -e Makefile ] || "$top/configure" --host="$host" -q --enable-werror --disable-shared --without-libelf CFLAGS=$optimize \
			CC="$top/tests/unit-cc $host-gcc" \
			CPPFLAGS="$hardening" \
			CHECK_CFLAGS="-I$check/src -I$hosts/check/src -I$check" \
			CHECK_LIBS="$check/src/.libs/libcheck.a $check/lib/.libs/libcompat.a -lm -lrt -pthread" || exit
		# Were configure run again with these flags, its compiler could not link.
		make -s am--refresh && make -s -j2 LDFLAGS=-all-static "$@"
	) 9>"$hosts/lock-$host" >"$hosts/$host.log" 2>&1 || { tail -n 20 "$hosts/$host.log" >&2; return 1; }
}
