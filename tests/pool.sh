#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/vm/source.sh takes a file of Debian's with the right sum, and no other: neither from a mirror nor a kept one.
# The environment: srcdir.
set -u
source=${srcdir:-.}/tests/vm/source.sh
[ -x /usr/lib/apt/apt-helper ] || {
	echo "SKIP files of source packages: needs apt"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
PERFCTR_POOL=file://$work/pool
export PERFCTR_POOL
mkdir -p "$work/pool/a"
echo right >"$work/pool/a/file"
sum=$(sha256sum <"$work/pool/a/file" | cut -d ' ' -f 1)
check() {	# NAME STATUS
	[ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1"; failed=1; }
}
get() {	# PATH: errors keeps what source.sh says of it
	"$source" "$1" "$sum" "$work/file" 2>"$work/errors"
}

get a/file && grep -qx right "$work/file"
check "a file of the mirror" $?
get a/none
check "a kept file needs no mirror" $?
rm "$work/file" && echo wrong >"$work/file" && get a/file && grep -qx right "$work/file"
check "a kept file with another sum is replaced" $?
rm "$work/file"
! get a/none && grep -q "can't be had" "$work/errors"
check "a file that the mirror does not have" $?
echo wrong >"$work/pool/a/file"
! get a/file && grep -q "is not Debian's file" "$work/errors" && [ "$(ls "$work" | paste -s -d ' ')" = "errors pool" ]
check "a file of the mirror with another sum, of which nothing is left" $?
exit $failed
