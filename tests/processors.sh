#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# PROCESSORS.md and VERIFIED.md are what scripts/processors and scripts/verified make of the tables and tests.
# The environment: srcdir; PERFEX: the program.
set -u
srcdir=${srcdir:-.} PERFEX=${PERFEX:-./perfex}
export PERFEX
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for script in processors verified; do
	file=$(echo $script | tr "[:lower:]" "[:upper:]").md
	if sh "$srcdir/scripts/$script" >"$work/$file" && cmp "$srcdir/$file" "$work/$file"; then
		echo "PASS $file is up to date"
	else
		echo "FAIL $file is out of date: run \"PERFEX=BUILD/perfex scripts/$script >$file\""
		failed=1
	fi
done

# A file that was sent in is in the column of silicon if it is right, of a processor and not a hypervisor.
head='libperfctr-verify 1 0.1.0' right='count inline instructions:u 1000 9 9 0 0 0'
mkdir "$work/silicon"
printf '%s\n' "$head" 'processor zen4 AMD Zen 4' "$right" end >"$work/silicon/right.txt"
printf '%s\n' "$head" 'processor zen3 AMD Zen 3' 'virtual KVM' "$right" end >"$work/silicon/virtual.txt"
printf '%s\n' "$head" 'processor zen2 AMD Zen 2' "${right% 0}" end >"$work/silicon/broken.txt"
printf '%s\n' "$head" 'processor zen1 AMD Zen' 'count inline instructions:u 1000 9 8 -1 0 0' end >"$work/silicon/wrong.txt"
if [ "$(SILICON=$work/silicon sh "$srcdir/scripts/verified" silicon)" = zen4 ] &&
   SILICON=$work/silicon sh "$srcdir/scripts/verified" | grep -q '^| on silicon with counters | AMD Zen 4 |' &&
   SILICON=$work/silicon sh "$srcdir/scripts/processors" | grep -q '^| zen4 |.*, silicon |' &&
   ! SILICON=$work/silicon sh "$srcdir/scripts/processors" | grep -q '^| zen[123] |.*silicon'; then
	echo "PASS what was verified on silicon"
else
	echo "FAIL what was verified on silicon"
	failed=1
fi
exit $failed
