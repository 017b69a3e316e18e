#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Two tools of one valgrind disagree on what an instruction is. A repeated string instruction ("rep stosb") is for callgrind an
# instruction, and a conditional branch, for each byte that it stores; for exp-bbv it is one instruction, and the bytes are "reps".
# A processor retires one instruction and no branch. So Ir of a program that fills memory by such instructions, as the C library
# does for large blocks, is not what a counter of instructions shows.
set -eu
version=1:3.19.0-1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || { echo "not tried: needs a C compiler on x86-64"; exit 77; }
apt-get -qq download "valgrind=$version" && dpkg -x valgrind_*.deb root || { echo "not tried: no package valgrind $version"; exit 77; }
echo "version: valgrind $version"
VALGRIND_LIB=$work/root/usr/libexec/valgrind
export VALGRIND_LIB
cat >fill.c <<'EOT'
#include <stdlib.h>
static char memory[65536];
int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	void *to = memory;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
	return 0;
}
EOT
cc -O1 fill.c -o fill
callgrind() {	# BYTES: instructions and conditional branches
	root/usr/bin/valgrind -q --tool=callgrind --cache-sim=no --branch-sim=yes --callgrind-out-file=out ./fill "$1" 2>/dev/null
	awk '/^totals:/ { print $2, $3 }' out
}
bbv() {	# BYTES: instructions and repetitions
	root/usr/bin/valgrind --tool=exp-bbv --bb-out-file=/dev/null ./fill "$1" 2>&1 |
		awk '/Total instructions:/ { n = $NF } /Total reps:/ { r = $NF } END { print n, r }'
}
difference() { echo "$(($3 - $1)) $(($4 - $2))"; }
# Both numbers have five digits, for which strtoul() takes as many instructions.
# shellcheck disable=SC2046
a=$(difference $(callgrind 10000) $(callgrind 60000))
# shellcheck disable=SC2046
b=$(difference $(bbv 10000) $(bbv 60000))
echo "callgrind, 50,000 bytes more: $a instructions and conditional branches more"
echo "exp-bbv, 50,000 bytes more: $b instructions and repetitions more"
[ "$a" = "50000 50000" ] && [ "$b" = "0 50000" ]
