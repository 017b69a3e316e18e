#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The order of callgrind's options decides whether it simulates caches: a size turns the simulation on again that --cache-sim=no
# has turned off. Its manual describes the two apart: --cache-sim says whether it simulates, --I1 what the cache is like.
# It matters to whoever writes sizes into ~/.valgrindrc or after other options: the run takes two to four times as long.
set -eu
version=1:3.19.0-1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -qq download "valgrind=$version" && dpkg -x valgrind_*.deb root || { echo "not tried: no package valgrind $version"; exit 77; }
echo "version: valgrind $version"
VALGRIND_LIB=$work/root/usr/libexec/valgrind
export VALGRIND_LIB
events() {	# OPTION...: what it counts
	rm -f out
	root/usr/bin/valgrind -q --tool=callgrind --callgrind-out-file=out "$@" /bin/true 2>/dev/null
	sed -n 's/^events: //p' out
}
size=--I1=32768,8,64
alone=$(events --cache-sim=no) before=$(events $size --cache-sim=no) after=$(events --cache-sim=no $size)
echo "--cache-sim=no: $alone"
echo "$size --cache-sim=no: $before"
echo "--cache-sim=no $size: $after"
[ "$alone" = Ir ] && [ "$before" = Ir ] && [ "$after" = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw" ]
