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
exit $failed
