#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the cost of reading a sample, from a buffer that the program fills itself. Exit status 1 if a
# limit below is missed.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory.
set -eu
srcdir=${srcdir:-.} cc=${CC:-cc}
lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null ||
	{ echo "valgrind, which counts the instructions, is missing: apt-get install valgrind" >&2; exit 1; }

# Instructions of a sample:
max_ip=60 max_usual=75 max_each=75 max_merged=360 max_chain=140

# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" \
	"$srcdir/tests/bench/samples.c" "$lib/libinternal.a" -pthread -o "$work/samples"

# Instructions of the reading.
count() {	# KIND N
	valgrind -q --tool=callgrind --toggle-collect='read_*' --callgrind-out-file="$work/out" \
		"$work/samples" "$1" "$2" >/dev/null
	sed -n 's/^summary: //p' "$work/out"
}
echo "| a sample, by perfctr_sampler_next() | instructions | ns |"
echo "|---|---|---|"
missed=
for kind in ip usual each merged chain; do
	cost=$((($(count $kind 11000) - $(count $kind 1000)) / 10000))
	case $kind in
	ip) what="its address" max=$max_ip ;;
	usual) what="address, thread, time, period" max=$max_usual ;;
	each) what="the same, by perfctr_sampler_each()" max=$max_each ;;
	merged) what="the same, of four buffers by time" max=$max_merged ;;
	chain) what="address, thread, time, call chain of 16" max=$max_chain ;;
	esac
	echo "| $what | $cost | $("$work/samples" $kind 1000000 | cut -d' ' -f3) |"
	[ "$cost" -le "$max" ] || missed="$missed FAIL limits: $kind costs $cost, and not at most $max"
done
echo
[ -z "$missed" ] || { echo "$missed"; exit 1; }
echo "PASS limits"
