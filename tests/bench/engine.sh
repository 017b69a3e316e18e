#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the cost of compiling a control, switching between threads and sampling on each family of x86:
# in instructions, where a register's primitive is a load or a store, and in writes of registers. Exit
# status 1 if a limit below is missed.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory.
set -eu
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null ||
	{ echo "valgrind, which counts the instructions, is missing: apt-get install valgrind" >&2; exit 1; }

# Instructions of a suspend and a resume, and writes of registers; figures.sh holds the README's figures.
max_one=80 max_four=125 max_another=275 max_imode=185 max_writes=8

# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" \
	"$srcdir/tests/bench/engine.c" "$lib/libinternal.a" -pthread -o "$work/engine"
valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$work/engine" >"$work/cases"
n=0
while IFS='|' read -r family counters operation writes; do
	n=$((n + 1))
	echo "$family|$counters|$operation|$writes|$(sed -n 's/^summary: //p' "$work/out.$n")"
done <"$work/cases" | awk -F '|' -v max_one=$max_one -v max_four=$max_four -v max_another=$max_another \
	-v max_imode=$max_imode -v max_writes=$max_writes '
	$3 == "nothing" { nothing = $5; next }
	{
		row = $1 " | " $2
		if (!(row in seen))
			rows[++n] = row
		seen[row]
		cost[row, $3] = $5 - nothing
		writes[row, $3] = $4
	}
	function limit(row, name, max) {
		if (cost[row, name] > max)
			missed = missed sprintf("FAIL %s, %s: %d instructions, and not at most %d\n", row,
				name, cost[row, name], max)
		if (writes[row, name] > (name == "warm" && row !~ /i-mode/ ? 0 : max_writes))
			missed = missed sprintf("FAIL %s, %s: %d writes\n", row, name, writes[row, name])
	}
	function short(what, a, b, an, bn) {
		printf "| %s | %d%s | %d%s |\n", what, cost[a, an], b ? "; " cost[b, bn] : "",
			writes[a, an], b ? "; " writes[b, bn] : ""
	}
	END {
		print "| family | counters | compile | switch, same control | writes |" \
			" switch, another control | writes | sample |"
		print "|---|---|---|---|---|---|---|---|"
		for (i = 1; i <= n; i++) {
			r = rows[i]
			printf "| %s | %d | %d | %d | %d | %d | %d |\n", r,
				cost[r, "compile"], cost[r, "warm"], writes[r, "warm"],
				cost[r, "cold"], writes[r, "cold"], cost[r, "sample"]
			limit(r, "warm", r ~ /i-mode/ ? max_imode : r ~ /1 a-mode/ ? max_one : max_four)
			limit(r, "cold", max_another)
		}
		print "\n| engine, one suspend and one resume | instructions | register writes |"
		print "|---|---|---|"
		sky = "Skylake | "
		short("1 a-mode counter, its control still in place", sky "1 a-mode", "", "warm", "")
		short("4 a-mode counters, likewise", sky "4 a-mode", "", "warm", "")
		short("4 a-mode counters after another control: Skylake; P4", sky "4 a-mode",
			"P4 | 4 a-mode", "cold", "cold")
		short("1 i-mode counter, its control still in place; after another", sky "1 i-mode",
			sky "1 i-mode", "warm", "cold")
		if (n != 20)
			missed = missed "FAIL not everything was measured\n"
		printf "\n%s", missed ? missed : "PASS limits\n"
		exit missed != ""
	}'
