#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print what compiling a control, switching between threads and sampling cost on each family of x86:
# in instructions, where a register's primitive is a load or a store, and in writes of registers.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs folder.
set -eu
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null ||
	{ echo "valgrind, which counts the instructions, is missing: apt-get install valgrind" >&2; exit 1; }
# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" \
	"$srcdir/tests/bench/engine.c" "$lib/libinternal.a" -pthread -o "$work/engine"
valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$work/engine" >"$work/cases"
n=0
while IFS='|' read -r family counters operation writes; do
	n=$((n + 1))
	echo "$family|$counters|$operation|$writes|$(sed -n 's/^summary: //p' "$work/out.$n")"
done <"$work/cases" | awk -F '|' '
	$3 == "nothing" { nothing = $5; next }
	{
		row = $1 " | " $2
		if (!(row in seen))
			rows[++n] = row
		seen[row]
		cost[row, $3] = $5 - nothing
		writes[row, $3] = $4
	}
	END {
		print "| family | counters | compile | switch, same control | writes |" \
			" switch, another control | writes | sample |"
		print "|---|---|---|---|---|---|---|---|"
		for (i = 1; i <= n; i++)
			printf "| %s | %d | %d | %d | %d | %d | %d |\n", r = rows[i],
				cost[r, "compile"], cost[r, "warm"], writes[r, "warm"],
				cost[r, "cold"], writes[r, "cold"], cost[r, "sample"]
		exit !n
	}'
