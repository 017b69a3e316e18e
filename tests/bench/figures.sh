#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compare the tables of docs/COSTS.md with the programs' output: a figure in user mode that is exceeded, if only by one
# instruction, fails. Rows about opening, other threads and overflows, which vary, may exceed theirs by 1 %, and figures with
# the kernel, which is not always the same one, by 10 %. Only programs that Debian 12's compiler built, gcc 12, are compared.
# usage: figures.sh WORKDIR	WORKDIR as of scripts/test, with its logs
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:?usage: figures.sh WORKDIR}
failed=0

# The rows from a line that begins with FROM to one that begins with TO.
section() {	# FROM TO
	awk -v from="$1" -v to="$2" 'index($0, from) == 1 { on = 1 } index($0, to) == 1 { on = 0 } on && /^\|/' \
		"$top/docs/COSTS.md"
}

# Each figure of the second column.
compare() {	# NAME COMPILER LOG FROM TO
	name=$1 compiler=$2 log=$3
	shift 3
	[ "$(${compiler%% *} -dumpversion 2>/dev/null)" = 12 ] ||
		{ echo "SKIP $name: $compiler is not gcc 12, whose figures COSTS.md has"; return 0; }
	[ -e "$log" ] || { echo "SKIP $name: $log is not there"; return 0; }
	section "$@" | awk -F '|' -v name="$name" -v kernel="$kernel" '
		function figures(cell, list) {
			gsub(/,/, "", cell)
			return split(cell, list, /[^0-9]+/)
		}
		function hold(row, cell, figure, slack,	n, i) {
			n = figures(cell, found)
			figures(figure, expected)
			for (i = 1; i <= n; i++)
				if (found[i] * 100 > expected[i] * (100 + slack)) {
					printf "FAIL %s:%s: %s, and COSTS.md has%s\n", name, row, found[i], figure
					failed = 1
				}
		}
		$3 !~ /^ *[0-9]/ { next }
		FNR == NR { user[$2] = $3; both[$2] = $4; next }
		$2 in user {
			# Signals, opening, other threads.
			hold($2, $3, user[$2], $2 ~ /open|OPEN|threads|overflow|iresume/ ? 1 : 0)
			if (kernel && both[$2] ~ /[0-9]/)
				hold($2, $4, both[$2], 10)
			rows++
		}
		END {
			if (!rows) {
				printf "FAIL %s: no row of COSTS.md is printed\n", name
				failed = 1
			}
			if (!failed)
				printf "PASS %s: %d rows\n", name, rows
			exit failed
		}' - "$log" || failed=1
}

kernel=1	# whether the third column has figures with the kernel
compare arm64 aarch64-linux-gnu-gcc "$work/vm/arm64-1.log" "arm64 (QEMU" "x86-64 (Skylake"
compare x86-64 "${CC:-cc}" "$work/vm/skylake-1.log" "x86-64 (Skylake" "For comparison"
kernel=0
for name in look-up samples engine; do
	compare "$name" "${CC:-cc}" "$work/logs/$name.log" "Names and the low-level" "These two tables"
done
exit $failed
