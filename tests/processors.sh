#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# PROCESSORS.md is what scripts/processors makes of the tables and tests.
# The environment: srcdir; PERFEX: the program.
set -u
srcdir=${srcdir:-.} PERFEX=${PERFEX:-./perfex}
export PERFEX
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if sh "$srcdir/scripts/processors" >"$work/PROCESSORS.md" &&
   cmp "$srcdir/PROCESSORS.md" "$work/PROCESSORS.md"; then
	echo "PASS PROCESSORS.md is up to date"
	exit 0
fi
echo "FAIL PROCESSORS.md is out of date: run \"PERFEX=BUILD/perfex scripts/processors >PROCESSORS.md\""
exit 1
