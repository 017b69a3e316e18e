#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# IBS's registers in words, against the names that the kernel's headers give to the same bits: ibs.c.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library.
set -u
srcdir=${srcdir:-.} lib=${LIBPERFCTR:-lib/.libs}
header=$(ls /usr/src/linux-headers-*/arch/x86/include/asm/amd-ibs.h /usr/src/linux-headers-*/arch/x86/include/asm/amd/ibs.h \
	2>/dev/null | tail -n 1)
[ -n "$header" ] || {
	echo "SKIP IBS in words: there are no headers of an x86 kernel (linux-headers-amd64)"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The header wants numbers of registers, which ibs.c has.
mkdir "$work/asm" && : >"$work/asm/msr-index.h"
# shellcheck disable=SC2086
if ${CC:-cc} -std=gnu11 ${CFLAGS:-} -DIBS_HEADER="\"$header\"" -I"$work" -I"$srcdir/include" "$srcdir/tests/ibs.c" \
	-o "$work/ibs" "$lib/libperfctr.a" -pthread -ldl && "$work/ibs"; then
	echo "PASS IBS in words"
else
	echo "FAIL IBS in words"
	exit 1
fi
