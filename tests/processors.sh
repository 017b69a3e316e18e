#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# PROCESSORS.md and VERIFIED.md are the output of scripts/processors and scripts/verified from the tables and tests.
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
mkdir "$work/silicon"
made() {	# ID NAME CHANGE
	sed "s/^processor .*/processor $1 $2/; $3" "$srcdir/tests/silicon/made-right.txt" >"$work/silicon/$1.txt"
}
made zen4 'AMD Zen 4' ''
made zen3 'AMD Zen 3' 's/^kernel/virtual KVM\n&/'
made zen2 'AMD Zen 2' '/^order/d'
made zen1 'AMD Zen' 's/^order 20000 0/order 20000 1/'
made goldencove 'Intel Golden Cove' \
	's/^kernel.*/&\ntypes 1\ncount moved instructions:u 100 1 1 0 0 0\npart cpu_atom gracemont 16-23/'
if [ "$(SILICON=$work/silicon sh "$srcdir/scripts/verified" silicon | tr '\n' ' ')" = 'gracemont zen4 ' ] &&
   SILICON=$work/silicon sh "$srcdir/scripts/verified" | grep -q '^| on silicon with counters | .*; AMD Zen 4 |' &&
   SILICON=$work/silicon sh "$srcdir/scripts/processors" | grep -q '^| zen4 |.*, silicon |' &&
   ! SILICON=$work/silicon sh "$srcdir/scripts/processors" | grep -q '^| zen[123] |.*silicon'; then
	echo "PASS what was verified on silicon"
else
	echo "FAIL what was verified on silicon"
	failed=1
fi
exit $failed
