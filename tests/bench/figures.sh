#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compare the tables of docs/COSTS.md with the programs' output: a figure that is exceeded, if only by one
# instruction, fails, and so does one of README's that COSTS.md does not have. Only figures in user mode that repeat
# exactly are compared, and only as Debian 12's compiler builds the programs, gcc 12.
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
	section "$@" | awk -F '|' -v name="$name" '
		function figures(cell, list) {
			gsub(/,/, "", cell)
			return split(cell, list, /[^0-9]+/)
		}
		# Signals, opening, other threads, the loader: these vary.
		$2 ~ /open|OPEN|threads|overflow|iresume|added to/ || $3 !~ /^ *[0-9]/ { next }
		FNR == NR { documented[$2] = $3; next }
		$2 in documented {
			n = figures($3, found)
			figures(documented[$2], expected)
			for (i = 1; i <= n; i++)
				if (found[i] + 0 > expected[i] + 0) {
					printf "FAIL %s:%s: %s, and COSTS.md has%s\n", name, $2, found[i], documented[$2]
					failed = 1
				}
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

compare arm64 aarch64-linux-gnu-gcc "$work/vm/arm64-1.log" "arm64 (QEMU" "x86-64 (Skylake"
compare x86-64 "${CC:-cc}" "$work/vm/skylake-1.log" "x86-64 (Skylake" "For comparison"
for name in look-up samples engine; do
	compare "$name" "${CC:-cc}" "$work/logs/$name.log" "Names and the low-level" "These two tables"
done
exit $failed
